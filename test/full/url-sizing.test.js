/** `hopbench size --url` from the command to the report, in a private network whose link delays and loses packets. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { getLeast } from '../../bench/studies/sizing/url-capacity.js'
import { findFault } from '../../bench/store/record-format.js'
import { hopbench, makeWorkspace, recordIn } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

/** Delay of a packet in each direction, in ms. */
const DELAY_MS = 10
/** Time that the server takes for a request, in ms. It serves one at a time. */
const SERVER_MS = 25
/** Counts requests in a file, because the test is outside of its network. */
const SERVER = `
const { createServer } = require('node:http')
const { writeFileSync } = require('node:fs')
let [requests, last] = [0, Promise.resolve()]
createServer((request, response) => {
  writeFileSync('requests', String(++requests))
  last = last.then(() => new Promise(resolve => setTimeout(() => { response.end('same'); resolve() }, ${SERVER_MS})))
}).listen(8080, '127.0.0.1', () => writeFileSync('up', ''))
`
/** Runs a command beside the server. Each packet passes the queue of the loopback once. */
const IN_NETWORK = 'ip link set lo up && tc qdisc add dev lo root netem ' +
  `delay ${DELAY_MS}ms loss 0.3% && { "$NODE" server.cjs & server=$!; } && ` +
  'until [ -e up ]; do sleep 0.05; done; "$@"; code=$?; kill $server; exit $code'

t.test('measures a delayed instance, and reports network and server apart', { skip: skipWithout('netem') }, async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'server.cjs'), SERVER)
  const mostRequests = getLeast(100, true).requests
  const result = await hopbench(['size', '--url', 'http://127.0.0.1:8080/', '--rps', '200', '--p99', '900ms',
    '--max-rps', '100', '--max-requests', String(mostRequests), '--yes', '--quick', '--json', '--results',
    workspace.results], {
    workspace,
    via: ['unshare', '-Urn', 'sh', '-c', IN_NETWORK, 'sh'],
    env: { NODE: process.execPath },
    timeoutSeconds: 170
  })
  t.equal(result.exit, 0, result.stderr)
  const record = JSON.parse(result.stdout)
  t.equal(findFault('record', record), null)
  t.same(recordIn(workspace).deployed, record.deployed)
  const { capacity, curve, roundTrip, serverP50Ms, sent, instances } = record.deployed
  t.ok(roundTrip.p50Ms >= 2 * DELAY_MS, `${roundTrip.p50Ms}`)
  t.ok(curve[0].p50Ms >= 2 * DELAY_MS + SERVER_MS - 1, `${curve[0].p50Ms}`)
  t.ok(Math.abs(serverP50Ms - (curve[0].p50Ms - roundTrip.p50Ms)) < 1e-9)
  t.ok(capacity.rate > 0 && capacity.rate < 1000 / SERVER_MS * 1.05, `${capacity.rate}`)
  t.ok(instances >= 200 / capacity.rate)
  t.ok(sent <= mostRequests)
  const report = ['report', 'size-url', '--details', '--results', workspace.results]
  const text = (await hopbench(report, { workspace })).stdout
  t.match(text.replaceAll(/\s+/g, ' '), /One instance at http:\/\/127\.0\.0\.1:8080\/ serves .* network included/)
  for (const line of text.split('\n').filter(line => !line.startsWith('Results: '))) {
    t.ok([...line].length <= 80, `80 columns: ${line}`)
  }
})
