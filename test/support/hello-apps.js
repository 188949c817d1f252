/** The smallest app in every form in which it can be measured, and quick runs of all of them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hopbench } from './cli.js'

/** @import { Test } from 'tap' @import { Workspace } from './cli.js' */

/** Largest difference between the rates of the app as a command and as a module. */
export const SAME_RATE = 0.03
/** Lines of stderr that a failure shows. */
const LAST_LINES = 8
const HANDLER = '(req, res) => res.end(\'hello\')'
const COMMAND = `
import { createServer } from 'node:http'
createServer(${HANDLER}).listen(process.env.SOCKET ?? Number(process.env.PORT), '127.0.0.1')
`

/**
 * Measures the smallest app by command and as a module, directly and behind proxies, in one quick run, and asserts that
 * every arm is valid.
 *
 * @param {Test} t
 * @param {Workspace} workspace
 * @param {{ engine: string, proxies: string[], budget: string }} options proxies: as in "nginx:keepalive"
 * @returns {Promise<{ ratio: number, low: number, high: number | null } | null>} the command against the module; null:
 *   the run failed
 */
export async function measureHello (t, workspace, { engine, proxies, budget }) {
  writeFileSync(join(workspace.dir, 'hello.mjs'), COMMAND)
  writeFileSync(join(workspace.dir, 'hello-module.mjs'), `export default ${HANDLER}\n`)
  const words = ['./hello-module.mjs', 'app', ...proxies.map(proxy => `${proxy}/app`)]
  const args = ['run', ...words, '--app', 'node hello.mjs', '--listen', '$PORT,$SOCKET', '--engine', engine, '--quick',
    '--budget', budget, '--json', '-o', workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace, cwd: workspace.dir, timeoutSeconds: 300 })
  const end = stderr.trim().split('\n').slice(-LAST_LINES).join(' | ')
  if (!t.equal(exit, 0, `${engine}: ${end}`)) return null
  const { arms, contrasts } = JSON.parse(stdout)
  t.equal(arms.length, words.length)
  for (const { name, invalid, trials } of arms) {
    t.equal(invalid, null, `${engine}, ${name}`)
    t.ok(trials > 0, `${engine}, ${name}`)
  }
  return contrasts.find((/** @type {{ arm: string }} */ { arm }) => arm === 'app')
}
