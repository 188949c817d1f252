// How does the next build replace this one?
import { countHashed, countKeptBuilds, decided } from '../advice.js'
import { hasProxy } from '../../../plan/changed-spec.js'
import { plural } from '../../../shared/format.js'

/** @import { AdviceFacts, Rule } from '../../../types.js' */

/** Ways that start the new build before the old one ends, by targets of kits. @type {Record<string, string>} */
const WAYS = {
  docker: 'start the next container beside this one, behind a load balancer, and stop this one after the switch',
  heroku: 'enable preboot, with which the next dynos start before these stop',
  render: 'let Render start the next instance before this one stops',
  fly: 'let Fly.io start the next machines before these stop, by the strategy bluegreen of the kit'
}

/**
 * @param {string} target
 * @param {string} spec
 */
const chooseWay = (target, spec) => WAYS[target] ?? (hasProxy(spec)
  ? 'restart the app by systemctl, while connections wait in the socket unit of the kit'
  : 'put nginx in front, whose socket unit keeps connections while the app restarts')

/**
 * Returns how the app ends.
 * @param {AdviceFacts['app']} app
 * @param {boolean} isDrained whether nginx has finished its requests before the app gets the signal
 */
function describeEnd ({ drains, endSeconds }, isDrained) {
  if (drains === null) return 'how the app ends on SIGTERM is unknown'
  if (!drains) {
    const cut = 'SIGTERM ends the app with requests in flight'
    return isDrained ? `${cut}, which nginx of the kit has finished before` : `${cut}, so that each rollout cuts some`
  }
  const finishes = drains === 'arrived'
    ? 'the app responds to a short request that arrived before SIGTERM'
    : 'the app finishes its requests'
  return endSeconds === null
    ? `${finishes}, but still runs 10 s after SIGTERM`
    : `${finishes} and ends ${endSeconds.toFixed(1)} s after SIGTERM`
}

/**
 * Returns what becomes of the files that pages of earlier builds request.
 * @param {string} spec
 * @param {AdviceFacts} facts
 */
function describeFiles (spec, facts) {
  const hashed = countHashed(facts)
  if (hashed === 0) return ''
  const builds = countKeptBuilds(spec, facts)
  return ` Open pages request ${plural(hashed, 'file')} by names that the next build lacks: ${builds === undefined
    ? 'let a CDN in front keep files with "immutable", or load the page again when one is missing.'
    : `the kit keeps those of ${builds} earlier builds.`}`
}

export default /** @satisfies {Rule} */ ({
  about: { title: 'rollout', question: 'How does the next build replace this one?' },
  order: 80,

  needs: () => [],

  decide ({ facts, chosen }) {
    const { app, platform: { target } } = facts
    // The start script of a kit ends nginx first. Heroku sends SIGTERM to all processes at once.
    const isDrained = hasProxy(chosen) && target !== 'heroku'
    const decision = app.drains === null && !isDrained ? 'open' : 'do'
    const ruling = decided(decision, chooseWay(target, chosen), describeEnd(app, isDrained), app.drains === null
      ? {
          fact: 'No request was in flight at the signal.',
          changes: 'An app that takes longer for a response, so that one is in flight.'
        }
      : {
          fact: 'One request was in flight at SIGTERM.',
          changes: 'hopbench rollout, which counts the lost requests of each way.'
        })
    return { ...ruling, text: `${ruling.text}${describeFiles(chosen, facts)}` }
  }
})
