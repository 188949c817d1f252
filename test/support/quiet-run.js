/**
 * Runs of hopbench that are repeated where other programs on the machine disturbed them.
 * @import { Test } from 'tap'
 */
import { hopbench, makeWorkspace } from './cli.js'

/** Runs until one succeeds. Another program on the machine can invalidate trials, because it wakes paused arms. */
const TRIES = 3

/** @param {{ reason: { code: string } }} trial */
const getReason = ({ reason }) => reason

/**
 * Runs hopbench until no arm is invalid because of other programs on the machine.
 * @param {Test} t
 * @param {string[]} args
 */
export async function measured (t, args) {
  for (let tries = 1; ; tries++) {
    const workspace = makeWorkspace(t)
    const { exit, stdout, stderr } = await hopbench([...args, '--results', workspace.results], { workspace })
    if (stdout === '') throw new Error(`no output: ${stderr}`)
    const record = JSON.parse(stdout)
    // An arm without a figure has no valid trial.
    const noisy = record.arms.some((/** @type {any} */ { invalid, rps, invalidTrials }) =>
      [invalid, ...rps ? [] : invalidTrials.map(getReason)].some(reason => reason?.code === 'idle-arms-busy'))
    if (!noisy || tries === TRIES) return { workspace, exit, stderr, record }
    t.comment('too noisy: another try')
  }
}
