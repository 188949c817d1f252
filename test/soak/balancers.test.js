/** The simulated tail behind a balancer against nginx and HAProxy in front of two and four processes: four minutes. The
 * simulation and the requests have the same arrivals and the same service times. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { simulateFleet } from '../../bench/judge/fleet/simulate.js'
import { freePort } from '../../bench/machine/ports.js'
import { findTool } from '../../bench/machine/tools.js'
import { PROJECT } from '../../bench/plan/plugins.js'
import { randomFrom } from '../../bench/shared/random.js'
import { skipWithoutProgram } from '../support/needs.js'

/** @import { Test } from 'tap' */
/** @import { ChildProcess } from 'node:child_process' */
/** @import { Policy } from '../../bench/judge/fleet/simulate.js' */
/** @import { Random } from '../../bench/shared/random.js' */
/** @typedef {{ n: number, policy: Policy, port: number, ports: number[] }} Balanced */

const SEED = 5
const REQUESTS = 2400
/** Seconds, large beside the millisecond of a timer and the delay of a proxy. */
const MEAN = 0.02
/** Share of the time of each process in use. */
const USE = 0.65
/** Largest deviation from a simulated percentile, as a share of the latter. */
const TOLERANCE = 0.2
/** @param {Random} random */
const service = random => -MEAN * Math.log(1 - random())

/** @type {Record<'nginx' | 'haproxy', { words: Partial<Record<Policy, string>>, render: (spec: string,
 *   balanced: Balanced, dir: string) => string, argv: (file: string, dir: string) => string[] }>} */
const PROXIES = {
  nginx: {
    words: { 'round-robin': '', 'least-connections': 'least_conn;' },
    render: (spec, { port, ports }, dir) => `daemon off; worker_processes 1; pid ${dir}/nginx.pid; error_log ${dir}/log;
      events {} http { access_log off; client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy;
      fastcgi_temp_path ${dir}/fastcgi; uwsgi_temp_path ${dir}/uwsgi; scgi_temp_path ${dir}/scgi;
      upstream app { ${spec} ${ports.map(of => `server 127.0.0.1:${of};`).join(' ')} keepalive 256; }
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://app; proxy_http_version 1.1;
      proxy_set_header Connection ""; } } }`,
    argv: (file, dir) => ['-p', dir, '-c', file]
  },
  haproxy: {
    words: { 'round-robin': 'roundrobin', 'least-connections': 'leastconn' },
    render: (spec, { port, ports }) => ['global', ' nbthread 1', 'defaults', ' mode http', ' timeout client 60s',
      ' timeout server 60s', ' timeout connect 5s', 'listen app', ` bind 127.0.0.1:${port}`, ` balance ${spec}`,
      ...ports.map((of, i) => ` server s${i} 127.0.0.1:${of}`), ''].join('\n'),
    argv: file => ['-db', '-f', file]
  }
}

for (const proxy of /** @type {const} */ (['nginx', 'haproxy'])) {
  for (const policy of /** @type {const} */ (['round-robin', 'least-connections'])) {
    for (const n of [2, 4]) {
      const title = `${policy} of ${proxy} before ${n} processes has the simulated p50 and p99`
      t.test(title, { skip: skipWithoutProgram(proxy, [proxy]) }, async t => {
        const rate = n * USE / MEAN
        const simulated = simulateFleet({ instances: n, rate, policy, service, requests: REQUESTS, seed: SEED })
        const port = await startBalanced(t, proxy, n, policy)
        const times = await sendAll(port, rate)
        for (const [p, expected] of /** @type {const} */ ([[0.5, simulated.p50], [0.99, simulated.p99]])) {
          const measured = times[Math.ceil(p * times.length) - 1]
          t.ok(Math.abs(measured / expected - 1) < TOLERANCE, `p${p * 100}: ${measured} s, simulated ${expected} s`)
        }
      })
    }
  }
}

/**
 * @param {Test} t
 * @param {'nginx' | 'haproxy'} proxy
 * @param {number} n processes
 * @param {Policy} policy
 * @returns {Promise<number>} port of the proxy
 */
async function startBalanced (t, proxy, n, policy) {
  const { path, env } = await findTool({ program: proxy, packages: { debian: [proxy] } })
  const ports = await Promise.all(Array.from({ length: n }, async () => {
    const child = startFor(t, process.execPath, [join(PROJECT, 'test/support/serial-server.mjs')])
    const [line] = await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data')
    return Number(line)
  }))
  const dir = t.testdir()
  const port = await freePort(18_080, '127.0.0.1')
  const { words, render, argv } = PROXIES[proxy]
  const file = join(dir, 'proxy.conf')
  writeFileSync(file, render(words[policy] ?? '', { n, policy, port, ports }, dir))
  const child = startFor(t, path, argv(file, dir), env)
  while (await request(port, 0).catch(() => false) === false) {
    if (child.exitCode !== null) throw new Error(`${proxy} ended with ${child.exitCode}`)
    await sleep(50)
  }
  return port
}

/**
 * Starts a process that ends with the test.
 * @param {Test} t
 * @param {string} program
 * @param {string[]} argv
 * @param {Record<string, string>} [env]
 * @returns {ChildProcess}
 */
function startFor (t, program, argv, env) {
  const child = spawn(program, argv, { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, ...env } })
  t.teardown(() => child.kill())
  return child
}

const agent = new http.Agent({ keepAlive: true })

/**
 * @param {number} port
 * @param {number} seconds of service
 */
const request = (port, seconds) => new Promise((resolve, reject) => {
  http.get({ port, host: '127.0.0.1', path: `/?ms=${seconds * 1000}`, agent }, response => {
    response.resume().on('end', resolve)
  }).on('error', reject)
})

/**
 * Sends requests at the times of the simulation.
 * @param {number} port
 * @param {number} rate requests per second
 * @returns {Promise<number[]>} response times in seconds since the planned times, without the warm-up, in order
 */
async function sendAll (port, rate) {
  const arrivals = randomFrom(SEED, 'arrivals')
  const services = randomFrom(SEED, 'service')
  const start = performance.now()
  const sent = []
  let at = 0
  for (let i = 0; i < REQUESTS; i++) {
    at -= Math.log(1 - arrivals()) / rate
    const planned = start + at * 1000
    if (planned > performance.now()) await sleep(planned - performance.now())
    sent.push(request(port, service(services)).then(() => (performance.now() - planned) / 1000))
  }
  const times = await Promise.all(sent)
  return times.slice(REQUESTS / 10).sort((a, b) => a - b)
}
