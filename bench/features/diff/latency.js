/**
 * Measures response times of base and head at the same offered rate, in windows in turn on the same processes. All
 * processes are replaced at each start, because a process can be slow from start to end.
 */
import { join } from 'node:path'
import { areSidesResolved } from '../../judge/runs/side-by-side.js'
import { judgeSample } from '../../judge/verdict.js'
import { localEngines } from '../../load/find-engine.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { measureWindow } from '../../measure/measure-window.js'
import { getStagedArm, openStage } from '../../measure/stage.js'
import { ensureWarm } from '../../measure/warm-up.js'
import { toArmAtRate } from '../../plan/open-loop.js'
import { getProfile, orderOfBlock } from '../../plan/plan.js'
import { computeWarmUp } from '../../plan/targets.js'
import { continueMix } from '../../plan/request-mix.js'
import { explain, getErrorMessage } from '../../errors.js'
import { listing } from '../../shared/format.js'
import { EMPTY } from '../../shared/trial.js'
import { now } from '../../machine/clocks.js'

/** @import { Arm, Plan, RunRecord, Sample, Unsteady } from '../../types.js' */
/** @import { Stage } from '../../measure/types.js' */
/** @import { OpenLoopWorld } from '../../run/run-plan.js' */

/** Share of the lower throughput in a closed loop that is offered: a loaded app, far from its limit. */
const SHARE_OF_PEAK = 0.5
/**
 * Wall time of each pair in seconds, most starts, windows of an arm in each start, and length of a window in seconds.
 * A start of one pair takes about 44 s, so that the wall time is enough for five.
 */
const LENGTHS = {
  full: { seconds: 240, starts: 12, windows: 5, windowSeconds: 3 },
  quick: { seconds: 30, starts: 1, windows: 6, windowSeconds: 1.5 },
  smoke: { seconds: 10, starts: 1, windows: 1, windowSeconds: 1 }
}
/** Starts before the first interim look. */
const MIN_STARTS = 3

/**
 * Returns the rates that are offered: the same to both arms of a pair, because response times depend on it.
 *
 * @param {Pick<RunRecord, 'arms' | 'plan'>} record of the throughput
 * @param {number} [rate] as typed
 * @returns {Map<string, number>} requests per second by arm; empty: the throughput of an arm was not measured
 */
export function findRates ({ arms, plan: { contrasts } }, rate) {
  const peaks = new Map(arms.map(({ name, rps }) => [name, rps?.median ?? NaN]))
  const offered = contrasts.map(pair =>
    rate ?? Math.max(1, Math.floor(Math.min(...pair.map(name => peaks.get(name) ?? NaN)) * SHARE_OF_PEAK)))
  if (offered.some(Number.isNaN)) return new Map()
  return new Map(contrasts.flatMap((pair, i) => pair.map(name => /** @type {[string, number]} */ ([name, offered[i]]))))
}

/**
 * @param {Plan} plan with secrets
 * @param {OpenLoopWorld} world
 * @param {{ rates: Map<string, number>, run: { record: RunRecord, samples: Sample[] } }} order rates: by arm, empty if
 *   the throughput of an arm was not measured; run: the throughput
 * @param {{ now: () => number, measureStart: typeof measureStart }} [parts] replaced in tests
 * @returns {Promise<Sample[]>} windows; those of the starts before a failing one, whose error is printed. The verdict
 *   about the throughput is kept without them
 */
export async function measureLatency (plan, world, { rates, run }, parts = { now, measureStart }) {
  if (rates.size === 0) return []
  const { interrupted, workspace: { printProgress, progress } } = world
  const { seconds, starts, windows } = LENGTHS[getProfile(plan)]
  const arms = plan.arms.flatMap(arm => {
    const rate = rates.get(arm.name)
    return rate === undefined ? [] : toArmAtRate(arm, rate, plan.seed)
  })
  const margin = /** @type {number} */ (plan.targets.margin)
  const deadline = parts.now() + seconds * plan.contrasts.length
  const rateText = listing([...new Set(rates.values())].map(String))
  /** @type {Sample[]} */
  const samples = []
  let [start, length] = [0, 0]
  try {
    for (; start < starts && !interrupted(); start++) {
      const isOver = parts.now() + length > deadline
      const isResolved = start >= MIN_STARTS && areSidesResolved(run, { margin, windows: samples, kinds: ['p99'] })
      if (isOver || isResolved) break
      printProgress(`response times at ${rateText} req/s, start ${start + 1}`)
      const begun = parts.now()
      samples.push(...await parts.measureStart({ ...plan, arms }, world, { start, windows }))
      length = parts.now() - begun
    }
  } catch (error) {
    progress.end()
    const what = samples.length === 0 ? 'were not measured' : `end before start ${start + 1}`
    process.stderr.write(`The response times ${what}. ${explain(error).text}\n`)
  } finally {
    progress.end()
  }
  return samples
}

/**
 * Starts all arms and measures their windows in turn.
 *
 * @param {Plan} plan of arms at their rate
 * @param {OpenLoopWorld} world
 * @param {{ start: number, windows: number }} order
 */
async function measureStart (plan, world, { start, windows }) {
  const { location, workspace, interrupted } = world
  const { cores } = location.machine
  const temp = join(workspace.folder('l'), `s${start}`)
  makeFolder(temp)
  const stage = await openStage(plan.arms, {
    ...location.machine,
    temp,
    cwd: workspace.cwd,
    certificates: join(temp, 'tls'),
    cores: cores.split ? cores.served : null,
    root: plan.root,
    contrasts: plan.allowsDifferent ? [] : plan.contrasts
  })
  /** @type {Sample[]} */
  const samples = []
  try {
    const engine = await localEngines.find(plan.arms[0].load.engine)
    /** @type {Map<string, Unsteady | null>} */
    const unsteady = new Map()
    for (const arm of plan.arms) {
      const staged = getStagedArm(stage, arm.name)
      const { limitSeconds } = plan.warmUp ?? computeWarmUp(plan)
      unsteady.set(arm.name, await ensureWarm(arm, {
        staged, cores, limitSeconds, smoke: plan.smoke, interrupted, printProgress: workspace.printProgress
      }))
    }
    for (let i = 0; i < windows && !interrupted(); i++) {
      const block = start * windows + i
      for (const name of orderOfBlock(plan, block)) {
        const sample = await measureOne(plan, { name, block, stage, engine, cores })
        const arm = /** @type {Arm} */ (plan.arms.find(arm => arm.name === name))
        const invalid = judgeSample(sample, arm, { servedCores: cores.served.length })
        const moving = unsteady.get(name)
        samples.push({ ...sample, start, invalid, ...moving && { unsteady: moving } })
      }
    }
    return samples
  } finally {
    await stage.close()
  }
}

/**
 * @param {Plan} plan
 * @param {{ name: string, block: number, stage: Stage, engine: Parameters<typeof measureWindow>[0]['engine'], cores:
 *   Parameters<typeof measureWindow>[0]['cores'] }} trial
 * @returns {Promise<Sample>}
 */
async function measureOne (plan, { name, block, stage, engine, cores }) {
  const staged = getStagedArm(stage, name)
  const arm = /** @type {Arm} */ (plan.arms.find(arm => arm.name === name))
  // The arms of a block get the same schedule.
  const seed = (plan.seed + block) % 2 ** 32
  const seconds = LENGTHS[getProfile(plan)].windowSeconds
  // A window at a low rate sends fewer requests than a mix has, so each window continues where the last one ended.
  const load = continueMix({ ...arm.load, seed }, Math.round(block * seconds * Number(arm.load.rate)))
  try {
    return await measureWindow({ arm: { ...arm, load }, staged, engine, cores, block, seconds, tag: `p99-${block}` })
  } catch (error) {
    const invalid = /** @type {const} */ ({ code: 'not-measured', params: { message: getErrorMessage(error) } })
    return { ...EMPTY, arm: name, block, startedAt: new Date().toISOString(), invalid }
  }
}
