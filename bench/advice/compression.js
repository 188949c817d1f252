// Does nginx compress the responses of the app?
import { LEAST_SAVED, ratioText, savedShare, shareText } from '../analysis/advice.js'
import { withOption } from '../plan/changed-word.js'

/** @import { AdviceContrast, AdviceFacts, AdviceState, PageFacts, Rule, Ruling } from '../types.js' */

/** Bodies below this size fit into one packet, compressed or not. */
const LEAST_BYTES = 1400
const COMPRESSIBLE = /^text\/|[/+](json|xml|javascript)$|^image\/svg/
/** Months have 730.5 hours on average. */
const SECONDS_A_MONTH = 730.5 * 3600
const GB = 1e9

/** @param {PageFacts} page */
const isCompressible = ({ type, bytes }) => bytes >= LEAST_BYTES && COMPRESSIBLE.test(type ?? '')

/**
 * Returns the pages that compression makes smaller, and whether the app compresses all of them.
 * @param {AdviceFacts} facts
 */
function findPages ({ app, folders }) {
  const pages = app.pages.filter(isCompressible)
  const hasFiles = folders.some(({ compressible }) => compressible >= LEAST_BYTES)
  return { pages, hasFiles, byApp: pages.length > 0 && pages.every(({ encoding }) => encoding !== null) }
}

/**
 * Returns the measured pair with and without compression.
 * @param {AdviceState} state
 */
const findPair = ({ contrasts }) =>
  contrasts.find(({ arm, baseline }) => arm === withOption(baseline, 'gzip') && arm !== baseline) ?? null

/**
 * Returns whether the traffic that compression saves costs more than the instances that it needs.
 * @param {AdviceContrast} contrast
 * @param {AdviceState} state
 * @returns {boolean | null} null: a price is unknown
 */
function paysOff ({ instances, bytes: { arm, baseline } }, { load: { rps }, sizing }) {
  if (!instances || !sizing || rps === null || sizing.perGb === null || sizing.total === null) return null
  if (arm === null || baseline === null) return null
  const saved = rps * SECONDS_A_MONTH * (baseline - arm) / GB * sizing.perGb
  const more = (instances.low - instances.baseline) * sizing.total / sizing.instances
  return saved >= more
}

/**
 * @param {AdviceContrast} contrast
 * @param {AdviceState} state
 * @returns {Ruling}
 */
function decideBy (contrast, state) {
  const saved = savedShare(contrast)
  const because = { contrast }
  if (contrast.verdict === 'invalid' || saved === null) {
    return {
      decision: 'open',
      text: 'Compression by nginx was not measured validly.',
      because,
      changes: 'A valid measurement of both.'
    }
  }
  const figures = `it saves ${shareText(saved)} of the bytes, and ${ratioText(contrast)}`
  if (saved < LEAST_SAVED) {
    return { decision: 'do-not', text: `No: ${figures}.`, because, changes: 'Larger responses of text.' }
  }
  const isFree = contrast.instances ? contrast.instances.low <= contrast.instances.baseline : contrast.low >= 1
  const pays = isFree || paysOff(contrast, state)
  if (pays === null) {
    return {
      decision: 'open',
      text: `A question of price: ${figures}.`,
      because,
      changes: 'The load and the prices: --rps, --p99 and --provider.'
    }
  }
  return pays
    ? { decision: 'do', text: `Yes: ${figures}.`, because, changes: 'Traffic that costs less than CPU time.' }
    : {
        decision: 'do-not',
        text: `No: ${figures}. The instances cost more than the traffic.`,
        because,
        changes: 'A higher price of traffic, or compression ahead of time.'
      }
}

export default /** @satisfies {Rule} */ ({
  about: { title: 'compression', question: 'Does nginx compress the responses?' },
  order: 30,

  needs ({ facts, chosen }) {
    const { pages, hasFiles, byApp } = findPages(facts)
    return !byApp && (pages.length > 0 || hasFiles) ? [chosen, withOption(chosen, 'gzip')] : []
  },

  decide (state) {
    const { pages, hasFiles, byApp } = findPages(state.facts)
    if (byApp) {
      return {
        decision: 'do-not',
        text: `No, the app compresses its responses itself (${pages[0].encoding}).`,
        because: { fact: `The response to ${pages[0].path} has Content-Encoding: ${pages[0].encoding}.` },
        changes: 'An app without its own compression, measured again: nginx may do the same for less CPU time.'
      }
    }
    if (pages.length === 0 && !hasFiles) {
      return {
        decision: 'no-matter',
        text: `No response is a text of ${LEAST_BYTES} bytes or more.`,
        because: { fact: 'The responses that were read are small, or compressed formats.' },
        changes: 'Larger responses of text.'
      }
    }
    const pair = findPair(state)
    if (pair !== null) return decideBy(pair, state)
    return {
      decision: 'open',
      text: 'Compression by nginx was not measured.',
      because: {},
      changes: 'A valid measurement with and without it.'
    }
  },

  apply: ({ chosen }) => withOption(chosen, 'gzip')
})
