/** Reads the limit of the heap of a Node app. V8 derives a default limit from the memory of the control group, and
 * --max-old-space-size replaces it (Node's documentation of that option, and of NODE_OPTIONS). */
import { basename } from 'node:path'
import { getExecutable } from '../../../machine/kernel-counts.js'
import { run } from '../../../machine/process.js'
import { readText } from '../../../machine/files/system-files.js'

const PRINT = 'require("node:v8").getHeapStatistics().heap_size_limit'
/** Options of a process that change its limit, also in NODE_OPTIONS. */
const HEAP_OPTION = /--max[-_](?:old[-_]space[-_]size|semi[-_]space[-_]size|heap[-_]size)(?:-percentage)?=[\d.]+/g
/** Limit of the wait, because an eighth of a core starts Node in seconds. */
const SECONDS = 60

/**
 * Starts the Node of a process once more, under the same limits and with the same options of the heap.
 *
 * @param {number[]} pids of the app
 * @param {string[]} [enter] start of an argv that runs the rest of it under the limits
 * @returns {Promise<number | null>} MiB; null: no process of the app is Node, or Node does not start
 */
export async function readHeapLimit (pids, enter = []) {
  for (const pid of pids) {
    const executable = getExecutable(pid)
    if (!executable || !/^node(?:js)?$/.test(basename(executable))) continue
    const options = readHeapOptions(pid)
    const { stdout } = await run([...enter, executable, ...options, '-p', PRINT], {
      env: { NODE_OPTIONS: '' }, timeoutSeconds: SECONDS
    })
    const bytes = Number(stdout.trim() || NaN)
    return Number.isFinite(bytes) ? bytes / 2 ** 20 : null
  }
  return null
}

/** Returns the options of the heap of a process, those of its command line last. @param {number} pid */
const readHeapOptions = pid => ['environ', 'cmdline'].flatMap(file => readText(`/proc/${pid}/${file}`).split('\0')
  .filter(word => word.startsWith('--max') || word.startsWith('NODE_OPTIONS='))
  .flatMap(word => word.match(HEAP_OPTION) ?? []))
