/** Tests which Node built-in servers run under, with the version of the Node that runs hopbench given. */
import t from '../support/tap.js'
import { findCurrentLts, getServedNode, pastItsEnd, runtimes } from '../../bench/plan/runtimes.js'
import { parse, withCommands } from '../../bench/plan/spec.js'
import { environmentTable } from '../../bench/report/page/view.js'
import { machineSentence } from '../../bench/report/sentences/run-sentences.js'
import { getServerRuntimeHere, hasDefaultRuntime, withOwnNode } from '../../bench/topology/server-node.js'
import { makeEnvironment, makeRecord } from '../support/record.js'
import { armOf } from '../support/samples.js'

t.test('the current LTS line is the newest one whose long-term support has begun and not ended', async t => {
  t.equal(findCurrentLts('2026-11-24T10:00:00Z'), 'node-26')
  t.equal(findCurrentLts('2026-10-27'), 'node-24')
  t.equal(findCurrentLts('2024-01-01'), 'node-20')
  t.equal(findCurrentLts('2040-01-01'), null)
  for (const line of [20, 22, 24, 26]) {
    t.ok(`node-${line}` in runtimes && pastItsEnd(`${line}.0.0`, '2099-01-01'), `${line} has a build`)
  }
})

t.test('built-in servers run under the current LTS line if the own Node is past its end of life', async t => {
  const nameFor = (/** @type {string} */ own, today = '2026-11-24') => getServerRuntimeHere(own, today)?.name ?? null
  t.equal(nameFor('20.20.2'), 'node-26')
  t.equal(nameFor('20.20.2', '2026-04-30'), null, 'the last day')
  t.equal(nameFor('23.11.0'), 'node-26')
  t.equal(nameFor('22.23.2'), null)
  t.equal(nameFor('26.10.0'), null)
  t.equal(nameFor('99.0.0'), null, 'a line that is not listed')
  t.equal(nameFor('20.20.2', '2040-01-01'), null, 'all listed lines are past their end')
})

t.test('own apps, other proxies and servers with a runtime of their own keep theirs', async t => {
  for (const spec of ['express-json', 'nginx:uds/st@pm2:2', 'sirv+flags=jitless']) {
    t.ok(hasDefaultRuntime(parse(spec)), spec)
  }
  for (const spec of ['st+runtime=bun', 'st+runtime=own', './app.js', 'nginx/files', 'nginx:uds/nginx', 'caddy']) {
    t.notOk(hasDefaultRuntime(parse(spec)), spec)
  }
  /** @type {import('../../bench/types.js').AppCommand} */
  const command = { run: 'node app.js', cwd: '/', listen: ['tcp'], readySeconds: 60 }
  const app = withCommands(parse('nginx:tcp/app'), { app: command })
  t.notOk(hasDefaultRuntime(app))
})

t.test('--own-node is stored in the topology', async t => {
  const { spec, topology, name } = withOwnNode(armOf('nginx:uds/express-json'))
  t.strictSame([spec, name], ['nginx:uds/express-json+runtime=own', 'it'])
  t.strictSame(parse(spec), topology)
  const bun = armOf('st+runtime=bun')
  t.equal(withOwnNode(bun), bun)
})

t.test('reports the Node that served beside the Node that ran hopbench', async t => {
  const environment = makeEnvironment({ node: '20.20.2' })
  const record = makeRecord({ environment, tools: { nginx: '1.22.1', node: '26.10.0' } })
  t.equal(getServedNode(record), '26.10.0')
  t.equal(getServedNode(makeRecord({ environment })), '20.20.2')
  const { rows } = environmentTable(record)
  t.ok(rows.some(([, value]) => value === '20.20.2') && rows.some(([, value]) => value === '26.10.0'))
  t.match(machineSentence(record), /Node 20\.20\.2.*Node 26\.10\.0/)
})
