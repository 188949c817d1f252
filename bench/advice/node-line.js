// On which line of Node does the app run?
import { pastItsEnd, toProductionLine } from '../plan/runtimes.js'

/** @import { Rule } from '../types.js' */

export default /** @satisfies {Rule} */ ({
  about: { title: 'Node line', question: 'Which line of Node runs in production?' },
  order: 60,

  needs: () => [],

  decide ({ facts: { project, machine: { node }, today } }) {
    const line = Number(node.split('.')[0])
    const wanted = toProductionLine(node, today)
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
        text: `Node ${line} stays: it has long-term support.`,
        because: { fact: `The app runs on Node ${node} here.` },
        changes: `The end of support of Node ${line}.`
      }
    }
    const end = pastItsEnd(node, today)
    return {
      decision: 'do',
      text: `Node ${wanted} in place of ${line}, ` +
        `${end ? `which gets no releases since ${end.lastDay}` : 'which has no long-term support'}.`,
      because: { fact: `The app runs on Node ${node} here. The kit takes Node ${wanted}.` },
      changes: `A test of the app that fails on Node ${wanted}. Its speed there was not measured.`,
      line: `"engines": { "node": ">=${wanted}" }`
    }
  }
})
