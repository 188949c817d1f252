/**
 * Carries out `hopbench selftest`. Measures equal arms and arms with known differences in the pipeline of every run,
 * and compares hopbench with an engine alone, and open loops with calculated latencies. A selftest is stored as a run.
 */
import { relative } from 'node:path'
import { median } from '../../judge/stats/quantile.js'
import { computeResolution, isWarmUpTooShort } from '../../judge/runs/resolution.js'
import { DEFAULT, localEngines } from '../../load/find-engine.js'
import { watchCpu } from '../../machine/environment/environment.js'
import { openRig } from '../../measure/rigs/rig.js'
import { measure } from '../../run/pipeline.js'
import { computeTurnSeconds, computeWarmUp } from '../../plan/targets.js'
import { printReason } from '../../report/facts/reason-texts.js'
import { toStoredCommand } from '../../plan/stored-command.js'
import { openRun, readRun } from '../../store/store.js'
import { armFrom } from '../../request/request.js'
import { now } from '../../machine/clocks.js'
import { openSession, utc } from '../../run/session.js'
import { showPage, showRecord } from '../../run/show-record.js'
import { SELFTEST } from '../../run/last-selftest.js'
import { findOpenLoops, measureOpenLoop } from './open-loop.js'
import { EARLY_MORE, EARLY_REQUESTS, ORIGINAL, createGangPlan, writePlanted } from './planted.js'
import { orderOfBlock } from '../../plan/plan.js'
import { HopbenchError } from '../../errors.js'
import { fileURLToPath } from 'node:url'
import { getStagedArm, openStage } from '../../measure/stage.js'
import { measureUndisturbed } from '../../measure/undisturbed.js'
import { ensureWarm } from '../../measure/warm-up.js'
import { run } from '../../machine/process.js'

/** @import { Arm, OpenRun, Plan, RunRecord, Sample, SelfTest } from '../../types.js' */
/** @import { Session } from '../../run/types.js' */
/** @import { RigOptions } from '../../measure/types.js' */
/** @import { Engines } from '../../load/types.js' */
/** @import { CoreSplit } from '../../machine/types.js' */

/**
 * Repetitions and durations. A full selftest takes 8 minutes on a core that serves 40,000 requests a second, and 25 on
 * one that serves 6,000; a quick one 3 and 8. pilot: measures the cost of planted work; runs: number of independent
 * runs; measuredSeconds: of each after the warm-up of its arms in two starts; warmUpSeconds: limit of the warm-up of an
 * arm.
 */
const PLANS = {
  full: {
    pilot: { blocks: 8, starts: 2 },
    runs: 3,
    measuredSeconds: 60,
    warmUpSeconds: 60,
    pairs: 6,
    rates: [100, 1000]
  },
  quick: {
    pilot: { blocks: 6, starts: 1 },
    runs: 2,
    measuredSeconds: 25,
    warmUpSeconds: 15,
    pairs: 2,
    rates: [100]
  }
}
/** Starts whose warm-up is not part of measuredSeconds: the variance between starts needs two in a run. */
const STARTS = 2
/** Time of a start besides its warm-up: programs start, and are compared and woken. It took 11 s of five arms. */
const SECONDS_BESIDE_WARM_UP = 15
/** Requests whose CPU time is about the wall time of the warm-up of an arm (bench/measure/steady.js). */
const WARM_UP_REQUESTS = 180_000
/** Fewer than in other runs, because the number of starts limits the precision of short runs. */
const BLOCKS_PER_START = 4
const SPARE_SECONDS = 120 // After the budget and this time a generator ends by itself.
const NOISE_SECONDS = 2
/** Names of identical arms. */
const EQUAL = ['equal', 'equal again']
/** Name of the arm that is equal to them after its warm-up. */
const LATE = 'late'
/** Additional CPU time of the other arms, as shares of that of a request. */
const MORE = [0.05, 0.1]

/** @typedef {Session & { times: typeof PLANS['full'], seed: number, interrupted: () => boolean }} Bench */

/**
 * @param {{ quick?: boolean, seed?: number, lab: boolean, json?: boolean, results?: string, argv: readonly string[] }}
 *   request
 * @param {() => boolean} interrupted
 * @returns {Promise<number>} exit code
 */
export async function runSelfTest ({ lab, results, argv, ...options }, interrupted) {
  const { quick = false, json = false, seed = Math.floor(Math.random() * 2 ** 32) } = options
  const [startedAt, startedSeconds] = [utc(), now()]
  const bench = { ...await openSession({ lab }), times: PLANS[quick ? 'quick' : 'full'], seed, interrupted }
  try {
    bench.printProgress('measuring the cost of planted work')
    const arm = await armFrom(ORIGINAL, { connections: 100 })
    const dir = bench.folder('m')
    // A relative path, because a spec must not contain a space, which the path of the temporary folder may.
    const name = (/** @type {string} */ file) => `./${relative(bench.temp, file)}`
    const rigOptions = getRigOptions(bench, bench.folder('c'))
    const calibration = await calibrate(rigOptions, { name, dir, seed, ...bench.times.pilot })
    const { plan, planted } = await createPlan({ name, dir }, calibration, {
      seed, budgetSeconds: bench.times.measuredSeconds, warmUpSeconds: bench.times.warmUpSeconds
    })
    const stored = { ...plan, command: toStoredCommand(argv) }
    const run = await openRun({ resultsDir: results, experiment: SELFTEST, startedAt, plan: stored })
    try {
      const { record, runs, timing } = await replicate(plan, run, { bench, startedAt })
      const shares = await watchCpu({ seconds: NOISE_SECONDS })
      /** @type {SelfTest} */
      const selftest = {
        resolution: computeResolution({
          plan, runs, equal: EQUAL, late: { arm: LATE, requests: EARLY_REQUESTS, more: EARLY_MORE }, planted, timing
        }),
        microsPerRequest: calibration.microsPerRequest,
        noise: findNoise(record, shares),
        counts: findDisagreements(record),
        ...await checkInstruments(arm, bench),
        seconds: now() - startedSeconds
      }
      // A selftest has no precision to reach, because it always uses its whole time.
      const warnings = record.warnings.filter(({ code }) => code !== 'precision-not-reached')
      const whole = { ...record, kind: /** @type {const} */ ('selftest'), warnings, selftest, endedAt: utc() }
      await run.writeRecord(whole)
      bench.progress.end()
      showRecord(whole, { json, dir: run.dir })
      await showPage(run.dir, { json, resultsDir: results })
      return record.complete && !isWarmUpTooShort(selftest) ? 0 : 1
    } finally {
      await run.close()
    }
  } finally {
    bench.close()
  }
}

/**
 * Makes independent runs of equal arms and planted differences. Stores all of them as one run.
 *
 * @param {Plan} plan
 * @param {OpenRun} run
 * @param {{ bench: Bench, startedAt: string }} options
 * @returns {Promise<{ record: RunRecord, runs: Sample[][], timing: { startSeconds: number, blockSeconds: number } }>}
 * timing: for two arms
 */
async function replicate (plan, run, { bench, startedAt }) {
  /** @type {Sample[][]} */
  const runs = []
  const costs = []
  while (true) {
    bench.printProgress(`independent run ${runs.length + 1} of ${bench.times.runs}`)
    const earlier = runs.flat()
    const record = await measure(plan, {
      ...bench,
      openRig: plan => openRig(plan, {
        ...getRigOptions(bench, bench.folder(`r${earlier.length}`)),
        keepIn: run.dir,
        engine: plan.arms[0].load.engine,
        mayswitch: false,
        maxSeconds: plan.targets.budgetSeconds + SPARE_SECONDS
      }),
      run,
      earlier,
      now,
      utc,
      startedSeconds: now(),
      startedAt
    })
    const samples = (await readRun(run.dir)).samples.slice(earlier.length)
    runs.push(samples)
    costs.push(computeCosts(record, samples))
    if (record.complete && runs.length < bench.times.runs) continue
    const startSeconds = median(costs.map(cost => cost.startSeconds))
    const blockSeconds = median(costs.map(cost => cost.blockSeconds))
    return { record, runs, timing: { startSeconds, blockSeconds } }
  }
}

/**
 * @param {Bench} bench
 * @param {string} temp empty folder
 */
const getRigOptions = ({ temp: cwd, lab, cores, printProgress, environment, interrupted }, temp) => ({
  temp,
  keepIn: temp,
  lab,
  cores,
  cwd,
  printProgress,
  interrupted,
  turnSeconds: computeTurnSeconds(environment.turnLossMs, cores.split ? 'split' : 'shared')
})

/**
 * Computes the wall time of a start and of a block, each with two arms, in one run.
 *
 * @param {RunRecord} record
 * @param {Sample[]} samples
 */
function computeCosts ({ timing: { setupSeconds, sliceWallSeconds, measuredSeconds }, arms }, samples) {
  const share = 2 / arms.length
  const starts = new Set(samples.map(({ start }) => start)).size
  const own = samples.reduce((sum, { seconds }) => sum + seconds, 0)
  // The record contains the wall time of all runs, which is proportional to the measured time.
  const wall = sliceWallSeconds * own / measuredSeconds - (starts - 1) * setupSeconds
  const blocks = new Set(samples.map(({ block }) => block)).size
  return { startSeconds: setupSeconds * share, blockSeconds: Math.max(wall, own) / blocks * share }
}

/**
 * Compares hopbench with an engine alone, and open loops with calculated latencies. After an interrupt the remaining
 * results are null.
 *
 * @param {Arm} arm
 * @param {Bench} bench
 */
async function checkInstruments (arm, bench) {
  const { times: { pairs, rates }, cores, printProgress, interrupted } = bench
  /** @type {<Result>(measure: () => Promise<Result>) => Promise<Result | null>} */
  const unlessInterrupted = async measure => interrupted() ? null : measure()
  const byHand = await unlessInterrupted(() =>
    measureByHand(arm, { ...getRigOptions(bench, bench.folder('h')), engines: localEngines, pairs }))
  const openLoop = await unlessInterrupted(async () => measureOpenLoop(
    { engines: await findOpenLoops(), closed: await localEngines.find('autocannon') },
    { rates, turns: 1, cores, dir: bench.folder('k'), printProgress }))
  return { byHand, openLoop }
}

/**
 * @param {{ name: (file: string) => string, dir: string }} files name: converts a file to a spec; dir: folder for the
 * modules
 * @param {Awaited<ReturnType<typeof calibrate>>} calibration
 * @param {{ seed: number, budgetSeconds: number, warmUpSeconds: number }} options of one run. budgetSeconds: after the
 * warm-up
 */
async function createPlan ({ name, dir }, { microsPerShare, microsPerRequest }, { budgetSeconds, ...options }) {
  const write = (/** @type {number} */ share) =>
    name(writePlanted(dir, `more-${Math.round(share * 100)}`, share * microsPerShare))
  const planted = MORE.map(more => ({ arm: `${more * 100} % more`, more, expected: 1 / (1 + more) }))
  const arms = {
    ...Object.fromEntries(EQUAL.map(arm => [arm, write(0)])),
    [LATE]: name(writePlanted(dir, LATE, 0, EARLY_MORE * microsPerShare)),
    ...Object.fromEntries(planted.map(({ arm, more }) => [arm, write(more)]))
  }
  const warmUp = Math.min(options.warmUpSeconds, WARM_UP_REQUESTS * microsPerRequest / 1e6)
  const plan = await createGangPlan(SELFTEST, {
    title: 'what this machine resolves',
    question: 'What can this machine resolve, and in how much time?',
    arms,
    startBlocks: BLOCKS_PER_START
  }, {
    ...options,
    budgetSeconds: budgetSeconds + STARTS * (Object.keys(arms).length * warmUp + SECONDS_BESIDE_WARM_UP),
    precision: 0.0001,
    maxBlocks: null
  })
  return { plan, planted }
}

/**
 * Returns the disagreements between counts of client and server.
 *
 * @param {RunRecord} record
 */
const findDisagreements = ({ arms }) => ({
  arms: arms.length,
  disagreements: arms.flatMap(({ name, invalid }) =>
    invalid?.code === 'counts-disagree' ? [`${name}: ${printReason(invalid)}`] : [])
})

/**
 * Returns possible causes of noise.
 *
 * @param {RunRecord} record
 * @param {{ busy: number, steal: number } | null} shares of the cores' time just after the load
 */
function findNoise ({ environment: { cpu, busy }, arms }, shares) {
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

/** About the CPU time of a request, so that the difference exceeds the noise and both servers are saturated. */
const MUCH_MICROS = 150
const MIN_RATIO = 1.05
const MINUTE = 60

/**
 * @param {Omit<RigOptions, 'engine' | 'mayswitch' | 'maxSeconds'>} rigOptions
 * @param {{ name: (file: string) => string, dir: string, blocks: number, starts: number, seed: number }} options name:
 * converts a file to a spec; dir: folder for the modules; blocks: per start
 * @returns {Promise<ReturnType<typeof fromSamples>>}
 * @throws {HopbenchError} not-saturated
 */
export async function calibrate (rigOptions, { name, dir, blocks, starts, seed }) {
  const plan = await createGangPlan('calibration', {
    title: 'what planted work costs',
    question: 'What does planted work cost?',
    arms: { few: name(writePlanted(dir, 'few', 0)), much: name(writePlanted(dir, 'much', MUCH_MICROS)) },
    startBlocks: blocks
  }, { seed, budgetSeconds: MINUTE })
  const { engine } = plan.arms[0].load
  const rig = await openRig(plan, { ...rigOptions, engine, mayswitch: false, maxSeconds: 600 })
  try {
    const samples = []
    for (let block = 0; block < blocks * starts; block++) {
      for await (const made of rig.trials(orderOfBlock(plan, block), block)) samples.push(...made)
    }
    return fromSamples(samples)
  } finally {
    await rig.close()
  }
}

/**
 * @param {Pick<Sample, 'arm' | 'block' | 'rps' | 'requests' | 'cpuSeconds' | 'invalid'>[]} samples of the arms few and
 * much
 * @returns {{ microsPerShare: number, microsPerRequest: number }} microsPerShare: nominal microseconds of work that
 * double the cost of a request; microsPerRequest: CPU time of a request without work
 * @throws {HopbenchError} nothing-measured
 */
export function fromSamples (samples) {
  const valid = samples.filter(({ invalid, rps, requests }) => !invalid && rps > 0 && requests > 0)
  const samplesOf = (/** @type {string} */ name) => valid.filter(({ arm }) => arm === name)
  const ratios = samplesOf('few').flatMap(({ block, rps }) =>
    samplesOf('much').filter(sample => sample.block === block).map(other => rps / other.rps))
  // If the work does not reduce the rate, the server was not saturated.
  const tried = ratios.length
  const ratio = tried > 0 ? median(ratios) : NaN
  if (!(ratio > MIN_RATIO)) throw new HopbenchError('not-saturated', { tried })
  return {
    microsPerShare: MUCH_MICROS / (ratio - 1),
    microsPerRequest: median(samplesOf('few').map(({ cpuSeconds, requests }) => cpuSeconds.server / requests * 1e6))
  }
}

const autocannon = fileURLToPath(import.meta.resolve('autocannon'))
const CONNECTIONS = 100
const SECONDS = 3

/**
 * @param {Arm} arm
 * @param {object} order
 * @param {Engines} order.engines
 * @param {number} order.pairs
 * @param {string} order.temp
 * @param {boolean} order.lab
 * @param {CoreSplit} order.cores
 * @param {(text: string) => void} order.printProgress
 * @returns {Promise<{ ratio: number, pairs: number[] }>} rate with hopbench divided by that without it
 */
export async function measureByHand (arm, { engines, pairs, temp, lab, cores, printProgress }) {
  const engine = await engines.find(DEFAULT)
  const loaded = { ...arm, load: { ...arm.load, engine: DEFAULT, connections: CONNECTIONS } }
  const stage = await openStage([loaded], { temp, lab, cores: cores.split ? cores.served : null, cwd: temp })
  try {
    const staged = getStagedArm(stage, arm.name)
    await ensureWarm(loaded, { staged, cores, printProgress, ...computeWarmUp() })
    const pinned = cores.split ? ['taskset', '-c', cores.load.join(',')] : []
    const bySuite = async (/** @type {number} */ block) => {
      const { rps } = await measureUndisturbed({
        arm: loaded,
        block,
        staged,
        engine,
        cores,
        seconds: SECONDS,
        tag: `hand-${block}`
      })
      return rps
    }
    const byHand = async () => {
      const { stdout } = await run([...staged.network.enter, ...pinned, process.execPath, autocannon, '-c',
        `${CONNECTIONS}`, '-d', `${SECONDS}`, '--json', '--no-progress', staged.target.url + arm.load.path])
      const { requests, duration } = JSON.parse(stdout)
      return requests.total / duration
    }
    const ratios = []
    for (let pair = 0; pair < pairs; pair++) {
      printProgress(`hopbench and ${DEFAULT} alone, pair ${pair + 1} of ${pairs}`)
      // Alternates the order, so that a linear drift of the machine cancels.
      const aloneFirst = pair % 2 ? await byHand() : null
      const suite = await bySuite(pair)
      ratios.push(suite / (aloneFirst ?? await byHand()))
    }
    return { ratio: median(ratios), pairs: ratios }
  } finally {
    await stage.close()
  }
}
