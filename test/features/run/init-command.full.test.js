/** `hopbench init`: its two questions, and a file that runs in every kind of project. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { planFrom } from '../../../bench/request/request.js'
import { hopbench, makeWorkspace, project } from '../../support/cli.js'
import { failsInProcess } from '../../support/in-process.js'
import { skipWithoutProgram } from '../../support/needs.js'

/** @import { Workspace } from '../../support/cli.js' */
/** @import { Test } from 'tap' */

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
  t.test(`writes ${file[0] ?? 'a file'} that can be imported in a project of type ${type}`, async t => {
    const { workspace, command } = await initialized(t, type, file)
    t.match(command, / run \.\/compare\.m?js --quick$/)
    const { plan } = await planFrom([join(workspace.dir, file[0] ?? 'compare.mjs')], { quick: true, lab: true })
    t.match(plan.arms, [{ name: 'alone' }, { name: 'tcp' }, { name: 'keepalive' }])
  })
}

t.test('the printed command runs the file', async t => {
  const { workspace, command } = await initialized(t, 'commonjs', [])
  // As printed, with less to measure.
  const { exit, stdout, stderr } = await run(['sh', '-c', `${command} --smoke --json`],
    { cwd: workspace.dir, env: { TMPDIR: workspace.tmp }, timeoutSeconds: 120 })
  t.equal(exit, 0) || t.comment(stderr)
  t.match(JSON.parse(stdout), { arms: [{ name: 'alone' }, { name: 'tcp' }, { name: 'keepalive' }] })
})

/**
 * Makes a project with a server, and runs `hopbench init` in it.
 * @param {Test} t
 * @param {string} type of the project
 * @param {string[]} file argument of init
 * @returns {Promise<{ workspace: Workspace, command: string }>} command: the printed one
 */
async function initialized (t, type, file) {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'package.json'), JSON.stringify({ type }))
  writeFileSync(join(workspace.dir, 'server.cjs'), SERVER)
  const { exit, stdout, stderr } = await hopbench(['init', '--app', 'node server.cjs', ...file], { workspace })
  t.equal(exit, 0) || t.comment(stderr)
  return { workspace, command: stdout.trim().split('\n').at(-1)?.trim() ?? '' }
}

for (const file of ['compare.json', './compare', './compare.ts']) {
  t.test(`rejects ${file}, which could not be run`, async t => failsInProcess(t, ['init', '--app', 'npm start', file], {
    workspace: makeWorkspace(t), exit: 2, message: /\[bad-option\]/
  }))
}
