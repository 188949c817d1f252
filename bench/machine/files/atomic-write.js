/**
 * Replaces files so that after a crash the disk holds either the old file or the new one. docs/dependencies.md explains
 * why no library does this.
 */
import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a temporary file beside the target and renames it. The temporary name is random, because two suites in
 * separate PID namespaces can have the same PID and write the same file.
 */
export async function replaceFile (/** @type {string} */ path, /** @type {string} */ text) {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const file = await open(temporary, 'wx')
  try {
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  await syncDir(dirname(path))
}

/** Syncs a folder, because a new name is on the disk only when its folder is. @param {string} dir */
export async function syncDir (dir) {
  const folder = await open(dir, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
