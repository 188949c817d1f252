/**
 * Equal arms compared in the same wall time by one long run of each, by windows repeated one arm after the other, and
 * by slices
 * whose length the noise has chosen: whose ratio is nearest to one?
 */
import { basename, join } from 'node:path'
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/lab.js'
import { openRig } from '../../bench/measure/rig.js'
import { planOf } from '../../bench/plan/plan.js'
import { writePlanted } from '../../bench/studies/selftest/planted.js'
import { makeTempRoot } from '../../bench/machine/temp.js'
import { parse } from '../../bench/plan/word.js'
import { aboutProtocol } from '../../bench/plugins.js'
import { copyOfProject } from '../support/project.js'
import { fixed, measured } from './measure.js'

/** @import { Bench, Part } from './index.js' */

const WORD = 'express-json'
const ROUNDS = 4
/** Wall time of each way in each round: two runs of 40 s, as people make them, and what starting them takes. */
const WALL_SECONDS = 90
const SINGLE_SECONDS = 40
const WINDOW_SECONDS = 2

/** @typedef {{ bench: Bench, wall: number }} Setting */

/** @type {Part} */
export default {
  title: 'how far from one the ratio of equal arms is after 90 s: adaptive slices, single runs, sequential repetition',
  async run (bench) {
    const setting = { bench, wall: bench.short ? 30 : WALL_SECONDS }
    /** @type {Record<keyof typeof ways, number[]>} */
    const found = { adaptive: [], single: [], sequential: [] }
    for (let round = 0; round < (bench.short ? 1 : ROUNDS); round++) {
      for (const way of /** @type {(keyof typeof ways)[]} */ (Object.keys(ways))) {
        const ratio = await ways[way](setting)
        found[way].push(ratio)
        bench.note(`${way}: ${fixed(ratio, 3)}`)
      }
    }
    const error = (/** @type {number[]} */ ratios) =>
      Math.sqrt(ratios.reduce((sum, ratio) => sum + Math.log(ratio) ** 2, 0) / ratios.length)
    const text = (/** @type {number[]} */ ratios) =>
      `${fixed(error(ratios) * 100, 1)} % (${ratios.map(ratio => fixed(ratio, 3)).join(', ')})`
    const others = Math.min(error(found.single), error(found.sequential))
    return [{
      what: 'root of the mean squared error',
      measured:
        `adaptive ${text(found.adaptive)}, single runs ${text(found.single)}, sequential ${text(found.sequential)}`,
      goal: 'adaptive is the smallest',
      met: error(found.adaptive) < others
    }]
  }
}

const ways = { adaptive, single, sequential }

/** @param {Setting} setting */
async function adaptive ({ bench, wall }) {
  const from = copyOfProject(bench)
  const equal = basename(writePlanted(join(from, 'servers'), 'equal', 0), '.js')
  const { record } = await measured(bench, [WORD, equal, '--budget', `${wall}s`], { from })
  return record.contrasts[0].ratio
}

/** @param {Setting} setting */
async function single ({ bench, wall }) {
  return windows(bench, { seconds: Math.min(SINGLE_SECONDS, wall / 2 - 5), times: () => false })
}

/** @param {Setting} setting */
async function sequential ({ bench, wall }) {
  return windows(bench, { seconds: WINDOW_SECONDS, times: spent => spent < wall / 2 })
}

/**
 * Windows of everything started anew, first of the one arm and then of the other.
 * @param {Bench} bench
 * @param {{ seconds: number, times: (spentSeconds: number) => boolean }} options times: whether another window of the
 *   arm follows
 * @returns {Promise<number>} the ratio of the means
 */
async function windows (bench, { seconds, times }) {
  const plan = planOf('single', {
    title: 'equal arms',
    question: 'Is there a difference?',
    source: null,
    arms: { one: WORD, other: WORD },
    protocol: 'window',
    unit: 'requests',
    windowSeconds: { full: seconds, quick: seconds },
    load: { path: '/' }
  }, { seed: 1 }, { parse, protocol: await aboutProtocol('window') })
  const temp = makeTempRoot()
  bench.teardown(() => temp.remove())
  const { network } = await labFacts()
  const rig = await openRig(plan, {
    temp: temp.path,
    keepIn: temp.path,
    lab: network === 'namespaces',
    cores: splitCores('split'),
    engine: 'autocannon',
    mayswitch: false,
    cwd: temp.path,
    maxSeconds: 600,
    note: () => {}
  })
  try {
    const means = []
    for (const arm of ['one', 'other']) {
      const startedAt = performance.now()
      const rates = []
      do {
        const { rps, invalid } = await rig.trial(arm, rates.length)
        if (invalid) throw new Error(`${arm}: ${invalid.text}`)
        rates.push(rps)
      } while (times((performance.now() - startedAt) / 1000))
      means.push(rates.reduce((a, b) => a + b, 0) / rates.length)
    }
    return means[1] / means[0]
  } finally {
    await rig.close()
  }
}
