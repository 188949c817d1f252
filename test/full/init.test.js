/** `hopbench init`: its two questions, and a file that runs in every kind of project. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { run } from '../../bench/machine/process.js'
import { hopbench, makeWorkspace, project } from '../support/cli.js'
import { skipWithoutProgram } from '../support/needs.js'

/**
 * Runs `hopbench init` on a terminal and types all answers at once.
 * @param {string} dir
 * @param {string} typed
 */
const atTerminal = (dir, typed) => run(['script', '--quiet', '--flush', '--return', '--command',
  `'${process.execPath}' '${join(project, 'bench/bootstrap.js')}' init`, '/dev/null'], { cwd: dir, input: typed })

t.test('writes an experiment from two answers', { skip: skipWithoutProgram('script', []) }, async t => {
  const { dir } = makeWorkspace(t)
  const { exit, stdout } = await atTerminal(dir, 'node my-app.js\n$SOCKET\n')
  t.equal(exit, 0) || t.comment(stdout)
  t.match(stdout, /What starts your app\? \(npm start\)[^]*Where does it listen/)
  t.match(stdout, /Wrote \.\/compare\.mjs\./)
  t.match(readFileSync(join(dir, 'compare.mjs'), 'utf8'), /command: 'node my-app\.js',\n +listen: '\$SOCKET'/)
})

t.test('fails without writing a file when a question is not answered', {
  skip: skipWithoutProgram('script', [])
}, async t => {
  const { dir } = makeWorkspace(t)
  const { exit, stdout } = await atTerminal(dir, 'npm start\n')
  t.equal(exit, 2)
  t.match(stdout, /hopbench init is incomplete: a question was not answered\.\r?\nTry: /)
  t.notOk(existsSync(join(dir, 'compare.mjs')))
})

const SERVER = "require('http').createServer((q, r) => r.end('hello')).listen(process.env.PORT)"

/** Type of a project, and the argument of init. Without one the file is ./compare.mjs. */
const PROJECTS = [['commonjs'], ['commonjs', './compare.js'], ['module', './compare.js']]

for (const [type, ...file] of PROJECTS) {
  t.test(`the printed command runs ${file[0] ?? 'the file'} in a project of type ${type}`, async t => {
    const workspace = makeWorkspace(t)
    writeFileSync(join(workspace.dir, 'package.json'), JSON.stringify({ type }))
    writeFileSync(join(workspace.dir, 'server.cjs'), SERVER)
    const written = await hopbench(['init', '--app', 'node server.cjs', ...file], { workspace })
    t.equal(written.exit, 0) || t.comment(written.stderr)
    const command = written.stdout.trim().split('\n').at(-1)?.trim() ?? ''
    t.match(command, / run \.\/compare\.m?js --quick$/)
    // As printed, with less to measure.
    const { exit, stdout, stderr } = await run(['sh', '-c', `${command} --smoke --json`],
      { cwd: workspace.dir, env: { TMPDIR: workspace.tmp }, timeoutSeconds: 120 })
    t.equal(exit, 0) || t.comment(stderr)
    t.match(JSON.parse(stdout), { arms: [{ name: 'alone' }, { name: 'tcp' }, { name: 'keepalive' }] })
  })
}

t.test('rejects a file that could not be run', async t => {
  const workspace = makeWorkspace(t)
  for (const file of ['compare.json', './compare', './compare.ts']) {
    const { exit, stderr } = await hopbench(['init', '--app', 'npm start', file], { workspace })
    t.equal(exit, 2, file)
    t.match(stderr, /\[bad-option\]/)
  }
})
