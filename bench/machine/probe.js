/**
 * Reads CPU time and memory of processes. CPU time comes from /proc/<pid>/task/<tid>/schedstat in nanoseconds, because
 * the ticks of /proc/<pid>/stat are 10 ms, 2 % of a slice.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../errors.js'
import { attempt } from '../shared/attempt.js'
import { ignoreMissing, listNumbers, readLink, readStat, readText } from './files/system-files.js'

const buffer = Buffer.alloc(128)
const KIB_PER_MIB = 1024

/** Returns the processes in the groups of these leaders. Without /proc only the leaders are known. */
export function groupMembers (/** @type {number[]} */ leaders, { root = '/' } = {}) {
  const groups = new Set(leaders)
  const all = listNumbers(join(root, 'proc'))
  if (all.length === 0) return leaders.filter(hasProcess)
  return all.filter(pid => {
    const [state, , group] = readStat(join(root, `proc/${pid}/stat`))
    // A zombie has ended.
    return groups.has(Number(group)) && !'ZX'.includes(state)
  })
}

/** Reads the CPU time of a set of processes repeatedly. The files stay open, which makes a reading cheap. */
export class CpuMeter {
  /** @type {number[]} */
  #files = []
  /** Nanoseconds of threads that have ended since their files were opened. */
  #gone = 0
  /** @type {Map<number, number>} */
  #last = new Map()

  /** @param {number[]} pids */
  constructor (pids) {
    for (const pid of pids) {
      for (const tid of listNumbers(`/proc/${pid}/task`)) {
        try {
          this.#files.push(openSync(`/proc/${pid}/task/${tid}/schedstat`, 'r'))
        } catch (error) {
          // The thread has ended since the folder was read.
          ignoreMissing(error)
        }
      }
    }
  }

  /** @returns {number} CPU time since the processes' start, in seconds */
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
 * Returns the CPU time in seconds of each running process. No file stays open, so there may be thousands.
 * @returns {Map<number, number>}
 */
export const readCpuSeconds = (/** @type {number[]} */ pids) => new Map(pids.flatMap(pid => {
  const threads = listNumbers(`/proc/${pid}/task`)
  const nanos = threads.map(tid => Number(readText(`/proc/${pid}/task/${tid}/schedstat`).split(' ')[0]))
  return threads.length > 0 ? [[pid, nanos.reduce((a, b) => a + b, 0) / 1e9]] : []
}))

/**
 * Returns the CPU time between two readings. A process that is new since `before` contributes all of its CPU time.
 * @param {ReadonlyMap<number, number>} before
 * @param {ReadonlyMap<number, number>} after
 */
export const cpuSecondsBetween = (before, after) =>
  [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0)

/**
 * Rejects a measurement without CPU time of the served side, because no request is served without CPU time.
 * @param {{ proxy: number, server: number }} cpuSeconds
 * @param {string} purpose feature that requires the CPU time, as the subject of the message
 * @throws {HopbenchError} no-cpu-time
 */
export function requireCpuTime ({ proxy, server }, purpose) {
  if (!(proxy + server > 0)) throw new HopbenchError('no-cpu-time', { what: purpose })
}

/**
 * Returns the memory of processes in MiB, with each shared page divided among its users, because thousands of forked
 * workers share most pages. Slow, because the kernel walks every page table. Returns resident memory where the kernel
 * does not show this.
 */
export const sharedMemoryMiB = (/** @type {number[]} */ pids) => pids.reduce((sum, pid) => {
  const kib = /^Pss:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1]
  return sum + (kib === undefined ? memoryMiB([pid]) : Number(kib) / KIB_PER_MIB)
}, 0)

/** Returns resident memory in MiB. Pages shared between workers count once for each worker. @param {number[]} pids */
export const memoryMiB = pids => pids.reduce((sum, pid) => {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0
  return sum + Number(kib) / KIB_PER_MIB
}, 0)

/**
 * Returns the size in MiB of deleted files that processes hold open. nginx unlinks its temporary files at once
 * (ngx_open_tempfile), so no folder lists them. A file of several descriptors counts once. Excludes shared memory.
 */
export function deletedFilesMiB (/** @type {number[]} */ pids) {
  /** @type {Map<string, number>} */
  const sizes = new Map()
  for (const file of pids.flatMap(pid => listNumbers(`/proc/${pid}/fd`).map(fd => `/proc/${pid}/fd/${fd}`))) {
    const link = readLink(file)
    if (!link.endsWith(' (deleted)') || /^\/(memfd:|dev\/)/.test(link)) continue
    const stat = attempt(() => statSync(file), () => null)
    if (stat?.isFile()) sizes.set(`${stat.dev} ${stat.ino}`, stat.size)
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0) / KIB_PER_MIB ** 2
}

/** Returns whether a process exists, running or not. */
const hasProcess = (/** @type {number} */ pid) => attempt(() => process.kill(pid, 0), () => false)

/** A program that has handled all requests: it uses less than `share` of a core during `stepMs`. */
const ANSWERED = { share: 0.1, stepMs: 4, limitMs: 1000 }

/**
 * Waits until programs have completed their remaining work.
 * @param {() => number} seconds their CPU time
 * @param {{ share: number, stepMs: number, limitMs: number }} [rest] limitMs: limit of the wait
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
