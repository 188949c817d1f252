/** Writing that survives a crash: the disk holds the old file or the new one, whole. */
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A temporary file beside it, then a rename: readers see the old text or the new one, whole. */
export async function replaceFile (/** @type {string} */ path, /** @type {string} */ text) {
  const temporary = `${path}.tmp`
  try {
    const file = await open(temporary, 'w')
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

/** A new name is on the disk only when its folder is. */
export async function syncDir (/** @type {string} */ dir) {
  const folder = await open(dir, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
