/** Checks a stored run before it is resumed: its file is untrusted, and samples of two machines must not be mixed. */
import { existsSync } from 'node:fs'
import { compareFacts, findMachineDifferences } from '../judge/machines.js'
import { badOption, HopbenchError } from '../errors.js'
import { getServedNode } from '../plan/runtimes.js'
import { isForeign, stateCode } from '../plan/foreign.js'
import { parse, print } from '../plan/spec.js'
import { attempt } from '../shared/attempt.js'
import { getCongestionControl } from '../shared/congestion-control.js'
import { readRun } from '../store/store.js'

/** @import { Difference, Facts } from '../judge/machines.js' */
/** @import { Environment, Plan, Rig, RunRecord, StoredRun } from '../types.js' */

/**
 * @param {string} run folder or name
 * @param {{ results?: string, trustRun?: boolean }} options trustRun: allows programs and files outside hopbench
 * @returns {Promise<Plan>}
 * @throws {HopbenchError} unknown-run, bad-run-file, bad-option, untrusted-run
 */
export async function planToResume (run, { results, trustRun = false }) {
  const { plan, record, samples, dir } = await readRun(run, results)
  const badFile = (/** @type {string} */ why) => new HopbenchError('bad-run-file', { file: dir, why })
  if (!plan) throw badFile('there is no plan in it to resume')
  if (record?.complete) throw badOption('--resume', run, 'that run is complete; start a new one')
  const names = plan.arms.map(({ name }) => name)
  const orphan = samples.find(({ arm }) => !names.includes(arm))
  if (orphan) throw badFile(`there are samples of "${orphan.arm}", and the plan has no such arm`)
  for (const { name, spec, topology } of plan.arms) {
    if (normalize(topology) === normalize(spec)) continue
    throw badFile(`the arm "${name}" is called ${spec}, and would start another one`)
  }
  const config = plan.arms.map(({ topology: { proxy } }) => proxy?.config?.path).find(path => path !== undefined)
  if (config !== undefined) {
    throw badOption('--resume', run, `it measured ${config}, which no run stores`, 'Start a new run.')
  }
  const what = stateCode(plan.arms, plan.root)
  if (what !== null && !trustRun && isForeign(plan)) throw new HopbenchError('untrusted-run', { run, what })
  const gone = plan.arms.map(({ topology: { server } }) => server?.command?.cwd)
    .find(cwd => cwd !== undefined && !existsSync(cwd))
  if (gone !== undefined) {
    const why = `the folder in which it starts an app no longer exists: ${gone}`
    throw badOption('--resume', run, why, 'Start a new run. hopbench diff removes its checkouts at its end.')
  }
  return plan
}

/**
 * @param {string | Plan['arms'][number]['topology']} topology
 * @returns {string | null} the topology as a spec; null: it is invalid
 */
const normalize = topology =>
  attempt(() => print(typeof topology === 'string' ? parse(topology) : topology), () => null)

/**
 * Factor by which the speed may differ beyond the bounds for rates. A run compares arms of one start, so that a busy
 * neighbor does not matter; machines of one model that differ by more are different ones.
 */
const SPEED_ALLOWANCE = 1.25

/**
 * Facts of an environment that influence results, beside those of its machines. A comparison can be about them, but a
 * run has one of each.
 *
 * @type {Facts}
 */
const RUN_FACTS = {
  'version of Node': ({ node }) => node,
  'TCP congestion control': ({ lab, sysctl }) => getCongestionControl({ lab, sysctl })
}

/**
 * @param {Pick<StoredRun, 'run' | 'record' | 'samples'>} stored
 * @param {Environment} environment of this machine now
 * @throws {HopbenchError} other-machine
 */
export function rejectOtherMachine ({ run, record, samples }, environment) {
  if (!record || samples.length === 0) return
  const { boot } = record.environment
  // A machine that has not been started again is the same one, although other programs can halve its speed.
  const allowance = boot !== undefined && boot === environment.boot ? Infinity : SPEED_ALLOWANCE
  rejectDifferent(run, [
    ...findMachineDifferences(record.environment, environment, allowance),
    ...compareFacts(RUN_FACTS, record.environment, environment)
  ])
}

/**
 * @param {Pick<StoredRun, 'run' | 'record' | 'samples'>} stored
 * @param {Pick<Rig, 'engine' | 'tools'>} rig the new rig
 * @throws {HopbenchError} other-machine
 */
export function rejectOtherPrograms ({ run, record, samples }, rig) {
  if (!record || samples.length === 0) return
  const { environment } = record
  /** @type {Facts<{ tools: Record<string, string>, engine: string | undefined }>} */
  const facts = {
    ...Object.fromEntries(Object.keys(record.tools).map(name => [name, ({ tools }) => tools[name]])),
    'Node of the servers': ({ tools }) => getServedNode({ tools, environment }),
    'load generator': ({ engine }) => engine
  }
  rejectDifferent(run, compareFacts(facts, { tools: record.tools, engine: storedEngine(record) }, rig))
}

/**
 * Name of the engine that made the load of a stored run; undefined if unknown.
 *
 * @param {RunRecord | null} record
 */
export const storedEngine = record =>
  record && Object.keys(record.tools).length > 0 ? record.arms[0]?.load.engine : undefined

/**
 * @param {string} run
 * @param {Difference[]} differences
 * @throws {HopbenchError} other-machine: there is a difference
 */
function rejectDifferent (run, differences) {
  const different = differences.map(({ what, before, after }) => `${what}: ${before} then, ${after} now`)
  if (different.length > 0) throw new HopbenchError('other-machine', { run, different: different.join('; ') })
}
