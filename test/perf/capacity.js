/**
 * Whether a capacity is found again, in how much time, and whether what is reckoned for a quota is what is measured
 * under it.
 */
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/lab.js'
import { armOf } from '../../bench/studies/request.js'
import { burstSeconds } from '../../bench/studies/sizing/bursts.js'
import { capacityUnder, usageOf } from '../../bench/studies/sizing/cost.js'
import { emulationFacts } from '../../bench/studies/sizing/emulation.js'
import { openSizingRig } from '../../bench/studies/sizing/sizing-rig.js'
import { delayOf, outcomeOf, sizeTopology, usagesOf } from '../../bench/studies/sizing/size-topology.js'
import { warmUp } from '../../bench/studies/sizing/verify.js'
import { makeTempDir, makeTempRoot } from '../../bench/machine/temp.js'
import { fixed, median, percent } from './measure.js'

/** @import { SizeOptions, SizingRig } from '../../bench/studies/sizing/types.js' */
/** @import { Arm, Sample, SizedTopology } from '../../bench/types.js' */
/** @import { Bench, Line, Part } from './index.js' */

const WORD = 'nginx:uds-keepalive/express-json'
const P99_MS = 50
const QUOTAS = [0.25, 0.5, 1]
/**
 * What is reckoned and what is measured are taken in turn, window by window, on processes that are up side by side:
 * the same quota measured half an
 * hour later was 40 % apart here.
 */
const ROUNDS = { full: 4, short: 1 }
/** Of the rate at which the quota seems to be used up. */
const SHARES = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.12, 1.25, 1.4]
const GOALS = { seconds: 180, again: 0.05, quota: 0.1 }

/** @type {Part} */
export default {
  title: 'capacity: found again, in time, and under a quota as reckoned',
  async run (bench) {
    const arm = await armOf(WORD, { connections: 400 })
    const temp = makeTempRoot()
    bench.teardown(() => temp.remove())
    const { network } = await labFacts()
    const common = {
      p99Ms: P99_MS,
      quick: bench.short,
      lab: network === 'namespaces',
      cores: splitCores('split', 0.5),
      cwd: process.cwd(),
      note: () => {},
      interrupted: () => false,
      now: () => performance.now() / 1000
    }
    const sized = []
    const lines = []
    for (let i = 0; i < (bench.short ? 1 : 2); i++) {
      const at = performance.now()
      sized.push(await sizeTopology(arm, { ...common, seed: i, temp: makeTempDir(temp.path, `s${i}`) }))
      const seconds = (performance.now() - at) / 1000
      const { rate, low, high } = sized[i].capacity
      bench.note(
        `${WORD}: ${Math.round(rate)} req/s (${Math.round(low)} to ${Math.round(high)}) in ${Math.round(seconds)} ` +
        `s, ${sized[i].trials.length} trials`
      )
      lines.push({
        what: `search ${i + 1}`,
        measured: `${Math.round(rate)} req/s in ${Math.round(seconds)} s`,
        goal: `≤ ${GOALS.seconds} s`,
        met: seconds <= GOALS.seconds
      })
    }
    if (sized.length > 1) {
      const apart = Math.abs(Math.log(sized[1].capacity.rate / sized[0].capacity.rate))
      lines.push({
        what: 'two searches apart',
        measured: percent(apart),
        goal: `≤ ${percent(GOALS.again)}`,
        met: apart <= GOALS.again
      })
    }
    const { version, why } = await emulationFacts()
    if (version === null) {
      const measured = `cannot be set here: ${why}`
      return [...lines, { what: 'quotas', measured, goal: 'not to be told here', met: true }]
    }
    const last = sized[sized.length - 1]
    const unlimited = await openSizingRig(arm, { ...common, temp: makeTempDir(temp.path, 'u') })
    try {
      await warmUp(unlimited, 1, bench.short)
      for (const cpu of bench.short ? QUOTAS.slice(0, 1) : QUOTAS) {
        lines.push(await quotaLine(bench, arm, { cpu, unlimited, last, common, temp: temp.path }))
      }
    } finally {
      await unlimited.close()
    }
    return lines
  }
}

/**
 * @param {Bench} bench
 * @param {Arm} arm
 * @param {{ cpu: number, unlimited: SizingRig, last: SizedTopology,
 *   common: Omit<SizeOptions, 'temp' | 'seed'>, temp: string }} context
 * @returns {Promise<Line>}
 */
async function quotaLine (bench, arm, { cpu, unlimited, last, common, temp }) {
  const seconds = bench.short ? 1.5 : 3
  const limited = await openSizingRig(arm, {
    ...common,
    temp: makeTempDir(temp, `q${cpu * 100}`),
    limits: { cpu, memoryMiB: null }
  })
  // A quota of all cores is none: what is reckoned is the capacity without one.
  const guess = cpu < last.cores
    ? capacityUnder(cpu, usagesOf(last.curve), last.capacity.rate).rate
    : last.capacity.rate
  /** @type {Record<'unlimited' | 'limited', Map<number, Sample[]>>} */
  const samples = { unlimited: new Map(), limited: new Map() }
  try {
    await warmUp(limited, cpu, bench.short)
    for (let round = 0; round < ROUNDS[bench.short ? 'short' : 'full']; round++) {
      for (const share of SHARES) {
        const rate = share * guess
        // Who goes first changes: a machine that slows down must not favour one side.
        const sides = round % 2
          ? /** @type {const} */ (['limited', 'unlimited'])
          : /** @type {const} */ (['unlimited', 'limited'])
        for (const side of sides) {
          const sample = await (side === 'limited' ? limited : unlimited).paced({ rate, seconds, seed: round })
          samples[side].set(rate, [...samples[side].get(rate) ?? [], sample])
        }
      }
    }
  } finally {
    await limited.close()
  }
  const burst = burstSeconds([...samples.unlimited.values()].flat().map(({ coresUsed = [] }) => coresUsed),
    last.cores)
  const usages = [...samples.unlimited].map(([rate, trials]) => ({
    rate,
    cores: median(trials.map(sample => usageOf(sample).cores))
  })
  )
  const reckoned = cpu < last.cores
    ? capacityUnder(cpu, usages, Infinity,
      burst === null ? null : { cores: last.cores, burst, delay: delayOf(last.floor, P99_MS) }).rate
    : bestCut(samples.unlimited)
  const rate = bestCut(samples.limited)
  for (const [rate, trials] of samples.limited) {
    bench.note(
      `${cpu} CPU, ${Math.round(rate)} req/s: p99 ` +
      `${trials.map(({ latencyMs }) => latencyMs ? fixed(latencyMs.p99, 0) : 'none').join(', ')} ms`
    )
  }
  bench.note(
    `${cpu} CPU: used up at ${Math.round(capacityUnder(cpu, usages, Infinity).rate)} req/s, bursts of ` +
    `${fixed((burst ?? 0) * 1000)} ms`
  )
  return {
    what: `${cpu} CPU`,
    measured: `reckoned ${Math.round(reckoned)}, measured ${Math.round(rate)} req/s, ${fixed(reckoned / rate, 2)}`,
    goal: `within ${percent(GOALS.quota)}`,
    met: Math.abs(reckoned / rate - 1) <= GOALS.quota
  }
}

/**
 * The rate that parts trials that hold the goal from those that do not with the fewest on the wrong side; the middle
 * of all such rates.
 * @param {Map<number, Sample[]>} trials by rate
 */
function bestCut (trials) {
  const rates = [...trials.keys()].sort((a, b) => a - b)
  const holds = (/** @type {number} */ rate) =>
    (trials.get(rate) ?? []).map(sample => outcomeOf(sample, { rate, p99Ms: P99_MS }).holds)
  // Cut i lies between rate i - 1 and rate i; beyond the last ones it lies a step further on.
  const wrong = [0, ...rates].map((_, i) =>
    rates.reduce((sum, rate, j) => sum + holds(rate).filter(held => held !== (j < i)).length, 0)
  )
  const fewest = Math.min(...wrong)
  const [from, to] = [wrong.indexOf(fewest), wrong.lastIndexOf(fewest)]
  const edges = [rates[0] ** 2 / rates[1], ...rates, rates[rates.length - 1] ** 2 / rates[rates.length - 2]]
  return Math.sqrt(edges[from] * edges[to + 1])
}
