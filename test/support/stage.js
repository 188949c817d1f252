/** Real topologies for tests: started, passed the gate, and gone when the test is. */
import { relative } from 'node:path'
import { labFacts } from '../../bench/machine/lab.js'
import { callerCwd } from '../../bench/machine/caller-cwd.js'
import { armOf } from '../../bench/studies/request.js'
import { openStage } from '../../bench/measure/stage.js'
import { makeTempRoot } from '../../bench/machine/temp.js'

/** @import { StagedArm } from '../../bench/measure/stage.js' */
/** @import { Test } from 'tap' */

/** A module as a word, which holds no space, as the way to this project may. @param {string} file */
export const wordFor = file => `./${relative(callerCwd(), file)}`

/**
 * Starts one topology in a network of its own, or on a free port where there is none to be had.
 * @param {Test} t ends it
 * @param {string} word
 * @param {{ path?: string, connections?: number, headers?: Record<string, string> }} [load]
 * @returns {Promise<StagedArm>}
 */
export async function staged (t, word, { path = '/', connections = 10, headers = {} } = {}) {
  const arm = await armOf(word, { connections, path })
  arm.load.headers = headers
  const temp = makeTempRoot()
  t.teardown(() => temp.remove())
  const { network } = await labFacts()
  const stage = await openStage([arm], {
    temp: temp.path,
    lab: network === 'namespaces',
    cores: null,
    cwd: callerCwd()
  })
  t.teardown(() => stage.close())
  const refused = stage.refused.get(arm.name)
  if (refused) throw new Error(refused.text)
  return /** @type {StagedArm} */ (stage.arms.get(arm.name))
}
