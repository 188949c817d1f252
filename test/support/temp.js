/** Folders that end with a test. Their paths are short enough for sockets, which those of t.testdir are not. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTempRoot } from '../../bench/machine/files/temp.js'

/** @import { Scope } from './cli.js' */

/**
 * @param {Scope} t
 * @returns {string}
 */
export function tempFolder (t) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'hb-')))
  t.teardown(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}

/**
 * Returns the root of temporary folders that a command makes.
 * @param {Scope} t
 */
export function tempRoot (t) {
  const temp = makeTempRoot()
  t.teardown(() => temp.remove())
  return temp
}
