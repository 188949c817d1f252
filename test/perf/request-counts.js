/**
 * Compares the counts of each engine's requests with a server that counts them itself. Calls of write(2), which were
 * the count of all engines before, are printed beside them.
 */
import net from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findEngine } from '../../bench/load/find-engine.js'
import { readCountAtRest } from '../../bench/load/request-counts.js'
import { writeCalls } from '../../bench/machine/kernel-counts.js'
import { exchangeLine } from '../../bench/machine/line-socket.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { makeTempRoot } from '../../bench/machine/temp.js'
import { freePort } from '../../bench/machine/ports.js'
import { splitCores } from '../../bench/machine/cores.js'
import { project } from '../support/cli.js'
import { fixed } from './measure.js'

/** @import { Child } from '../../bench/machine/shapes.js' */
/** @import { Generator } from '../../bench/load/shapes.js' */
/** @import { Bench, Line, Part } from './index.js' */

const ENGINES = ['autocannon', 'wrk', 'ab', 'h2load']
/** Largest error of a count that is used for rates. */
const GOAL = 0.002
const SECONDS = 2
const CONNECTIONS = 100
const FIRST_PORT = 9100

/** @typedef {{ what: string, bytes: number, chunked?: true, fresh?: true, connections?: number }} Case */

/** @type {Case[]} */
const CASES = [
  { what: '0.1 KB', bytes: 100 },
  { what: '0.1 KB, 1 connection', bytes: 100, connections: 1 },
  { what: '1 KB', bytes: 1000 },
  { what: '10 KB', bytes: 10_000 },
  { what: '100 KB', bytes: 100_000 },
  { what: '1 MB', bytes: 1_000_000, connections: 10 },
  { what: '20 KB, chunked', bytes: 20_000, chunked: true },
  { what: '1 KB, new connections', bytes: 1000, fresh: true }
]

/** @type {Part} */
export default {
  title: 'how exactly the requests of each engine are counted',
  async run (bench) {
    const lines = []
    for (const name of ENGINES) {
      const { plugin } = await findEngine(name)
      for (const one of bench.short ? CASES.slice(0, 2) : CASES) {
        // HTTP/1.0 has no chunked responses.
        const isPossible = !(one.fresh && !plugin.about.freshConnections) && !(one.chunked && name === 'ab')
        if (isPossible) lines.push(await compareCounts(name, one, bench))
      }
    }
    return lines
  }
}

/**
 * @param {string} name of the engine
 * @param {Case} one
 * @param {Bench} bench
 * @returns {Promise<Line>}
 */
async function compareCounts (name, { what, bytes, chunked, fresh, connections = CONNECTIONS }, bench) {
  bench.note(`${name}, ${what}`)
  const temp = makeTempRoot()
  const control = join(temp.path, 'control')
  const port = await freePort(FIRST_PORT, '127.0.0.1')
  const cores = splitCores()
  const server = start({
    name: 'the counting server',
    argv: [process.execPath, join(project, 'test/perf/apps/counting-server.js')],
    env: { PORT: String(port), CONTROL: control, BYTES: String(bytes), ...chunked && { CHUNKED: '1' } },
    cores: cores.served,
    log: join(temp.path, 'log')
  })
  bench.teardown(() => server.stop({ signal: 'SIGKILL' }))
  const socket = await connectWhenUp(server, control)
  const engine = await findEngine(name)
  const generator = await engine.start({
    name: what,
    load: { engine: name, connections, path: '/', headers: {}, ...fresh && { fresh } },
    target: { url: `http://127.0.0.1:${port}`, socketPath: null, expectBody: null },
    network: { enter: [] },
    cores: cores.load,
    dir: join(temp.path, 'load'),
    maxSeconds: 60
  })
  const pids = () => /** @type {Generator & { pids: () => number[] }} */ (generator).pids()
  await untilLoading(generator)
  const parts = { server, generator, socket, isSent: engine.plugin.about.counted === 'writes' }
  const before = { ...await readBoth(parts), calls: writeCalls(pids()) ?? NaN }
  await generator.resume()
  const startedAt = performance.now()
  await sleep(SECONDS * 1000)
  const seconds = (performance.now() - startedAt) / 1000
  const after = { ...await readBoth(parts), calls: writeCalls(pids()) ?? NaN }
  await generator.kill()
  await server.stop()
  socket.destroy()
  temp.remove()
  const served = after.served - before.served
  const error = (after.counted - before.counted) / served - 1
  const oldError = (after.calls - before.calls) / served - 1
  return {
    what: `${name}, ${what}, ${Math.round(served / seconds)} req/s`,
    measured: `${after.counted - before.counted} of ${served} (${fixed(error * 100, 3)} %; calls of write(2) ` +
      `${fixed(oldError * 100, 2)} %)`,
    goal: `within ${GOAL * 100} %`,
    met: Math.abs(error) <= GOAL
  }
}

/**
 * Reads the server's count and the generator's count of the same requests: those that the server has answered when the
 * generator is paused. The generator handles these responses while the server is paused.
 * @param {{ server: Child, generator: Generator, socket: net.Socket, isSent: boolean }} parts isSent: the generator's
 *   count is of sent requests
 */
async function readBoth ({ server, generator, socket, isSent }) {
  await generator.pause()
  let served = NaN
  for (let last = -1; last !== served; await sleep(50)) {
    last = served
    served = Number(await exchangeLine(socket, 'counts', 'the counting server'))
  }
  if (isSent) return { served, counted: (await generator.counts()).requests }
  server.pause()
  await generator.resume()
  const counted = await readCountAtRest(generator)
  await generator.pause()
  server.resume()
  return { served, counted }
}

/** @param {Generator} generator */
async function untilLoading (generator) {
  const count = () => generator.counts().then(({ requests }) => requests, () => 0)
  for (let look = 0; look < 100 && await count() < CONNECTIONS; look++) await sleep(100)
}

/**
 * @param {Child} server
 * @param {string} path
 */
async function connectWhenUp (server, path) {
  /** @type {net.Socket | null} */
  let socket = null
  await waitUntil(server, async () => {
    const tried = net.connect(path)
    socket = await once(tried, 'connect').then(() => tried, () => null)
    return socket !== null
  })
  return /** @type {net.Socket} */ (/** @type {unknown} */ (socket))
}
