// On which line of Node does the app run?
import { findContrast } from '../analysis/advice.js'
import { OTHER_NODE } from '../plan/changed-word.js'
import { pastItsEnd, toProductionLine } from '../plan/runtimes.js'
import { estimateText } from '../shared/format.js'

/** @import { AdviceState, Rule } from '../types.js' */

/** The app under its own Node, as a topology. */
const OWN = 'app'

/**
 * Returns the line of Node in use and the one for production.
 * @param {AdviceState} state
 */
const getLines = ({ facts: { machine: { node }, today } }) =>
  ({ line: Number(node.split('.')[0]), wanted: toProductionLine(node, today) })

export default /** @satisfies {Rule} */ ({
  about: { title: 'Node line', question: 'Which line of Node runs in production?' },
  order: 60,

  needs (state) {
    const { line, wanted } = getLines(state)
    return state.quick || line === wanted || !state.facts.project.hasManifest ? [] : [OWN, OTHER_NODE]
  },

  decide (state) {
    const { project, machine: { node }, today } = state.facts
    const { line, wanted } = getLines(state)
    if (!project.hasManifest) {
      return {
        decision: 'no-matter',
        text: 'The project has no package.json, so it is taken for an app without Node.',
        because: { fact: 'There is no package.json.' },
        changes: 'A package.json.'
      }
    }
    if (line === wanted) {
      return {
        decision: 'do-not',
        text: `Leave Node ${line}, which has long-term support.`,
        because: { fact: `The app runs on Node ${node} here.` },
        changes: `The end of support of Node ${line}.`
      }
    }
    const contrast = findContrast(state, OTHER_NODE, OWN)
    const end = pastItsEnd(node, today)
    const reason = end ? `which gets no releases since ${end.lastDay}` : 'which has no long-term support'
    if (!contrast || contrast.verdict === 'invalid') {
      const fault = contrast ? 'the app failed under it here, or was not measured validly' : 'it was not tried here'
      return {
        decision: 'open',
        text: `Node ${wanted} in place of ${line}, ${reason}: ${fault}.`,
        because: { fact: `The app runs on Node ${node} here.` },
        changes: contrast ? `An app that runs under Node ${wanted}.` : 'A measurement without --quick.'
      }
    }
    return {
      decision: 'do',
      text: `Node ${wanted} in place of ${line}, ${reason}: ${estimateText(contrast)} times the throughput.`,
      because: { contrast },
      changes: `A test of the app that fails on Node ${wanted}.`,
      line: `"engines": { "node": "${wanted}.x" }`
    }
  }
})
