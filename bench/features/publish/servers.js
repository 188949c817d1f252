/** Stored facts of each static server: its check, its newest release, and its throughput against nginx (pure). */
import { FILES, checkForms, toForms, toServerName } from '../../judge/check-failures.js'
import { markdownTable } from '../../report/markdown.js'
import { column, pageTable } from '../../report/table.js'
import { printRatio } from '../../report/tables/arms.js'
import { NONE } from '../../shared/format.js'
import { readVersion } from '../../shared/releases.js'
import { findChanges } from './compared.js'

/** @import { CheckFailure, CheckRecord, CheckedServer, Column, Contrast, RunRecord } from '../../types.js' */
/** @import { Compared, ComparedServer } from './compared.js' */

/** Arm that the servers are compared with. */
const BASELINE = 'nginx'
/** Names of servers, as files and in addresses. A record can come from a stranger. */
const NAME = /^[a-z][\w-]*$/

/**
 * @typedef {object} ServerRow
 * @property {string} name of the server, or of a proxy that serves files
 * @property {string} word in `hopbench check`
 * @property {string} version of the package or the program
 * @property {CheckedServer} checked its recommended form, or else the only one
 * @property {number} probes those that could be tried
 * @property {CheckFailure[]} shipped failures as shipped
 * @property {CheckFailure[]} recommended failures with recommended settings
 * @property {boolean} hasBoth forms
 * @property {ComparedServer | null} compared the check with the newest packages; null: not renewed, or no packages
 * @property {{ run: RunRecord, contrast: Contrast } | null} measured contrast with nginx; null: not measured
 */

/**
 * Describes the checked servers and the proxies that serve files.
 * @param {CheckRecord | null} check
 * @param {RunRecord[]} runs with arms of the servers and one of nginx; the first with a server is that of its row
 * @param {Compared | null} compared
 * @returns {ServerRow[]} by name
 */
export function listServers (check, runs, compared) {
  const names = new Set((check?.servers ?? []).map(({ name }) => toServerName(name)))
  const rows = [...names].flatMap(name => name === FILES
    ? listProxies(check).map(proxy => describe(check, name, proxy))
    : [describe(check, name)])
  return rows.flatMap(row => row === null || !NAME.test(row.name)
    ? []
    : [{
        ...row,
        compared: compared?.servers[row.checked.name] ?? null,
        measured: runs.flatMap(run => findContrast(run, row.name))[0] ?? null
      }]).sort((a, b) => a.name < b.name ? -1 : 1)
}

/** Lists the proxies that served files. @param {CheckRecord | null} check */
const listProxies = check => [...new Set(check?.servers.filter(({ name }) => name === FILES)
  .flatMap(({ chains }) => chains.flatMap(({ proxy }) => proxy ?? [])))]

/**
 * @param {CheckRecord | null} check
 * @param {string} word
 * @param {string} [proxy]
 */
function describe (check, word, proxy) {
  const { shipped, recommended, hasBoth } = checkForms(check, word, proxy)
  const form = hasBoth ? toForms(word).recommended : word
  const checked = check?.servers.find(({ name }) => name === form)
  if (!check || !checked || !shipped || !recommended) return null
  const [, program] = Object.entries(check.tools).find(([key]) => key.split('+')[0] === proxy) ?? []
  const version = program ? readVersion(program) : checked.version
  const failures = { shipped, recommended, hasBoth }
  return { name: proxy ?? word, word, version: version ?? NONE, checked, probes: countTried(checked), ...failures }
}

/** Counts the probes that the machine could try. @param {CheckedServer} server */
const countTried = ({ chains }) => new Set(chains.flatMap(({ results }) =>
  results.filter(({ outcome }) => outcome !== 'untested').map(({ probe }) => probe))).size

/**
 * Finds the ratio of a server in one process to nginx.
 * @param {RunRecord} run
 * @param {string} name
 * @returns {NonNullable<ServerRow['measured']>[]} empty: it has none
 */
function findContrast (run, name) {
  const arm = run.arms.find(({ topology: { proxy, server } }) =>
    !proxy && server?.name === name && server.instances === 1)
  return run.contrasts.filter(contrast => contrast.arm === arm?.name && contrast.baseline === BASELINE)
    .map(contrast => ({ run, contrast }))
}

/**
 * Prints the number of failures, and in parentheses of how many of safety.
 * @param {CheckFailure[]} failures
 * @param {number} [probes] printed after the number
 */
export function countText (failures, probes) {
  const unsafe = failures.filter(({ safety }) => safety).length
  return `${failures.length}${probes === undefined ? '' : `/${probes}`}${unsafe > 0 ? ` (${unsafe})` : ''}`
}

/** Prints the ratio of a server to nginx with its interval. @param {ServerRow} row */
export function ratioText ({ name, measured }) {
  if (!measured) return name === BASELINE ? '1' : NONE
  const { ratio, interval } = printRatio(measured.contrast)
  return interval === NONE ? ratio : `${ratio} (${interval})`
}

/** Prints the newest release, and how many probes have another outcome with it. @param {ServerRow} row */
function newestText ({ checked, compared }) {
  if (!compared) return NONE
  const { mended, broken } = findChanges(compared)
  const { versions } = compared.newest ?? compared.pinned
  return [
    versions[checked.about?.package ?? ''],
    ...mended.length > 0 ? [`${mended.length} mended`] : [],
    ...broken.length > 0 ? [`${broken.length} broken`] : []
  ].join(', ')
}

/** Returns the lines of the table in docs/static.md. @param {ServerRow[]} rows */
export const toServerLines = rows => markdownTable(pageTable({
  rows,
  columns: /** @type {Column<ServerRow>[]} */ ([
    column('server', ({ name }) => name, { left: true }),
    column('version', ({ version }) => version, { left: true }),
    column('newest', newestText, { left: true }),
    column('checked', ({ checked }) => checked.checkedAt.slice(0, 10), { left: true }),
    // Earlier checks had fewer probes.
    column('failures/probes (of safety)', ({ shipped, probes }) => countText(shipped, probes)),
    column('as recommended', ({ recommended }) => countText(recommended)),
    column('throughput ÷ nginx', ratioText)
  ])
}))
