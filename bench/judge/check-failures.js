/** Failures of a server in `hopbench check`, as shipped and as recommended (pure). */

/** @import { CheckFailure, CheckProbe, CheckResult, CheckedServer } from '../types.js' */
/** @typedef {{ probes: CheckProbe[], servers: CheckedServer[] }} Checked */

/** Name of the proxies themselves, in place of a server: they serve the files. */
export const FILES = 'files'

/** @typedef {{ shipped: string, recommended: string }} Forms names of both forms in the check */

/**
 * Returns the names of both forms of a server in the check: the server and its options. The configuration of a proxy
 * that hopbench measures is the recommended one, that of a server the shipped one.
 *
 * @param {string} name of the server, without options
 * @returns {Forms}
 */
export const toForms = name => name === FILES
  ? { shipped: `${FILES}+shipped`, recommended: FILES }
  : { shipped: name, recommended: `${name}+production` }

/** Returns the name of the server of either form. @param {string} form */
export const toServerName = form => form.split('+')[0]

/** Returns whether a form is a recommended one, in contrast to the only one. @param {string} form */
export const isRecommended = form => form === toForms(toServerName(form)).recommended

/**
 * Lists the failed probes of both forms of a server. A server with one form has the same failures in both.
 *
 * @param {Checked | null} record of the check
 * @param {string} name of the server, without options; "files" if a proxy serves the files
 * @param {string} [proxy] lists only the failures behind this proxy
 * @returns {{ shipped: CheckFailure[] | null, recommended: CheckFailure[] | null, hasBoth: boolean }} null: not checked
 */
export function checkForms (record, name, proxy) {
  const forms = toForms(name)
  const shipped = checkFailures(record, forms.shipped, proxy)
  const recommended = checkFailures(record, forms.recommended, proxy)
  return {
    shipped: shipped ?? recommended,
    recommended: recommended ?? shipped,
    hasBoth: shipped !== null && recommended !== null
  }
}

/**
 * Returns whether a probe failed because no connection was accepted, although the server was up after it. A proxy can
 * reject connections for a moment after its start, so this is an error of the check. Excludes a probe that ended the
 * server: its later requests cannot connect.
 *
 * @param {Pick<CheckResult, 'outcome' | 'saw' | 'died'>} result
 */
export const hasNoConnection = ({ outcome, saw, died }) =>
  outcome === 'fail' && !died && saw.includes('connect ECONNREFUSED')

/**
 * Lists the failed probes of a server. Ignores results of older checks that had no connection.
 *
 * @param {Checked | null} record of the check
 * @param {string} name of a form of a server; "files" if a proxy serves the files
 * @param {string} [proxy] lists only the failures behind this proxy
 * @returns {CheckFailure[] | null} failures of safety first; null: not checked
 */
export function checkFailures (record, name, proxy) {
  const server = record?.servers.find(server => server.name === name)
  const chains = server?.chains.filter(({ spec }) => proxy === undefined || spec.split(/[/:+]/)[0] === proxy) ?? []
  if (!record || chains.every(({ results }) => results.length === 0)) return null
  return record.probes.flatMap(probe => {
    const failed = chains.flatMap(({ spec, results }) => {
      const result = results.find(result => result.probe === probe.name)
      return result?.outcome === 'fail' && !hasNoConnection(result) ? [{ spec, ...result }] : []
    })
    if (failed.length === 0) return []
    // The first chain is the server without a proxy, so its response is reported.
    const died = failed.find(({ died }) => died)
    return [{
      ...probe,
      safety: probe.safety || died !== undefined,
      saw: (died ?? failed[0]).saw,
      died: died !== undefined,
      chains: failed.map(({ spec }) => spec)
    }]
  }).sort((a, b) => Number(b.safety) - Number(a.safety))
}

/**
 * Returns whether a failure of safety excludes a server from recommendations.
 *
 * @param {CheckFailure[] | null} failures
 */
export const isUnsafe = failures => failures?.some(({ safety }) => safety) ?? false
