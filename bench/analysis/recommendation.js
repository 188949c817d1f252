/** Which server of files to take for which case: rate, CPU, memory, and what the check found (pure). Never one that
 * fails a safety probe, and never one that was not checked.
 * @import { ArmResult, CheckFailure, RunRecord } from '../types.js' */
import { count, ended, isNumber, listing, micros, plural, rate } from '../plan/format.js'
import { AS_FAST } from '../plan/thresholds.js'

/** Failures named beside a recommendation; the check shows the rest. */
const MOST_NAMED = 3

/** @typedef {object} Candidate
 * @property {ArmResult} arm
 * @property {string} server name that the check knows: "sirv", "files"
 * @property {number} rps
 * @property {CheckFailure[] | null} failures null: not checked */

/** @param {Pick<RunRecord, 'arms' | 'plan'>} record
 * @param {(server: string, proxy?: string) => CheckFailure[] | null} failuresOf
 * @param {(server: string) => 'memory' | 'disk' | null} [bytesFrom] where a server has its bytes from; null: not known
 * @returns {string[]} sentences; none where no server of files is compared */
export function recommend ({ arms, plan }, failuresOf, bytesFrom = () => null) {
  const candidates = arms.flatMap(arm => candidateOf(arm, plan.twin?.arm, failuresOf))
  if (!candidates.some(({ server, failures }) => server !== 'files' && failures)) return []
  const safe = candidates.filter(({ failures }) => failures && !isUnsafe(failures))
  const nginx = best(safe.filter(({ server }) => server === 'files'))
  const one = best(safe.filter(({ server, arm }) => server !== 'files' && arm.topology.server?.instances === 1))
  const disk = best(
    safe.filter(({ server, arm }) =>
      server !== 'files' && arm.topology.server?.instances === 1 && bytesFrom(server) === 'disk'
    )
  )
  const more = best(safe.filter(({ server, arm }) => server !== 'files' && arm.topology.server?.instances !== 1))
  return [
    nginx &&
    `Where a proxy may serve the files, take ${nginx.arm.name}: ` +
    `${figures(nginx)}${one ? `, ${times(nginx, one)} the fastest safe Node server in one process` : ''}. ` +
    `${wrongs(nginx)}`,
    one && `From Node itself take ${one.arm.name}: ${figures(one)}, the ${alternatives(one, safe)}. ${wrongs(one)}`,
    one && bytesFrom(one.server) === 'memory' && disk &&
    `${one.arm.name} holds every file in memory and does not see one that is replaced: where files are many or ` +
    `change, take ${disk.arm.name}: ${figures(disk)}. ${wrongs(disk)}`,
    more && one && more.rps > one.rps &&
    `With more processes ${more.arm.name} reaches ${figures(more)}, ${times(more, one)} ${one.arm.name}.`,
    ...avoid(candidates),
    ...unchecked(candidates)
  ].filter(text => typeof text === 'string').map(ended)
}

/** @param {ArmResult} arm @param {string | undefined} twin
 * @param {(server: string, proxy?: string) => CheckFailure[] | null} failuresOf @returns {Candidate[]} */
function candidateOf (arm, twin, failuresOf) {
  if (arm.name === twin || arm.invalid || !isNumber(arm.rps?.median)) return []
  const server = arm.topology.server?.name ?? 'files'
  return [{
    arm,
    server,
    rps: arm.rps.median,
    failures: server === 'files' ? failuresOf(server, arm.topology.proxy?.name) : failuresOf(server)
  }]
}

/** @param {CheckFailure[]} failures */
const isUnsafe = failures => failures.some(({ safety }) => safety)

/** The fastest; of those about as fast, the one with the fewest failures, then the least memory.
 * @param {Candidate[]} candidates */
function best (candidates) {
  const fastest = Math.max(...candidates.map(({ rps }) => rps))
  return candidates.filter(({ rps }) => rps >= AS_FAST * fastest)
    .sort((a, b) => (a.failures?.length ?? 0) - (b.failures?.length ?? 0) || memory(a) - memory(b))
    .at(0)
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

/** @param {Candidate} one @param {Candidate[]} safe */
function alternatives (one, safe) {
  const others = safe.filter(({ server, arm }) =>
    server !== 'files' && arm !== one.arm && arm.topology.server?.instances === 1
  )
  return others.length === 0
    ? 'only one measured that fails no safety probe'
    : `best of ${count(others.length + 1)} that fail no safety probe`
}

/** @param {Candidate} candidate */
function wrongs ({ failures }) {
  if (!failures || failures.length === 0) return 'The check found nothing wrong with it.'
  return `The check found ${plural(failures.length, 'failure')}, none of them of safety: ${named(failures)}.`
}

/** @param {CheckFailure[]} failures */
const named = failures => {
  const rest = failures.length - MOST_NAMED
  return listing([...failures.slice(0, MOST_NAMED).map(({ title }) => title), ...rest > 0 ? [`${rest} more`] : []])
}

/** @param {Candidate[]} candidates @returns {string[]} */
function avoid (candidates) {
  const servers = new Map(
    candidates.flatMap(({ server, failures }) =>
      failures && isUnsafe(failures) ? [[server, failures.filter(({ safety }) => safety)]] : []
    )
  )
  return [...servers].map(([server, failures]) =>
    `Do not take ${server} as it is: it fails ${plural(failures.length, 'safety probe')} (${named(failures)}).`
  )
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
