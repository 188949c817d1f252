/** Real topologies that have passed the gate, and end with the test. */
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { labFacts } from '../../bench/machine/network/lab.js'
import { callerCwd } from '../../bench/machine/caller-cwd.js'
import { startGenerator } from '../../bench/load/generator.js'
import { fetchResponses } from '../../bench/measure/gate/gate.js'
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
 *   'filesHidden' | 'app' | 'listen'>} [options]
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

/**
 * Sends requests, and counts them at the front and at the origin.
 * @param {StagedArm} arm
 * @param {number} times
 * @param {string} [path]
 */
export async function countRequests ({ running, arm, network }, times, path = arm.load.path) {
  const [frontBefore, originBefore] = [await running.front(), await running.origin()]
  const load = { ...arm.load, path }
  const { answers, failures } = await fetchResponses({ target: running.target, load, network, times })
  const [front, origin] = [await readWhenCounted(running), await running.origin()]
  return {
    answers,
    failures,
    front: front.requests - frontBefore.requests,
    seconds: front.atSeconds - frontBefore.atSeconds,
    accepted: front.connections,
    non2xx: (front.non2xx ?? 0) - (frontBefore.non2xx ?? 0),
    requests: (origin?.requests ?? 0) - (originBefore?.requests ?? 0),
    connections: (origin?.connections ?? 0) - (originBefore?.connections ?? 0),
    listening: origin?.listening
  }
}

/**
 * Reads the counters of the front until they no longer change, because Apache counts a request after its response.
 * @param {StagedArm['running']} running
 */
async function readWhenCounted (running) {
  let last = await running.front()
  for (let reads = 0; reads < 20; reads++) {
    await sleep(20)
    const front = await running.front()
    if (front.requests === last.requests) return front
    last = front
  }
  return last
}

/**
 * Starts a load generator on an arm.
 * @param {Parameters<typeof startGenerator>[0]} engine
 * @param {StagedArm} arm
 * @param {Pick<Parameters<typeof startGenerator>[1], 'load' | 'maxSeconds'> & { target?: StagedArm['target'],
 *   dir?: string }} order dir: name of its folder
 */
export const startOn = (engine, { arm: { name }, ...arm }, { dir = 'engine', ...order }) =>
  startGenerator(engine,
    { name, target: arm.target, network: arm.network, cores: null, ...order, dir: join(arm.dir, dir) })
