// How many processes of the app does an instance run?
import { findContrast, rule, toTransport } from '../analysis/advice.js'
import { withProcesses } from '../plan/changed-word.js'

/** @import { AdviceState, Rule, Ruling } from '../types.js' */

const PROCESSES = 2

/** @param {AdviceState} state */
const withTwo = state => withProcesses(state.chosen, PROCESSES, toTransport(state))

/**
 * Returns why two processes cannot be measured.
 * @param {AdviceState} state
 * @returns {string | null} null: they can
 */
function findObstacle ({ quick, facts: { machine, hasOwnAddress } }) {
  if (machine.servedCores < PROCESSES) return 'The app had one core here.'
  if (!hasOwnAddress) return 'The app listens on one port only, and each process needs its own.'
  return quick ? 'It was left out because of --quick.' : null
}

/**
 * @param {AdviceState} state
 * @returns {Ruling}
 */
function ruleOnMeasured (state) {
  const arm = withTwo(state)
  const contrast = findContrast(state, arm, state.chosen)
  // The number of instances follows from CPU time, which the processes of an instance share.
  const ruling = rule(contrast && { ...contrast, instances: undefined },
    { subject: 'a second process', arm, baseline: state.chosen })
  return ruling.decision === 'do'
    ? {
        ...ruling,
        text: `${ruling.text} The kit starts one, so let the command start them.`,
        changes: 'An app that keeps sessions or other state in the memory of its process.',
        line: 'node:cluster in the app, or pm2-runtime start <file> -i max'
      }
    : ruling
}

export default /** @satisfies {Rule} */ ({
  about: { title: 'processes', question: 'How many processes of the app does an instance run?' },
  order: 50,

  needs: state => findObstacle(state) ? [] : [state.chosen, withTwo(state)],

  decide (state) {
    const { sizing } = state
    if (sizing?.processes === 1) {
      return {
        decision: 'do-not',
        text: `No second process on an instance of ${sizing.offering}.`,
        because: { fact: `It has ${sizing.cores ?? 'an unknown number of'} vCPU and room for one process.` },
        changes: (sizing.cores ?? 1) < 2 ? 'An offering with two vCPU or more.' : 'An offering with more memory.'
      }
    }
    const obstacle = findObstacle(state)
    if (obstacle === null) return ruleOnMeasured(state)
    return {
      decision: 'open',
      text: sizing?.processes
        ? `${sizing.processes} processes fit on an instance of ${sizing.offering}; their gain is not measured.`
        : 'The number of processes depends on the cores of an instance.',
      because: { fact: obstacle },
      changes: 'An advice without --quick on a machine with three cores or more, about an app that listens on $PORT; ' +
        'or a command that starts several processes, compared with this one by hopbench run with two --app.'
    }
  }
})
