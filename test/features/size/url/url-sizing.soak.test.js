/** `hopbench size --url` from the command to the report, in a private network whose link delays and loses packets. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from '../../../support/tap.js'
import { getLeast } from '../../../../bench/features/size/url/windows.js'
import { findFault } from '../../../../bench/store/record-format.js'
import { hopbench, makeWorkspace, recordIn } from '../../../support/cli.js'
import { skipWithout } from '../../../support/needs.js'

const LINK = fileURLToPath(new URL('../../../support/slow-link.py', import.meta.url))
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
}).listen(8080, '10.78.0.1', () => writeFileSync('server-up', ''))
`
/** Runs a command beside the server and the link. */
const IN_NETWORK = 'python3 "$LINK" "$DELAY" 0.001 link-up & link=$!; "$NODE" server.cjs & server=$!; ' +
  'until [ -e server-up ] && [ -e link-up ]; do sleep 0.05; done; "$@"; code=$?; kill $server $link; exit $code'

t.test('measures a delayed instance, and reports network and server apart', { skip: skipWithout('tun') }, async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'server.cjs'), SERVER)
  const mostRequests = getLeast(100, { p99Ms: 300, quick: true }).requests
  const result = await hopbench(['size', '--url', 'http://10.78.0.2:8080/', '--allow-host', '10.78.0.2',
    '--rps', '200', '--p99', '300ms', '--max-rps', '100', '--max-requests', String(mostRequests),
    '--yes', '--quick', '--json', '--results', workspace.results], {
    workspace,
    via: ['unshare', '-Urn', 'sh', '-c', IN_NETWORK, 'sh'],
    env: { NODE: process.execPath, LINK, DELAY: String(DELAY_MS) },
    timeoutSeconds: 400
  })
  t.equal(result.exit, 0, result.stderr)
  const record = JSON.parse(result.stdout)
  t.equal(findFault('record', record), null)
  t.same(recordIn(workspace).deployed, record.deployed)
  const { capacity, curve, roundTrip, serverP50Ms, sent, instances } = record.deployed
  t.ok(roundTrip.p50Ms >= 2 * DELAY_MS, `${roundTrip.p50Ms}`)
  // A busy machine makes points invalid, and the record must then state so.
  const idle = curve.find((/** @type {{ p50Ms: number | null }} */ { p50Ms }) => p50Ms !== null)
  t.equal(record.warnings.some((/** @type {{ code: string }} */ { code }) => code === 'invalid-trials'),
    curve.some((/** @type {{ p50Ms: number | null }} */ { p50Ms }) => p50Ms === null))
  t.equal(serverP50Ms === null, idle === undefined)
  if (idle) {
    t.ok(idle.p50Ms >= 2 * DELAY_MS + SERVER_MS - 1, `${idle.p50Ms}`)
    t.ok(Math.abs(serverP50Ms - (idle.p50Ms - roundTrip.p50Ms)) < 1e-9)
  }
  t.ok(capacity.rate > 0 && capacity.rate < 1000 / SERVER_MS * 1.12, `${capacity.rate}`)
  t.ok(instances >= 200 / capacity.rate)
  t.ok(sent <= mostRequests)
  const report = ['report', 'size-url', '--details', '--results', workspace.results]
  const text = (await hopbench(report, { workspace })).stdout
  t.match(text.replaceAll(/\s+/g, ' '), /One instance at http:\/\/10\.78\.0\.2:8080\/ serves .* network included/)
  t.match(readFileSync(join(workspace.results, record.run, 'report.html'), 'utf8'), /How the capacity was found/)
  for (const line of text.split('\n').filter(line => !line.startsWith('Results: '))) {
    t.ok([...line].length <= 80, `80 columns: ${line}`)
  }
})
