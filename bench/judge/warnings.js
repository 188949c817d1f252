/** Warnings of a run: facts that weaken its results (pure). bench/report/facts/ puts them into words. */
import { usesSocket } from '../plan/predicates.js'
import { toResumeCommand } from '../plan/stored-plan.js'
import { CONGESTION_CONTROL, CUBIC, getCongestionControl } from '../shared/congestion-control.js'
import { halfWidth, isNumber } from '../shared/format.js'
import { isDisturbance } from '../shared/disturbance.js'
import { IN_CLONE } from '../shared/commands.js'
import { getProgramKey } from '../shared/releases.js'
import { excludesOne } from './margin.js'
import { findNotSteady } from './not-steady.js'
import { sharesCores } from './scaling.js'
import { getNodeVersion, getServedNode, pastItsEnd } from '../plan/runtimes.js'
import { isOwn, print } from '../plan/spec.js'
import {
  BUSY_LOAD_PER_CORE, BUSY_SHARE, INVALID_TRIALS, LAG1, STEAL_SHARE, FEW_CONNECTIONS
} from '../shared/thresholds.js'
import { SLICE_SECONDS } from '../plan/targets.js'

/** @import { ArmResult, ConfinedBy, Reason, RunRecord, Topology, Warning } from '../types.js' */

/** @typedef {Omit<RunRecord, 'warnings'>} UnwarnedRecord */
/** @typedef {Warning | null | undefined | false} Candidate falsy: the condition of the warning does not hold */

/** Open files besides connections: libraries, logs, control sockets. */
const OTHER_OPEN_FILES = 256
/** Names that `hopbench size` stores in place of an experiment. */
const SIZE_URL = 'size-url'
const SIZINGS = ['size', SIZE_URL]

/**
 * Finds all warnings of a record, the gravest first.
 *
 * @param {UnwarnedRecord} record
 * @returns {Warning[]}
 */
export function findWarnings (record) {
  const candidates = [
    ...findRunWarnings(record), findSteadyWarning(record), ...findArmWarnings(record), ...findLoadWarnings(record),
    ...findMachineWarnings(record), ...findAppWarnings(record.arms), findRuntimeWarning(record)
  ]
  return candidates.flatMap(warning => warning || [])
}

/**
 * @param {UnwarnedRecord} record
 * @returns {Candidate[]}
 */
function findRunWarnings (record) {
  const { run, complete, timing, contrasts, noiseFloor, plan } = record
  const isSizing = SIZINGS.includes(record.experiment)
  const resume = toResumeCommand(run, plan)
  // An interval over starts does not depend on the autocorrelation of blocks.
  const correlated = contrasts.filter(({ lag1, starts }) => starts === undefined && isNumber(lag1) && lag1 > LAG1)
    .map(({ arm, baseline, lag1 }) => ({ arm, baseline, lag1 }))
  return [
    !complete && isSizing && { code: 'cut-off', params: { blocks: null } },
    !complete && !isSizing && resume === null && { code: 'cut-off', params: { blocks: timing.blocks, isFinal: true } },
    !complete && resume !== null && {
      code: 'cut-off', params: { blocks: timing.blocks }, command: `${IN_CLONE} ${resume}`
    },
    plan.refused && { code: 'requests-refused', params: plan.refused },
    plan.smoke && { code: 'smoke', params: {} },
    plan.quick && !plan.smoke && { code: 'quick', params: { sizing: isSizing } },
    complete && !plan.quick && !plan.smoke && findPrecisionWarning(record),
    noiseFloor && excludesOne(noiseFloor) && { code: 'noise-floor', params: noiseFloor },
    correlated.length > 0 && { code: 'autocorrelation', params: { contrasts: correlated } }
  ]
}

/**
 * Warns of arms whose warm-up ended before the steady state.
 *
 * @param {UnwarnedRecord} record
 * @returns {Warning | null}
 */
function findSteadyWarning ({ arms, openLoop, plan: { quick } }) {
  const unsteady = [...arms, ...openLoop?.arms ?? []].filter(arm => arm.unsteady)
  const found = findNotSteady(unsteady)
  // An arm can be unsteady in both parts of a run.
  return found && { code: 'not-steady', params: { arms: [...new Set(getNames(unsteady))], ...found.params, quick } }
}

/**
 * Warns of intervals that are wider than planned, or that one start makes too narrow.
 *
 * @param {UnwarnedRecord} record of a complete run
 * @returns {Warning | null}
 */
function findPrecisionWarning ({ contrasts, ended, timing, protocol, plan: { targets } }) {
  // If every contrast is decided, a verdict needs no further block.
  if (ended === 'decided') return null
  if (timing.blocks < targets.minBlocks) {
    return { code: 'few-blocks', params: { blocks: timing.blocks, needed: targets.minBlocks } }
  }
  const valid = contrasts.filter(({ verdict }) => verdict !== 'invalid')
  // Other protocols replace no processes.
  const hasOneStart = protocol === 'gang' && valid.length > 0 && valid.every(({ starts }) => starts === undefined)
  const [widest] = valid
    .map(contrast => ({ arm: contrast.arm, baseline: contrast.baseline, halfWidth: halfWidth(contrast) }))
    .sort((a, b) => (b.halfWidth ?? Infinity) - (a.halfWidth ?? Infinity) || 0)
  // The default precision only decides when a run ends.
  const isReached = !targets.requested || ended === 'precision' || !widest ||
    (widest.halfWidth ?? Infinity) <= targets.precision
  if (isReached) return hasOneStart ? { code: 'one-start', params: {} } : null
  // The width of an interval falls with the square root of the blocks.
  const secondsNeeded = widest.halfWidth === null
    ? null
    : timing.setupSeconds + timing.sliceWallSeconds * (widest.halfWidth / targets.precision) ** 2
  return { code: 'precision-not-reached', params: { ...widest, target: targets.precision, secondsNeeded } }
}

/**
 * Warns of what limits the proof and the validity of arms.
 *
 * @param {UnwarnedRecord} record
 * @returns {Candidate[]}
 */
function findArmWarnings ({ experiment, arms, fileDifferences = [] }) {
  const measured = arms.filter(({ rps }) => rps)
  const started = measured.filter(({ topology }) => topology.url === undefined)
  const namesConfinedBy = (/** @type {ConfinedBy} */ way) =>
    getNames(arms.filter(({ proof }) => proof.confinedBy === way))
  const unproven = measured.filter(({ topology: { proxy, server }, proof }) =>
    server?.command && proxy?.transport && proof.upstreamConnectionsPerRequest === null)
  const disturbed = arms.flatMap(({ invalidTrials }) => invalidTrials).filter(({ reason }) => isDisturbance(reason))
    .sort((a, b) => a.block - b.block)
  const last = disturbed.at(-1)
  return [
    warnOfArms('not-confined', namesConfinedBy('nothing')),
    warnOfArms('confined-by-node', namesConfinedBy('permissions')),
    // The report of a deployed instance names the same limits, and hopbench cannot start the instance instead.
    experiment === SIZE_URL
      ? null
      : warnOfArms('counted-by-client', getNames(measured.filter(arm => !started.includes(arm)))),
    warnOfArms('unproven-transport', getNames(unproven)),
    ...fileDifferences.map(params => /** @type {const} */ ({ code: 'files-differ', params })),
    last && { code: 'disturbed-trials', params: { trials: disturbed.length, last: last.reason } },
    started.length > 0 && started.every(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest === null) &&
      { code: 'no-cpu-time', params: {} }
  ]
}

/**
 * Warns of what limited the load, and of arms with many invalid trials.
 *
 * @param {UnwarnedRecord} record
 * @returns {Candidate[]}
 */
function findLoadWarnings (record) {
  const { arms, switchedFor, engineInstead, crowded, slowerUsers } = record
  const measured = arms.filter(({ rps }) => rps)
  const linkBound = measured.filter(({ bound }) => bound === 'network')
  const share = Math.max(...linkBound.map(({ linkShare }) => linkShare ?? 0))
  const waiting = measured.filter(({ boundWhy }) => boundWhy)
  const loadBound = getNames(measured.filter(({ bound }) => bound === 'load'))
  const engine = arms[0]?.load.engine
  return [
    linkBound.length > 0 && { code: 'network-bound', params: { arms: getNames(linkBound), share } },
    waiting.length > 0 &&
      { code: 'both-waited', params: { arms: getNames(waiting), connections: getMostConnections(waiting) } },
    loadBound.length > 0 && { code: 'generator-bound', params: { arms: loadBound, engine } },
    switchedFor && { code: 'engine-switched', params: { ...switchedFor, engine } },
    engineInstead && { code: 'engine-missing', params: { ...engineInstead, engine } },
    crowded && { code: 'too-many-to-stop', params: crowded },
    slowerUsers && { code: 'slower-users', params: { ...slowerUsers, engine } },
    findBatchWarning(measured, record),
    ...arms.map(warnOfInvalidTrials)
  ]
}

/**
 * Warns of an arm with many invalid trials, without disturbed ones, which have a warning of their own.
 *
 * @param {ArmResult} arm
 * @returns {Warning | null}
 */
function warnOfInvalidTrials ({ name, trials, invalidTrials }) {
  const invalid = invalidTrials.filter(({ reason }) => !isDisturbance(reason))
  // The steps of a ladder beyond the first errors are skipped on purpose.
  const isSkipped = invalid.length > 0 && invalid.every(({ reason }) => reason.code === 'beyond-first-errors')
  if (isSkipped || trials === 0 || invalid.length / trials <= INVALID_TRIALS) return null
  const last = invalid.at(-1)?.reason ?? null
  return { code: 'invalid-trials', params: { arm: name, invalid: invalid.length, trials, last } }
}

/**
 * @param {UnwarnedRecord} record
 * @returns {Candidate[]}
 */
function findMachineWarnings (record) {
  const { arms, plan, timing, environment: { lab, sysctl, cpu, busy, limits, hosts } } = record
  const { busyShare = null, loadAverage } = busy
  const crowded = arms.filter(({ topology: { server } }) => Number(server?.instances) > cpu.cores)
  const hasSharedCores = sharesCores(record)
  const isSharedOnPurpose = plan.cores === 'shared' && cpu.cores > 1
  const needed = Math.max(0, ...arms.map(countSockets)) + OTHER_OPEN_FILES
  const control = getCongestionControl({ lab, sysctl })
  return [
    crowded.length > 0 && { code: 'fewer-cores-than-workers', params: { arms: getNames(crowded), cores: cpu.cores } },
    lab.network === 'shared-loopback' && !hosts &&
      { code: 'shared-loopback', params: { why: lab.why }, command: 'npm run hopbench -- doctor' },
    control !== undefined && control !== CUBIC && !hosts && {
      code: 'congestion-control', params: { control }, command: `sysctl -w ${CONGESTION_CONTROL}=${CUBIC}`
    },
    hasSharedCores && isSharedOnPurpose && { code: 'shared-cores-on-purpose', params: {} },
    hasSharedCores && !isSharedOnPurpose && { code: 'shared-cores', params: { cores: cpu.cores } },
    isBusy(busy, cpu.cores) && {
      code: 'busy-machine',
      params: { busyShare, loadAverage, cores: cpu.cores, ...busy.process && { process: busy.process } }
    },
    warnOfStolenTime(timing.stealShare, busy.stealShare),
    cpu.governor === 'powersave' &&
      { code: 'governor-powersave', params: {}, command: 'cpupower frequency-set -g performance' },
    isNumber(limits.openFiles) && limits.openFiles < needed &&
      { code: 'open-files', params: { limit: limits.openFiles, needed }, command: `ulimit -n ${needed}` }
  ]
}

/**
 * Warns of time that other guests took: during the run, or if that is unknown, just before it.
 *
 * @param {number | undefined} ofRun share of the CPU time of all cores
 * @param {number | null} before the same, before the run
 * @returns {Candidate}
 */
function warnOfStolenTime (ofRun, before) {
  const share = ofRun ?? before
  return isNumber(share) && share > STEAL_SHARE &&
    { code: 'steal-time', params: { share, ...ofRun !== undefined && { isOfRun: true } } }
}

/** Counts the sockets of an arm. A proxy in front of a server holds two for each client.
 * @param {ArmResult} arm */
const countSockets = ({ topology: { proxy, server }, load }) => load.connections * (proxy && server ? 2 : 1)

/**
 * Returns whether other programs were busy just before the run. The load average is used only without a better figure,
 * because it includes the previous minute and with it the previous run.
 *
 * @param {RunRecord['environment']['busy']} busy
 * @param {number} cores
 */
const isBusy = ({ busyShare, loadAverage }, cores) =>
  isNumber(busyShare) ? busyShare > BUSY_SHARE : loadAverage / cores > BUSY_LOAD_PER_CORE

/**
 * Warns of what in an app that a command starts explains or changes the results.
 *
 * @param {ArmResult[]} arms
 * @returns {Candidate[]}
 */
function findAppWarnings (arms) {
  const apps = arms.filter(({ topology: { server } }) => server?.command)
  const closing = apps.filter(arm => hasInvalidTrial(arm, 'not-pooled'))
  const words = [...new Set(closing.map(({ topology }) => print(withoutPool(topology))))]
  const hanging = apps.filter(arm => hasInvalidTrial(arm, 'clients-hang'))
  const writing = apps.filter(({ topology: { server }, proof }) => proof.writesPerRequest && !server?.command?.quiet)
  return [
    closing.length > 0 && { code: 'app-closes-connections', params: { arms: getNames(closing), words } },
    hanging.length > 0 &&
      { code: 'app-hangs', params: { arms: getNames(hanging), connections: getMostConnections(hanging) } },
    warnOfArms('app-writes-output', getNames(writing))
  ]
}

/**
 * @param {ArmResult} arm
 * @param {Reason['code']} code
 */
const hasInvalidTrial = ({ invalid, invalidTrials }, code) =>
  invalid?.code === code || invalidTrials.some(({ reason }) => reason.code === code)

/**
 * Returns the topology with a new connection to the app for each request.
 *
 * @param {Topology} topology
 * @returns {Topology}
 */
function withoutPool (topology) {
  const { proxy } = topology
  if (!proxy?.transport) return topology
  return { ...topology, proxy: { ...proxy, transport: usesSocket(proxy) ? 'uds' : 'tcp' } }
}

/**
 * @param {UnwarnedRecord} record
 * @returns {Warning | null}
 */
function findRuntimeWarning (record) {
  const { arms, startedAt } = record
  const past = arms.flatMap(arm => {
    const version = findNodeVersion(arm, record)
    const end = version && pastItsEnd(version, startedAt)
    return end ? [{ name: arm.ladder?.of ?? arm.name, ...end }] : []
  })
  if (past.length === 0) return null
  const lines = past.filter(({ line }, i) => past.findIndex(other => other.line === line) === i)
    .map(({ line, lastDay }) => ({ line, lastDay }))
  return { code: 'runtime-past-its-end', params: { arms: [...new Set(getNames(past))], lines } }
}

/**
 * Finds the version of Node that an arm's server ran under.
 *
 * @param {ArmResult} arm
 * @param {Pick<RunRecord, 'tools' | 'environment'>} record
 * @returns {string | null} null: it did not run under Node, or its program is unknown
 */
function findNodeVersion ({ topology: { server }, proof: { program } }, { tools, environment }) {
  if (server?.command) return program?.startsWith('node ') ? program.slice('node '.length) : null
  // A program in the place of the server is listed among the tools and does not run under Node.
  if (!server || tools[getProgramKey(server)] !== undefined) return null
  const isDefault = !isOwn(server) && server.options.runtime === undefined
  return getNodeVersion(server, isDefault ? getServedNode({ tools, environment }) : environment.node)
}

/**
 * @param {'not-confined' | 'confined-by-node' | 'counted-by-client' | 'unproven-transport' | 'app-writes-output'} code
 * @param {string[]} arms
 * @returns {Warning | null} null: no arms
 */
const warnOfArms = (code, arms) => arms.length === 0 ? null : { code, params: { arms } }

/** @param {{ name: string }[]} arms */
const getNames = arms => arms.map(({ name }) => name)

/** @param {ArmResult[]} arms */
const getMostConnections = arms => Math.max(...arms.map(({ load }) => load.connections))

/**
 * Warns of undecided arms whose connections wait for longer than a slice for each response. An app that works on all
 * requests at once completes many of them together, so that slices of a steady app differ by far more than chance:
 * Next.js behind nginx completed 0 to 103 page views in slices of 0.3 s with 100 connections, 42 to 78 with 10.
 *
 * @param {ArmResult[]} measured
 * @param {Pick<RunRecord, 'contrasts' | 'plan'>} run
 * @returns {Warning | null}
 */
function findBatchWarning (measured, { contrasts, plan: { windowSeconds = SLICE_SECONDS } }) {
  const undecided = contrasts.filter(({ verdict }) => verdict === 'inconclusive')
    .flatMap(({ arm, baseline }) => [arm, baseline])
  const slow = measured.filter(arm => undecided.includes(arm.name) && isClosedLoop(arm) &&
    arm.load.connections > FEW_CONNECTIONS && secondsBetweenResponses(arm) > windowSeconds)
  if (slow.length === 0) return null
  return {
    code: 'batches',
    params: {
      arms: slow.map(({ name }) => name),
      connections: Math.max(...slow.map(({ load }) => load.connections)),
      seconds: Math.max(...slow.map(secondsBetweenResponses)),
      windowSeconds,
      fewer: FEW_CONNECTIONS
    }
  }
}

/** @param {ArmResult} arm */
const isClosedLoop = ({ load }) => load.rate === undefined && !load.scenario

/**
 * Returns the time from a response on a connection to the next one. Of page views: from page to page.
 * @param {ArmResult} arm that served something
 */
const secondsBetweenResponses = ({ rps, load }) => load.connections / (rps?.median ?? Infinity)
