/** The story of `hopbench selftest`: what this machine resolves. Equal arms and arms that differ by a known amount go
 * through the same pipeline as every run; engines are set side by side, the suite against an engine by hand, an open
 * loop against latencies known by calculation. A selftest is stored as a run. */
import { relative } from 'node:path'
import { median } from '../../analysis/stats/quantile.js'
import { resolutionOf } from '../../analysis/resolution.js'
import { localEngines } from '../../load/find-engine.js'
import { watchCpu } from '../../machine/environment.js'
import { openRig } from '../../measure/rig.js'
import { measure } from '../../pipeline.js'
import { planOf } from '../../plan/plan.js'
import { aboutProtocol } from '../../plugins.js'
import { parse } from '../../plan/word.js'
import { openRun, readRun } from '../../store/store.js'
import { measureEngines } from '../engine-comparison/windows.js'
import { armFrom } from '../request.js'
import { now, openSession, utc } from '../session.js'
import { showRecord } from '../show-record.js'
import { measureByHand } from './by-hand.js'
import { SELFTEST } from './name.js'
import { measureOpenLoop } from './open-loop.js'
import { calibrate } from './calibrate.js'
import { ORIGINAL, writePlanted } from './planted.js'

/** @import { Arm, OpenRun, Plan, RunRecord, Sample, SelfTest } from '../../types.js' */
/** @import { Calibration } from './calibrate.js' */
/** @import { Session } from '../types.js' */

/** Wall time and repetitions; all of a full one together stay below ten minutes. pilot: blocks and starts of what finds
 * out what planted work costs; runs: independent ones, of so many seconds each. */
const PLANS = {
  full: {
    pilot: { blocks: 8, starts: 2 },
    runs: 5,
    runSeconds: 64,
    engines: { blocks: 6, windowSeconds: 2 },
    pairs: 6,
    turns: 1,
    rates: [100, 1000]
  },
  quick: {
    pilot: { blocks: 6, starts: 1 },
    runs: 2,
    runSeconds: 32,
    engines: { blocks: 2, windowSeconds: 2 },
    pairs: 2,
    turns: 1,
    rates: [100]
  }
}
/** Fewer than in a usual run: in short runs the number of starts matters most. */
const BLOCKS_PER_START = 4
const SPARE_SECONDS = 120 // A generator that nobody ends stops by itself after this much more.
const NOISE_SECONDS = 2

/** @typedef {Session & { times: typeof PLANS['full'], seed: number, interrupted: () => boolean }} Bench what all
 * parts of a selftest share */

/**
 * @param {{ quick: boolean, seed: number, lab: boolean, json: boolean, results?: string }} request
 * @param {() => boolean} interrupted
 * @returns {Promise<number>} exit code
 */
export async function runSelfTest ({ quick, seed, lab, json, results }, interrupted) {
  const [startedAt, startedSeconds] = [utc(), now()]
  const bench = { ...await openSession({ lab }), times: PLANS[quick ? 'quick' : 'full'], seed, interrupted }
  try {
    bench.note('what planted work costs a request')
    const arm = await armFrom(ORIGINAL, { connections: 100 })
    const dir = bench.folder('m')
    // Relative: a word holds no space, and the temporary folder may.
    const name = (/** @type {string} */ file) => `./${relative(bench.temp, file)}`
    const calibration = await calibrate(groundOf(bench, bench.folder('c')), { name, dir, seed, ...bench.times.pilot })
    const { plan, planted } = await planOfPlanted({ name, dir }, calibration, {
      seed, budgetSeconds: bench.times.runSeconds
    })
    const run = await openRun({ resultsDir: results, experiment: SELFTEST, startedAt, plan })
    try {
      const { record, runs, timing } = await replicate(plan, run, { bench, startedAt })
      const shares = await watchCpu({ seconds: NOISE_SECONDS })
      /** @type {SelfTest} */
      const selftest = {
        resolution: resolutionOf({ plan, runs, equal: EQUAL, planted, timing }),
        microsPerRequest: calibration.microsPerRequest,
        noise: noiseOf(record, shares),
        counts: countsOf(record),
        ...await instrumentsOf(arm, bench),
        seconds: now() - startedSeconds
      }
      // It measures until its time is over: nobody has asked for a precision.
      const warnings = record.warnings.filter(({ code }) => code !== 'precision-not-reached')
      const whole = { ...record, warnings, selftest, endedAt: utc() }
      await run.writeRecord(whole)
      bench.progress.end()
      showRecord(whole, { json, dir: run.dir })
      return record.complete ? 0 : 1
    } finally {
      await run.close()
    }
  } finally {
    bench.close()
  }
}

/**
 * Independent runs of equal arms and planted differences, through the pipeline of every run; all of them are kept as
 * one.
 *
 * @param {Plan} plan
 * @param {OpenRun} run
 * @param {{ bench: Bench, startedAt: string }} options
 * @returns {Promise<{ record: RunRecord, runs: Sample[][], timing: { startSeconds: number, blockSeconds: number } }>}
 * timing: of two arms
 */
async function replicate (plan, run, { bench, startedAt }) {
  /** @type {Sample[][]} */
  const runs = []
  const costs = []
  while (true) {
    bench.note(`independent run ${runs.length + 1} of ${bench.times.runs}`)
    const earlier = runs.flat()
    const record = await measure(plan, worldOf(plan, run, { bench, startedAt, earlier }))
    runs.push((await readRun(run.dir)).samples.slice(earlier.length))
    costs.push(costOf(record, /** @type {Sample[]} */ (runs.at(-1))))
    if (!record.complete || runs.length === bench.times.runs) return { record, runs, timing: middleOf(costs) }
  }
}

/**
 * @param {Plan} plan
 * @param {OpenRun} run
 * @param {{ bench: Bench, startedAt: string, earlier: Sample[] }} options
 * @returns {Parameters<typeof measure>[1]}
 */
const worldOf = (plan, run, { bench, startedAt, earlier }) => ({
  openRig: plan => openRig(plan, {
    ...groundOf(bench, bench.folder(`r${earlier.length}`)),
    keepIn: run.dir,
    engine: plan.arms[0].load.engine,
    engines: localEngines,
    mayswitch: false,
    maxSeconds: bench.times.runSeconds + SPARE_SECONDS
  }),
  run,
  earlier,
  now,
  utc,
  interrupted: bench.interrupted,
  progress: bench.progress,
  environment: bench.environment,
  startedSeconds: now(),
  startedAt
})

/**
 * @param {Bench} bench
 * @param {string} temp a folder of its own
 */
const groundOf = ({ temp: cwd, lab, cores, note }, temp) => ({ temp, keepIn: temp, lab, cores, cwd, note })

/**
 * What a start and a block of two arms cost in one run.
 *
 * @param {RunRecord} record
 * @param {Sample[]} samples of it
 */
function costOf ({ timing: { setupSeconds, sliceWallSeconds, measuredSeconds }, arms }, samples) {
  const share = 2 / arms.length
  const starts = new Set(samples.map(({ start }) => start)).size
  const own = samples.reduce((sum, { seconds }) => sum + seconds, 0)
  // The record's wall time is of all runs, in proportion to what they measured.
  const wall = sliceWallSeconds * own / measuredSeconds - (starts - 1) * setupSeconds
  const blocks = new Set(samples.map(({ block }) => block)).size
  return { startSeconds: setupSeconds * share, blockSeconds: Math.max(wall, own) / blocks * share }
}

/** @param {{ startSeconds: number, blockSeconds: number }[]} costs */
const middleOf = costs => ({
  startSeconds: median(costs.map(({ startSeconds }) => startSeconds)),
  blockSeconds: median(costs.map(({ blockSeconds }) => blockSeconds))
})

/**
 * The engines side by side, the suite against one by hand, and an open loop: null where it was interrupted before.
 *
 * @param {Arm} arm
 * @param {Bench} bench
 */
async function instrumentsOf (arm, bench) {
  const { times: { engines: windows, pairs, rates, turns }, cores, note, interrupted } = bench
  const compared = interrupted()
    ? null
    : await measureEngines(arm, bedIn(bench, 'e'), { ...windows, seed: bench.seed, note, interrupted })
  const byHand = interrupted()
    ? null
    : await measureByHand(arm, { ...bedIn(bench, 'h'), engines: localEngines, pairs, note })
  const loads = async () =>
    ({ engines: [await localEngines.find('paced')], closed: await localEngines.find('autocannon') })
  const openLoop = interrupted()
    ? null
    : await measureOpenLoop(await loads(), { rates, turns, cores, dir: bench.folder('k'), note })
  const engines = compared && compared.engines.map(({ name, rps, share, bound, toMiddle, agrees }) =>
    ({ name, rps, share, bound, toMiddle, agrees }))
  return { engines, byHand, openLoop }
}

/**
 * @param {Bench} bench
 * @param {string} name of a folder of its own
 */
const bedIn = ({ folder, temp, lab, cores }, name) => ({ temp: folder(name), lab, cores, cwd: temp })

/** Arms that are the same, and shares of the CPU time of a request by which others take more. */
const EQUAL = ['equal', 'equal again']
const MORE = [0.05, 0.1]

/**
 * @param {{ name: (file: string) => string, dir: string }} files name: as a word; dir: takes the modules
 * @param {Calibration} calibration
 * @param {{ seed: number, budgetSeconds: number }} options of one run
 */
async function planOfPlanted ({ name, dir }, { microsPerShare }, options) {
  const write = (/** @type {number} */ share) =>
    name(writePlanted(dir, `more-${Math.round(share * 100)}`, share * microsPerShare))
  const planted = MORE.map(more => ({ arm: `${more * 100} % more`, more, expected: 1 / (1 + more) }))
  const plan = planOf(SELFTEST, {
    title: 'what this machine resolves',
    question: 'What can this machine resolve, and in how much time?',
    source: null,
    arms: {
      ...Object.fromEntries(EQUAL.map(arm => [arm, write(0)])),
      ...Object.fromEntries(planted.map(({ arm, more }) => [arm, write(more)]))
    },
    protocol: 'gang',
    unit: 'requests',
    load: { path: '/' }
  }, { ...options, precision: 0.0001, maxBlocks: null }, { parse, protocol: await aboutProtocol('gang') })
  return { plan: { ...plan, startBlocks: BLOCKS_PER_START }, planted }
}

/** Of client and server. @param {RunRecord} record */
const countsOf = ({ arms }) => ({
  arms: arms.length,
  disagreements: arms.flatMap(({ name, invalid }) =>
    invalid?.code === 'counts-disagree' ? [`${name}: ${invalid.text}`] : [])
})

/**
 * Where the noise may come from.
 *
 * @param {RunRecord} record
 * @param {{ busy: number, steal: number } | null} shares of the cores' time just after the load
 */
function noiseOf ({ environment: { cpu, busy }, arms }, shares) {
  const [first] = arms
  const load = first.cpuMicrosPerRequest && first.rps ? first.cpuMicrosPerRequest.load * first.rps.median / 1e6 : null
  return {
    stealShare: shares?.steal ?? busy.stealShare,
    otherShare: shares?.busy ?? busy.busyShare ?? null,
    governor: cpu.governor,
    virtual: cpu.virtual,
    generatorShare: load
  }
}
