/** Writes the files of a kit. Checks first that none is in the way. */
import { lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { describeFileError, isSystemError } from '../../machine/file-failures.js'

/**
 * @param {string} dir
 * @param {Record<string, string>} files
 * @param {{ force: boolean }} options
 * @throws {HopbenchError} kit-in-the-way, kit-not-writable
 */
export async function writeKit (dir, files, { force }) {
  const existing = statSync(dir, { throwIfNoEntry: false })
  if (existing && !existing.isDirectory()) throw new HopbenchError('kit-not-writable', { dir, why: 'it is a file' })
  const names = Object.keys(files).sort()
  const taken = names.filter(name => lstatSync(join(dir, name), { throwIfNoEntry: false }))
  if (taken.length > 0 && !force) throw new HopbenchError('kit-in-the-way', { dir, files: taken })
  try {
    for (const name of names) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      const mode = name.endsWith('.sh') ? 0o755 : 0o644
      writeFileSync(join(dir, name), files[name], { flag: force ? 'w' : 'wx', mode })
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new HopbenchError('kit-not-writable', { dir, why: describeFileError(error) }, { cause: error })
  }
}
