/** The primary of the manager `cluster`: forks launch.js as HOPBENCH_LAUNCH says, and starts one anew that has died. */
import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { removeStale } from './stale-socket.js'

/** @import { LaunchOrder } from '../types.js' */

const START_MS = 1000 // A worker that has listened for less has died at its start: PM2's own default for min_uptime.
/** So many deaths at the start in a row end it all: a server that cannot start would be started for ever. */
const STARTS = 4

const order = /** @type {LaunchOrder} */ (JSON.parse(process.env.HOPBENCH_LAUNCH ?? '{}'))
if (order.listen.kind === 'unix') await removeStale(order.listen.path)

cluster.setupPrimary({ exec: fileURLToPath(new URL('./launch.js', import.meta.url)), execArgv: order.nodeArgs ?? [] })

let ending = false
let failedStarts = 0

for (let i = 0; i < order.instances; i++) fork()
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.on(signal, () => end('SIGTERM'))

function fork () {
  // On a busy machine one that cannot start lives for seconds too, and never listens.
  let listensSince = Infinity
  const worker = cluster.fork().once('listening', () => { listensSince = performance.now() })
  worker.on('exit', (code, signal) => {
    if (ending) return
    failedStarts = performance.now() - listensSince >= START_MS ? 0 : failedStarts + 1
    if (failedStarts < STARTS) return fork()
    process.stderr.write(`the cluster gave up: its workers died at their start ${failedStarts} times, the last with ` +
      `${signal ?? `exit code ${code}`}\n`)
    process.exitCode = 1
    // Before it ends: a worker that starts without its primary fails with a stack, which hides the server's message.
    end('SIGKILL')
  })
  // What could not be written to a worker that has died: its exit is reported. One that could not be forked has none.
  worker.on('error', error => { if (!('syscall' in error && error.syscall === 'write')) throw error })
}

/** The whole group has got the signal: the workers end on it, and the primary with the last.
 * @param {NodeJS.Signals} signal */
function end (signal) {
  ending = true
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
}
