/** Simulates a full disk with the kernel's own error, ENOSPC. */
import { open } from 'node:fs/promises'

/** Device to which every write fails with ENOSPC (full(4)). */
export const FULL = '/dev/full'

/**
 * Redirects every `FileHandle.writeFile` to a full disk until the test ends.
 * @param {{ teardown: (undo: () => unknown) => unknown }} t
 */
export async function fillDisk (t) {
  const full = await open(FULL, 'a')
  const methods = Object.getPrototypeOf(full)
  const { writeFile } = methods
  const undo = async () => {
    methods.writeFile = writeFile
    await full.close()
  }
  t.teardown(undo)
  methods.writeFile = (/** @type {string} */ text) => writeFile.call(full, text)
}
