/** The choice of a static server in one line: safety first, then throughput (pure). */
import { listing } from '../../shared/format.js'

/** @import { Advice } from '../../types.js' */

/** Servers of Node that the line names: the recommended one and others that are not shown to be slower. */
const MAX_NAMED = 2

/** Unsafe servers that the line names. */
const MAX_UNSAFE = 3

/** Lists alternatives. @param {string[]} names */
const either = names => listing(names).replace(/ and (?=[^,]*$)/, ' or ')

/**
 * Names the recommended proxy, the servers of Node that fail no probe of safety and are not shown to be slower, and
 * those that are not recommended: "nginx; in Node express or connect; not sirv".
 * @param {Advice[]} advice of bench/judge/recommendation.js
 * @param {{ safe?: string, unsafe?: string }} [reasons] clauses after the servers of either kind
 * @returns {string | null} null: the run has no server to recommend
 */
export function choiceText (advice, { safe = '', unsafe = '' } = {}) {
  const proxy = advice.flatMap(({ code, params }) => code === 'proxy-serves' ? [params] : []).at(0)
  const node = advice.flatMap(({ code, params }) => code === 'node-serves' ? [params] : []).at(0)
  if (!proxy && !node) return null
  const alike = (node?.alike ?? []).toSorted((a, b) => a.failures - b.failures || b.perSecond - a.perSecond)
  const rejected = advice.flatMap(({ code, params }) => code === 'unsafe' ? [params.server] : [])
  const others = rejected.length - MAX_UNSAFE
  const named = others > 1 ? [...rejected.slice(0, MAX_UNSAFE), `${others} more`] : rejected
  return [
    ...proxy ? [proxy.arm] : [],
    ...node ? [`in Node ${either([node.arm, ...alike.map(({ arm }) => arm)].slice(0, MAX_NAMED))}${safe}`] : [],
    ...named.length > 0 ? [`not ${either(named)}${unsafe}`] : []
  ].join('; ')
}

/** Prints the choice as a sentence with its reasons. @param {Advice[]} advice */
export function choiceSentence (advice) {
  const text = choiceText(advice, { safe: ', without a failure of safety', unsafe: ', which fail probes of safety' })
  return text === null ? [] : [`Use ${text}.`]
}
