/** Plays of a scenario with a planted fault beside plays without it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hopbench } from './cli.js'

/** @import { PlaysResult, RunRecord } from '../../bench/types.js' @import { Test } from 'tap' */
/** @import { Workspace } from './cli.js' */

/**
 * Runs an experiment of two arms, and returns their valid plays.
 * @param {Test} t
 * @param {Workspace} workspace
 * @param {string} name
 * @param {object} experiment
 * @returns {Promise<Record<string, PlaysResult> | null>} null: the run failed, and so has the test
 */
export async function runPlanted (t, workspace, name, experiment) {
  writeFileSync(join(workspace.dir, `${name}.json`), JSON.stringify({ ...experiment, blocks: { full: 1, quick: 1 } }))
  const args = ['run', `./${name}.json`, '--quick', '--json', '-o', workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace })
  if (!t.equal(exit, 0, stderr)) return null
  /** @type {RunRecord} */
  const { protocol, contrasts, arms } = JSON.parse(stdout)
  t.match({ protocol, contrasts }, { protocol: 'plays', contrasts: [] })
  for (const { invalid, invalidTrials } of arms) t.equal(invalid, null, JSON.stringify(invalidTrials))
  return Object.fromEntries(arms.flatMap(({ name, plays }) => plays ? [[name, plays]] : []))
}
