/** Counts of an app by command behind a proxy that serves the files of the app itself. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import t from '../support/tap.js'
import { createCommandCounters, GateRelay } from '../../bench/topology/start/start.js'
import { tempRoot } from '../support/temp.js'

/**
 * @param {string} socketPath
 * @param {string} path
 */
async function get (socketPath, path) {
  const sent = request({ socketPath, path, agent: false }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
}

t.test('connections per request are those of the requests that the proxy passes on', async t => {
  // The path of a socket has at most 107 characters.
  const temp = tempRoot(t)
  const path = join(temp.path, 'app.sock')
  const server = createServer((_request, response) => response.end('app'))
  await once(server.listen(path), 'listening')
  t.teardown(() => server.close())
  const relay = await new GateRelay(path).open()
  await get(path, '/')
  await get(path, '/?HTTP/1.1')
  t.match(relay, { connections: 2, requests: 2 })
  let requests = 8
  const counters = createCommandCounters({
    listening: 'unix',
    pids: () => [],
    alone: true,
    front: async () => ({ atSeconds: 1, requests, connections: 1 }),
    cacheStatuses: null,
    relays: [relay],
    share: 0.25
  })
  await counters.endGateCounting()
  requests = 400
  t.match(await counters.counts(), { requests: 100, connections: 100 },
    'a quarter of the load reaches the app, each request on a connection of its own')
})
