/** `hopbench check` of servers whose failures are known. */
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkFailures } from '../../bench/analysis/check-failures.js'
import { loadProbes } from '../../bench/studies/check/probe-run.js'
import { failsWell, hopbench, leavesNothing, makeWorkspace } from '../support/cli.js'
import { copyOfProject } from '../support/project.js'

/** @import { CheckRecord } from '../../bench/types.js' */

t.test('checks a server to the end although many probes make it exit', async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(['check', 'node-static', 'http-fs', '--bare', '--json', '--results',
    workspace.results], { workspace, timeoutSeconds: 150 })
  t.equal(exit, 0, stderr)
  /** @type {CheckRecord} */
  const record = JSON.parse(stdout)
  t.match(record, {
    schema: 1,
    servers: [{ name: 'node-static', version: '0.7.11' }, { name: 'http-fs', version: null }]
  })
  const names = (await loadProbes()).map(({ name }) => name)
  for (const { chains } of record.servers) {
    t.strictSame(chains.map(({ results }) => results.map(({ probe }) => probe)), [names],
      'every probe has its result')
  }

  t.strictSame(checkFailures(record, 'http-fs'), [])
  const failures = new Map(checkFailures(record, 'node-static')?.map(failure => [failure.name, failure]))
  for (const deadly of ['head', 'range', 'post', 'nul-byte']) {
    t.match(failures.get(deadly), { died: true, safety: true }, `exits on ${deadly}`)
  }
  for (const leak of ['dotfiles', 'traversal-sibling']) {
    t.match(failures.get(leak), { died: false, safety: true }, leak)
  }
  t.notMatch(stdout, workspace.tmp, 'no path of this machine')
  t.same(JSON.parse(readFileSync(join(workspace.results, 'check.json'), 'utf8')).servers.length, 2, 'stored')
  await leavesNothing(t, workspace)
})

t.test('reports an unknown server with the nearest name', async t => {
  const workspace = makeWorkspace(t)
  await failsWell(t, await hopbench(['check', 'node-statik'], { workspace }), {
    workspace,
    exit: 2,
    message: /no server "node-statik" in servers\/\. Did you mean "node-static"\?/
  })
})

t.test('rejects a JSON server', async t => {
  const workspace = makeWorkspace(t)
  await failsWell(t, await hopbench(['check', 'express-json'], { workspace }), {
    workspace,
    exit: 2,
    message: /A server to check cannot be "express-json": it serves JSON/
  })
})

t.test('names a package that is not installed, and checks the other servers', async t => {
  const workspace = makeWorkspace(t)
  const from = copyOfProject(t)
  for (const name of readdirSync(join(from, 'servers'))) if (name !== 'http-fs.js') rmSync(join(from, 'servers', name))
  writeFileSync(join(from, 'servers', 'tenth.js'), "import serve from 'not-installed-here'\nexport default serve\n")
  const message =
    /servers\/tenth\.js is invalid: it cannot be imported: Cannot find package 'not-installed-here'/
  await failsWell(t, await hopbench(['check', 'tenth', '--bare'], { workspace, from }), { workspace, exit: 1, message })

  const { exit, stdout, stderr } = await hopbench(['check', '--bare', '--json', '--results', workspace.results], {
    workspace,
    from
  })
  t.equal(exit, 0, stderr)
  t.match(JSON.parse(stdout).servers, [{ name: 'http-fs', chains: [{ error: null }] }, {
    name: 'tenth',
    chains: [{ error: message, results: [] }]
  }])
  await leavesNothing(t, workspace)
})
