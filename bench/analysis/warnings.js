/** Every warning a run can carry: what makes its results weaker than they could be (pure).
 * @import { ArmResult, ConfinedBy, Contrast, Interval, RunRecord, Warning } from '../types.js' */
import { halfWidth, isNumber, percent } from '../shared/format.js'
import { isDisturbance } from '../shared/disturbance.js'
import { excludesOne } from './margin.js'
import { nodeVersionOf, pastItsEnd } from '../plan/runtimes.js'
import { BUSY_LOAD_PER_CORE, BUSY_SHARE, INVALID_TRIALS, LAG1, STEAL_SHARE } from '../shared/thresholds.js'
import {
  busyMachine, fewerCores, fewOpenFiles, powersave, sharedCores, sharedLoopback, sharedOnPurpose, stealTime
} from './machine-warning-texts.js'
import {
  autocorrelated, bothWaited, confinedByNode, countedByClient, cutOff, disturbedTrials, engineMissing, engineSwitched,
  fewBlocks, generatorBound, invalidTrials, networkBound, noCpuTime, noisyFloor, notConfined, precisionNotReached,
  quickRun, quickSizing, runtimePastItsEnd, sizingCutOff, slowerUsers, smokeRun, tooManyToStop, unprovenTransport
} from './warning-texts.js'

const FILES_BESIDE_CONNECTIONS = 256 // Beside the connections themselves: libraries, logs, control sockets.
const SIZING = 'size' // What `hopbench size` stores is called so in the place of an experiment.

/** All warnings that can be read off a record, the gravest first. @param {Omit<RunRecord, 'warnings'>} record
 * @returns {Warning[]} */
export function warningsOf (record) {
  return [...ofTheRun(record), ...ofTheArms(record), ...ofTheMachine(record), ...present([pastTheirEnd(record)])]
}

/** @param {Parameters<typeof warningsOf>[0]} record @returns {Warning[]} */
function ofTheRun (record) {
  const { complete, timing, contrasts, noiseFloor, ended, experiment } = record
  const { targets, quick, smoke } = record.plan
  // Over starts neighbours within one are no matter.
  const alike = contrasts.filter(({ lag1, starts }) => starts === undefined && isNumber(lag1) && lag1 > LAG1)
  const least = widestOf(contrasts)
  const tooFew = timing.blocks < targets.minBlocks
  return present([
    !complete && (experiment === SIZING ? sizingCutOff() : cutOff(record.run, timing.blocks)),
    smoke && smokeRun(),
    quick && !smoke && (experiment === SIZING ? quickSizing() : quickRun()),
    !quick && complete && tooFew && fewBlocks(timing.blocks, targets.minBlocks),
    !quick && complete && !tooFew && !['precision', 'decided'].includes(ended ?? '') && least &&
    (least.halfWidth ?? Infinity) > targets.precision &&
    precisionNotReached(least, targets.precision, secondsNeeded(timing, least.halfWidth, targets.precision)),
    noiseFloor && excludesOne(noiseFloor) && noisyFloor(noiseFloor),
    alike.length > 0 && autocorrelated(alike)
  ])
}

/** @param {Parameters<typeof warningsOf>[0]} record @returns {Warning[]} */
function ofTheArms ({ arms, switchedFor, engineInstead, crowded, slowerUsers: lowered }) {
  const bound = arms.filter(arm => arm.bound === 'load' && arm.rps)
  const linked = arms.filter(arm => arm.bound === 'network' && arm.rps)
  const waited = arms.filter(({ boundWhy, rps }) => boundWhy && rps)
  const engine = arms[0]?.load.engine
  const confinedBy = (/** @type {ConfinedBy} */ way) =>
    arms.filter(({ proof }) => proof.confinedBy === way).map(({ name }) => name)
  const disturbed = arms.flatMap(({ invalidTrials }) => invalidTrials).filter(({ reason }) => isDisturbance(reason))
    .sort((a, b) => a.block - b.block)
  const measured = arms.filter(({ rps }) => rps)
  const seen = measured.filter(({ topology }) => topology.url === undefined)
  const urls = measured.filter(({ topology }) => topology.url !== undefined)
  const unproven = measured.filter(({ topology: { proxy, server }, proof }) =>
    server?.command && proxy?.transport && proof.upstreamConnectionsPerRequest === null)
  return present([
    confinedBy('nothing').length > 0 && notConfined(confinedBy('nothing')),
    confinedBy('permissions').length > 0 && confinedByNode(confinedBy('permissions')),
    urls.length > 0 && countedByClient(urls.map(({ name }) => name)),
    unproven.length > 0 && unprovenTransport(unproven.map(({ name }) => name)),
    disturbed.length > 0 && disturbedTrials(disturbed),
    seen.length > 0 && seen.every(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest === null) && noCpuTime(),
    linked.length > 0 &&
    networkBound(linked.map(({ name }) => name), Math.max(...linked.map(({ linkShare }) => linkShare ?? 0))),
    waited.length > 0 &&
    bothWaited(waited.map(({ name }) => name), Math.max(...waited.map(({ load }) => load.connections))),
    bound.length > 0 && generatorBound(bound.map(({ name }) => name), engine),
    switchedFor && engineSwitched(engine, switchedFor),
    engineInstead && engineMissing(engine, engineInstead),
    crowded && tooManyToStop(crowded),
    lowered && slowerUsers(engine, lowered),
    // Those that were disturbed are named above.
    ...arms.map(arm => ({ ...arm, invalidTrials: arm.invalidTrials.filter(({ reason }) => !isDisturbance(reason)) }))
      .filter(arm => !isBeyond(arm) && arm.trials > 0 && arm.invalidTrials.length / arm.trials > INVALID_TRIALS).map(
        invalidTrials
      )
  ])
}

/** A step of a ladder beyond the first errors is left out on purpose. @param {Pick<ArmResult, 'invalidTrials'>} arm */
const isBeyond = ({ invalidTrials }) =>
  invalidTrials.length > 0 && invalidTrials.every(({ reason }) => reason.code === 'beyond-first-errors')

/** What was at work just before the run. A load average looks back over a minute, and counts the run before this one;
 * it is used only where nothing better is known. @param {RunRecord['environment']['busy']} busy @param {number} cores
 */
function busyWith ({ busyShare, loadAverage }, cores) {
  if (isNumber(busyShare)) return busyShare > BUSY_SHARE && busyMachine(`${percent(busyShare)} of the time`, cores)
  return loadAverage / cores > BUSY_LOAD_PER_CORE && busyMachine(`a load average of ${loadAverage.toFixed(1)}`, cores)
}

/** @param {Parameters<typeof warningsOf>[0]} record @returns {Warning[]} */
function ofTheMachine ({ arms, plan, environment: { lab, cores, cpu, busy, limits, hosts } }) {
  // A proxy before a server holds two sockets for each of a client's: one to either side.
  const files =
    Math.max(0, ...arms.map(({ topology, load }) => load.connections * (topology.proxy && topology.server ? 2 : 1))) +
    FILES_BESIDE_CONNECTIONS
  const crowded = arms.filter(({ topology: { server } }) => Number(server?.instances) > cpu.cores)
    .map(({ name }) => name)
  return present([
    crowded.length > 0 && fewerCores(crowded, cpu.cores),
    lab.network === 'shared-loopback' && !hosts && sharedLoopback(lab.why),
    cores.load.some(core => cores.served.includes(core)) &&
    (plan.cores === 'shared' && cpu.cores > 1 ? sharedOnPurpose() : sharedCores(cpu.cores)),
    busyWith(busy, cpu.cores),
    isNumber(busy.stealShare) && busy.stealShare > STEAL_SHARE && stealTime(busy.stealShare),
    cpu.governor === 'powersave' && powersave(),
    isNumber(limits.openFiles) && limits.openFiles < files && fewOpenFiles(limits.openFiles, files)
  ])
}

/** @param {Parameters<typeof warningsOf>[0]} record */
function pastTheirEnd ({ arms, tools, environment: { node }, startedAt }) {
  const past = arms.flatMap(({ name, topology: { server } }) => {
    // A program in the server's place is no Node server, and stands among the tools.
    const version = server && tools[server.name] === undefined ? nodeVersionOf(server, node) : null
    const end = version && pastItsEnd(version, startedAt)
    return end ? [{ name, ...end }] : []
  })
  const lines = past.filter(({ line }, i) => past.findIndex(other => other.line === line) === i)
  return past.length > 0 && runtimePastItsEnd(lines, past.map(({ name }) => name))
}

/** The contrast that is known least well; one without an interval comes first.
 * @param {(Pick<Contrast, 'arm' | 'baseline' | 'verdict'> & Interval)[]} contrasts */
const widestOf = contrasts => contrasts
  .filter(({ verdict }) => verdict !== 'invalid')
  .map(contrast => ({ arm: contrast.arm, baseline: contrast.baseline, halfWidth: halfWidth(contrast) }))
  .sort((a, b) => (b.halfWidth ?? Infinity) - (a.halfWidth ?? Infinity) || 0)
  .at(0)

/** An interval's width falls with the square root of the blocks. @param {RunRecord['timing']} timing
 * @param {number | null} reached @param {number} target */
const secondsNeeded = ({ setupSeconds, sliceWallSeconds }, reached, target) =>
  reached === null ? null : setupSeconds + sliceWallSeconds * (reached / target) ** 2

/** @type {(warnings: (Warning | false | null | undefined)[]) => Warning[]} */
const present = warnings => warnings.filter(warning => !!warning)
