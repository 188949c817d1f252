import t from './support/tap.js'
import { execa } from 'execa'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @import { Test } from 'tap' */

const bench = fileURLToPath(new URL('../bench', import.meta.url))

const features = readdirSync(join(bench, 'features')).map(name => `features/${name}/errors.js`)
/** The catalog of errors. */
const ERRORS = ['errors.js', 'errors', ...features.filter(file => existsSync(join(bench, file)))]

/** Returns a function that runs the real bootstrap in a project without dependencies. */
const startProject = (/** @type {Test} */ t, engines = '>=1.0') => {
  const dir = t.testdir({
    'package.json': JSON.stringify({ type: 'module', engines: { node: engines } }),
    'script.js': 'export async function main (args) { console.log(JSON.stringify(args)); return args.length }',
    'open.js': 'export async function main () { setInterval(() => {}, 1000); return 3 }',
    'broken.js': 'export async function main () { throw new Error("broken") }',
    bench: { 'cli.js': 'export async function main (args) { console.log("cli", ...args); return 0 }' }
  })
  const needed = ['bootstrap.js', 'machine/setup/install.js', 'machine/setup/lock.js', 'machine/setup/owner.js',
    'machine/setup/path.js', 'machine/caller-cwd.js', 'machine/files/make-folder.js', 'machine/files/open-files.js',
    'machine/files/plain-files.js', 'machine/files/system-files.js', 'machine/guard-output.js',
    'machine/own-command.js', 'shared/attempt.js', 'shared/commands.js', 'shared/paths.js', 'shared/secrets.js',
    ...ERRORS]
  for (const file of needed) cpSync(join(bench, file), join(dir, 'bench', file), { recursive: true })
  return (/** @type {string[]} */ ...args) =>
    execa(process.execPath, [join(dir, 'bench/bootstrap.js'), ...args], {
      reject: false,
      cwd: '/',
      env: { HOPBENCH_DEBUG: '' }
    })
}

t.test('passes its arguments to the command line from any folder', async t => {
  t.match(await startProject(t)('run', 'a b'), { stdout: 'cli run a b', exitCode: 0 })
})

t.test('runs another script with --then and exits with the number that it returns', async t => {
  t.match(await startProject(t)('--then', 'script.js', 'x', '--y'), { stdout: '["x","--y"]', exitCode: 2 })
})

t.test('reports an unsupported version of Node without a stack trace', async t => {
  const { exitCode, stdout, stderr } = await startProject(t, '>=99.1')('list')
  t.equal(exitCode, 1)
  t.equal(stdout, '')
  t.match(stderr, /(needs|requires) Node >=99\.1, and this is Node v\d+/)
  t.notMatch(stderr, /^\s+at /m)
})

t.test('exits although a command left a timer open, and reports it', async t => {
  t.match(await startProject(t)('--then', 'open.js'), { exitCode: 3, stderr: /left handles open \(.*Timeout.*\)/ })
})

t.test('exits with 1 after an unexpected error', async t => {
  const { exitCode, stderr } = await startProject(t)('--then', 'broken.js')
  t.equal(exitCode, 1)
  t.match(stderr, /broken/)
})

t.test('exits without a stack trace when the reader of its output closes the pipe', async t => {
  const program = fileURLToPath(new URL('../bench/bootstrap.js', import.meta.url))
  const loud = 'data:text/javascript,export async function main () { console.log("x".repeat(1 << 23)); return 0 }'
  const reader = execa(process.execPath, [program, '--then', loud], { reject: false, buffer: { stdout: false } })
  reader.stdout.once('data', () => reader.stdout.destroy())
  const { exitCode, stderr } = await reader
  t.equal(exitCode, 0)
  t.equal(stderr, '')
})
