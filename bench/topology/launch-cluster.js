/** Primary of the manager `cluster`: forks launch.js by the order in HOPBENCH_LAUNCH and replaces dead workers. SIGUSR2
 * replaces all workers, one after the other. */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { removeStaleSocket } from './listener.js'

/** @import { Worker } from 'node:cluster' */
/** @import { LaunchOrder } from './types.js' */

/** A worker that listened for a shorter time died at its start. Equal to PM2's default min_uptime. */
const START_MS = 1000
/** Consecutive deaths at the start after which the cluster ends, because a server may be unable to start at all. */
const STARTS = 4

const order = /** @type {LaunchOrder} */ (JSON.parse(process.env.HOPBENCH_LAUNCH ?? '{}'))
if (order.listen.kind === 'unix') await removeStaleSocket(order.listen.path)

cluster.setupPrimary({ exec: fileURLToPath(new URL('./launch.js', import.meta.url)), execArgv: order.nodeArgs ?? [] })

let isEnding = false
let failedStarts = 0
/** Workers that end because another one has taken their place. @type {Set<Worker>} */
const replaced = new Set()

for (let i = 0; i < order.instances; i++) fork()
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.on(signal, () => end('SIGTERM'))
process.on('SIGUSR2', replaceAll)

function fork () {
  // Measured from listening, because on a busy machine a worker that cannot start runs for seconds, too.
  let listensSince = Infinity
  const worker = cluster.fork().once('listening', () => { listensSince = performance.now() })
  worker.on('exit', (code, signal) => {
    if (isEnding || replaced.delete(worker)) return
    failedStarts = performance.now() - listensSince >= START_MS ? 0 : failedStarts + 1
    if (failedStarts < STARTS) return fork()
    process.stderr.write(`the cluster gave up: its workers died at their start ${failedStarts} times, the last with ` +
      `${signal ?? `exit code ${code}`}\n`)
    process.exitCode = 1
    // Kills workers before the primary ends, because the stack of a worker without primary would hide the message.
    end('SIGKILL')
  })
  // Ignores a failed write to a dead worker, because its exit is handled. A worker that cannot be forked has no exit.
  worker.on('error', error => { if (!('syscall' in error && error.syscall === 'write')) throw error })
  return worker
}

/** Ends each worker after a new one listens in its place. */
async function replaceAll () {
  for (const worker of Object.values(cluster.workers ?? {})) {
    if (!worker) continue
    await once(fork(), 'listening')
    replaced.add(worker)
    worker.process.kill('SIGTERM')
  }
}

/**
 * Ends the workers. The primary ends with the last worker.
 * @param {NodeJS.Signals} signal
 */
function end (signal) {
  isEnding = true
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
}
