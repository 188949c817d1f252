/**
 * Program: primary process of two workers, each of which runs a script below a link. SIGUSR2 replaces all workers one
 * after the other. HOPBENCH_CLUSTER: { link, script, args, nodeArgs, env, done }; done: file that the end
 * writes.
 */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Time for the end of a disconnected worker, and for the start of a new one. */
const LIMIT_MS = 10_000
const START_MS = 30_000
const { link, script, args, nodeArgs, env, done } = JSON.parse(String(process.env.HOPBENCH_CLUSTER))
cluster.setupPrimary({ exec: resolve(link, script), args, execArgv: nodeArgs, cwd: link })

/** @type {Set<import('node:cluster').Worker>} */
const workers = new Set()

async function startWorker () {
  const worker = cluster.fork(env)
  workers.add(worker)
  await once(worker, 'listening', { signal: AbortSignal.timeout(START_MS) })
}

/** @param {import('node:cluster').Worker} worker */
async function endWorker (worker) {
  workers.delete(worker)
  const exited = once(worker, 'exit')
  worker.disconnect()
  await Promise.race([once(worker, 'disconnect'), exited, sleep(LIMIT_MS)])
  worker.process.kill('SIGTERM')
  await Promise.race([exited, sleep(LIMIT_MS).then(() => worker.process.kill('SIGKILL'))])
}

process.on('SIGUSR2', async () => {
  for (const worker of [...workers]) {
    await startWorker()
    await endWorker(worker)
  }
  writeFileSync(done, '')
})
for (let i = 0; i < 2; i++) await startWorker()
