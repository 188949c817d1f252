/** A disk without space: the kernel's own refusal, whatever file is written. */
import { open } from 'node:fs/promises'

/** Takes nothing: a write fails with ENOSPC (full(4)). */
export const FULL = '/dev/full'

/**
 * From now on, until the test is over, files that are written as a whole are written to a full disk.
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
