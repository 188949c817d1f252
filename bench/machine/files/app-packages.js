/** Reads which packages an app depends on. */
import { join } from 'node:path'
import { attempt } from '../../shared/attempt.js'
import { callerCwd } from '../caller-cwd.js'
import { readPlainFile } from './plain-files.js'

const MAX_BYTES = 1024 * 1024 // More than any package.json.

/**
 * Lists the packages of an app, which its folder names.
 * @param {string} [folder] default: that from which hopbench was started
 * @returns {string[]} empty: there is no package.json
 */
export const listPackages = (folder = callerCwd()) => attempt(() => {
  const text = readPlainFile(join(folder, 'package.json'), { maxBytes: MAX_BYTES }).toString()
  return Object.keys(JSON.parse(text).dependencies ?? {})
}, () => [])
