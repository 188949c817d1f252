// How many processes of the app does an instance run?
import { decided, findContrast, judge, ratioText, rule, toTransport } from '../advice.js'
import { isOverSocket, withProcesses, withProxy } from '../../../plan/changed-spec.js'

/** @import { AdviceState, Rule, Ruling } from '../../../types.js' */

const PROCESSES = 2
/** Subject of the decision. */
const ACTION = 'run two processes of the app on an instance'

/**
 * Returns the topologies with one process and with two. Both have a proxy, which spreads requests over the processes.
 * @param {AdviceState} state
 */
function toPair (state) {
  const one = withProxy(state.chosen, toTransport(state))
  return { one, two: withProcesses(one, PROCESSES) }
}

/**
 * Returns how many processes the command starts, as far as a comparison has shown it.
 * @param {AdviceState} state
 */
const countStarted = ({ contrasts }) =>
  Math.max(1, ...contrasts.map(({ baseline, processes }) => baseline === 'app' ? processes?.baseline ?? 1 : 1))

/**
 * Returns why two processes are not compared with one, and what it would take.
 * @param {AdviceState} state
 * @returns {{ fact: string, changes: string } | null} null: they are
 */
function findObstacle (state) {
  const { machine, hasOwnPort, project } = state.facts
  if (machine.servedCores < PROCESSES) {
    return { fact: 'The app had one core here.', changes: 'An advice on a machine with three cores or more.' }
  }
  if (state.quick) return { fact: 'It was left out because of --quick.', changes: 'An advice without --quick.' }
  const byHand = 'A command that starts two processes, compared with this one by hopbench run with two --app.'
  if (!project.hasManifest) return { fact: 'The project has no package.json.', changes: byHand }
  return hasOwnPort || isOverSocket(state.chosen)
    ? null
    : { fact: 'The app does not listen on $PORT here, of which each process could have its own.', changes: byHand }
}

/**
 * @param {AdviceState} state
 * @returns {Ruling}
 */
function ruleOnMeasured (state) {
  const { one, two } = toPair(state)
  const found = findContrast(state, two, one)
  // The number of instances follows from CPU time, which the processes of an instance share.
  const contrast = found && { ...found, instances: undefined }
  if (judge(contrast) !== 'do' || contrast === null) return rule(contrast, ACTION, 'one process')
  const isStateful = state.facts.app.pages.some(({ setsCookie }) => setsCookie)
  return decided('open', ACTION, `${ratioText(contrast, 'one process')} where an instance has two cores or more. The ` +
    'kit starts the command once, so the command has to start them', {
    contrast,
    changes: 'A command that starts two, for example by node:cluster, compared with this one by hopbench run with ' +
      `two --app.${isStateful ? ' Its responses set a cookie: sessions must not be in the memory of a process.' : ''}`
  })
}

export default /** @satisfies {Rule} */ ({
  about: { title: 'processes', question: 'How many processes of the app does an instance run?' },
  order: 65,

  needs (state) {
    const { load, sizing } = state
    // Whether an instance has room for two is known after the sizing.
    const isPending = load.rps !== null && (sizing === null || sizing.processes === 1)
    if (isPending || countStarted(state) > 1 || findObstacle(state)) return []
    const { one, two } = toPair(state)
    return [one, two]
  },

  decide (state) {
    const { sizing } = state
    if (sizing?.processes === 1) {
      return decided('do-not', ACTION, `${sizing.offering} has room for one`, {
        fact: `It has ${sizing.cores ?? 'an unknown number of'} vCPU and room for one process.`,
        changes: (sizing.cores ?? 1) < 2 ? 'An offering with two vCPU or more.' : 'An offering with more memory.'
      })
    }
    if (state.load.rps !== null && sizing === null) {
      return decided('open', ACTION, 'its room for processes follows from the sizing, which has found no offering',
        { fact: 'No offering is chosen.', changes: 'A sizing that finds an offering for the load.' })
    }
    const started = countStarted(state)
    if (started > 1) {
      const reason = `the command starts ${started} processes already`
      return decided('no-matter', 'start more processes of the app', reason, {
        fact: `${started} processes did the work while the app was measured.`,
        changes: 'A command that starts another number, compared with this one by hopbench run with two --app.'
      })
    }
    const obstacle = findObstacle(state)
    if (obstacle === null) return ruleOnMeasured(state)
    return decided('open', ACTION, sizing?.processes
      ? `${sizing.processes} processes fit on ${sizing.offering}, and their gain is not measured`
      : 'it depends on the cores of the instance', obstacle)
  }
})
