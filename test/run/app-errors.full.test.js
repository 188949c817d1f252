/** Messages about apps of your own that cannot be measured, as a user gets them on the terminal. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { listening } from '../support/listening.js'

/** @import { Test } from 'tap' */

/**
 * Measures an app and returns the message on the terminal.
 * @param {Test} t
 * @param {string} code of the app, in JavaScript
 * @param {string[]} [options]
 */
async function messageOf (t, code, options = []) {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'app.cjs'), code)
  const app = ['--app', 'node app.cjs', 'app', '--smoke', '--no-lab', ...options]
  const { exit, stderr } = await hopbench(['run', ...app], { workspace })
  return { exit, stderr, dir: workspace.dir }
}

const SERVE = "require('http').createServer((q, r) => { r.statusCode = STATUS; r.end('x') }).listen(process.env.PORT)"

t.test('a crash shows the first line of its error and the last eight lines', async t => {
  const code = `
    console.log('before')
    const lines = Array.from({ length: 20 }, (_, i) => '    at line ' + i).join('\\n')
    process.stderr.write('TypeError: x is not a function\\n' + lines + '\\n')
    process.exitCode = 1`
  const { exit, stderr, dir } = await messageOf(t, code)
  t.equal(exit, 1)
  const shown = stderr.split('\n').filter(line => line.startsWith('    ')).map(line => line.trim())
  const last = Array.from({ length: 8 }, (_, i) => `at line ${i + 12}`)
  t.strictSame(shown, ['TypeError: x is not a function', '…', ...last])
  t.match(stderr, /\[process-died\]/)
  const missing = await messageOf(t, "require('./missing')")
  t.match(missing.stderr, / {4}Error: Cannot find module '\.\/missing'/, 'the path of the folder is no secret')
  t.notMatch(missing.stderr, /redacted/, dir)
})

t.test('a status of 404 names --path', async t => {
  const { exit, stderr } = await messageOf(t, SERVE.replace('STATUS', '404'))
  t.equal(exit, 1)
  t.match(stderr, /status 404\.\nTry: Name a path.* \[gate-refused\]/)
})

t.test('a port in use names the process that holds it', async t => {
  const port = String(await listening(t))
  const holder = new RegExp(`node \\(process ${process.pid}\\)`)
  const { exit, stderr } = await messageOf(t, SERVE.replace('STATUS', '200'), ['--listen', port])
  t.equal(exit, 1)
  t.match(stderr, /\[port-in-use\]/)
  const workspace = makeWorkspace(t)
  const page = await hopbench(['serve', '--port', port, '--results', workspace.results], { workspace })
  t.match(page.stderr, /\[cannot-listen\]/)
  if (process.platform === 'linux') for (const text of [stderr, page.stderr]) t.match(text, holder)
})

t.test('a missing body file names the folder in which it was looked up', async t => {
  const { exit, stderr, dir } = await messageOf(t, '', ['--body-file', 'nope.json'])
  t.equal(exit, 2)
  t.ok(stderr.includes(`(looked up in ${dir})`), stderr)
})
