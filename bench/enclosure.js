/**
 * Runs the whole suite inside a PID namespace of its own, as its first process: when that process
 * ends, for whatever reason, the kernel ends every nginx, node and generator it ever started. The
 * outer process stays behind, passes signals on and removes the temporary folder.
 *
 * Where PID namespaces are refused the suite runs as it is and cleans up by itself; a supervisor beside it
 * ends what it leaves behind when it is killed.
 */
import { openSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { labFacts } from './lab.js'
import { runInForeground, startSupervisor } from './process.js'
import { makeTempRoot } from './temp.js'
import { fileURLToPath } from 'node:url'

const INSIDE = 'HOPBENCH_INSIDE'
const bootstrap = fileURLToPath(new URL('./bootstrap.js', import.meta.url))
/** The inner process reads signals here; its end means that the outer process is gone. */
const SIGNAL_FD = 3
/** The host's /proc, to translate process ids for people outside. */
const HOST_PROC_FD = 4
/** The suite allocates little and often: a small nursery keeps a sixth of its memory free for what is measured. */
const SMALL = ['--max-semi-space-size=1']
/** npm passes Ctrl-C on to a child that the terminal has told already: one press, two signals. */
const SAME_PRESS_MS = 300

/** @returns {boolean} whether this process is the first of its own PID namespace */
export const isInside = () => process.env[INSIDE] === '1'

/**
 * Runs a command of hopbench inside and answers its exit code, or null when there is no PID
 * namespace to be had.
 * @param {string[]} argv of hopbench
 * @returns {Promise<number | null>}
 */
export async function runInside (argv) {
  const temp = makeTempRoot()
  try {
    const facts = await labFacts()
    if (!facts.pids) {
      startSupervisor()
      return null
    }
    const child = runInForeground(['unshare', '-Urpf', '--mount-proc', '--kill-child', '--', process.execPath, ...SMALL, bootstrap, ...argv], {
      env: { [INSIDE]: '1', HOPBENCH_TEMP: temp.path, HOPBENCH_STARTED: String(Number(process.hrtime.bigint()) / 1e9) },
      // In the order of SIGNAL_FD and HOST_PROC_FD.
      more: ['pipe', openSync('/proc', 'r')]
    })
    const signals = /** @type {import('node:stream').Writable} */ (child.stdio[SIGNAL_FD])
    signals.on('error', () => {})
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      process.on(signal, () => signals.write(`${signal}\n`))
    }
    return await child.exit
  } finally {
    temp.remove()
  }
}

/**
 * Calls `handler` once for each press of Ctrl-C, or for SIGTERM. Inside, Ctrl-C comes from the
 * outer process only: the terminal tells both.
 * @param {(signal: string) => void} handler
 */
export function onInterrupt (handler) {
  let last = -Infinity
  const once = (/** @type {string} */ signal) => {
    const now = performance.now()
    if (now - last > SAME_PRESS_MS) handler(signal)
    last = now
  }
  if (!isInside()) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => once(signal))
    return
  }
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => once(signal))
  const signals = new Socket({ fd: SIGNAL_FD, readable: true, writable: false })
  // Waiting for a signal is no reason to stay.
  signals.unref()
  signals.on('data', text => once(String(text).trim().split('\n')[0]))
  // The outer process is gone: nobody would read a result, and nobody would clean up after it.
  signals.on('close', () => process.exit(1))
  signals.on('error', () => process.exit(1))
}

/**
 * Ctrl-C once lets a measurement end and be reported, twice stops at once.
 * @param {string} part what is still measured: "slice"
 * @returns {() => boolean} whether it was pressed
 */
export function endingOnInterrupt (part) {
  let interrupted = false
  onInterrupt(() => {
    if (interrupted) process.exit(1)
    interrupted = true
    process.stderr.write(`\nEnding after this ${part} and reporting what there is; once more to stop at once.\n`)
  })
  return () => interrupted
}

/**
 * The number by which the host knows a process that is known here by `pid`.
 * @param {number} pid
 * @returns {number} the same where there is no PID namespace
 */
export function hostPid (pid) {
  if (!isInside()) return pid
  const proc = `/proc/self/fd/${HOST_PROC_FD}`
  const mine = readlinkSync('/proc/self/ns/pid')
  for (const id of readdirSync(proc).filter(name => /^\d+$/.test(name))) {
    try {
      const chain = /^NSpid:\s*(.*)$/m.exec(readFileSync(`${proc}/${id}/status`, 'utf8'))?.[1].split('\t').map(Number) ?? []
      if (chain.at(-1) === pid && readlinkSync(`${proc}/${id}/ns/pid`) === mine) return chain[0]
    } catch {
      // It has ended, or is another user's and so not ours.
    }
  }
  return pid
}
