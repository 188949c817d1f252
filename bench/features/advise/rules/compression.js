// Does nginx compress responses on the fly?
import { decided, needsNoInstance, ruleOnCompression, sendsSameFiles, toTransport } from '../advice.js'
import { hasOption, hasProxy, withOption } from '../../../plan/changed-spec.js'

/** @import { AdviceContrast, AdviceState, PageFacts, Rule } from '../../../types.js' */

/** Bodies below this size fit into one packet, compressed or not. */
const MIN_BYTES = 1400
/** Subject of the decision. */
const ACTION = 'let nginx compress responses'
const COMPRESSIBLE = /^text\/|[/+](json|xml|javascript)$|^image\/svg/

/** Ratio of throughput at the lower end of the interval, from which compression is cheap where nothing is sized. */
const CHEAP = 0.8

/** @param {AdviceContrast} contrast */
const isCheap = ({ verdict, bound, low, instances }) => instances === undefined && verdict !== 'slower' &&
  bound !== 'neither' && bound !== 'at-most' && low >= CHEAP

/** @param {PageFacts} page */
const isCompressible = ({ type, bytes }) => bytes >= MIN_BYTES && COMPRESSIBLE.test(type ?? '')

/**
 * Returns the pages that compression makes smaller, whether the app compresses all of them, and whether files are left
 * to compress.
 * @param {Pick<AdviceState, 'facts' | 'chosen'>} state
 */
function findPages ({ facts: { app, folders }, chosen }) {
  const pages = app.pages.filter(isCompressible)
  const hasFiles = folders.some(({ compressible }) => compressible >= MIN_BYTES) && !hasOption(chosen, 'gzip_static')
  return { pages, hasFiles, byApp: pages.length > 0 && pages.every(({ encoding }) => encoding !== null) }
}

/**
 * Returns the chosen topology with compression on the fly.
 * @param {Pick<AdviceState, 'chosen' | 'facts'>} state
 */
const withGzip = state => withOption(state.chosen, 'gzip', true, toTransport(state))

/**
 * Returns the measured pair with and without compression, in which nginx sent the same files as in the chosen topology.
 * @param {AdviceState} state
 */
const findPair = ({ contrasts, chosen, facts }) => contrasts.findLast(({ arm, baseline }) =>
  !hasOption(baseline, 'gzip') && arm === withGzip({ chosen: baseline, facts }) &&
  hasProxy(baseline) === hasProxy(chosen) && sendsSameFiles(baseline, chosen)) ?? null

export default /** @satisfies {Rule} */ ({
  about: { title: 'compression', question: 'Does nginx compress responses on the fly?' },
  order: 30,

  needs (state) {
    const { pages, hasFiles, byApp } = findPages(state)
    return !byApp && (pages.length > 0 || hasFiles) ? [state.chosen, withGzip(state)] : []
  },

  decide (state) {
    const { pages, hasFiles, byApp } = findPages(state)
    if (byApp) {
      return decided('do-not', ACTION, `the app compresses its responses itself (${pages[0].encoding})`, {
        fact: `The response to ${pages[0].path} has Content-Encoding: ${pages[0].encoding}.`,
        changes: 'An app without its own compression, measured again: nginx may do the same for less CPU time.'
      })
    }
    if (pages.length === 0 && !hasFiles) {
      return decided('no-matter', ACTION, `no text in the responses that were read has ${MIN_BYTES} bytes or more`, {
        fact: 'The responses that were read are small, or compressed formats.',
        changes: 'Larger responses of text.'
      })
    }
    return ruleOnCompression(findPair(state), state, {
      action: ACTION,
      isFree: contrast => isCheap(contrast) || needsNoInstance(contrast)
    })
  },

  apply: withGzip
})
