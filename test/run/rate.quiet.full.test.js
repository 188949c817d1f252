/** Runs with --rate: an app that keeps up, and one that cannot. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

/** @import { RunRecord } from '../../bench/types.js' */

const RATE = 400
/** An app that is busy for so long with each request serves at most 200 of them per second. */
const BUSY_MS = 5

const workspace = makeWorkspace(t)
writeFileSync(join(workspace.dir, 'app.mjs'), `
import { createServer } from 'node:http'
createServer((request, response) => {
  const end = performance.now() + Number(process.argv[2])
  while (performance.now() < end);
  response.end('hello from ' + request.url)
}).listen(process.env.PORT)
`)
const experiment = {
  servers: { quick: { command: 'node app.mjs 0' }, busy: { command: `node app.mjs ${BUSY_MS}` } },
  arms: {
    quick: { topology: 'quick', load: { path: '/a' } },
    nginx: { topology: 'nginx:keepalive/quick', load: { path: '/a' } },
    busy: { topology: 'busy', load: { path: '/b' } }
  },
  contrasts: [['nginx', 'quick']],
  // The fewest with an interval, because the test is about the open loop.
  blocks: { full: 6, quick: 6 }
}
writeFileSync(join(workspace.dir, 'compare.json'), JSON.stringify(experiment))

t.test('measures every arm at one rate, and claims no percentile of an arm that cannot sustain it', {
  skip: skipWithout('nginx'), timeout: 240_000
}, async t => {
  const args = ['run', './compare.json', '--quick', '--warm-up', '1s', '--budget', '60s', '--rate', String(RATE),
    '--json', '-o', workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace, timeoutSeconds: 220 })
  if (!t.equal(exit, 0)) return t.comment(stderr)
  const { openLoop, run } = /** @type {RunRecord} */ (JSON.parse(stdout))
  const arms = new Map(openLoop?.arms.map(arm => [arm.name, arm]))
  t.equal(openLoop?.rate, RATE)
  t.strictSame([...arms.keys()], ['quick', 'nginx', 'busy'])
  for (const name of ['quick', 'nginx']) {
    const { sustained, latencyMs = null, responses = 0, why } = arms.get(name) ?? {}
    if (why?.code === 'behind-schedule') {
      // On a machine that other programs keep busy, the generator is late, and nothing is claimed.
      t.match({ sustained, latencyMs }, { sustained: null, latencyMs: null }, `${name}: the generator was late`)
      continue
    }
    t.equal(sustained, true, name)
    t.ok(latencyMs && latencyMs.p50 > 0 && latencyMs.p50 <= latencyMs.p90 && latencyMs.p90 <= latencyMs.p99, name)
    t.ok(responses > RATE, name)
  }
  const { sustained, latencyMs, answeredPerSecond } = arms.get('busy') ?? {}
  t.equal(sustained, false)
  t.equal(latencyMs, null)
  t.ok(Number(answeredPerSecond) <= 1000 / BUSY_MS)

  const report = await hopbench(['report', run, '-o', workspace.results], { workspace })
  const titles = report.stdout.split('\n').filter(line => line.includes('open loop, at 400 requests a second'))
  t.equal(titles.length, 1, 'one table')
  t.match(report.stdout.replaceAll(/\s+/g, ' '), 'busy cannot sustain 400 req/s')
})
