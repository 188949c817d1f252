/** `hopbench check` of servers whose failures are known. */
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { checkFailures } from '../../../bench/judge/check-failures.js'
import { loadProbes } from '../../../bench/features/check/study.js'
import { failsWell, hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { failsInProcess } from '../../support/in-process.js'
import { copyOfProject } from '../../support/project.js'

/** @import { CheckRecord } from '../../../bench/types.js' */

/** Message about the server whose package is missing. */
const NOT_INSTALLED = /servers\/tenth\.js is invalid: it cannot be imported: Cannot find package 'not-installed-here'/

t.test('checks every server to the end, although many probes make one exit and one cannot be imported', async t => {
  const workspace = makeWorkspace(t)
  const from = copyOfProject(t)
  const folder = join(from, 'servers')
  const others = readdirSync(folder).filter(file => !['http-fs.js', 'node-static.js'].includes(file))
  for (const file of others) rmSync(join(folder, file))
  writeFileSync(join(folder, 'tenth.js'), "import serve from 'not-installed-here'\nexport default serve\n")
  const { exit, stdout, stderr } = await hopbench(['check', '--bare', '--json', '--results', workspace.results],
    { workspace, from, timeoutSeconds: 300 })
  t.equal(exit, 0, stderr)
  /** @type {CheckRecord} */
  const record = JSON.parse(stdout)
  // Proxies that serve files themselves follow the servers.
  t.match({ ...record, servers: record.servers.slice(0, 3) }, {
    schema: 1,
    servers: [{ name: 'http-fs', version: null, chains: [{ error: null }] }, { name: 'node-static', version: '0.7.11' },
      { name: 'tenth', chains: [{ error: NOT_INSTALLED }] }]
  })
  t.strictSame(record.servers[2].chains.map(({ results }) => results), [[]])
  const names = (await loadProbes()).map(({ name }) => name)
  for (const { chains } of record.servers.slice(0, 2)) {
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
  const stored = JSON.parse(readFileSync(join(workspace.results, 'check.json'), 'utf8'))
  t.equal(stored.servers.length, record.servers.length, 'stored')
  await leavesNothing(t, workspace)

  await failsWell(t, await hopbench(['check', 'tenth', '--bare'], { workspace, from }),
    { workspace, exit: 1, message: NOT_INSTALLED })
})

/** App that serves a hidden file, and responds to any other request with the text of alive.txt. */
const UNSAFE_APP = `require('node:http').createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  response.end(request.url === '/.env' ? require('node:fs').readFileSync(process.env.ROOT + '/.env') : 'alive')
}).listen(process.env.PORT, process.env.HOST)
`

t.test('--report writes a page about each failure of an app, that of safety for a private report', async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'app.cjs'), UNSAFE_APP)
  const args = ['check', '--app', 'mine=node app.cjs', '--bare', '--report', '--json', '--results', workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace, timeoutSeconds: 300 })
  t.equal(exit, 1, stderr)
  const failures = checkFailures(JSON.parse(stdout), 'mine') ?? []
  const reports = join(workspace.results, 'reports')
  t.strictSame(readdirSync(reports).sort(), failures.map(({ name }) => `mine-${name}.md`).sort())
  t.ok(stderr.includes(`A page about each failure: ${reports}`), stderr)
  const read = (/** @type {string} */ probe) => readFileSync(join(reports, `mine-${probe}.md`), 'utf8')
  t.match(read('dotfiles'), /^# mine: dotfiles fails\n\n\*\*Report privately first\*\*/)
  t.match(read('dotfiles'), / {4}curl .*'\/\.env' "\$URL"\n/)
  t.match(read('head-missing'), /^# mine: head-missing fails\n\n- Versions: Node /)
  for (const { name } of failures) t.notMatch(read(name), workspace.dir, `${name}: no path of this machine`)
  await leavesNothing(t, workspace)
})

t.test('rejects an unknown server, with the nearest name, and a JSON server', async t => {
  const workspace = makeWorkspace(t)
  const rejects = (/** @type {string} */ name, /** @type {RegExp} */ message) =>
    failsInProcess(t, ['check', name], { workspace, exit: 2, message })
  await rejects('node-statik', /no server "node-statik" in servers\/\. Did you mean "node-static"\?/)
  await rejects('express-json', /A server to check cannot be "express-json": it serves JSON/)
})
