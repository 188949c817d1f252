/**
 * Writing that survives a crash: the disk holds the old file or the new one, whole. No library, for reasons that
 * docs/dependencies.md gives.
 */
import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * A temporary file beside it, then a rename. Its name is chosen by chance: two suites, which may have the same number,
 * each in a namespace of its own, may write the same file.
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

/** A new name is on the disk only when its folder is. @param {string} dir */
export async function syncDir (dir) {
  const folder = await open(dir, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
