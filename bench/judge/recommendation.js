/**
 * Recommends a static server for each case, by rate, CPU time, memory and the failures that the check found (pure).
 * Failures are those with the settings that the package's documentation offers against them. Warns of failures of
 * safety that a server has only as shipped. Excludes servers that fail a safety probe, were not checked, or only
 * demonstrate something; runtimes past their end; and runtimes other than Node, because the check runs under Node.
 */
import { comparable, findSlower, listRated } from './ahead.js'
import { FILES, isUnsafe } from './check-failures.js'
import { hasProduction } from '../plan/predicates.js'
import { STATIC_CODE, STATIC_FILE } from '../shared/http/static-code.js'
import { pastItsEnd, getServerRuntime } from '../plan/runtimes.js'

/** @import { Advice, AdvisedServer, ArmResult, CheckFailure, Contrast, RunRecord, ServerAbout } from '../types.js' */

/** A server with more than this factor of the least memory is not preferred for its memory. */
const ALIKE = 1.1
/** Writes a deploy kit of the recommended server. */
const KIT_COMMAND = `npm run hopbench -- config ./${STATIC_FILE} --target docker`

/**
 * @typedef {object} Candidate
 * @property {ArmResult} arm
 * @property {string} server name in the check: "sirv"; "files" if a proxy serves the files
 * @property {number} rps
 * @property {CheckFailure[] | null} failures as recommended; null: not checked
 */

/**
 * @typedef {object} ServerFacts
 * @property {(server: string, proxy?: string) => CheckFailure[] | null} failuresOf with recommended settings, or as
 * shipped if there are none; null: not checked
 * @property {(server: string, proxy?: string) => CheckFailure[] | null} [shippedFailuresOf] failures as shipped of what
 * has recommended settings; null: it has none, or was not checked
 * @property {(server: string) => Partial<ServerAbout> | null} [aboutOf] null: unknown
 * @property {{ day: string, node: string } | null} [checked] day of the check, and its version of Node; null: no check
 */

/**
 * Recommends the best proxy and the best server with a single process, with further advice about the run's servers.
 *
 * @param {Pick<RunRecord, 'arms' | 'plan' | 'contrasts' | 'startedAt'>} record
 * @param {ServerFacts} facts
 * @returns {{ advice: Advice[], arms: string[] }} advice: empty if the run does not compare static servers; arms: names
 * of the recommended arms
 */
export function recommend ({ arms, plan, contrasts, startedAt }, facts) {
  const { failuresOf, aboutOf = () => null, checked = null } = facts
  const { arms: compared, loads } = comparable(listRated({ arms, plan }))
  const candidates = compared.map(arm => toCandidate(arm, failuresOf))
  if (!hasChoice(candidates)) return { advice: [], arms: [] }

  const usable = candidates.filter(({ arm, server, failures }) =>
    failures && !isUnsafe(failures) && !aboutOf(server)?.demonstration && hasSupportedNode(arm, startedAt))
  const findBest = (/** @type {(candidate: Candidate) => boolean} */ isSuitable) =>
    findBestOf(usable.filter(isSuitable), contrasts)
  const bytesFrom = (/** @type {Candidate} */ { server }) => aboutOf(server)?.bytesFrom
  const proxy = findBest(isProxy)
  const node = findBest(isSingleProcess)
  const fromDisk = findBest(candidate => isSingleProcess(candidate) && bytesFrom(candidate) === 'disk')
  const cluster = findBest(candidate => !isProxy(candidate) && !isSingleProcess(candidate))

  const describe = (/** @type {Candidate} */ candidate) => toAdvisedServer(candidate, facts)
  const otherNodes = usable.filter(candidate => candidate !== node && isSingleProcess(candidate))
  const slowerNodes = findAnySlower(usable.filter(isSingleProcess), contrasts)
  const alike = otherNodes.filter(({ arm }) => !slowerNodes.has(arm.name))
  const isClusterFaster = cluster && node && findSlower(cluster.arm, compared, contrasts).has(node.arm.name)
  /** @type {(Advice | null | undefined | false)[]} */
  const advice = [
    loads > 1 && { code: 'files-alike', params: { files: loads } },
    proxy && {
      code: 'proxy-serves',
      params: {
        ...describe(proxy),
        ...node ? renameTimes(compareRates(proxy.arm, node.arm, contrasts)) : { timesNode: null }
      }
    },
    node && {
      code: 'node-serves',
      params: {
        ...describe(node),
        others: otherNodes.length,
        names: otherNodes.map(({ arm }) => arm.name),
        alike: alike.map(toAlike)
      }
    },
    node && Object.hasOwn(STATIC_CODE, node.server) &&
      { code: 'node-code', params: { server: node.server }, command: KIT_COMMAND },
    node && fromDisk && bytesFrom(node) === 'memory' &&
      { code: 'node-from-disk', params: { ...describe(fromDisk), inMemory: node.arm.name } },
    isClusterFaster && {
      code: 'more-processes',
      params: { ...describe(cluster), than: node.arm.name, ...compareRates(cluster.arm, node.arm, contrasts) }
    },
    ...adviseUnsafe(findUnsafe(candidates), facts),
    ...adviseShipped(candidates, facts),
    ...adviseChecks(candidates, checked)
  ]
  return {
    advice: advice.flatMap(item => item || []),
    arms: [proxy, node].flatMap(candidate => candidate ? [candidate.arm.name] : [])
  }
}

/**
 * Returns whether a run compares static servers. Excludes runs that compare settings of one server, such as flags of
 * Node.
 *
 * @param {Candidate[]} candidates
 */
function hasChoice (candidates) {
  const servers = new Set(candidates.map(({ server, arm }) => `${server} ${arm.topology.server?.instances}`))
  return servers.size > 1 && candidates.some(candidate => !isProxy(candidate) && candidate.failures)
}

/**
 * @param {ArmResult} arm
 * @param {ServerFacts['failuresOf']} failuresOf
 * @returns {Candidate}
 */
function toCandidate (arm, failuresOf) {
  const server = arm.topology.server?.name ?? FILES
  const failures = server === FILES ? failuresOf(server, arm.topology.proxy?.name) : failuresOf(server)
  return { arm, server, rps: arm.rps?.median ?? 0, failures }
}

/** @param {Candidate} candidate */
const isProxy = ({ server }) => server === FILES

/** @param {Candidate} candidate */
const getProxy = ({ arm }) => arm.topology.proxy?.name ?? FILES

/** @param {Candidate} candidate */
const isSingleProcess = candidate => !isProxy(candidate) && candidate.arm.topology.server?.instances === 1

/**
 * @param {ArmResult} arm
 * @returns {string | null} "Bun"; null: Node, or a proxy
 */
function getForeignRuntime ({ topology: { server } }) {
  const runtime = server && getServerRuntime(server)
  return runtime && runtime.kind !== 'node' ? runtime.title : null
}

/**
 * Returns whether the server of an arm runs under a version of Node that is still maintained. An arm whose proxy serves
 * the files needs no runtime.
 *
 * @param {ArmResult} arm
 * @param {string} day ISO 8601
 */
function hasSupportedNode (arm, day) {
  const { server } = arm.topology
  const runtime = server && getServerRuntime(server)
  if (!runtime) return true
  return runtime.kind === 'node' && !pastItsEnd(runtime.version, day)
}

/**
 * Finds the best candidate that no verdict shows to be slower: by the number of failures, then memory, then rate.
 *
 * @param {Candidate[]} candidates
 * @param {Contrast[]} contrasts
 */
function findBestOf (candidates, contrasts) {
  const slower = findAnySlower(candidates, contrasts)
  const fastest = candidates.filter(({ arm }) => !slower.has(arm.name))
  // With circular verdicts, each candidate is slower than another one.
  const cleanest = keepLeast(fastest.length > 0 ? fastest : candidates, ({ failures }) => failures?.length ?? 0)
  return keepLeast(cleanest, ({ arm }) => getMemory(arm) ?? Infinity, ALIKE).sort((a, b) => b.rps - a.rps).at(0)
}

/** Names the arms that any candidate is shown to beat. @type {(list: Candidate[], of: Contrast[]) => Set<string>} */
function findAnySlower (candidates, contrasts) {
  const arms = candidates.map(({ arm }) => arm)
  return new Set(arms.flatMap(arm => [...findSlower(arm, arms, contrasts)]))
}

/**
 * Keeps the candidates with the least value, or within a factor of it.
 *
 * @param {Candidate[]} candidates
 * @param {(candidate: Candidate) => number} getValue
 * @param {number} [factor]
 */
function keepLeast (candidates, getValue, factor = 1) {
  const least = Math.min(...candidates.map(getValue))
  return candidates.filter(candidate => getValue(candidate) <= factor * least)
}

/** Returns the memory of proxy and server in MiB. @type {(arm: ArmResult) => number | null} */
const getMemory = ({ memoryMiB }) => memoryMiB && memoryMiB.proxy + memoryMiB.server

/**
 * @param {Candidate} candidate
 * @param {ServerFacts} facts
 * @returns {AdvisedServer}
 */
function toAdvisedServer ({ arm, server, rps, failures }, { shippedFailuresOf, aboutOf }) {
  const cpu = arm.cpuMicrosPerRequest
  const settings = server !== FILES && shippedFailuresOf?.(server)
    ? Object.keys(getServerSettings(aboutOf?.(server)))
    : []
  return {
    ...settings.length > 0 && { settings, isMeasuredSo: hasProduction(arm.topology.server) },
    arm: arm.name,
    perSecond: rps,
    cpuMicros: cpu && cpu.proxy + cpu.server,
    memoryMiB: getMemory(arm),
    failures: (failures ?? []).map(toFailedProbe)
  }
}

/** @param {Candidate} candidate */
const toAlike = ({ arm, rps, failures }) =>
  ({ arm: arm.name, perSecond: rps, failures: failures?.length ?? 0, memoryMiB: getMemory(arm) })

/** @param {ReturnType<typeof compareRates>} compared */
const renameTimes = ({ times, ...basis }) => ({ timesNode: times, ...basis })

/** @param {CheckFailure} failure */
const toFailedProbe = ({ title, saw, died }) => ({ title, saw, died })

/**
 * Warns of servers that fail safety probes as recommended.
 *
 * @param {Map<string, CheckFailure[]>} unsafe failures of safety by server
 * @param {ServerFacts} facts
 * @returns {Advice[]}
 */
const adviseUnsafe = (unsafe, { shippedFailuresOf, aboutOf }) => [...unsafe].map(([server, failures]) => ({
  code: 'unsafe',
  params: {
    server,
    failures: failures.map(toFailedProbe),
    ...shippedFailuresOf?.(server) && { withSettings: true },
    ...hasNoSettings(aboutOf?.(server)) && { withoutSettings: true }
  }
}))

/**
 * Warns of servers that fail safety probes only as shipped, with the settings that mend these failures.
 *
 * @param {Candidate[]} candidates
 * @param {ServerFacts} facts
 * @returns {Advice[]}
 */
function adviseShipped (candidates, { shippedFailuresOf = () => null, aboutOf }) {
  const safe = candidates.filter(({ failures }) => failures && !isUnsafe(failures))
  const programs = new Map(safe.map(candidate =>
    [isProxy(candidate) ? getProxy(candidate) : candidate.server, candidate]))
  return [...programs].flatMap(([name, candidate]) => {
    const { server } = candidate
    const shipped = isProxy(candidate) ? shippedFailuresOf(server, name) : shippedFailuresOf(server)
    const failures = (shipped ?? []).filter(({ safety }) => safety)
    if (failures.length === 0) return []
    const settings = Object.entries(getServerSettings(aboutOf?.(server)))
      .filter(([, probes]) => failures.some(({ name }) => probes.includes(name)))
      .map(([setting]) => setting)
    const params = { server: name, failures: failures.map(toFailedProbe), settings }
    return /** @type {Advice[]} */ ([{ code: 'unsafe-as-shipped', params }])
  })
}

/**
 * Returns the probes that each recommended setting of a server mends.
 * @param {Partial<ServerAbout> | null | undefined} about
 */
const getServerSettings = about => about?.production && 'settings' in about.production ? about.production.settings : {}

/**
 * Returns whether the documentation of a server's package offers no settings against its failures.
 * @param {Partial<ServerAbout> | null | undefined} about
 */
const hasNoSettings = about => about?.production !== undefined && 'none' in about.production

/** Returns the failures of safety of each unsafe server. @param {Candidate[]} candidates */
const findUnsafe = candidates => new Map(candidates.flatMap(({ server, failures }) =>
  failures && isUnsafe(failures) ? [[server, failures.filter(({ safety }) => safety)]] : []))

/**
 * Lists the servers that were not checked, and the version of Node that the check ran under.
 *
 * @param {Candidate[]} candidates
 * @param {ServerFacts['checked'] & {} | null} checked
 * @returns {(Advice | null | false)[]}
 */
function adviseChecks (candidates, checked) {
  const servers = [...new Set(candidates.filter(({ failures }) => failures === null).map(({ server }) => server))]
  const foreign = candidates.map(({ arm }) => getForeignRuntime(arm)).filter(title => title !== null)
  return [
    servers.length > 0 &&
      { code: 'not-checked', params: { servers }, command: `npm run hopbench -- check ${servers.join(' ')}` },
    checked && { code: 'checked-under', params: { ...checked, otherRuntimes: [...new Set(foreign)] } }
  ]
}

/** @typedef {Pick<ArmResult, 'name' | 'rps'>} RatedArm */

/**
 * Compares the rates of two arms by their contrast, or by the medians if the run has no contrast of them.
 * @param {RatedArm} arm
 * @param {RatedArm} other
 * @param {Contrast[]} contrasts
 * @returns {{ times: number, isLeast?: boolean, isByMedians?: boolean }} times: factor; isLeast: a lower bound, because
 * the rate of `arm` is one; isByMedians: the quotient of the medians
 */
function compareRates (arm, other, contrasts) {
  const direct = contrasts.find(contrast => contrast.arm === arm.name && contrast.baseline === other.name)
  const inverse = contrasts.find(contrast => contrast.arm === other.name && contrast.baseline === arm.name)
  const ratio = direct?.ratio ?? 1 / Number(inverse?.ratio)
  const low = direct?.low ?? 1 / Number(inverse?.high)
  if (!(ratio > 0)) return { times: Number(arm.rps?.median) / Number(other.rps?.median), isByMedians: true }
  const isLeast = direct ? direct.oneSided === 'at-least' : inverse?.oneSided === 'at-most'
  return isLeast ? { times: low, isLeast } : { times: ratio }
}
