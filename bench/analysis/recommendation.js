/** Which static server to take for which case: rate, CPU, memory, and what the check found (pure). Never one that
 * fails a safety probe, was not checked, is there to demonstrate something, or was given a runtime past its end or
 * another one than Node, under which the check runs.
 * @import { ArmResult, CheckFailure, Contrast, RunRecord, ServerAbout } from '../types.js' */
import { behind } from './ahead.js'
import { isUnsafe } from './check-failures.js'
import { comparable } from './comparable.js'
import { count, ended, isNumber, listing, micros, plural, rate } from '../shared/format.js'
import { pastItsEnd, runtimeOf } from '../plan/runtimes.js'

/** Failures named beside a recommendation; the check shows the rest. */
const MOST_NAMED = 3

/** Memory that differs by less is no reason to take one server and not the other. */
const ALIKE = 1.1

/** @typedef {object} Candidate
 * @property {ArmResult} arm
 * @property {string} server name that the check knows: "sirv", "files"
 * @property {number} rps
 * @property {CheckFailure[] | null} failures null: not checked */
/** @typedef {object} Known what is known of servers beside their rates
 * @property {(server: string, proxy?: string) => CheckFailure[] | null} failuresOf null: not checked
 * @property {(server: string) => Partial<ServerAbout> | null} [aboutOf] null: not known
 * @property {{ day: string, node: string } | null} [checked] when and under which Node; null: there was no check */

/** @param {Pick<RunRecord, 'arms' | 'plan' | 'contrasts' | 'startedAt'>} record @param {Known} known
 * @returns {{ sentences: string[], arms: string[], unsafe: string[] }} arms: those recommended, by name; none where no
 * static servers are compared; unsafe: servers that fail safety probes */
export function recommend ({ arms, plan, contrasts, startedAt }, { failuresOf, aboutOf = () => null, checked = null }) {
  const rated = arms.filter(arm => arm.name !== plan.twin?.arm && !arm.invalid && isNumber(arm.rps?.median))
  const { arms: compared, loads } = comparable(rated)
  const candidates = compared.map(arm => candidateOf(arm, failuresOf))
  // One server in several settings, such as flags of Node, is no choice of a server.
  const choices = new Set(candidates.map(({ server, arm }) => `${server} ${arm.topology.server?.instances}`))
  if (choices.size < 2 || !candidates.some(({ server, failures }) => server !== 'files' && failures)) {
    return { sentences: [], arms: [], unsafe: [] }
  }
  const takeable = candidates.filter(({ arm, server, failures }) =>
    failures && !isUnsafe(failures) && !aboutOf(server)?.demonstration &&
    foreignRuntime(arm) === null && !isOutdated(arm, startedAt))
  const best = (/** @type {(candidate: Candidate) => boolean} */ which) => bestOf(takeable.filter(which), contrasts)
  const nginx = best(({ server }) => server === 'files')
  const one = best(isSingle)
  const disk = best(candidate => isSingle(candidate) && aboutOf(candidate.server)?.bytesFrom === 'disk')
  const more = best(candidate => candidate.server !== 'files' && !isSingle(candidate))
  const inMemory = one && aboutOf(one.server)?.bytesFrom === 'memory'
  const unsafe = unsafeOf(candidates)
  const sentences = [
    loads > 1 && `The rates below are over ${count(loads)} files, each requested as often as the others.`,
    nginx &&
    `Where a proxy may serve the files, use ${nginx.arm.name}: ` +
    `${figures(nginx)}${one ? `, ${times(nginx, one)} the fastest safe Node server in one process` : ''}. ` +
    `${wrongs(nginx)}`,
    one && `From Node itself use ${one.arm.name}: ${figures(one)}, the ${alternatives(one, takeable)}. ${wrongs(one)}`,
    inMemory && disk &&
    `${one.arm.name} holds every file in memory and does not see one that is replaced: where files are many or ` +
    `change, use ${disk.arm.name}: ${figures(disk)}. ${wrongs(disk)}`,
    more && one && behind(more.arm, compared, contrasts).has(one.arm.name) &&
    `With more processes ${more.arm.name} reaches ${figures(more)}, ${times(more, one)} ${one.arm.name}.`,
    ...[...unsafe].map(([server, failures]) =>
      `${server} is not recommended: it fails ${plural(failures.length, 'safety probe')} (${named(failures)}).`),
    ...unchecked(candidates),
    checked && checkedUnder(checked, candidates)
  ].filter(text => typeof text === 'string').map(ended)
  return {
    sentences,
    arms: [nginx, one].flatMap(candidate => candidate ? [candidate.arm.name] : []),
    unsafe: [...unsafe.keys()]
  }
}

/** @param {ArmResult} arm @param {Known['failuresOf']} failuresOf @returns {Candidate} */
function candidateOf (arm, failuresOf) {
  const server = arm.topology.server?.name ?? 'files'
  return {
    arm,
    server,
    rps: arm.rps?.median ?? 0,
    failures: server === 'files' ? failuresOf(server, arm.topology.proxy?.name) : failuresOf(server)
  }
}

/** @param {ArmResult} arm @returns {string | null} "Bun"; null: it ran under Node, or it is a proxy */
function foreignRuntime ({ topology: { server } }) {
  const runtime = server && runtimeOf(server)
  return runtime && runtime.kind !== 'node' ? runtime.title : null
}

/** @param {ArmResult} arm @param {string} today ISO 8601 */
function isOutdated ({ topology: { server } }, today) {
  const runtime = server && runtimeOf(server)
  return Boolean(runtime?.kind === 'node' && pastItsEnd(runtime.version, today))
}

/** @param {Candidate} candidate */
const isSingle = ({ server, arm }) => server !== 'files' && arm.topology.server?.instances === 1

/** Of those that no verdict puts behind another those with the fewest failures, then those that take little memory,
 * then the one with the highest rate.
 * @param {Candidate[]} candidates @param {Contrast[]} contrasts */
function bestOf (candidates, contrasts) {
  const arms = candidates.map(({ arm }) => arm)
  const slower = new Set(arms.flatMap(arm => [...behind(arm, arms, contrasts)]))
  const ahead = candidates.filter(({ arm }) => !slower.has(arm.name))
  // Verdicts that go round in a circle put nobody ahead.
  const cleanest = leastBy(ahead.length > 0 ? ahead : candidates, ({ failures }) => failures?.length ?? 0)
  return leastBy(cleanest, memory, ALIKE).sort((a, b) => b.rps - a.rps).at(0)
}

/** @param {Candidate[]} candidates @param {(candidate: Candidate) => number} of
 * @param {number} [factor] what is less than so many times the least counts as the least */
function leastBy (candidates, of, factor = 1) {
  const least = Math.min(...candidates.map(of))
  return candidates.filter(candidate => of(candidate) <= factor * least)
}

/** @param {Candidate} candidate */
const memory = ({ arm: { memoryMiB } }) => memoryMiB ? memoryMiB.proxy + memoryMiB.server : Infinity

/** @param {Candidate} candidate */
function figures (candidate) {
  const cpu = candidate.arm.cpuMicrosPerRequest
  return `${rate(candidate.rps)} req/s at ${micros(cpu ? cpu.proxy + cpu.server : null)} µs of CPU per request and ` +
    `${count(Math.round(memory(candidate)))} MiB`
}

/** @param {Candidate} a @param {Candidate} b */
const times = (a, b) => `${(a.rps / b.rps).toFixed(1)} times`

/** @param {Candidate} one @param {Candidate[]} takeable */
function alternatives (one, takeable) {
  const others = takeable.filter(candidate => candidate !== one && isSingle(candidate))
  return others.length === 0
    ? 'only one measured that fails no safety probe'
    : `best of ${count(others.length + 1)} that fail no safety probe`
}

/** @param {Candidate} candidate */
function wrongs ({ failures }) {
  if (!failures || failures.length === 0) return 'The check found nothing wrong with it.'
  return `The check found ${plural(failures.length, 'failure')}, none of them of safety: ${named(failures)}.`
}

/** What happened, and not what should have. @param {CheckFailure[]} failures */
const named = failures => {
  const [fatal, others] = [true, false].map(died => failures.filter(failure => failure.died === died))
  const crash = fatal.length === 1
    ? `it crashes in "${fatal[0].title}"`
    : `it crashes in ${others.length === 0 ? 'all' : fatal.length} of them`
  const said = [...fatal.length > 0 ? [crash] : [], ...new Set(others.map(({ saw, title }) => saw || title))]
  const rest = said.length - MOST_NAMED
  return listing([...said.slice(0, MOST_NAMED), ...rest > 0 ? [`${rest} more`] : []])
}

/** Servers, each with its failures of safety. @param {Candidate[]} candidates */
const unsafeOf = candidates => new Map(candidates.flatMap(({ server, failures }) =>
  failures && isUnsafe(failures) ? [[server, failures.filter(({ safety }) => safety)]] : []))

/** @param {NonNullable<Known['checked']>} checked @param {Candidate[]} candidates */
function checkedUnder ({ day, node }, candidates) {
  const others = [...new Set(candidates.map(({ arm }) => foreignRuntime(arm)).filter(title => title !== null))]
  return `The check of safety ran on ${day} under Node ${node}` +
    `${others.length > 0 ? `; what ran under ${listing(others)} was not checked there and is not recommended` : ''}.`
}

/** @param {Candidate[]} candidates @returns {string[]} */
function unchecked (candidates) {
  const names = [...new Set(candidates.filter(({ failures }) => failures === null).map(({ server }) => server))]
  return names.length === 0
    ? []
    : [
      `Not checked yet, and so not recommended: ${listing(names)}. Check with: npm run hopbench -- check ` +
      `${names.join(' ')}`
      ]
}
