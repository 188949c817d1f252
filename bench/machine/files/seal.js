/**
 * Seals of texts that hopbench wrote under this account on this machine. A stored run can come from a stranger, and
 * resuming it starts the commands in it; the seal distinguishes a run of one's own.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorCode } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { isOfThisAccount, readPlainFile } from './plain-files.js'
import { writableCache } from '../setup/tool-cache.js'

/** File with the secret key in the cache. No other account may read it. */
const KEY_FILE = 'seal.key'
const KEY_BYTES = 32

/**
 * Returns the seal of a text: a code that only this account can compute.
 *
 * @param {string} text
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | null} null: there is no safe place for a key
 */
export function seal (text, env = process.env) {
  const key = findKey(env)
  return key && createHmac('sha256', key).update(text).digest('hex')
}

/**
 * Returns whether this account sealed a text on this machine.
 *
 * @param {string} text
 * @param {string} given seal
 * @param {NodeJS.ProcessEnv} [env]
 */
export function isSealed (text, given, env = process.env) {
  const expected = seal(text, env)
  if (expected === null || given.length !== expected.length) return false
  return timingSafeEqual(Buffer.from(given, 'latin1'), Buffer.from(expected, 'latin1'))
}

/**
 * Returns the key, and creates it first if there is none.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Buffer | null}
 */
function findKey (env) {
  const cache = writableCache(env)
  if (cache === null) return null
  const file = join(cache, KEY_FILE)
  return attempt(() => {
    writeFileSync(file, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 })
    return readKey(file)
  }, error => getErrorCode(error) === 'EEXIST' ? attempt(() => readKey(file), () => null) : null)
}

/**
 * @param {string} file
 * @returns {Buffer | null} null: it is incomplete
 * @throws {Error} another account can read or write it
 */
function readKey (file) {
  const key = readPlainFile(file, {
    maxBytes: KEY_BYTES,
    findFault: stats => isOfThisAccount(stats) && (stats.mode & 0o077) === 0 ? null : 'it is not private'
  })
  return key.length === KEY_BYTES ? key : null
}
