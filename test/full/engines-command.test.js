/** `hopbench engines`: every engine in six windows of one second. */
import t from 'tap'
import { pluginNames } from '../../bench/plugins.js'
import { hopbench, leavesNothing, makeWorkspace } from '../support/cli.js'

t.test('hopbench engines measures one topology with every available engine, and leaves nothing behind', async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(['engines', 'nginx:keepalive/http-json', '--quick', '--connections',
    '10', '--json'], { workspace, timeoutSeconds: 150 })
  t.equal(exit, 0) || t.comment(stderr)
  const { comparisons: [{ engines, leftOut, blocks, connections }] } = JSON.parse(stdout)
  t.match({ blocks, connections }, { blocks: 6, connections: 10 })
  t.ok(engines.length > 1, 'several engines are available')
  const names = [...engines, ...leftOut].map(({ name }) => name).sort()
  t.same(names, pluginNames('engine'), 'every engine is measured or left out with a reason')
  t.match(leftOut.find((/** @type {{ name: string }} */ { name }) => name === 's-time')?.why,
    /cannot speak HTTP without TLS/)
  for (const { name, windows, failures, rps, ownRps, share, latencyNote } of engines) {
    t.equal(windows + failures.length, 6, `${name}: every window is reported`)
    t.ok(rps.median > 0 && ownRps > 0 && share > 0, `${name}: both sides counted`)
    t.ok(latencyNote.length > 0)
  }
  await leavesNothing(t, workspace)
})
