/** The experiment site on real programs: page views, their bytes, and the same responses from app and proxies. */
import t from '../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace, samplesIn } from '../support/cli.js'
import { skipWithout, skipWithoutProgram } from '../support/needs.js'

/** @import { RunRecord } from '../../bench/types.js' */

const workspace = makeWorkspace(t)
/** Requests of a page view of the built-in site. */
const REQUESTS = 21
/** Largest share of the bytes of a page view that remain compressed: of 552 KB, 311 KB with gzip at level 9. */
const COMPRESSED_SHARE = 0.7

const skip = skipWithout('nginx') || skipWithout('caddy') || skipWithoutProgram('wrk', ['wrk'])
t.test('site counts page views of an app that serves its files, and behind proxies', { skip }, async t => {
  const args = ['run', 'site', '--smoke', '--json', '-o', workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace })
  if (!t.equal(exit, 0, stderr)) return
  /** @type {RunRecord} */
  const { unit, arms } = JSON.parse(stdout)
  t.equal(unit, 'pages')
  for (const { name, invalid } of arms) t.equal(invalid, null, name)
  const samples = samplesIn(workspace)
  t.equal(samples.length, arms.length)
  for (const { arm, requestsPerUnit } of samples) t.equal(requestsPerUnit, REQUESTS, arm)
  const bytesOf = (/** @type {string} */ arm) => Number(arms.find(({ name }) => name === arm)?.bytesPerResponse)
  for (const plain of ['app', 'nginx passes', 'nginx serves', 'caddy serves']) {
    t.ok(bytesOf(plain) > 552_000 && bytesOf(plain) < 575_000, `${plain}: ${bytesOf(plain)} bytes for a page view`)
  }
  for (const packed of ['app compresses', 'nginx serves gzip']) {
    t.ok(bytesOf(packed) < COMPRESSED_SHARE * bytesOf('app'), `${packed}: ${bytesOf(packed)} bytes for a page view`)
  }
})

t.test('leaves nothing behind', t => leavesNothing(t, workspace))
