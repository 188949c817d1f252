/** Whether a capacity is found again, in how much time, and whether what is reckoned for a quota is what is measured under it. */
import { splitCores } from '../../bench/cores.js'
import { labFacts } from '../../bench/lab.js'
import { armOf } from '../../bench/request.js'
import { searchCapacity } from '../../bench/sizing/capacity.js'
import { capacityUnder, usageOf } from '../../bench/sizing/cost.js'
import { emulationFacts } from '../../bench/sizing/emulation.js'
import { openSizingRig } from '../../bench/sizing/rig.js'
import { sizeTopology, trialAt, usagesOf } from '../../bench/sizing/size.js'
import { warmUp } from '../../bench/sizing/verify.js'
import { makeTempDir, makeTempRoot } from '../../bench/temp.js'
import { fixed, median, percent } from './measure.js'

const WORD = 'nginx:uds-keepalive/express-json'
const P99_MS = 50
const QUOTAS = [0.25, 0.5, 1]
/**
 * What is reckoned and what is measured are taken in turn, on processes that are up side by side: the same quota measured half an
 * hour later was 40 % apart here.
 */
const PAIRS = { full: 3, short: 1 }
/** Usage without a quota is taken on both sides of where the quota is used up, as far as the capacity goes. */
const AROUND = [0.6, 0.8, 1, 1.25, 1.6]
const GOALS = { seconds: 180, again: 0.05, quota: 0.1 }

/** @type {import('./index.js').Part} */
export default {
  title: 'capacity: found again, in time, and under a quota as reckoned',
  async run (bench) {
    const arm = await armOf(WORD, { connections: 400 })
    const temp = makeTempRoot()
    bench.teardown(() => temp.remove())
    const { network } = await labFacts()
    const common = {
      p99Ms: P99_MS, quick: bench.short, lab: network === 'namespaces', cores: splitCores('split', 0.5), cwd: process.cwd(), note: () => {}, interrupted: () => false, now: () => performance.now() / 1000
    }
    const sized = []
    const lines = []
    for (let i = 0; i < (bench.short ? 1 : 2); i++) {
      const at = performance.now()
      sized.push(await sizeTopology(arm, { ...common, seed: i, temp: makeTempDir(temp.path, `s${i}`) }))
      const seconds = (performance.now() - at) / 1000
      const { rate, low, high } = sized[i].capacity
      bench.note(`${WORD}: ${Math.round(rate)} req/s (${Math.round(low)} to ${Math.round(high)}) in ${Math.round(seconds)} s, ${sized[i].trials.length} trials`)
      lines.push({ what: `search ${i + 1}`, measured: `${Math.round(rate)} req/s in ${Math.round(seconds)} s`, goal: `≤ ${GOALS.seconds} s`, met: seconds <= GOALS.seconds })
    }
    if (sized.length > 1) {
      const apart = Math.abs(Math.log(sized[1].capacity.rate / sized[0].capacity.rate))
      lines.push({ what: 'two searches apart', measured: percent(apart), goal: `≤ ${percent(GOALS.again)}`, met: apart <= GOALS.again })
    }
    const { version, why } = await emulationFacts()
    if (version === null) return [...lines, { what: 'quotas', measured: `cannot be set here: ${why}`, goal: 'not to be told here', met: true }]
    const last = sized[sized.length - 1]
    const unlimited = await openSizingRig(arm, { ...common, temp: makeTempDir(temp.path, 'u') })
    try {
      await warmUp(unlimited, 1, bench.short)
      for (const cpu of bench.short ? QUOTAS.slice(0, 1) : QUOTAS) lines.push(await quotaLine(bench, arm, { cpu, unlimited, last, common, temp: temp.path }))
    } finally {
      await unlimited.close()
    }
    return lines
  }
}

/**
 * @param {import('./index.js').Bench} bench
 * @param {import('../../bench/types.d.ts').Arm} arm
 * @param {{ cpu: number, unlimited: import('../../bench/sizing/rig.js').SizingRig, last: import('../../bench/sizing/size.js').SizedTopology,
 *   common: Omit<import('../../bench/sizing/size.js').SizeOptions, 'temp' | 'seed'>, temp: string }} context
 * @returns {Promise<import('./index.js').Line>}
 */
async function quotaLine (bench, arm, { cpu, unlimited, last, common, temp }) {
  const seconds = bench.short ? 1.5 : 3
  const limited = await openSizingRig(arm, { ...common, temp: makeTempDir(temp, `q${cpu * 100}`), limits: { cpu, memoryMiB: null } })
  /** @type {{ reckoned: number, rate: number }[]} */
  const pairs = []
  const capacityOf = async (/** @type {import('../../bench/sizing/rig.js').SizingRig} */ rig, /** @type {number} */ peak, /** @type {number} */ seed) =>
    (await searchCapacity({ trial: trialAt(rig, { ...common, temp, seed, name: `${cpu} CPU`, seconds }), peak, quick: true, enough: () => true })).rate
  try {
    await warmUp(limited, cpu, bench.short)
    let guess = capacityUnder(cpu, usagesOf(last.curve), last.capacity.rate).rate
    for (let i = 0; i < PAIRS[bench.short ? 'short' : 'full']; i++) {
      const usages = []
      // A quota of all cores is none: the capacity without one is what is reckoned.
      const capacity = cpu < last.cores ? last.capacity.rate : await capacityOf(unlimited, last.peak, 7 + i)
      for (const share of AROUND) usages.push(usageOf(await unlimited.paced({ rate: Math.min(share * guess, capacity), seconds, seed: i })))
      const reckoned = capacityUnder(cpu, usages, capacity).rate
      const rate = await capacityOf(limited, reckoned, 7 + i)
      bench.note(`${cpu} CPU: reckoned ${Math.round(reckoned)}, measured ${Math.round(rate)} req/s`)
      pairs.push({ reckoned, rate })
      guess = reckoned
    }
  } finally {
    await limited.close()
  }
  const ratio = median(pairs.map(({ reckoned, rate }) => reckoned / rate))
  const middle = (/** @type {'reckoned' | 'rate'} */ of) => Math.round(median(pairs.map(pair => pair[of])))
  return {
    what: `${cpu} CPU, ${pairs.length} pairs`,
    measured: `reckoned ${middle('reckoned')}, measured ${middle('rate')} req/s, ${fixed(ratio, 2)}`,
    goal: `within ${percent(GOALS.quota)}`,
    met: Math.abs(ratio - 1) <= GOALS.quota
  }
}
