/** Real topologies that have passed the gate, and end with the test. */
import { relative } from 'node:path'
import { labFacts } from '../../bench/machine/network/lab.js'
import { callerCwd } from '../../bench/machine/caller-cwd.js'
import { armFrom } from '../../bench/request/request.js'
import { openStage } from '../../bench/measure/stage.js'
import { tempRoot } from './temp.js'

/** @import { StagedArm } from '../../bench/measure/types.js' */
/** @import { RunFlags } from '../../bench/request/types.js' */
/** @import { Test } from 'tap' */

/**
 * Returns the relative path of a module as a spec, because the project's absolute path may contain spaces.
 * @param {string} file
 */
export const wordFor = file => `./${relative(callerCwd(), file)}`

/**
 * Starts one topology in a network of its own, or on a free port without namespaces.
 * @param {Test} t ends it
 * @param {string} spec
 * @param {{ path?: string, connections?: number, headers?: Record<string, string> } & Pick<RunFlags, 'files' |
 *   'filesHidden'>} [options]
 * @returns {Promise<StagedArm>}
 */
export async function staged (t, spec, { path = '/', connections = 10, headers = {}, ...options } = {}) {
  const arm = await armFrom(spec, { connections, path, ...options })
  arm.load.headers = headers
  const temp = tempRoot(t)
  const { network } = await labFacts()
  const stage = await openStage([arm], {
    temp: temp.path,
    lab: network === 'namespaces',
    cores: null,
    cwd: callerCwd()
  })
  t.teardown(() => stage.close())
  const refused = stage.refused.get(arm.name)
  if (refused) throw new Error(refused.params.why)
  return /** @type {StagedArm} */ (stage.arms.get(arm.name))
}
