/** The two questions of `hopbench init` on a terminal. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { run } from '../../bench/machine/process.js'
import { makeWorkspace, project } from '../support/cli.js'
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
  t.match(stdout, /Wrote \.\/compare\.js\./)
  t.match(readFileSync(join(dir, 'compare.js'), 'utf8'), /command: 'node my-app\.js',\n +listen: '\$SOCKET'/)
})

t.test('fails without writing a file when a question is not answered', {
  skip: skipWithoutProgram('script', [])
}, async t => {
  const { dir } = makeWorkspace(t)
  const { exit, stdout } = await atTerminal(dir, 'npm start\n')
  t.equal(exit, 2)
  t.match(stdout, /hopbench init is incomplete: a question was not answered\.\r?\nTry: /)
  t.notOk(existsSync(join(dir, 'compare.js')))
})
