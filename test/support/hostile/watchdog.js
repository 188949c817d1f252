/** Starts processes that read hostile inputs, and ends those that hang or grow. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { cpuSecondsBetween, readCpuSeconds } from '../../../bench/machine/probe.js'

/** @import { Readable } from 'node:stream' */

const READER = fileURLToPath(new URL('reader.js', import.meta.url))
/** Limit of the heap. The rest of MAX_MEMORY is for buffers and code. */
const HEAP_MIB = 320
const MAX_MEMORY = 512 * 2 ** 20
/** CPU time without a report after which a process is ended: the first case also loads what all cases use. */
const MAX_CPU_SECONDS = 30
/** Time without a report after which a process is ended, as one that waits without using CPU time. */
const SILENT_MS = 180_000
/** Interval between two looks at the time and the memory of a process. */
const LOOK_MS = 200
/** Size of a page of memory, in which /proc/<pid>/statm counts. */
const PAGE_BYTES = 4096

/** @typedef {{ number: number, place: string, mutation: string, fault: string }} Failure */
/** @typedef {{ cases: number, refused: number, seconds: number }} Totals */
/** @typedef {{ failures: Failure[], read: number, byPlace: Map<string, Totals> }} Outcome */

/**
 * Reads the cases from `first` to `end`, in as many processes as there are cores.
 * @param {string} folder an empty one
 * @param {{ first: number, end: number }} range end: exclusive
 * @returns {Promise<Outcome>}
 */
export async function readAll (folder, { first, end }) {
  /** @type {Outcome} */
  const outcome = { failures: [], read: 0, byPlace: new Map() }
  const jobs = Math.min(availableParallelism(), end - first)
  await Promise.all(Array.from({ length: jobs }, async (_, job) => {
    // After a process died or was ended, another one continues with the case after the one at which it ended.
    for (let next = first + job; next < end;) {
      const dir = join(folder, `${job}-${next}`)
      mkdirSync(dir)
      next = await readFrom(dir, { next, end, step: jobs }, outcome)
    }
  }))
  return outcome
}

/**
 * Reads every `step`th case from `next` to `end` in a process, until all are read or the process ends.
 * @param {string} dir an empty folder
 * @param {{ next: number, end: number, step: number }} range end: exclusive
 * @param {Outcome} outcome receives the results
 * @returns {Promise<number>} number of the next case to read; at least `end`: all are read
 */
async function readFrom (dir, { next, end, step }, outcome) {
  const args = [`--max-old-space-size=${HEAP_MIB}`, READER, dir, ...[next, end, step].map(String)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  let lastErrors = ''
  child.stderr?.setEncoding('utf8').on('data', text => { lastErrors = (lastErrors + text).slice(-400) })
  let current = { number: next, place: '', mutation: 'it does not start' }
  let isReading = true
  let heard = { at: performance.now(), cpu: readCpuSeconds([Number(child.pid)]) }
  /** @type {string | null} */
  let ended = null
  const stop = (/** @type {string} */ why) => {
    ended ??= why
    child.kill('SIGKILL')
  }
  const timer = setInterval(() => {
    const cpuSeconds = cpuSecondsBetween(heard.cpu, readCpuSeconds([Number(child.pid)]))
    if (cpuSeconds > MAX_CPU_SECONDS) stop(`it computes for ${MAX_CPU_SECONDS} s`)
    else if (performance.now() - heard.at > SILENT_MS) stop(`it hangs for ${SILENT_MS / 1000} s`)
    else if (memoryOf(child.pid) > MAX_MEMORY) stop('it takes more than 512 MiB')
  }, LOOK_MS)
  const lines = createInterface({ input: /** @type {Readable} */ (child.stdio[3]) })
  lines.on('line', text => {
    heard = { at: performance.now(), cpu: readCpuSeconds([Number(child.pid)]) }
    const line = JSON.parse(text)
    isReading = line.faults === undefined
    if (isReading) {
      current = line
      return
    }
    outcome.read++
    const { cases = 0, refused = 0, seconds = 0 } = outcome.byPlace.get(current.place) ?? {}
    outcome.byPlace.set(current.place, {
      cases: cases + 1, refused: refused + Number(line.outcome === 'refused'), seconds: seconds + line.seconds
    })
    outcome.failures.push(...line.faults.map((/** @type {string} */ fault) => ({ ...current, fault })))
  })
  const code = await new Promise(resolve => child.on('close', (exit, signal) => resolve(exit ?? signal)))
  clearInterval(timer)
  if (code === 0 && ended === null) return end
  outcome.failures.push({ ...current, fault: ended ?? `the process ends with ${code}: ${lastErrors.trim()}` })
  return current.number + step
}

/**
 * Returns the resident memory of a process.
 * @param {number | undefined} pid
 * @returns {number} bytes; 0: the process is gone
 */
function memoryOf (pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
  } catch {
    return 0
  }
}
