/** `hopbench diff` on a git repository with two commits of a small app. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { begin, failsWell, hopbench, leavesNothing, listRuns, makeWorkspace, recordIn } from '../../support/cli.js'
import { git, makeRepository } from '../../support/repository.js'

/** @import { Test } from 'tap' */

/** An app as Express writes it, without its packages: routes and a listener. */
const MINI_EXPRESS = `const http = require('http')
module.exports = () => {
  const routes = {}
  return {
    get (path, handle) { routes[path] = handle },
    listen (port) {
      http.createServer((req, res) => {
        const handle = routes[req.url] || ((_req, res) => { res.statusCode = 404; res.end() })
        handle(req, res)
      }).listen(port)
    }
  }
}
`
/** @type {(text: string) => string} */
const toApp = text => `const app = require('mini-express')()
app.get('/', (req, res) => res.end('${text}'))
app.get('/same', (req, res) => res.end('same'))
app.listen(process.env.PORT)
`

/**
 * Makes a repository whose head responds with another text at "/".
 *
 * @param {Test} t
 * @param {Record<string, string>} [change] files of the second commit
 */
async function makeApp (t, change = { 'app.js': toApp('two') }) {
  const lock = '{"lockfileVersion":3,"packages":{"node_modules/mini-express":{"version":"1.0.0"}}}'
  const files = { 'app.js': toApp('one'), 'package-lock.json': lock }
  const folder = await makeRepository(t, { files, change })
  mkdirSync(join(folder, 'node_modules/mini-express'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), lock)
  writeFileSync(join(folder, 'node_modules/mini-express/index.js'), MINI_EXPRESS)
  return folder
}

/** @param {string} folder */
const listWorktrees = folder => git(folder, 'worktree', 'list', '--porcelain')

t.test('measures the working tree against a ref that copies its packages, and leaves nothing behind', async t => {
  const workspace = makeWorkspace(t)
  // The responses to "/" differ in text and length.
  const cwd = await makeApp(t, { 'app.js': toApp('three') })
  writeFileSync(join(cwd, 'notes.txt'), 'not committed')
  const { exit, stdout, stderr } = await hopbench(
    ['diff', 'main', '--allow-different', '--smoke', '--export-markdown', join(workspace.dir, 'diff.md'), '-o',
      workspace.results], { workspace, cwd })
  t.equal(exit, 0, stderr)
  t.match(stderr, /^base: main at [0-9a-f]{8} "First version"\n/)
  t.match(stderr, /^head: your working tree at [0-9a-f]{8}, with 1 uncommitted file\n/m)
  t.match(stderr, /base copies the packages of your working tree: package-lock\.json is the same/)
  t.match(stdout, /^UNDECIDED: /)
  t.match(stdout, /CPU time per request, µs/)
  t.match(readFileSync(join(workspace.dir, 'diff.md'), 'utf8'), /^\*\*UNDECIDED: /)
  const [run] = listRuns(workspace.results)
  const { diff } = JSON.parse(readFileSync(join(workspace.results, run, 'run.json'), 'utf8'))
  t.match(diff, { margin: 0.05, base: { ref: 'main', changes: 0 }, head: { ref: null, changes: 1 } })
  t.notMatch(await listWorktrees(cwd), /hopbench-/)
  await leavesNothing(t, workspace)
})

t.test('lists the paths to which head responds differently', async t => {
  const workspace = makeWorkspace(t)
  const cwd = await makeApp(t)
  const args = ['diff', 'main', '--path', '/', '--path', '/same', '--smoke']
  await failsWell(t, await hopbench(args, { workspace, cwd }), {
    workspace, exit: 1, message: /base \/ and head \/ respond differently .*that are not the same.*--allow-different/s
  })
})

t.test('--compare length compares the lengths of several requests', async t => {
  const workspace = makeWorkspace(t)
  const cwd = await makeApp(t, { 'app.js': toApp('three') })
  const paths = join(workspace.dir, 'paths.txt')
  writeFileSync(paths, '/\n/same\n')
  const args = ['diff', 'main', '--paths', paths, '--compare', 'length', '--smoke']
  await failsWell(t, await hopbench(args, { workspace, cwd }), {
    workspace, exit: 1, message: /base and head respond differently .*at \/, with 3 and 5 bytes/s
  })
})

t.test('a base that does not start is the result, with its output', async t => {
  const workspace = makeWorkspace(t)
  const cwd = await makeApp(t)
  await git(cwd, 'checkout', '--quiet', '-b', 'broken')
  writeFileSync(join(cwd, 'app.js'), "console.error('no such table')\nprocess.exit(1)\n")
  await git(cwd, 'commit', '--quiet', '--all', '--message=Broken')
  await git(cwd, 'checkout', '--quiet', 'feature')
  await failsWell(t, await hopbench(['diff', 'broken', '--smoke'], { workspace, cwd }), {
    workspace, exit: 1, message: /base .*no such table/s
  })
  t.notMatch(await listWorktrees(cwd), /hopbench-/)
})

t.test('a head that fails under load ends with 1, its reason on stderr, and an error in the JUnit file', async t => {
  const workspace = makeWorkspace(t)
  const failing = toApp('one').replace("app.get('/same', (req, res) => res.end('same'))", `let served = 0
app.get('/same', (req, res) => { res.statusCode = ++served > 500 ? 500 : 200; res.end('same') })`)
  const cwd = await makeApp(t, { 'app.js': failing })
  const junit = join(workspace.dir, 'junit.xml')
  const exports = ['--export-junit', junit, '--export-json', '-', '-o', workspace.results]
  const { exit, stdout, stderr } =
    await hopbench(['diff', 'main', '--path', '/same', '--smoke', ...exports], { workspace, cwd })
  t.equal(exit, 1, stderr)
  t.match(stderr, /^UNDECIDED: head was not measured: /m)
  const diff = { open: true, slower: false }
  t.match(JSON.parse(stdout), { kind: 'diff', experiment: 'diff', ended: 'failed', diff })
  t.match(readFileSync(junit, 'utf8'), /<error message="[^"]*head/i)
  await leavesNothing(t, workspace)
})

t.test('Ctrl-C while response times are measured ends with 1', async t => {
  const workspace = makeWorkspace(t)
  const cwd = await makeApp(t)
  const { child, until, stderr } = begin(t,
    ['diff', 'main', '--path', '/same', '--smoke', '--latency', '-o', workspace.results], { workspace, cwd })
  await until(() => stderr().includes('response times at'))
  process.kill(child.pid, 'SIGINT')
  const { code } = await child.exited
  t.equal(code, 1, stderr())
  t.match(stderr(), /^The comparison was interrupted\.$/m)
  t.match(recordIn(workspace), { kind: 'diff', complete: false, ended: 'interrupted', diff: { open: true } })
  await leavesNothing(t, workspace)
})

t.test('an interrupted installation leaves no checkout', async t => {
  const workspace = makeWorkspace(t)
  const cwd = await makeApp(t)
  const started = join(workspace.dir, 'started')
  const install = `touch '${started}'; exec sleep 60`
  const { child, until } = begin(t, ['diff', 'main', '--install', install], { workspace, cwd })
  await until(() => existsSync(started))
  process.kill(child.pid, 'SIGINT')
  await child.exited
  t.notMatch(await listWorktrees(cwd), /hopbench-/)
  await leavesNothing(t, workspace)
})
