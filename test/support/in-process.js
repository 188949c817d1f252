/**
 * Commands of hopbench in the process of a test, which saves the second of CPU time that the start of a process takes.
 * @import { Test } from 'tap'
 * @import { Workspace } from './cli.js'
 */
import { main } from '../../bench/cli.js'
import { explain, HopbenchError } from '../../bench/errors.js'
import { leavesNothing } from './cli.js'
import { inEnvironment } from './provoke.js'

/**
 * Runs a command that is rejected before it starts a process.
 * @param {Test} t
 * @param {string[]} args
 * @param {Workspace} workspace
 * @returns {Promise<{ text: string, exit: number }>} text: as printed; exit: exit code
 */
export async function getFailure (t, args, workspace) {
  inEnvironment(t, { TMPDIR: workspace.tmp, INIT_CWD: workspace.dir })
  const error = await main(args).then(() => null, error => error)
  if (!(error instanceof HopbenchError)) throw new Error('no error of the catalog', { cause: error })
  const { text, exit } = explain(error)
  return { text, exit }
}

/**
 * Asserts that a command is rejected with an error of the catalog, and that nothing is left.
 * @param {Test} t
 * @param {string[]} args
 * @param {{ workspace: Workspace, exit: 1 | 2, message: RegExp }} expected message: matches the printed text
 */
export async function failsInProcess (t, args, { workspace, exit: expected, message }) {
  const { text, exit } = await getFailure(t, args, workspace)
  t.match(text, message)
  t.equal(exit, expected, 'exit code')
  t.equal(text.match(/^Try: /gm)?.length, 1, 'one suggestion')
  t.notMatch(text, /undefined|\[object/, 'no detail is missing')
  await leavesNothing(t, workspace)
}
