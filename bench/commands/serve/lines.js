import { closeSync, openSync, readSync } from 'node:fs'

/**
 * The lines that were added to a file since the last call, without those that are not whole yet.
 *
 * @param {string} file
 * @returns {{ added: () => string[], close: () => void }}
 */
export function linesOf (file) {
  const descriptor = openSync(file, 'r')
  const chunk = Buffer.alloc(1 << 16)
  let rest = ''
  const added = () => {
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) {
      rest += chunk.toString('latin1', 0, count)
    }
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    // Read as bytes, so that no letter is torn between two readings.
    return lines.map(line => Buffer.from(line, 'latin1').toString())
  }
  return { added, close: () => closeSync(descriptor) }
}
