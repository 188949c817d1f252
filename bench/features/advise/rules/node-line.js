// On which line of Node does the app run?
import { SIMPLEST as OWN, decided, metricText, findContrast } from '../advice.js'
import { OTHER_NODE } from '../../../plan/changed-spec.js'
import { pastItsEnd, toProductionLine } from '../../../plan/runtimes.js'

/** @import { AdviceContrast, AdviceState, Rule, Ruling } from '../../../types.js' */

/**
 * Returns the line of Node in use and the one for production.
 * @param {AdviceState} state
 */
const getLines = ({ facts: { machine: { node }, today } }) =>
  ({ line: Number(node.split('.')[0]), wanted: toProductionLine(node, today) })

/**
 * Returns why the line for production was not measured, and what a decision takes.
 * @param {AdviceContrast | null} contrast not valid
 * @param {{ quick: boolean, wanted: number }} situation
 */
function findContrastFault (contrast, { quick, wanted }) {
  if (contrast === null && quick) {
    return { fault: 'it was not tried here, because of --quick', changes: 'A measurement without --quick.' }
  }
  if (contrast === null) {
    return {
      fault: 'it was not tried here, because the time was over',
      changes: 'A comparison of the app under both lines by hopbench run with two --app.'
    }
  }
  return contrast.run === null
    ? { fault: 'the comparison failed', changes: 'A comparison of both lines that succeeds.' }
    : {
        fault: 'the measurement under it is invalid',
        changes: `An app that runs under Node ${wanted}, and a valid measurement of both lines.`
      }
}

/**
 * Returns why a measurement does not cover the line for production: the command may name its own program.
 * @param {AdviceContrast} contrast valid
 * @param {number} wanted line
 * @returns {string | null} null: the app ran under it
 */
function findProgramFault ({ programs }, wanted) {
  if (!programs || programs.arm?.startsWith(`node ${wanted}.`)) return null
  return programs.arm === null
    ? 'it is unknown under which program the app ran'
    : `the command runs ${programs.arm}, even if another Node comes first on PATH`
}

/**
 * Returns the ruling if the line for production serves less.
 * @param {AdviceContrast} contrast
 * @param {{ exchange: string, line: number, wanted: number, hasEnded: boolean }} lines
 * @returns {Ruling}
 */
function ruleOnSlower (contrast, { exchange, line, wanted, hasEnded }) {
  const figures = `only ${metricText(contrast)} times the throughput`
  return hasEnded
    ? decided('open', exchange, `${figures}. Until you choose, the app keeps its line`,
      { contrast, changes: 'A choice between releases of Node and the throughput.' })
    : decided('do-not', exchange, figures, {
      contrast,
      changes: `The end of support of Node ${line}, or an app that is as fast under Node ${wanted}.`
    })
}

export default /** @satisfies {Rule} */ ({
  about: { title: 'Node line', question: 'Which line of Node runs in production?' },
  order: 60,
  isFactual: true,

  needs (state) {
    const { line, wanted } = getLines(state)
    return state.quick || line === wanted || !state.facts.project.hasManifest ? [] : [OWN, OTHER_NODE]
  },

  decide (state) {
    const { project, machine: { node }, today } = state.facts
    const { line, wanted } = getLines(state)
    if (!project.hasManifest) {
      return decided('no-matter', 'choose a line of Node',
        'the project has no package.json, so it is taken for an app without Node',
        { fact: 'There is no package.json.', changes: 'A package.json.' })
    }
    if (line === wanted) {
      return {
        decision: 'do-not',
        text: `Keep Node ${line}, which has long-term support.`,
        because: { fact: `The app runs on Node ${node} here.` },
        changes: `The end of support of Node ${line}.`
      }
    }
    const contrast = findContrast(state, OTHER_NODE, OWN)
    const end = pastItsEnd(node, today)
    const exchange = `run the app under Node ${wanted} in place of ${line}, ` +
      (end ? `which gets no releases since ${end.lastDay}` : 'which has no long-term support')
    if (!contrast || contrast.verdict === 'invalid') {
      const { fault, changes } = findContrastFault(contrast, { quick: state.quick, wanted })
      return decided('open', exchange, `${fault}. Until both are compared the app keeps its line`,
        { fact: `The app runs on Node ${node} here.`, changes })
    }
    const fault = findProgramFault(contrast, wanted)
    if (fault !== null) {
      return decided('open', exchange, `${fault}. Until both are compared the app keeps its line`, {
        contrast,
        changes: `A command that starts the app by the node on PATH, or a measurement under Node ${wanted} by hand.`
      })
    }
    if (contrast.verdict === 'slower') return ruleOnSlower(contrast, { exchange, line, wanted, hasEnded: end !== null })
    return decided('do', exchange, contrast.bound === 'neither'
      ? 'the load did not keep the app busy under both, so their throughput is not compared'
      : `${metricText(contrast)} times the throughput`, {
      contrast,
      changes: `A test of the app that fails on Node ${wanted}.`,
      line: `"engines": { "node": "${wanted}.x" }`
    })
  }
})
