/**
 * Compares estimated with measured capacities under a quota: three apps, quotas from a sixteenth of a core to a whole
 * one, goals from 25 to 250 ms. Windows with and without the quota alternate, on processes that run side by side, so
 * that changes of the machine affect both (docs/method.md).
 *
 * Held-out validation: sizes four other apps, and compares the range that a sizing prints for each quota with the
 * capacity that a search finds under that quota. Its cells were not used to fit the model.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SMALL_CORES } from '../../bench/features/size/prices/offering-choice.js'
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { makeTempDir } from '../../bench/machine/files/temp.js'
import { armFrom } from '../../bench/request/request.js'
import { burstSeconds, pauseSeconds } from '../../bench/features/size/capacity/bursts.js'
import { lowerToConfidence } from '../../bench/features/size/capacity/confidence.js'
import { judgeTrial, searchCapacity } from '../../bench/features/size/capacity/capacity.js'
import { toUsage } from '../../bench/features/size/capacity/cost.js'
import { emulationFacts } from '../../bench/features/size/capacity/emulation.js'
import { openSizingRig } from '../../bench/features/size/rig.js'
import { sizeTopology } from '../../bench/features/size/topology.js'
import { readEnvironment } from '../../bench/machine/environment/environment.js'
import { CONFIDENCE } from '../../bench/shared/thresholds.js'
import { fixed, percent } from './measure.js'
import { ABOVE, cellsOf, estimateHeldOut, GOALS_MS, heldOutGoals, heldOutTable, ratesBeyond } from './quota-cells.js'
import { tempRoot } from '../support/temp.js'

/** @import { Arm, Sample } from '../../bench/types.js' */
/** @import { SizeOptions, SizingRig } from '../../bench/features/size/types.js' */
/** @import { Bench, Line, Part } from './index.js' */

const APPS = ['express-json', 'express-static', fileURLToPath(new URL('apps/allocating.js', import.meta.url))]
const QUOTAS = [0.0625, 0.125, 0.25, 0.5, 1]
/** Share of cells within a relative difference, the largest overestimate, and that at an eighth of a core and more. */
const GOALS = { cells: 0.9, apart: 0.15, above: 0.1, aboveSmall: 0.2 }
/** Fewest requests of a window, so that 1 % of them is several. */
const REQUESTS = 400
const WINDOW_SECONDS = { full: { least: 3, most: 30 }, short: { least: 1.5, most: 5 } }

/** Shares of the peak without a quota at which the cost of a request is measured, as `hopbench size` does. */
const BUSY_SHARES = [0.3, 0.6, 0.9]
/**
 * Factor of the peak from which the search for the next goal starts if no rate met the last one. Otherwise it starts at
 * `ABOVE` times the rate that met the last goal: a search starts at three quarters of its peak, so near that rate.
 */
const BELOW = 0.3

/** @typedef {Omit<SizeOptions, 'temp' | 'seed' | 'p99Ms'>} Common */
/** @typedef {{ rate: number, unlimited: Sample, limited: Sample }} Pair */
/** @import { Cell, HeldOut, HeldOutCell, Seen } from './quota-cells.js' */

/**
 * Apps of the held-out validation, with about 0.1, 1 and 5 ms of CPU time per request, and one that waits 20 ms for a
 * database. A goal is several times the CPU time of a request, because a sixteenth of a core has 6 ms in each period.
 *
 * @type {{ app: string, path: string, p99Ms: number }[]}
 */
const HELD_OUT = [
  { app: '0.1 ms', path: '/?rows=30', p99Ms: 50 },
  { app: '1 ms', path: '/?rows=600', p99Ms: 100 },
  { app: '5 ms', path: '/?rows=2800', p99Ms: 250 },
  { app: 'database', path: '/?rows=100&wait', p99Ms: 100 }
]
const HELD_OUT_QUOTAS = [0.0625, 0.125, 0.25, 0.5, 1, 2]
/** Searches of the capacity under a quota: the second starts near the first. */
const HELD_OUT_SEARCHES = { full: 2, short: 1 }
/** Length of a window, in seconds: long enough for so many requests. */
const HELD_OUT_SECONDS = { requests: 200, least: 3, most: 12 }
/** Smallest estimate from which a search starts, in requests per second: the longest window has twelve. */
const LEAST_RATE = 1
/** Largest CPU time of the load beside that of the served side, where both share the cores of a large quota. */
const SHARED_LOAD = 0.1
/** Time of a query of the database, in ms. */
const QUERY_MS = 20

/** @type {Part} */
export default {
  title: 'quotas: estimated against measured capacity, by app, quota and goal (about an hour)',
  async run (bench) {
    const { version, why } = await emulationFacts()
    if (version === null) {
      return [{ what: 'quotas', measured: `cannot be set: ${why}`, goal: 'unknown', met: true }]
    }
    const temp = tempRoot(bench)
    const { network } = await labFacts()
    const common = {
      quick: bench.short,
      lab: network === 'namespaces',
      cores: splitCores('split', 0.5),
      cwd: process.cwd(),
      printProgress: () => {},
      interrupted: () => false,
      now: () => performance.now() / 1000
    }
    /** @type {Seen[]} */
    const seen = []
    for (const spec of bench.short ? APPS.slice(0, 1) : APPS) {
      const arm = await armFrom(spec, { connections: 400 })
      const unlimited = await openSizingRig(arm, { ...common, temp: makeTempDir(temp.path, `u${seen.length}`) })
      try {
        await unlimited.warm()
        // A quota of all cores has no effect.
        const quotas = QUOTAS.filter(cpu => cpu < common.cores.served.length)
        for (const cpu of bench.short ? quotas.slice(2, 3) : quotas) {
          const dir = makeTempDir(temp.path, `q${seen.length}`)
          seen.push(await see(bench, arm, { cpu, unlimited, common, dir }))
          if (bench.keep) writeFileSync(bench.keep, `[\n${seen.map(one => JSON.stringify(one)).join(',\n')}\n]\n`)
        }
      } finally {
        await unlimited.close()
      }
    }
    return verdict(seen.flatMap(one => cellsOf(one)))
  }
}

/**
 * Validates the printed ranges on cells that were not used to fit. Continues with the cells that `--keep` has, and
 * begins no cell after `--minutes`. The ranges are computed from the stored sizings by the code of today.
 *
 * @type {Part}
 */
export const heldOut = {
  title: 'held-out validation of a sizing: printed range against capacity under a quota (about 45 minutes)',
  async run (bench) {
    const { version, why } = await emulationFacts()
    if (version === null) return [{ what: 'quotas', measured: `cannot be set: ${why}`, goal: 'set', met: false }]
    const temp = tempRoot(bench)
    const lab = await labFacts()
    const cores = splitCores('split', 0.5)
    const now = () => performance.now() / 1000
    const end = now() + 60 * (bench.minutes ?? Infinity)
    const common = {
      quick: bench.short,
      confidence: CONFIDENCE,
      lab: lab.network === 'namespaces',
      cores,
      cwd: process.cwd(),
      printProgress: () => {},
      interrupted: () => false,
      now
    }
    /** @type {HeldOut[]} */
    const found = bench.keep && existsSync(bench.keep) ? JSON.parse(readFileSync(bench.keep, 'utf8')) : []
    const keep = () => bench.keep && writeFileSync(bench.keep, `${JSON.stringify(found, null, 1)}\n`)
    const module = await writeHeldOutApp(bench, temp.path)
    for (const { app, path, p99Ms } of bench.short ? HELD_OUT.slice(1, 2) : HELD_OUT) {
      const arm = await armFrom(module, { connections: 400, path })
      let one = found.find(known => known.app === app)
      if (!one) {
        if (now() >= end) break
        bench.printProgress(`${app}: its sizing`)
        const { busy } = await readEnvironment({ lab, cores }, { isCalibrated: false })
        const options = { ...common, p99Ms, seed: 1, temp: makeTempDir(temp.path, `s${found.length}`) }
        const { samples, ...sizing } = await sizeTopology(arm, options)
        one = { app, p99Ms, otherShare: busy.busyShare ?? null, sizing, cells: [] }
        found.push(one)
        keep()
      }
      for (const cpu of bench.short ? [0.25] : HELD_OUT_QUOTAS) {
        if (one.cells.some(cell => cell.cpu === cpu) || !canMeasure(one, cpu, cores.served.length)) continue
        if (now() >= end) break
        const startedAt = now()
        const dir = makeTempDir(temp.path, `h${found.length}-${cpu}`)
        const cell = await measureHeldOut(bench, module, { ...common, path, cpu, one, dir })
        one.cells.push({ ...cell, seconds: Math.round(now() - startedAt) })
        keep()
        const { estimated, low, high } = estimateHeldOut(one, cpu)
        bench.printProgress(`${app}, ${cpu} CPU: estimated ${fixed(estimated, 0)} (${fixed(low, 0)} to ` +
          `${fixed(high, 0)}), measured ${fixed(cell.measured, 0)} req/s, in ${fixed(now() - startedAt, 0)} s`)
      }
    }
    if (found.every(({ cells }) => cells.length === 0)) return []
    process.stdout.write(`\n${heldOutTable(found)}\n\n`)
    return heldOutGoals(found)
  }
}

/**
 * Returns whether a cell can be measured: with more cores than the served side has, load and app share the cores, so
 * the load must use little of them.
 *
 * @param {HeldOut} one
 * @param {number} cpu
 * @param {number} served cores
 */
function canMeasure ({ sizing: { curve } }, cpu, served) {
  const { load = Infinity, server = 0 } = curve.at(-1)?.micros ?? {}
  return cpu <= served || (splitCores('shared').served.length >= cpu && load <= SHARED_LOAD * server)
}

/**
 * Writes the app that waits for a database, and starts its database: a socket of a file, which is reached from any
 * network namespace, and whose process has no part in the quota.
 *
 * @param {Bench} bench
 * @param {string} dir
 * @returns {Promise<string>} path of the module
 */
async function writeHeldOutApp (bench, dir) {
  const socket = join(dir, 'db')
  const database = createServer(connection => {
    connection.on('error', () => {})
    connection.on('data', queries => setTimeout(() => connection.write(queries), QUERY_MS))
  })
  await new Promise(resolve => database.listen(socket, () => resolve(null)))
  bench.teardown(() => database.close())
  const file = join(dir, 'held-out.mjs')
  const app = JSON.stringify(new URL('apps/held-out.js', import.meta.url).href)
  writeFileSync(file, `import { createApp } from ${app}\nexport default createApp(${JSON.stringify(socket)})\n`)
  return file
}

/**
 * Searches the capacity under a quota, at the confidence of a sizing.
 *
 * @param {Bench} bench
 * @param {string} module
 * @param {Common & { path: string, cpu: number, one: HeldOut, dir: string }} context
 * @returns {Promise<Omit<HeldOutCell, 'seconds'>>}
 */
async function measureHeldOut (bench, module, { path, cpu, one, dir, ...common }) {
  const isLarge = cpu > common.cores.served.length
  const cores = isLarge ? splitCores('shared') : common.cores
  const arm = await armFrom(cpu > 1 ? `${module}@cluster:${cpu}` : module, { connections: 400, path })
  const { p99Ms } = one
  const rig = await openSizingRig(arm, { ...common, cores, temp: dir, limits: { cpu, memoryMiB: null } })
  try {
    await rig.warm()
    const { estimated } = estimateHeldOut(one, cpu)
    // A search from an estimate near 0 would have windows without a request.
    const peak = estimated >= LEAST_RATE ? estimated : (await rig.closed({ seconds: HELD_OUT_SECONDS.most })).rps
    let seed = 1
    const { trials, ...searched } = await searchCapacity({
      trial: async rate => {
        const { requests, least, most } = HELD_OUT_SECONDS
        const seconds = Math.min(most, Math.max(least, requests / rate))
        const before = rig.limitStats()?.periods ?? 0
        const sample = await rig.paced({ rate, seconds, seed: seed++ })
        if (!(Number(rig.limitStats()?.periods) > before)) throw new Error('nothing ran under the quota')
        return judgeTrial(sample, { rate, p99Ms })
      },
      peak,
      isEnough: searches => searches.length >= HELD_OUT_SEARCHES[bench.short ? 'short' : 'full']
    })
    const { rate, atLeast } = searched.rate > 0 ? lowerToConfidence(searched, trials, CONFIDENCE) : searched
    return { cpu, measured: rate, atLeast, searches: searched.searches, windows: trials.length }
  } finally {
    await rig.close()
  }
}

/**
 * Measures one app under one quota. Every window counts for all goals.
 * @param {Bench} bench
 * @param {Arm} arm
 * @param {{ cpu: number, unlimited: SizingRig, common: Common, dir: string }} context
 * @returns {Promise<Seen>}
 */
async function see (bench, arm, { cpu, unlimited, common, dir }) {
  const limited = await openSizingRig(arm, { ...common, temp: dir, limits: { cpu, memoryMiB: null } })
  /** @type {Pair[]} */
  const pairs = []
  /** @type {Sample[]} */
  const busy = []
  try {
    await limited.warm()
    const idle = await unlimited.paced({ rate: 50, seconds: 5, seed: 1 })
    let peak = (await limited.closed({ seconds: 3 })).rps
    const whole = (await unlimited.closed({ seconds: 3 })).rps
    for (const p99Ms of bench.short ? GOALS_MS.slice(1, 2) : GOALS_MS) {
      for (const share of BUSY_SHARES) busy.push(await unlimited.paced({ rate: share * whole, seconds: 2, seed: 2 }))
      const { rate } = await searchCapacity({
        trial: async rate => {
          pairs.push(await pairOf(rate, { bench, unlimited, limited, seed: pairs.length }))
          return judgeTrial(pairs[pairs.length - 1].limited, { rate, p99Ms })
        },
        peak,
        isEnough: () => true
      })
      // The next goal is longer, so a higher rate meets it.
      peak = rate > 0 ? ABOVE * rate : BELOW * peak
    }
    const what = { app: arm.name.split('/').at(-1) ?? arm.name, cpu, cores: common.cores.served.length }
    const highest = Math.max(...cellsOf(seenOf(what, { idle, pairs, busy })).map(({ estimated }) => estimated))
    for (const rate of ratesBeyond(Math.max(...pairs.map(pair => pair.rate)), ABOVE * highest)) {
      pairs.push(await pairOf(rate, { bench, unlimited, limited, seed: pairs.length }))
    }
    const seen = seenOf(what, { idle, pairs, busy })
    for (const cell of cellsOf(seen)) bench.printProgress(`${whatOf(cell)}: ${ratesOf(cell)}; ${pairs.length} windows`)
    return seen
  } finally {
    await limited.close()
  }
}

/**
 * @param {Pick<Seen, 'app' | 'cpu' | 'cores'>} what
 * @param {{ idle: Sample, pairs: Pair[], busy: Sample[] }} samples
 * @returns {Seen}
 */
function seenOf (what, { idle, pairs, busy }) {
  const free = [...pairs.map(({ unlimited }) => unlimited), ...busy]
  const parts = free.map(({ coresUsed = [] }) => coresUsed)
  const rounded = (/** @type {number} */ value) => Number(value.toPrecision(4))
  return {
    ...what,
    unloadedMs: idle.latencyMs?.p50 ?? 0,
    usages: free.map(toUsage).map(({ rate, cores }) => ({ rate: rounded(rate), cores: rounded(cores) })),
    burst: burstSeconds(parts, what.cores),
    pause: pauseSeconds(parts, what.cores),
    outcomes: pairs.map(({ rate, limited }) => ({
      rate: rounded(rate),
      p99Ms: judgeTrial(limited, { rate, p99Ms: Infinity }).holds ? rounded(limited.latencyMs?.p99 ?? Infinity) : null
    }))
  }
}

/** @param {Cell} cell */
const whatOf = ({ app, cpu, p99Ms }) => `${app}, ${cpu} CPU, ${p99Ms} ms`
/** @param {Cell} cell */
const ratesOf = ({ estimated, measured }) =>
  `estimated ${fixed(estimated, 0)}, measured ${fixed(measured, 0)} req/s, ${fixed(estimated / measured)}`

/**
 * Measures one window without the quota, for the estimate, and one with it.
 * @param {number} rate
 * @param {{ bench: Bench, unlimited: SizingRig, limited: SizingRig, seed: number }} context
 * @returns {Promise<Pair>}
 */
async function pairOf (rate, { bench, unlimited, limited, seed }) {
  const { least, most } = WINDOW_SECONDS[bench.short ? 'short' : 'full']
  const seconds = Math.min(most, Math.max(least, REQUESTS / rate))
  const pair = { rate, unlimited: await unlimited.paced({ rate, seconds, seed }) }
  const periods = limited.limitStats()?.periods ?? 0
  const sample = await limited.paced({ rate, seconds, seed })
  if (!(Number(limited.limitStats()?.periods) > periods)) throw new Error('nothing ran under the quota')
  return { ...pair, limited: sample }
}

/**
 * @param {Cell[]} cells
 * @returns {Line[]}
 */
function verdict (cells) {
  const ratios = cells.map(({ estimated, measured }) => estimated / measured)
  const near = ratios.filter(ratio => Math.abs(ratio - 1) <= GOALS.apart).length / ratios.length
  const highest = Math.max(...ratios)
  const larger = cells.filter(({ cpu }) => cpu >= SMALL_CORES)
  const highestLarger = Math.max(...larger.map(({ estimated, measured }) => estimated / measured))
  return [
    ...cells.map(cell => ({
      what: whatOf(cell),
      measured: ratesOf(cell),
      goal: `within ${percent(GOALS.apart)}`,
      met: Math.abs(cell.estimated / cell.measured - 1) <= GOALS.apart
    })),
    {
      what: 'cells within the limit',
      measured: percent(near),
      goal: `≥ ${percent(GOALS.cells)}`,
      met: near >= GOALS.cells
    },
    {
      what: 'the largest overestimate',
      measured: percent(highest - 1),
      goal: `≤ ${percent(GOALS.above)}`,
      met: highest <= 1 + GOALS.above
    },
    {
      what: 'the largest overestimate at an eighth of a core and more',
      measured: percent(highestLarger - 1),
      goal: `≤ ${percent(GOALS.aboveSmall)}`,
      met: highestLarger <= 1 + GOALS.aboveSmall
    }
  ]
}
