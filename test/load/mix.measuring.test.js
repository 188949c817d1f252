/** The connections of autocannon begin a mix of requests at places that are spread over it. */
import { createServer } from 'node:http'
import t from '../support/tap.js'
import { startGenerator } from '../../bench/load/generator.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { orderIn } from '../support/fake-ssh.js'
import { listening } from '../support/listening.js'
import { tempFolder } from '../support/temp.js'

/** @import { Socket } from 'node:net' */

const { default: autocannon } = await loadPlugin('engine', 'autocannon')

t.test('connections do not send the same request of a mix at the same time', async t => {
  // A folder of tap has a path that is too long for the control socket.
  const dir = tempFolder(t)
  const paths = ['/0', '/1', '/2', '/3', '/4', '/5', '/6', '/7']
  const connections = 4
  /** First and second path of each connection. @type {Map<Socket, string[]>} */
  const sent = new Map()
  /** Called when each connection has sent two requests. @type {(value: null) => void} */
  let setBegun
  const begun = new Promise(resolve => { setBegun = resolve })
  const server = createServer((request, response) => {
    sent.set(request.socket, [...sent.get(request.socket) ?? [], String(request.url)])
    const isBegun = sent.size === connections && [...sent.values()].every(own => own.length > 1)
    if (isBegun) setBegun(null)
    response.end('x')
  })
  const port = await listening(t, server)
  const load = { engine: 'autocannon', connections, path: paths[0], paths, headers: {} }
  const target = { url: `http://127.0.0.1:${port}`, socketPath: null, expectBody: null }
  const generator = startGenerator({ plugin: autocannon, program: process.execPath, env: {} },
    orderIn(dir, { load, target, maxSeconds: 60 }))
  t.teardown(() => generator.kill())
  await begun
  await generator.kill()
  const firsts = [...sent.values()].map(own => own.slice(0, 2))
  // The golden ratio puts the connections at 0, 0.62, 0.24 and 0.85 of the mix.
  t.same(firsts.sort(), [['/0', '/1'], ['/1', '/2'], ['/4', '/5'], ['/6', '/7']])
})
