/** Calls tasks in processes of their own, whose failure or hang does not affect this one. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fromErrorData, HopbenchError } from '../errors.js'
import { died, run, start } from '../machine/process.js'
import { tailReader } from '../machine/files/tail-reader.js'
import { readFeed } from '../report/progress-feed.js'
import { attempt } from '../shared/attempt.js'

/** @import { FeedEvent } from '../report/progress-feed.js' */
/** @import { Tasks, WorkerEvent } from '../tasks.js' */

const bootstrap = fileURLToPath(new URL('../bootstrap.js', import.meta.url))
const ENDING_SECONDS = 60 // After SIGINT a run finishes its window and stores its record.
const POLL_MS = 100
/** The kernel ends the worker if this process dies. Needs setpriv of util-linux. */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'TERM', '--']

/** Returns argv of a worker. */
async function getProgram () {
  const wrapper = (await run([...WITH_PARENT, 'true'])).exit === 0 ? WITH_PARENT : []
  return [...wrapper, process.execPath, bootstrap, '--then', 'bench/worker.js']
}

/**
 * Outcome of a task, of which one is null unless the worker failed after its result.
 *
 * @template {keyof Tasks} Name
 * @typedef {{ result: Exclude<Awaited<ReturnType<Tasks[Name]>>, { exit: number }> | null,
 *   error: Error | null }} Outcome
 */

/**
 * Performs a task in a worker. The request, the progress and the result are data.
 *
 * @template {keyof Tasks} Name
 * @param {Name} task
 * @param {Parameters<Tasks[Name]>[0]} request
 * @param {object} options
 * @param {string} options.name of its files
 * @param {string} options.dir folder for its files; NAME.log remains, with what the worker writes to standard error
 * @param {number} [options.seconds] time limit
 * @param {() => number} [options.interrupted] number of times that Ctrl-C was pressed, each of which is forwarded
 * @param {AbortSignal} [options.signal] ends the worker as its time limit does
 * @param {(event: FeedEvent) => void} [options.onEvent] is called with the progress, which is in the log otherwise
 * @param {string} [options.cwd]
 * @param {string[]} [options.argv] of another worker
 * @param {number} [options.graceSeconds] time to end after SIGINT
 * @returns {Promise<Outcome<Name>>} error: among others task-late, or process-died without a result
 * @throws {HopbenchError} start-failed
 */
export async function callWorker (task, request, { name, dir, cwd, argv, ...options }) {
  const { seconds = Infinity, graceSeconds = ENDING_SECONDS, interrupted = () => 0, signal, onEvent } = options
  const program = argv ?? await getProgram()
  const [input, output, log] = ['request', 'jsonl', 'log'].map(ending => join(dir, `${name}.${ending}`))
  // Files of an older worker must not be mistaken for those of this one.
  for (const file of [input, output, log]) rmSync(file, { force: true })
  writeFileSync(input, JSON.stringify({ task, request, hasFeed: onEvent !== undefined }), { mode: 0o600 })
  let child
  try {
    child = start({ name: `hopbench ${task}`, argv: program, cwd, input, stdout: output, log })
  } finally {
    // The worker has opened the file, which may hold secrets.
    rmSync(input)
  }
  /** @type {Outcome<Name>} */
  const outcome = { result: null, error: null }
  const reader = tailReader(output)
  const read = () => {
    for (const line of reader.lines()) {
      const event = /** @type {WorkerEvent | null} */ (readFeed(Buffer.from(line, 'latin1').toString()))
      if (event?.event === 'result') outcome.result = event.result
      else if (event?.event === 'error') outcome.error = fromErrorData(event.error)
      // A listener that fails does not end the task.
      else if (event) attempt(() => onEvent?.(event), () => {})
    }
  }
  const deadline = performance.now() + seconds * 1000
  let [forwarded, isLate] = [0, false]
  while (!child.ended()) {
    for (const pressed = interrupted(); forwarded < pressed; forwarded++) child.signal('SIGINT')
    isLate = performance.now() > deadline
    if (isLate || signal?.aborted) await child.stop({ signal: 'SIGINT', graceSeconds })
    else await Promise.race([child.exited, sleep(POLL_MS)])
    // Only the last reading may fail.
    attempt(read, () => {})
  }
  try {
    read()
  } finally {
    reader.close()
    rmSync(output, { force: true })
  }
  if (isLate) outcome.error = new HopbenchError('task-late', { task, seconds })
  else if (outcome.result === null) outcome.error ??= died(child)
  return outcome
}
