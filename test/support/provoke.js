/**
 * Helpers of test/provocations/. Each file there triggers the errors of one topic of the catalog. It calls the same
 * functions as the command, under the condition that the error describes, and never constructs an error itself.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesFor, programOf } from '../../bench/cli.js'

/** @import { Test } from 'tap' */

/** @typedef {(t: Test) => unknown} Provocation throws the error or rejects with it */
/** @typedef {{ skip: string | false, provoke: Provocation }} Demanding skip: why the error cannot be triggered */
/** @typedef {Record<string, Provocation | Demanding>} Provocations by code */

/**
 * Runs a command of hopbench in this process. Its error reaches the caller unchanged.
 * @param {[name: string, ...string[]]} argv
 */
export async function command (...argv) {
  const program = await programOf(filesFor(argv[0]))
  await program.parseAsync(argv, { from: 'user' })
}

/**
 * Sets variables of the environment until the test is over.
 * @param {Pick<Test, 'teardown'>} t
 * @param {Record<string, string>} variables
 */
export function inEnvironment (t, variables) {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name]
    // Sets single variables, because child processes do not see an object assigned to process.env.
    t.teardown(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
    process.env[name] = value
  }
}

/**
 * Writes a shell script that can be run as a program.
 * @param {string} folder
 * @param {string} name
 * @param {string} script of sh
 * @returns {string} its path
 */
export function program (folder, name, script) {
  const file = join(folder, name)
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return file
}
