/** Warnings of a run: facts that weaken its results (pure). bench/report/facts/ puts them into words. */
import { findAppWarnings } from './app-warnings.js'
import { halfWidth, isNumber } from '../shared/format.js'
import { isDisturbance } from '../shared/disturbance.js'
import { excludesOne } from './margin.js'
import { nodeVersionOf, pastItsEnd } from '../plan/runtimes.js'
import { BUSY_LOAD_PER_CORE, BUSY_SHARE, INVALID_TRIALS, LAG1, STEAL_SHARE } from '../shared/thresholds.js'

/** @import { ArmResult, ConfinedBy, RunRecord, Warning } from '../types.js' */

/** @typedef {Omit<RunRecord, 'warnings'>} UnwarnedRecord */

/** Open files besides connections: libraries, logs, control sockets. */
const OTHER_OPEN_FILES = 256
/** Name that `hopbench size` stores in place of an experiment. */
const SIZING = 'size'

/**
 * Finds all warnings of a record, the gravest first.
 *
 * @param {UnwarnedRecord} record
 * @returns {Warning[]}
 */
export function findWarnings (record) {
  return [
    ...findRunWarnings(record), ...findArmWarnings(record), ...findLoadWarnings(record), ...findMachineWarnings(record),
    ...findAppWarnings(record.arms), ...findRuntimeWarnings(record)
  ]
}

/**
 * @param {UnwarnedRecord} record
 * @returns {Warning[]}
 */
function findRunWarnings (record) {
  const { run, complete, timing, contrasts, noiseFloor, plan } = record
  const isSizing = record.experiment === SIZING
  /** @type {Warning[]} */
  const warnings = []
  if (!complete) {
    warnings.push(isSizing
      ? { code: 'cut-off', params: { blocks: null } }
      : { code: 'cut-off', params: { blocks: timing.blocks }, command: `npm run hopbench -- run --resume ${run}` })
  }
  if (plan.smoke) warnings.push({ code: 'smoke', params: {} })
  else if (plan.quick) warnings.push({ code: 'quick', params: { sizing: isSizing } })
  else if (complete) warnings.push(...findPrecisionWarnings(record))
  if (noiseFloor && excludesOne(noiseFloor)) warnings.push({ code: 'noise-floor', params: noiseFloor })
  // An interval over starts does not depend on the autocorrelation of blocks.
  const correlated = contrasts.filter(({ lag1, starts }) => starts === undefined && isNumber(lag1) && lag1 > LAG1)
    .map(({ arm, baseline, lag1 }) => ({ arm, baseline, lag1 }))
  if (correlated.length > 0) warnings.push({ code: 'autocorrelation', params: { contrasts: correlated } })
  return warnings
}

/**
 * Warns of intervals that are wider than planned.
 *
 * @param {UnwarnedRecord} record of a complete run
 * @returns {Warning[]}
 */
function findPrecisionWarnings ({ contrasts, ended, timing, plan: { targets } }) {
  // If every contrast is decided, a verdict needs no further block.
  if (ended === 'decided') return []
  if (timing.blocks < targets.minBlocks) {
    return [{ code: 'few-blocks', params: { blocks: timing.blocks, needed: targets.minBlocks } }]
  }
  const [widest] = contrasts.filter(({ verdict }) => verdict !== 'invalid')
    .map(contrast => ({ arm: contrast.arm, baseline: contrast.baseline, halfWidth: halfWidth(contrast) }))
    .sort((a, b) => (b.halfWidth ?? Infinity) - (a.halfWidth ?? Infinity) || 0)
  if (ended === 'precision' || !widest || (widest.halfWidth ?? Infinity) <= targets.precision) return []
  // The width of an interval falls with the square root of the blocks.
  const secondsNeeded = widest.halfWidth === null
    ? null
    : timing.setupSeconds + timing.sliceWallSeconds * (widest.halfWidth / targets.precision) ** 2
  return [{ code: 'precision-not-reached', params: { ...widest, target: targets.precision, secondsNeeded } }]
}

/**
 * Warns of what limits the proof and the validity of arms.
 *
 * @param {UnwarnedRecord} record
 * @returns {Warning[]}
 */
function findArmWarnings ({ arms }) {
  const measured = arms.filter(({ rps }) => rps)
  const started = measured.filter(({ topology }) => topology.url === undefined)
  const namesConfinedBy = (/** @type {ConfinedBy} */ way) =>
    getNames(arms.filter(({ proof }) => proof.confinedBy === way))
  const unproven = measured.filter(({ topology: { proxy, server }, proof }) =>
    server?.command && proxy?.transport && proof.upstreamConnectionsPerRequest === null)
  const disturbed = arms.flatMap(({ invalidTrials }) => invalidTrials).filter(({ reason }) => isDisturbance(reason))
    .sort((a, b) => a.block - b.block)
  /** @type {Warning[]} */
  const warnings = [
    ...warnOfArms('not-confined', namesConfinedBy('nothing')),
    ...warnOfArms('confined-by-node', namesConfinedBy('permissions')),
    ...warnOfArms('counted-by-client', getNames(measured.filter(arm => !started.includes(arm)))),
    ...warnOfArms('unproven-transport', getNames(unproven))
  ]
  if (disturbed.length > 0) {
    const params = { trials: disturbed.length, last: disturbed.at(-1)?.reason ?? null }
    warnings.push({ code: 'disturbed-trials', params })
  }
  if (started.length > 0 && started.every(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest === null)) {
    warnings.push({ code: 'no-cpu-time', params: {} })
  }
  return warnings
}

/**
 * Warns of what limited the load, and of arms with many invalid trials.
 *
 * @param {UnwarnedRecord} record
 * @returns {Warning[]}
 */
function findLoadWarnings ({ arms, switchedFor, engineInstead, crowded, slowerUsers }) {
  const measured = arms.filter(({ rps }) => rps)
  const linkBound = measured.filter(({ bound }) => bound === 'network')
  const waiting = measured.filter(({ boundWhy }) => boundWhy)
  const loadBound = measured.filter(({ bound }) => bound === 'load')
  const engine = arms[0]?.load.engine
  /** @type {Warning[]} */
  const warnings = []
  if (linkBound.length > 0) {
    const share = Math.max(...linkBound.map(({ linkShare }) => linkShare ?? 0))
    warnings.push({ code: 'network-bound', params: { arms: getNames(linkBound), share } })
  }
  if (waiting.length > 0) {
    const connections = Math.max(...waiting.map(({ load }) => load.connections))
    warnings.push({ code: 'both-waited', params: { arms: getNames(waiting), connections } })
  }
  if (loadBound.length > 0) warnings.push({ code: 'generator-bound', params: { arms: getNames(loadBound), engine } })
  if (switchedFor) warnings.push({ code: 'engine-switched', params: { ...switchedFor, engine } })
  if (engineInstead) warnings.push({ code: 'engine-missing', params: { ...engineInstead, engine } })
  if (crowded) warnings.push({ code: 'too-many-to-stop', params: crowded })
  if (slowerUsers) warnings.push({ code: 'slower-users', params: { ...slowerUsers, engine } })
  return [...warnings, ...arms.flatMap(arm => warnOfInvalidTrials(arm) ?? [])]
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
 * @returns {Warning[]}
 */
function findMachineWarnings ({ arms, plan, environment: { lab, cores, cpu, busy, limits, hosts } }) {
  const crowded = arms.filter(({ topology: { server } }) => Number(server?.instances) > cpu.cores)
  const hasSharedCores = cores.load.some(core => cores.served.includes(core))
  const isSharedOnPurpose = plan.cores === 'shared' && cpu.cores > 1
  const needed = Math.max(0, ...arms.map(countSockets)) + OTHER_OPEN_FILES
  /** @type {Warning[]} */
  const warnings = []
  if (crowded.length > 0) {
    warnings.push({ code: 'fewer-cores-than-workers', params: { arms: getNames(crowded), cores: cpu.cores } })
  }
  if (lab.network === 'shared-loopback' && !hosts) {
    warnings.push({ code: 'shared-loopback', params: { why: lab.why }, command: 'npm run hopbench -- doctor' })
  }
  if (hasSharedCores && isSharedOnPurpose) warnings.push({ code: 'shared-cores-on-purpose', params: {} })
  else if (hasSharedCores) warnings.push({ code: 'shared-cores', params: { cores: cpu.cores } })
  if (isBusy(busy, cpu.cores)) {
    const { busyShare = null, loadAverage } = busy
    warnings.push({ code: 'busy-machine', params: { busyShare, loadAverage, cores: cpu.cores } })
  }
  if (isNumber(busy.stealShare) && busy.stealShare > STEAL_SHARE) {
    warnings.push({ code: 'steal-time', params: { share: busy.stealShare } })
  }
  if (cpu.governor === 'powersave') {
    warnings.push({ code: 'governor-powersave', params: {}, command: 'cpupower frequency-set -g performance' })
  }
  if (isNumber(limits.openFiles) && limits.openFiles < needed) {
    warnings.push({ code: 'open-files', params: { limit: limits.openFiles, needed }, command: `ulimit -n ${needed}` })
  }
  return warnings
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
 * @param {UnwarnedRecord} record
 * @returns {Warning[]}
 */
function findRuntimeWarnings ({ arms, tools, environment: { node }, startedAt }) {
  const past = arms.flatMap(arm => {
    const version = findNodeVersion(arm, tools, node)
    const end = version && pastItsEnd(version, startedAt)
    return end ? [{ name: arm.name, ...end }] : []
  })
  if (past.length === 0) return []
  const lines = past.filter(({ line }, i) => past.findIndex(other => other.line === line) === i)
    .map(({ line, lastDay }) => ({ line, lastDay }))
  return [{ code: 'runtime-past-its-end', params: { arms: getNames(past), lines } }]
}

/**
 * Finds the version of Node that an arm's server ran under.
 *
 * @param {ArmResult} arm
 * @param {RunRecord['tools']} tools
 * @param {string} node version of the suite's own Node
 * @returns {string | null} null: it did not run under Node, or its program is unknown
 */
function findNodeVersion ({ topology: { server }, proof: { program } }, tools, node) {
  if (server?.command) return program?.startsWith('node ') ? program.slice('node '.length) : null
  // A program in the place of the server is listed among the tools and does not run under Node.
  return server && tools[server.name] === undefined ? nodeVersionOf(server, node) : null
}

/**
 * @param {'not-confined' | 'confined-by-node' | 'counted-by-client' | 'unproven-transport'} code
 * @param {string[]} arms
 * @returns {Warning[]} none without arms
 */
const warnOfArms = (code, arms) => arms.length === 0 ? [] : [{ code, params: { arms } }]

/** @param {{ name: string }[]} arms */
const getNames = arms => arms.map(({ name }) => name)
