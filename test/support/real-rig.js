/** Rigs with real programs. */
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { planExperiment } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { makeWorkspace } from './cli.js'
import { protocols } from './samples.js'
import { tempRoot } from './temp.js'

/** @import { ProtocolModule } from '../../bench/measure/types.js' */
/** @import { Experiment, Plan } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

/**
 * Opens the rig of an experiment, as a run does.
 * @param {Test} t closes it
 * @param {Pick<Experiment, 'arms' | 'protocol'> & Partial<Experiment>} experiment
 * @param {{ engine?: string, cores?: ReturnType<typeof splitCores>, maxSeconds?: number,
 *   more?: Partial<Plan> }} options
 *   more: changes of the plan
 */
export async function openRealRig (t, experiment, options = {}) {
  const { engine = 'autocannon', cores = splitCores('shared'), maxSeconds = 60, more } = options
  /** @type {Experiment} */
  const whole = { title: 'a test', question: 'Does it?', source: null, unit: 'requests', ...experiment }
  const about = { parse, protocol: protocols[experiment.protocol] }
  const plan = { ...planExperiment('test', whole, { seed: 1, quick: true, warmUpSeconds: 1 }, about), ...more }
  const temp = tempRoot(t)
  const { network } = await labFacts()
  /** @type {ProtocolModule} */
  const { open } = await import(`../../bench/measure/protocols/${plan.protocol}.js`)
  const rig = await open(plan, {
    temp: temp.path,
    keepIn: makeWorkspace(t).dir,
    lab: network === 'namespaces',
    cores,
    engine,
    mayswitch: false,
    cwd: process.cwd(),
    maxSeconds,
    printProgress: () => {}
  })
  t.teardown(() => rig.close())
  return { rig, plan, temp }
}
