/** Computes the hash that names and compares contents (pure). */
import { createHash } from 'node:crypto'

/** Returns the SHA-256 of bytes or text in hexadecimal digits. @param {Buffer | string} content */
export const sha256 = content => createHash('sha256').update(content).digest('hex')
