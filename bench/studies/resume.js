/** What may be resumed: a stored run is an untrusted file until it is checked, and samples of two machines make no
 * run. */
import { HopbenchError } from '../errors.js'
import { isPath, parse, print } from '../plan/word.js'
import { readRun } from '../store/store.js'

/** @import { Environment, Plan, Rig, RunRecord, StoredRun } from '../types.js' */

/**
 * @param {string} run folder or name
 * @param {{ results?: string, trustRun?: boolean }} options trustRun: the person has looked at what it would start
 * @returns {Promise<Plan>}
 * @throws {HopbenchError} unknown-run, bad-run-file, bad-option, untrusted-run
 */
export async function planToResume (run, { results, trustRun = false }) {
  const { plan, record, samples, dir } = await readRun(run, results)
  const bad = (/** @type {string} */ why) => new HopbenchError('bad-run-file', { file: dir, why })
  if (!plan) throw bad('there is no plan in it to resume')
  if (record?.complete) {
    const why = 'that run is complete; start a new one'
    throw new HopbenchError('bad-option', { option: '--resume', value: run, why })
  }
  const names = plan.arms.map(({ name }) => name)
  const stranger = samples.find(({ arm }) => !names.includes(arm))
  if (stranger) throw bad(`there are samples of "${stranger.arm}", and the plan has no such arm`)
  for (const { name, word, topology } of plan.arms) {
    if (wordOf(topology) !== wordOf(word)) throw bad(`the arm "${name}" is called ${word}, and would start another one`)
  }
  const what = outside(plan)
  if (what !== null && !trustRun) throw new HopbenchError('untrusted-run', { run, what })
  return plan
}

/**
 * @param {string | Plan['arms'][number]['topology']} topology
 * @returns {string | null} null: there is no such word
 */
function wordOf (topology) {
  try {
    return print(typeof topology === 'string' ? parse(topology) : topology)
  } catch {
    return null
  }
}

/** What a plan has that is not the project's own, as the end of a sentence. @param {Plan} plan */
function outside ({ arms, root }) {
  const modules = arms.flatMap(({ topology: { server, url } }) =>
    server?.command ? [server.command.run] : server && isPath(server.name) ? [server.name] : url ?? [])
  if (modules.length > 0) return `starts or loads ${[...new Set(modules)].join(' and ')}, which is no part of hopbench`
  return root === undefined ? null : `serves the files in ${root}`
}

/** What decides how fast it is, by the words for it; what is not known is left out.
 * @type {Record<string, (environment: Partial<Environment>) => unknown>} */
const MATTERS = {
  processor: ({ cpu }) => cpu?.model,
  'number of cores': ({ cpu }) => cpu?.cores,
  'cores of the load': ({ cores }) => cores?.load,
  'cores of the served side': ({ cores }) => cores?.served,
  'load generators': ({ cores }) => cores && (cores.generators ?? 1),
  platform: ({ platform }) => platform,
  'version of Node': ({ node }) => node,
  network: ({ lab }) => lab?.network,
  'machine of the served side': ({ hosts }) => hosts?.server ?? 'this one',
  'machines of the load': ({ hosts }) =>
    hosts?.load.map(({ name, node, cpu }) => `${name} (${cpu?.model}, Node ${node})`) ?? []
}

/**
 * @param {Pick<StoredRun, 'run' | 'record' | 'samples'>} stored
 * @param {Environment} environment of now
 * @throws {HopbenchError} other-machine
 */
export function refuseOtherMachine ({ run, record, samples }, environment) {
  if (!record || samples.length === 0) return
  refuseDifferent(run, Object.entries(MATTERS).map(([what, of]) => [what, of(record.environment), of(environment)]))
}

/**
 * @param {Pick<StoredRun, 'run' | 'record' | 'samples'>} stored
 * @param {Pick<Rig, 'engine' | 'tools'>} rig that would go on
 * @throws {HopbenchError} other-machine
 */
export function refuseOtherPrograms ({ run, record, samples }, rig) {
  if (!record || samples.length === 0) return
  const tools = rig.tools()
  refuseDifferent(run, [
    ...Object.entries(record.tools).map(([name, version]) => /** @type {Fact} */ ([name, version, tools[name]])),
    ['load generator', storedEngine(record), rig.engine]
  ])
}

/** What made the load of what is stored; undefined: not known. @param {RunRecord | null} record */
export const storedEngine = record =>
  record && Object.keys(record.tools).length > 0 ? record.arms[0]?.load.engine : undefined

/** @typedef {[what: string, then: unknown, now: unknown]} Fact */

/**
 * @param {string} run
 * @param {Fact[]} facts
 */
function refuseDifferent (run, facts) {
  const different = facts
    .filter(([, then, now]) => then !== undefined && now !== undefined && String(then) !== String(now))
    .map(([what, then, now]) => `${what}: ${shown(then)} then, ${shown(now)} now`)
  if (different.length > 0) throw new HopbenchError('other-machine', { run, different: different.join('; ') })
}

/** @param {unknown} value */
const shown = value => String(value) || 'none'
