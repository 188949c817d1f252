/**
 * Claims of publications beside what a run measured (pure). Only under the published conditions a figure is confirmed
 * or refuted; otherwise it is reproduced here, or not.
 */
import { getServedNode } from '../plan/runtimes.js'
import { isNumber, listing, plural } from '../shared/format.js'
import { readVersion } from '../shared/releases.js'
import { printRatio } from './phrases.js'

/** @import { ClaimResult, Conditions, RunRecord } from '../types.js' */

/**
 * Lists the differences from the published conditions.
 *
 * @param {Conditions | undefined} published
 * @param {Pick<RunRecord, 'environment' | 'tools' | 'arms' | 'slowerUsers'>} record
 * @returns {string[]} "2 cores in place of 4"; empty: all declared conditions are met
 */
export function differences (published, { environment, tools, arms, slowerUsers }) {
  if (!published) return ['the published conditions are not declared']
  const { cores, hosts, link, processes, fresh, engine, software = {} } = published
  const has = environment.cpu.cores
  const isGigabit = arms.every(({ topology: { lab } }) => lab?.net === 'gigabit')
  const here = isGigabit ? 'gigabit' : environment.hosts ? 'another link' : 'a loopback'
  const most = Math.max(...arms.map(({ topology: { server } }) => Number(server?.instances ?? 1)))
  const engines = [...new Set(arms.map(({ load }) => load.engine))].filter(used => used !== engine)
  /** @type {Record<string, string>} */
  const programs = { ...tools, node: getServedNode({ tools, environment }) }
  return [
    cores !== undefined && cores !== has && `${plural(has, 'core')} in place of ${cores}`,
    hosts === 2 && !environment.hosts && 'the load on the same machine',
    link !== undefined && link !== here && `${LINKS[here] ?? here} in place of ${LINKS[link] ?? link}`,
    processes !== undefined && most < processes &&
      `${most === 1 ? 'one process' : `${most} processes`} in place of ${processes}`,
    fresh && !arms.every(({ load }) => load.fresh) && 'kept connections in place of new ones',
    ...(slowerUsers?.arms ?? []).map(({ arm, used, wanted }) =>
      `${used.toFixed(2)} requests a second of each user in place of ${wanted} (${arm})`),
    engine !== undefined && engines.length > 0 && `${listing(engines)} in place of ${engine}`,
    ...Object.entries(software).map(([name, version]) => {
      const others = findVersions(name, programs).filter(here => generation(here) !== generation(version))
      return others.length > 0 && `${NAMES[name] ?? name} ${others.join(' and ')} in place of ${version}`
    })
  ].filter(text => typeof text === 'string')
}

/**
 * Returns the versions of a program, of which arms can have several.
 * @param {string} name
 * @param {Record<string, string>} programs
 */
const findVersions = (name, programs) => [...new Set(Object.entries(programs)
  .filter(([key]) => key.split('+')[0] === name).map(([, text]) => readVersion(text)))]

/** @type {Record<string, string>} */
const LINKS = { gigabit: 'a gigabit link' }
/** @type {Record<string, string>} */
const NAMES = { node: 'Node', apache: 'Apache' }

/** Returns the first two numbers of a version. @param {string} version */
const generation = version => version.split('.', 2).join('.')

/** @type {Record<ClaimResult['status'], (met: boolean) => string>} */
const WORDS = {
  confirmed: met => met ? 'confirmed' : 'reproduced here',
  refuted: met => met ? 'refuted' : 'not reproduced here',
  inconclusive: () => 'inconclusive',
  'not-testable': () => 'not testable here'
}

/**
 * Prints the status of a claim.
 *
 * @param {Pick<ClaimResult, 'status' | 'source' | 'conditions'>} claim
 * @param {Parameters<typeof differences>[1]} record
 * @returns {string} "reproduced here", or "confirmed" if the published conditions are declared and met
 */
export const claimWords = (claim, record) => WORDS[claim.status](differences(conditionsOf(claim), record).length === 0)

/**
 * Returns the conditions of the publication, with those of the claim.
 *
 * @param {Pick<ClaimResult, 'source' | 'conditions'>} claim
 * @returns {Conditions | undefined}
 */
export const conditionsOf = ({ source, conditions }) =>
  source.conditions || conditions ? { ...source.conditions, ...conditions } : undefined

/** @typedef {Pick<RunRecord, 'arms' | 'plan'>} ClaimContext */

/**
 * Prints the published and the measured figure of a claim.
 * @param {ClaimResult} claim
 * @param {ClaimContext} record
 */
export function claimMetrics (claim, record) {
  const { published, source } = claim
  const publishedText = isNumber(published) ? published.toFixed(2) : published
  const measured = measuredText(claim, record)
  return `published ${publishedText} (${source.author} ${source.year}), ` +
    (measured === null ? 'not measured' : `measured ${measured}`)
}

/**
 * Prints the measured figure of a claim. Prints a ratio as a bound if one arm was not saturated.
 * @param {ClaimResult} claim
 * @param {ClaimContext} record
 * @returns {string | null} null: not measured
 */
export function measuredText (claim, record) {
  const { measured, low, high, oneSided } = claim
  if (isNumber(measured)) {
    const { arm, baseline } = findArms(claim, record)
    return printRatio({ low, high, oneSided: oneSided ?? null, arm, baseline, ratio: measured }, record)
  }
  return typeof measured === 'string' ? measured : null
}

/**
 * Returns the names of the arms whose rates a claim compares. A claim about costs names no arms, so that its ratio has
 * no remark about saturation.
 * @param {ClaimResult} claim
 * @param {ClaimContext} record
 */
function findArms ({ id }, { plan }) {
  const test = plan.claims.find(planned => planned.id === id)?.test
  return test?.kind === 'ratio' && (test.of ?? 'rate') === 'rate' ? test : { arm: '', baseline: '' }
}

/**
 * Lists the conditions that differ from each publication, so that a figure is only reproduced and not confirmed.
 * @param {RunRecord} record
 */
export function conditionSentences (record) {
  const bySource = new Map(record.claims.filter(({ status }) => status !== 'not-testable')
    .map(claim => [claim.source.title, claim]))
  return [...bySource.values()].flatMap(claim => {
    const differ = differences(conditionsOf(claim), record)
    const { author, year } = claim.source
    return differ.length === 0 ? [] : [`Different from ${author} ${year}: ${listing(differ)}.`]
  })
}
