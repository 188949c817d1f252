/**
 * CPU time and memory of processes, from the operating system.
 *
 * CPU comes from /proc/<pid>/task/<tid>/schedstat, which counts nanoseconds: the ticks of
 * /proc/<pid>/stat are 10 ms, 2 % of a slice.
 */
import { closeSync, openSync, readFileSync, readSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from './errors.js'

const buffer = Buffer.alloc(128)
const PAGE_MIB = 4096 / 1048576

/**
 * Every living process of some process groups: a leader with its workers. Without /proc nobody knows of the workers.
 * @param {number[]} leaders process ids that lead a group
 * @param {{ root?: string }} [options] `root` stands before /proc
 * @returns {number[]}
 */
export function groupMembers (leaders, { root = '/' } = {}) {
  const groups = new Set(leaders)
  const all = numbers(join(root, 'proc'))
  if (all.length === 0) return leaders.filter(isAlive)
  return all.filter(pid => {
    const stat = read(join(root, `proc/${pid}/stat`))
    // After the command name, which may hold anything. One that nobody has waited for yet has ended all the same.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return stat !== '' && groups.has(Number(group)) && !'ZX'.includes(state)
  })
}

/**
 * Reads the CPU time of a set of processes again and again, cheaply: the files stay open.
 */
export class CpuMeter {
  /** @type {number[]} */
  #files = []
  /** Nanoseconds of threads that have ended since they were opened. */
  #gone = 0
  /** @type {Map<number, number>} */
  #last = new Map()

  /** @param {number[]} pids */
  constructor (pids) {
    for (const pid of pids) {
      for (const tid of numbers(`/proc/${pid}/task`)) {
        try {
          this.#files.push(openSync(`/proc/${pid}/task/${tid}/schedstat`, 'r'))
        } catch (error) {
          // The thread ended between the two readings.
          absent(error)
        }
      }
    }
  }

  /** @returns {number} seconds since the processes' start */
  seconds () {
    let nanos = this.#gone
    for (const file of [...this.#files]) {
      try {
        const length = readSync(file, buffer, 0, buffer.length, 0)
        const used = Number(buffer.toString('latin1', 0, buffer.indexOf(' ')))
        if (length === 0) continue
        this.#last.set(file, used)
        nanos += used
      } catch {
        const used = this.#last.get(file) ?? 0
        this.#gone += used
        nanos += used
        this.#files.splice(this.#files.indexOf(file), 1)
        closeSync(file)
      }
    }
    return nanos / 1e9
  }

  close () {
    for (const file of this.#files) closeSync(file)
    this.#files = []
  }
}

/**
 * CPU time of a set of processes, once: no file stays open, so there may be thousands of them.
 * @param {number[]} pids
 * @returns {Map<number, number>} seconds by process; those that have ended are left out
 */
export const cpuSecondsOf = pids => new Map(pids.flatMap(pid => {
  const threads = numbers(`/proc/${pid}/task`)
  const nanos = threads.map(tid => Number(read(`/proc/${pid}/task/${tid}/schedstat`).split(' ')[0]))
  return threads.length > 0 ? [[pid, nanos.reduce((a, b) => a + b, 0) / 1e9]] : []
}))

/**
 * CPU time used between two readings. Who has come since has used all of its time in between.
 * @param {Map<number, number>} before
 * @param {Map<number, number>} after
 * @returns {number} seconds
 */
export const cpuSecondsBetween = (before, after) => [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0)

/**
 * Nothing serves without CPU time: where there is none, it is not told.
 * @param {{ proxy: number, server: number }} cpuSeconds of what was served
 * @param {string} what stands on it
 * @throws {HopbenchError} no-cpu-time
 */
export function refuseUntold ({ proxy, server }, what) {
  if (!(proxy + server > 0)) throw new HopbenchError('no-cpu-time', { what })
}

/**
 * Memory of processes that share pages, each page counted in shares: thousands of forked workers
 * are mostly the same pages. Slow: the kernel walks through every page table.
 * @param {number[]} pids
 * @returns {number} MiB; resident memory where the kernel does not tell
 */
export const sharedMemoryMiB = pids => pids.reduce((sum, pid) => {
  const kib = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1]
  return sum + (kib === undefined ? memoryMiB([pid]) : Number(kib) / 1024)
}, 0)

/**
 * Resident memory. Pages shared between workers count once for each.
 * @param {number[]} pids
 * @returns {number} MiB
 */
export const memoryMiB = pids => pids
  .map(pid => Number(read(`/proc/${pid}/statm`).split(' ')[1] || 0) * PAGE_MIB)
  .reduce((a, b) => a + b, 0)

/** @param {number} pid */
function isAlive (pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * What cannot be opened is not there; unless nothing can be opened any more, and all of it would be missing in the sums.
 * @param {unknown} error
 * @throws {HopbenchError} too-few-files
 */
function absent (error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
  if (code === 'EMFILE' || code === 'ENFILE') throw new HopbenchError('too-few-files', { why: message }, { cause: error })
}

/** @param {string} file */
function read (file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    absent(error)
    return ''
  }
}

/** @param {string} dir */
function numbers (dir) {
  try {
    return readdirSync(dir).map(Number).filter(Number.isInteger)
  } catch (error) {
    absent(error)
    return []
  }
}

/**
 * What it means to be at rest: less than this share of a core over so many milliseconds, waited for
 * so long at most.
 * @typedef {{ share: number, stepMs: number, limitMs: number }} Rest
 */
/** A program that has answered all that was asked. @type {Rest} */
const ANSWERED = { share: 0.1, stepMs: 4, limitMs: 1000 }

/**
 * Waits until programs have done what was left to do.
 * @param {() => number} seconds their CPU time so far
 * @param {Rest} [rest]
 */
export async function untilAtRest (seconds, { share, stepMs, limitMs } = ANSWERED) {
  const deadline = performance.now() + limitMs
  let [used, at] = [seconds(), performance.now()]
  while (performance.now() < deadline) {
    await sleep(stepMs)
    const [usedNow, now] = [seconds(), performance.now()]
    if (usedNow - used < share * (now - at) / 1000) return
    ;[used, at] = [usedNow, now]
  }
}
