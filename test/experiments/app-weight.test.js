import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import t from '../support/tap.js'
import appWeight from '../../bench/experiments/app-weight.js'
import behaviour from '../../servers/behaviour.js'
import { listening } from '../support/listening.js'

/** @import { Test } from 'tap' */

const REQUESTS = 20

/**
 * Returns the CPU time of this process, in ms, and the shortest response time of requests sent one after another.
 * @param {Test} t
 * @param {string} path
 */
async function measure (t, path) {
  const root = t.testdir()
  writeFileSync(join(root, '1kb.json'), '{}')
  const port = await listening(t, http.createServer(await behaviour({ root, options: { idle: 'long' } })))
  const times = []
  const before = process.cpuUsage()
  for (let sent = 0; sent < REQUESTS; sent++) {
    const start = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    t.equal(await response.text(), '{}')
    times.push(performance.now() - start)
  }
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, fastestMs: Math.min(...times) }
}

t.test('the app uses the CPU time that a request names', async t => {
  const { cpuMs } = await measure(t, '/?cpu=50&wait=0')
  t.ok(cpuMs >= 50 * REQUESTS, `${cpuMs} ms of CPU time`)
})

t.test('the app uses no such CPU time for a request that names none or only waits', async t => {
  const { cpuMs, fastestMs } = await measure(t, '/?cpu=0&wait=30')
  t.ok(cpuMs < 50 * REQUESTS, `${cpuMs} ms of CPU time`)
  // A timer may fire up to 1 ms early, because Node rounds the time at which it starts.
  t.ok(fastestMs >= 29, `${fastestMs} ms`)
})

t.test('each contrast compares a hop with no hop at the same CPU time and wait', async t => {
  const { variants } = /** @type {any} */ (appWeight)
  const counts = { 'waiting-light': 2, waiting: 2, 'waiting-heavy': 2 }
  const experiments = Object.entries(counts).map(([name, count]) => ({ ...variants[name], count }))
  for (const { arms, contrasts, count } of [{ ...appWeight, count: 6 }, ...experiments]) {
    t.equal(contrasts.length, count)
    for (const [arm, baseline] of contrasts) {
      t.equal(arms[arm].load.path, arms[baseline].load.path, `${arm} and ${baseline}`)
      t.match(arms[arm].topology, /^nginx:/)
      t.equal(arms[baseline].topology, 'behaviour')
    }
  }
})

t.test('response times are compared at half of the load of one weight', async t => {
  const { variants = {} } = appWeight
  for (const [name, cpu] of Object.entries({ 'p99-light': 0.1, p99: 1, 'p99-heavy': 5 })) {
    const { arms, protocol, shares } = variants[name]
    t.match({ protocol, shares }, { protocol: 'rates', shares: [0.5] })
    t.strictSame([...new Set(Object.values(arms).map(arm => typeof arm === 'string' ? '' : arm.load?.path))],
      [`/?cpu=${cpu}`])
    t.strictSame(Object.keys(arms), ['direct', 'keepalive', 'uds-keepalive'])
  }
})
