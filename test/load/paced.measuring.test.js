/** The open loop on real sockets: it keeps its schedule, and distinguishes all kinds of failed responses. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import t from '../support/tap.js'
import { Histogram } from '../../bench/load/histogram.js'
import { startGenerator } from '../../bench/load/generator.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { orderIn } from '../support/fake-ssh.js'
import { listening } from '../support/listening.js'
import { tempFolder } from '../support/temp.js'

/** @import { Load } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

const BODY = 'x'.repeat(300)
const { default: paced } = await loadPlugin('engine', 'paced')

/**
 * @param {Test} t
 * @param {net.Server} server
 */
const toTarget = async (t, server) => ({ url: `http://127.0.0.1:${await listening(t, server)}`, socketPath: null })

/**
 * @param {Test} t
 * @param {{ url: string, socketPath: string | null }} target
 * @param {Partial<Load>} load
 * @param {{ seconds?: number, expect?: string }} [options]
 */
async function generatorFor (t, target, load, { seconds = 1, expect } = {}) {
  const dir = t.testdir()
  const file = join(dir, 'expected')
  writeFileSync(file, expect ?? '')
  const usual = { engine: 'paced', connections: 50, path: '/', headers: {}, rate: 200, arrivals: 'constant', seed: 1 }
  const expectBody = expect === undefined ? null : { file, sha256: '', bytes: expect.length }
  const generator = startGenerator({ plugin: paced, program: process.execPath, env: {} },
    orderIn(dir, { load: { ...usual, ...load }, target: { ...target, expectBody }, maxSeconds: seconds }))
  t.teardown(() => generator.kill())
  return generator
}

const NONE = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }

t.test('sends every request of the schedule exactly once, independent of the response times', async t => {
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    setTimeout(() => response.end(BODY), asked % 50)
  })
  const generator = await generatorFor(t, await toTarget(t, server), {}, { expect: BODY })
  const { measurement, sampled } = await generator.finished(30)
  t.same([measurement.requests, asked, sampled], [200, 200, 0])
  t.same(measurement.errors, NONE)
  t.equal(measurement.seconds, 1)
  const { p50 = 0, p99 = 0, max = 0, rate } = measurement.latencyMs ?? {}
  t.ok(p50 > 0 && p50 <= p99 && p99 <= max)
  t.equal(rate, 200)
  t.ok((measurement.lagMs?.p50 ?? -1) >= 0)
  const { latency, lag } = measurement.histograms ?? {}
  t.same([latency, lag].map(part => part && Histogram.of([part]).count), [160, 160], 'without the first fifth')
})

t.test('sends over a Unix socket, from several processes, with a connection for each request', async t => {
  let connections = 0
  const server = createServer((_, response) => response.end(BODY)).on('connection', () => connections++)
  // A folder of tap has a path that is too long for a Unix socket.
  const socketPath = join(tempFolder(t), 's')
  await once(server.listen(socketPath), 'listening')
  t.teardown(() => server.close())
  const load = { rate: 9000, fresh: true, arrivals: /** @type {const} */ ('poisson') }
  const generator = await generatorFor(t, { url: 'http://localhost', socketPath }, load, { seconds: 0.2 })
  t.equal(generator.pids().length, 2, 'as many processes as the rate needs')
  const { measurement } = await generator.finished(60)
  t.equal(connections, measurement.requests + measurement.errors.timeouts + measurement.errors.resets)
  t.equal(measurement.errors.non2xx + measurement.errors.mismatches, 0)
})

t.test('opens fewer connections than requests under light load', async t => {
  let connections = 0
  const server = createServer((_, response) => response.end(BODY)).on('connection', () => connections++)
  const generator = await generatorFor(t, await toTarget(t, server), { rate: 20 })
  await generator.finished(30)
  t.ok(connections < 20, `${connections} connections for 20 requests`)
})

// The tests above need the machine for themselves. Those below count outcomes at low rates, or assert a least time, and
// wait most of their time. They run beside each other.
t.jobs = 4

t.test('counts wrong statuses, wrong bodies and broken connections separately', async t => {
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    if (asked % 4 === 0) response.writeHead(503).end(BODY)
    else if (asked % 4 === 1) response.end(BODY.replace('x', 'y'))
    else if (asked % 4 === 2) request.socket.destroy()
    else response.end(BODY)
  })
  const generator = await generatorFor(t, await toTarget(t, server), { rate: 100 }, { expect: BODY })
  const { measurement: { requests, errors } } = await generator.finished(30)
  t.same(errors, { non2xx: 25, mismatches: 25, resets: 25, timeouts: 0 })
  t.equal(requests, 75, 'wrong responses count as responses')
})

t.test('counts a missing response as a timeout, and includes its waiting time in the latency', async t => {
  const server = net.createServer(socket => { socket.on('error', () => {}) })
  const generator = await generatorFor(t, await toTarget(t, server), { rate: 20, connections: 5, timeoutSeconds: 0.5 })
  const { measurement } = await generator.finished(30)
  t.match(measurement, { requests: 0, errors: { ...NONE, timeouts: 20 } })
  t.ok((measurement.latencyMs?.p50 ?? 0) >= 500, 'the latency includes timeouts')
})

t.test('counts every request as a reset when the port is closed, without a retry', async t => {
  const server = net.createServer()
  const target = await toTarget(t, server)
  server.close()
  const generator = await generatorFor(t, target, { rate: 50 })
  const { measurement } = await generator.finished(30)
  t.match(measurement, { requests: 0, errors: { ...NONE, resets: 50 }, latencyMs: null })
})

t.test('reports the requests so far when it is ended early', async t => {
  const server = createServer((_, response) => response.end(BODY))
  let first = () => {}
  const begun = new Promise(resolve => { first = () => resolve(null) })
  server.on('request', () => first())
  const generator = await generatorFor(t, await toTarget(t, server), {}, { seconds: 600 })
  await begun
  const ended = await generator.end()
  t.ok(ended && ended.measurement.requests > 0)
  t.ok(ended && Number(ended.measurement.seconds) < 600)
})

t.test('measures requests to the app apart from those for its files, in the proportions of the mix', async t => {
  const waitMs = 60
  const server = createServer((request, response) => {
    if (request.url === '/api') setTimeout(() => response.end(BODY), waitMs)
    else response.end(BODY)
  })
  const paths = ['/api', '/assets/a.js', '/assets', '/assets/b.css']
  const target = { ...await toTarget(t, server), filePrefixes: [{ prefix: '/assets' }] }
  const generator = await generatorFor(t, target, { path: paths[0], paths }, {})
  const { measurement: { histograms, errors } } = await generator.finished(30)
  t.same(errors, NONE)
  const { latency, byKind } = histograms ?? {}
  const [app, files] = [Number(byKind?.app.count), Number(byKind?.files.count)]
  // The excluded start of the window may end within a pass through the mix.
  t.ok(app > 0 && Math.abs(app - files) <= paths.length, 'the prefix itself, without a slash, is a path of the app')
  t.equal(latency?.count, app + files)
  const slow = byKind?.app.counts.filter(([micros]) => micros >= (waitMs - 1) * 1000) ?? []
  const slowCount = slow.reduce((sum, [, count]) => sum + count, 0)
  t.ok(slowCount >= app / 2 - paths.length, 'the waiting time of the API is in the times of the app')
})

t.test('without known files there is no distinction by kind', async t => {
  const server = createServer((request, response) => response.end(BODY))
  const generator = await generatorFor(t, await toTarget(t, server), { path: '/a', paths: ['/a', '/b'] })
  const { measurement: { histograms } } = await generator.finished(30)
  t.equal(histograms?.byKind, undefined)
})
