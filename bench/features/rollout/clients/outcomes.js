/** Assigns responses to builds, and decides their outcomes (pure). */
import { basename } from 'node:path'
import { sha256 } from '../../../shared/sha256.js'

/** @import { Build, ClientType, Outcome, Site } from '../types.js' */
/** @import { Result } from '../../../load/scenario-client.js' */

/** @typedef {Build['name']} BuildName */
/** @typedef {Record<BuildName, Site>} Sites */
/** builds: to which the page may belong @typedef {{ outcome: Outcome, builds: BuildName[] }} Judged */

/** @type {BuildName[]} */
const BUILDS = ['old', 'new']
/** Clients whose requests have a response. The others hold a connection open. @type {ClientType[]} */
export const REQUESTING = ['page', 'file', 'late-file', 'api']
/** Statuses of files that are gone. */
const GONE = ['status-404', 'status-410']
/**
 * Outcomes that a user of a browser does not see. `repeated`: the server had closed the kept connection, so that the
 * browser has sent the request again (RFC 9112, section 9.3.1); `closed`: an idle connection was closed in time.
 */
const UNSEEN = ['ok', 'repeated', 'closed']

/** Returns whether an outcome is no loss. @param {Outcome} outcome */
export const isRight = outcome => UNSEEN.includes(outcome)

/**
 * @param {Outcome} outcome
 * @param {boolean} isRepeated whether the request was sent again
 */
export const nameOutcome = (outcome, isRepeated) => outcome === 'ok' && isRepeated ? 'repeated' : outcome

/** Returns whether a response is a page. @param {Pick<Result, 'headers'>} response */
export const isHtml = ({ headers }) => /^text\/html\b/i.test(headers?.['content-type'] ?? '')

/**
 * Assigns a page to the builds that send its content, or else to the build of which it names most files that the other
 * build lacks.
 * @param {Sites} sites
 * @param {Result} response
 * @returns {Judged} outcome `unknown`: neither build sends it
 */
export function judgePage (sites, { outcome, body }) {
  if (outcome !== 'ok') return { outcome, builds: [] }
  const digest = sha256(body)
  const senders = BUILDS.filter(build => sites[build].pageDigest === digest)
  if (senders.length > 0) return { outcome, builds: senders }
  const html = body.toString()
  const shared = sites.old.files.filter(({ path }) => sites.new.files.some(file => file.path === path))
  const own = BUILDS.map(build => sites[build].files.filter(({ path }) => !shared.some(file => file.path === path)))
  const named = own.map(files => files.filter(({ path }) => html.includes(basename(path))).length)
  const most = Math.max(...named)
  const isStable = BUILDS.every(build => sites[build].pageDigest !== null)
  if (most === 0 && isStable && own.every(files => files.length > 0)) return { outcome: 'unknown', builds: [] }
  return { outcome, builds: BUILDS.filter((_, i) => named[i] === most) }
}

/**
 * @param {Sites} sites
 * @param {BuildName[]} builds of the page that requests the file
 * @param {string} path
 * @param {Result} response
 * @returns {Judged}
 */
export function judgeFile (sites, builds, path, response) {
  const { outcome, body } = response
  if (outcome !== 'ok') return { outcome: GONE.includes(outcome) ? 'gone' : outcome, builds }
  const digest = sha256(body)
  const senders = BUILDS.filter(build => [...sites[build].files, ...sites[build].lateFiles]
    .some(file => file.path === path && file.digest === digest))
  const same = builds.filter(build => senders.includes(build))
  if (same.length > 0) return { outcome, builds: same }
  if (senders.length > 0) return { outcome: 'mixed', builds }
  const isPage = isHtml(response) || BUILDS.some(build => sites[build].pageDigest === digest)
  return { outcome: isPage ? 'gone' : 'unknown', builds }
}
