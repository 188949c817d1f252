/**
 * What test/provocations/ is made of: each file brings about the errors of one topic of the catalog, by calling what
 * a person's
 * command would call, in the condition that the error is about. Nobody makes an error by hand: that would prove
 * nothing.
 */
import { Command } from 'commander'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** @import { AddressInfo } from 'node:net' */
/** @import { Test } from 'tap' */

/** @typedef {(t: Test) => unknown} Provocation it throws the error, or rejects with it */
/** @typedef {{ skip: string | false, provoke: Provocation }} Demanding skip: why this machine cannot bring it about */
/** @typedef {Record<string, Provocation | Demanding>} Provocations by code */

/**
 * A command of hopbench in this process: what it fails with comes out as it is.
 * @param {[name: string, ...string[]]} argv
 */
export async function command (...argv) {
  const { default: add } = await import(`../../bench/commands/${argv[0]}.js`)
  const program = new Command().exitOverride()
  add(program, () => {})
  await program.parseAsync(argv, { from: 'user' })
}

/**
 * Sets variables of the environment until the test is over.
 * @param {Test} t
 * @param {Record<string, string>} variables
 */
export function inEnvironment (t, variables) {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name]
    // One by one: an object in its place would be unknown to the system.
    t.teardown(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
    process.env[name] = value
  }
}

/**
 * A small program of its own.
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

/**
 * A port of the loopback on which somebody listens.
 * @param {Test} t
 * @returns {Promise<number>}
 */
export async function takenPort (t) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return /** @type {AddressInfo} */ (server.address()).port
}
