/** Replaces the served files of an experiment by the folder of --root. */
import { resolve } from 'node:path'
import { badOption } from '../errors.js'
import { isOwn } from '../plan/spec.js'
import { loadPlugin } from '../plan/plugins.js'
import { hasProxyOrigin } from '../topology/proxy-origin.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { mixOfFile, mixOfFolder, sequenceOf } from './own-paths.js'

/** @import { Experiment, Plan, Topology } from '../types.js' */
/** @import { RunFlags } from './types.js' */

/**
 * @param {Experiment} experiment
 * @param {RunFlags & { root: string }} options
 * @param {(spec: string) => Topology} parse
 * @returns {Promise<{ root: string, mix: Map<string, number> | null }>} mix: number of requests by path; null: only the
 * path of --path is requested
 */
export async function ownFiles (experiment, { root, paths, path }, parse) {
  const refuse = (/** @type {string} */ why) => badOption('--root', root, why)
  const entries = Object.values(experiment.arms)
  if (entries.some(entry => typeof entry !== 'string' && (entry.load?.path ?? entry.load?.paths))) {
    throw refuse('this experiment has its own files')
  }
  for (const entry of entries) {
    const topology = parse(typeof entry === 'string' ? entry : entry.topology)
    const { server } = topology
    if (!server || hasProxyOrigin(topology)) continue
    if (isOwn(server)) {
      throw refuse(`${server.name} is an app of your own, and which files it serves is unknown`)
    }
    const { about } = await loadPlugin('server', server.name)
    if (!about.serves.includes('static')) throw refuse(`${server.name} serves JSON, not files`)
  }
  const dir = resolve(callerCwd(), root)
  const folderMix = mixOfFolder(dir)
  if (path !== undefined) return { root: dir, mix: null }
  if (paths === undefined) return { root: dir, mix: folderMix }
  const { mix, missing } = mixOfFile(resolve(callerCwd(), paths), dir)
  if (missing > 0) {
    process.stderr.write(`${missing} of the paths in ${paths} are no files below ${root} and are left out.\n`)
  }
  return { root: dir, mix }
}

/**
 * Returns the plan with the folder and its paths.
 *
 * @param {Plan} plan
 * @param {{ root: string, mix: Map<string, number> | null }} files
 * @returns {Plan}
 */
export function withOwnFiles (plan, { root, mix }) {
  if (!mix) return { ...plan, root }
  const paths = sequenceOf(mix, plan.seed)
  return { ...plan, root, arms: plan.arms.map(arm => ({ ...arm, load: { ...arm.load, path: paths[0], paths } })) }
}
