/** Starts and warms up all arms of a plan, as a run of gang slices does, for the duration of a function. */
import { join } from 'node:path'
import { bringUp } from '../../bench/measure/all-up.js'
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/lab.js'
import { makeTempDir, makeTempRoot } from '../../bench/machine/temp.js'

/**
 * @import { Plan } from '../../bench/types.js'
 */
/** @import { Bench } from './index.js' */

/** Time after which every generator ends by itself. */
const MAX_SECONDS = 900

/**
 * @template T
 * @param {Bench} bench
 * @param {Plan} plan
 * @param {(up: Awaited<ReturnType<typeof bringUp>>) => Promise<T>} use
 * @param {string} [cwd] base of relative paths to modules
 */
export async function withEverythingUp (bench, plan, use, cwd = process.cwd()) {
  const temp = makeTempRoot()
  bench.teardown(() => temp.remove())
  const { network } = await labFacts()
  const up = await bringUp(plan, {
    temp: makeTempDir(temp.path, 's'),
    keepIn: join(temp.path, 'kept'),
    lab: network === 'namespaces',
    cores: splitCores(plan.cores),
    engine: plan.arms[0].load.engine,
    mayswitch: true,
    cwd,
    maxSeconds: MAX_SECONDS,
    note: bench.note
  })
  try {
    return await use(up)
  } finally {
    await up.close()
  }
}
