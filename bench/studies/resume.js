/** Checks a stored run before it is resumed: its file is untrusted, and samples of two machines must not be mixed. */
import { existsSync } from 'node:fs'
import { badOption, HopbenchError } from '../errors.js'
import { getServedNode } from '../plan/runtimes.js'
import { isPath, parse, print } from '../plan/word.js'
import { attempt } from '../shared/attempt.js'
import { getCongestionControl } from '../shared/congestion-control.js'
import { isOwnRun, readRun } from '../store/store.js'

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
  for (const { name, word, topology } of plan.arms) {
    if (normalize(topology) === normalize(word)) continue
    throw badFile(`the arm "${name}" is called ${word}, and would start another one`)
  }
  const what = findForeignCode(plan)
  if (what !== null && !trustRun && !await isOwnRun(dir)) throw new HopbenchError('untrusted-run', { run, what })
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
 * @returns {string | null} the topology as a word; null: it is invalid
 */
const normalize = topology =>
  attempt(() => print(typeof topology === 'string' ? parse(topology) : topology), () => null)

/**
 * Describes code and files of a plan that are not part of hopbench, as the end of a sentence.
 *
 * @param {Plan} plan
 */
function findForeignCode ({ arms, root: served }) {
  const modules = arms.flatMap(({ topology }) => {
    const { server, url } = topology
    if (server?.command) return [server.command.run]
    if (server && isPath(server.name)) return [server.name]
    return url ?? []
  })
  if (modules.length > 0) return `starts or loads ${[...new Set(modules)].join(' and ')}, which is no part of hopbench`
  // The folders of a built-in server are below the files of hopbench.
  const folders = arms.flatMap(({ topology: { files = [] } }) => files.map(({ folder }) => folder))
    .filter(folder => folder.startsWith('/') || folder.split('/').includes('..'))
  const root = served ?? folders[0]
  return root === undefined ? null : `serves the files in ${root}`
}

/**
 * Facts of a machine that influence results, by name. An unknown fact is undefined.
 *
 * @type {Record<string, (environment: Partial<Environment>) => unknown>}
 */
const INFLUENCES = {
  processor: ({ cpu }) => cpu?.model,
  'number of cores': ({ cpu }) => cpu?.cores,
  'cores of the load': ({ cores }) => cores?.load,
  'cores of the served side': ({ cores }) => cores?.served,
  'load generators': ({ cores }) => cores && (cores.generators ?? 1),
  platform: ({ platform }) => platform,
  'version of Node': ({ node }) => node,
  network: ({ lab }) => lab?.network,
  'TCP congestion control': ({ lab, sysctl }) => lab && sysctl && getCongestionControl({ lab, sysctl }),
  'machine of the served side': ({ hosts }) => hosts?.server ?? 'this one',
  'machines of the load': ({ hosts }) =>
    hosts?.load.map(({ name, node, cpu }) => `${name} (${cpu?.model}, Node ${node})`) ?? []
}

/**
 * @param {Pick<StoredRun, 'run' | 'record' | 'samples'>} stored
 * @param {Environment} environment of this machine now
 * @throws {HopbenchError} other-machine
 */
export function refuseOtherMachine ({ run, record, samples }, environment) {
  if (!record || samples.length === 0) return
  refuseDifferent(run, Object.entries(INFLUENCES).map(([name, getFact]) =>
    ({ name, stored: getFact(record.environment), current: getFact(environment) })))
}

/**
 * @param {Pick<StoredRun, 'run' | 'record' | 'samples'>} stored
 * @param {Pick<Rig, 'engine' | 'tools'>} rig the new rig
 * @throws {HopbenchError} other-machine
 */
export function refuseOtherPrograms ({ run, record, samples }, rig) {
  if (!record || samples.length === 0) return
  refuseDifferent(run, [
    ...Object.entries(record.tools).map(([name, version]) => ({ name, stored: version, current: rig.tools[name] })),
    { name: 'Node of the servers', stored: getServedNode(record), current: rig.tools.node ?? record.environment.node },
    { name: 'load generator', stored: storedEngine(record), current: rig.engine }
  ])
}

/**
 * Name of the engine that made the load of a stored run; undefined if unknown.
 *
 * @param {RunRecord | null} record
 */
export const storedEngine = record =>
  record && Object.keys(record.tools).length > 0 ? record.arms[0]?.load.engine : undefined

/**
 * Throws if a fact differs. A fact that is unknown on one side is not compared.
 *
 * @param {string} run
 * @param {{ name: string, stored: unknown, current: unknown }[]} facts
 */
function refuseDifferent (run, facts) {
  const different = facts
    .filter(({ stored, current }) =>
      stored !== undefined && current !== undefined && String(stored) !== String(current))
    .map(({ name, stored, current }) => `${name}: ${toText(stored)} then, ${toText(current)} now`)
  if (different.length > 0) throw new HopbenchError('other-machine', { run, different: different.join('; ') })
}

/** @param {unknown} value */
const toText = value => String(value) || 'none'
