/** Reference runs that were repeated on a machine of another kind (docs/method.md, "Two kinds of machine"). */
import { getKnownInterval } from '../../judge/verdict.js'
import { estimateText } from '../../shared/format.js'
import { printRatio } from '../bounds.js'

/** @import { Contrast, RunRecord } from '../../types.js' */

const OTHER_CPU = 'Intel Xeon'

/**
 * Ratios measured on the other machine, with their intervals. Its runs are not stored.
 * @type {{ experiment: string, arm: string, baseline: string, ratio: number, low: number, high: number }[]}
 */
const RATIOS = [
  { experiment: 'static-html', arm: 'connect', baseline: 'nginx', ratio: 0.1, low: 0.09, high: 0.11 },
  { experiment: 'cache', arm: 'uds-keepalive-cache', baseline: 'uds-keepalive', ratio: 4.04, low: 3.77, high: 4.33 },
  { experiment: 'cache', arm: 'tcp-cache', baseline: 'tcp', ratio: 10.8, low: 9.4, high: 12.3 },
  { experiment: 'nginx-defaults', arm: 'since 1.29.7', baseline: 'before 1.29.7', ratio: 1.58, low: 1.44, high: 1.73 },
  { experiment: 'nginx-defaults', arm: 'pool for all', baseline: 'since 1.29.7', ratio: 1.51, low: 1.38, high: 1.66 },
  { experiment: 'caches', arm: 'varnish', baseline: 'nginx', ratio: 0.53, low: 0.49, high: 0.59 },
  { experiment: 'caches', arm: 'apache', baseline: 'nginx', ratio: 0.23, low: 0.21, high: 0.24 }
]

/**
 * Compares the ratios of runs with those of the other kind of machine.
 * @param {RunRecord[]} records
 * @param {Record<string, string>} [names] of arms, as they are printed
 * @returns {string[]} one sentence at most
 */
export function otherMachineSentence (records, names = {}) {
  const here = records.filter(({ environment: { cpu } }) => cpu.model !== OTHER_CPU)
  const clauses = RATIOS.flatMap(other => {
    const record = here.find(({ experiment }) => experiment === other.experiment)
    const contrast = record?.contrasts.find(({ arm, baseline }) => arm === other.arm && baseline === other.baseline)
    if (!record || !contrast) return []
    const [arm, baseline] = [other.arm, other.baseline].map(name => names[name] ?? name)
    return [`${arm} against ${baseline}: ${estimateText(other)} there and ${printRatio(contrast, record.arms)} here` +
      (isApart(other, contrast) ? ', so the ratio differs by machine or by release' : '')]
  })
  return clauses.length === 0
    ? []
    : [`On a machine of another kind (${OTHER_CPU}), whose runs are not stored: ${clauses.join('; ')}.`]
}

/**
 * Returns whether the interval of a ratio there and that of a ratio here have no value in common.
 * @param {typeof RATIOS[number]} there
 * @param {Contrast} contrast
 */
function isApart (there, contrast) {
  const { low, high } = getKnownInterval(contrast)
  return high < there.low || low > there.high
}
