/**
 * Runs the whole suite inside a PID namespace of its own, under its first process: when that ends, for whatever reason,
 * the kernel ends every nginx, node and generator it ever started. The outer process stays behind, passes signals on
 * and removes the temporary folder. Where PID namespaces are refused the suite runs as it is and cleans up by itself; a
 * supervisor beside it ends what it leaves behind when it is killed.
 */
import { openSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { labFacts } from './lab.js'
import { runInForeground, startSupervisor } from './process.js'
import { withoutUnsafeFolders } from './setup/tool-cache.js'
import { makeTempRoot } from './temp.js'

/** @import { Duplex } from 'node:stream' */

const INSIDE = 'HOPBENCH_INSIDE'
const bootstrap = fileURLToPath(new URL('../bootstrap.js', import.meta.url))
/** The inner process reads signals here; its end means that the outer process is gone. */
const SIGNAL_FD = 3
/** The host's /proc, to translate process ids for people outside. */
const HOST_PROC_FD = 4
/** The suite allocates little and often: a small nursery keeps a sixth of its memory free for what is measured. */
const SMALL = ['--max-semi-space-size=1']
const SAME_PRESS_MS = 300
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
/** The inner process answers a signal within milliseconds, unless it is stopped, or computes for ever. */
const ANSWER_SECONDS = 30
/**
 * The first process of a namespace is who orphans are handed to, and Node waits for nobody it has not started: a shell
 * does, else thousands of Apache's processes would stay behind as zombies and slow every look at /proc.
 */
const REAPER = ['sh', '-c', 'trap : INT TERM HUP; "$@"; exit $?', 'sh']
const END_SECONDS = 10 // Signalled twice it stops at once.

/** @returns {boolean} whether this process is the first of its own PID namespace */
export const isInside = () => process.env[INSIDE] === '1'

/** Runs a command of hopbench inside; its exit code, or null where there is no PID namespace. @param {string[]} argv */
export async function runInside (argv) {
  const temp = makeTempRoot()
  try {
    const facts = await labFacts()
    if (!facts.pids) {
      startSupervisor()
      return null
    }
    const child = runInForeground(['unshare', '-Urpf', '--mount-proc', '--kill-child', '--', ...REAPER,
      process.execPath, ...SMALL, bootstrap, ...argv], {
      env: {
        ...withoutUnsafeFolders(process.env),
        [INSIDE]: '1',
        HOPBENCH_TEMP: temp.path,
        HOPBENCH_STARTED: String(Number(process.hrtime.bigint()) / 1e9)
      },
      // In the order of SIGNAL_FD and HOST_PROC_FD.
      more: ['pipe', openSync('/proc', 'r')]
    })
    passSignalsOn(/** @type {Duplex} */ (child.stdio[SIGNAL_FD]), child.kill)
    return await child.exit
  } finally {
    temp.remove()
  }
}

/**
 * Passes signals on to the inner process, and ends it where it answers none or does not end after the second.
 * @param {Duplex} channel
 * @param {() => void} kill
 * @param {{ answerSeconds?: number, endSeconds?: number }} [limits]
 */
export function passSignalsOn (channel, kill, { answerSeconds = ANSWER_SECONDS, endSeconds = END_SECONDS } = {}) {
  let pressed = 0
  /** @type {NodeJS.Timeout | undefined} */
  let unanswered
  const giveUp = (/** @type {string} */ why) => {
    process.stderr.write(`\nThe measuring process ${why}: it is ended.\n`)
    kill()
  }
  channel.on('error', () => {}).on('data', () => { clearTimeout(unanswered) })
  const tell = oncePerPress((/** @type {string} */ signal) => {
    pressed++
    clearTimeout(unanswered)
    unanswered = setTimeout(() => giveUp(`has not answered ${signal} for ${answerSeconds} s`), answerSeconds * 1000)
    unanswered.unref()
    if (pressed === 2) setTimeout(() => giveUp('does not end'), endSeconds * 1000).unref()
    channel.write(`${signal}\n`)
  })
  for (const signal of SIGNALS) process.on(signal, tell)
}

/** npm passes Ctrl-C on to a child that the terminal has signalled already: one press, two signals. */
function oncePerPress (/** @type {(signal: string) => void} */ handler) {
  let last = -Infinity
  return (/** @type {string} */ signal) => {
    const now = performance.now()
    if (now - last > SAME_PRESS_MS) handler(signal)
    last = now
  }
}

/**
 * Calls `handler` once for each press of Ctrl-C, or for SIGTERM. Inside, Ctrl-C comes from the outer process only: the
 * terminal signals both.
 */
export function onInterrupt (/** @type {(signal: string) => void} */ handler) {
  const once = oncePerPress(handler)
  if (!isInside()) {
    for (const signal of SIGNALS) process.on(signal, () => once(signal))
    return
  }
  process.on('SIGINT', () => {})
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => once(signal))
  const signals = new Socket({ fd: SIGNAL_FD, readable: true, writable: true })
  // Waiting for a signal is no reason to stay.
  signals.unref()
  signals.on('data', text => {
    // The outer process ends one that does not answer.
    signals.write('heard\n')
    once(String(text).trim().split('\n')[0])
  })
  // The outer process is gone: nobody would read a result, and nobody would clean up after it.
  signals.on('close', () => process.exit(1))
  signals.on('error', () => process.exit(1))
}

/** Ctrl-C once lets a measurement end and be reported, twice stops at once. @param {string} part of it: "slice" */
export function endingOnInterrupt (part) {
  let interrupted = false
  onInterrupt(() => {
    if (interrupted) process.exit(1)
    interrupted = true
    process.stderr.write(`\nEnding after this ${part}, then reporting; press Ctrl-C again to stop at once.\n`)
  })
  return () => interrupted
}

/** The number by which the host knows a process; the same where there is no PID namespace. @param {number} pid */
export function hostPid (pid) {
  if (!isInside()) return pid
  const proc = `/proc/self/fd/${HOST_PROC_FD}`
  const mine = readlinkSync('/proc/self/ns/pid')
  for (const id of readdirSync(proc).filter(name => /^\d+$/.test(name))) {
    try {
      const chain =
        /^NSpid:\s*(.*)$/m.exec(readFileSync(`${proc}/${id}/status`, 'utf8'))?.[1].split('\t').map(Number) ?? []
      if (chain.at(-1) === pid && readlinkSync(`${proc}/${id}/ns/pid`) === mine) return chain[0]
    } catch {
      // It has ended, or is another user's and so not ours.
    }
  }
  return pid
}
