/**
 * The primary of the process manager `cluster`: forks launch.js as often as HOPBENCH_LAUNCH says,
 * all workers on one address, and starts one anew that has died. A server that cannot start ends
 * the whole: without a bound it would be started for ever.
 */
import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { removeStale } from './stale.js'

/** A worker that lived less than this has died at its start: PM2's own default for min_uptime. */
const START_MS = 1000
/** So many deaths at the start, none of them after a longer life, and the server is given up. */
const STARTS = 4

/** @type {import('../launch.js').LaunchOrder} */
const order = JSON.parse(process.env.HOPBENCH_LAUNCH ?? '{}')
if (order.listen.kind === 'unix') await removeStale(order.listen.path)

// The default everywhere but on Windows, and what PM2 uses: the primary accepts, and hands round.
cluster.schedulingPolicy = cluster.SCHED_RR
cluster.setupPrimary({ exec: fileURLToPath(new URL('../launch.js', import.meta.url)), execArgv: order.nodeArgs ?? [] })

let ending = false
let failedStarts = 0

for (let i = 0; i < order.instances; i++) fork()
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.on(signal, end)

function fork () {
  const startedAt = performance.now()
  cluster.fork().on('exit', (code, signal) => {
    if (ending) return
    const lived = performance.now() - startedAt
    failedStarts = lived < START_MS ? failedStarts + 1 : 0
    if (failedStarts < STARTS) return fork()
    process.stderr.write(`the cluster gave up: its workers died at their start ${failedStarts} times, the last with ${signal ?? `exit code ${code}`}\n`)
    // Its workers go with it: each ends when the channel to its primary closes.
    process.exit(1)
  })
}

/** The whole group has got the signal: the workers end by themselves, and the primary with the last. */
function end () {
  ending = true
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
}
