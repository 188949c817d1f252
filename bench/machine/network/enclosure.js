/**
 * Runs the suite in a PID namespace, under its first process. When that process ends for any reason, the kernel ends
 * every process that the suite started. The outer process passes on signals and removes the temporary folder. Where PID
 * namespaces are refused, the suite runs outside and ends its own processes, and a supervisor ends those that remain
 * after the suite was killed.
 */
import { openSync } from 'node:fs'
import { Socket } from 'node:net'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { labFacts } from './lab.js'
import { runInForeground, startSupervisor } from '../process.js'
import { withoutUnsafeFolders } from '../setup/tool-cache.js'
import { listNumbers, readLink, readText } from '../files/system-files.js'
import { makeTempRoot } from '../files/temp.js'

/** @import { Duplex } from 'node:stream' */
/** @import { Tool } from '../types.js' */

const INSIDE = 'HOPBENCH_INSIDE'
const bootstrap = fileURLToPath(new URL('../../bootstrap.js', import.meta.url))
/** Descriptor on which the inner process reads signals. Its end means that the outer process has ended. */
const SIGNAL_FD = 3
/** Descriptor of the host's /proc, from which PIDs are translated to those outside. */
const HOST_PROC_FD = 4
/**
 * Limits the young generation, which keeps memory free for what is measured. With 1 MB a short run has the same peak of
 * memory, and takes 0.2 s more of CPU time.
 */
const SMALL = ['--max-semi-space-size=4']
const SAME_PRESS_MS = 300
/** Exit code of a shell for a command that a signal ended, less the number of the signal. */
const SIGNALLED = 128
/** @type {NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** Limit for a reply to a signal, which takes milliseconds unless the inner process is stopped or blocked. */
const ANSWER_SECONDS = 30
/**
 * First process of the namespace. Orphans are reparented to it and a shell reaps them, unlike Node. Otherwise thousands
 * of Apache's processes would remain as zombies and slow down every read of /proc.
 */
const REAPER = ['sh', '-c', 'trap : INT TERM HUP; "$@"; exit $?', 'sh']
/** The same in a network namespace, whose loopback is down at first. The first argument is the program `ip`. */
const NETWORK_REAPER = ['sh', '-c', 'trap : INT TERM HUP; "$1" link set lo up && shift && "$@"; exit $?', 'sh']
const END_SECONDS = 10 // Limit for the end after the second signal, which stops at once.

/** @returns {boolean} whether this process runs in the suite's own PID namespace */
export const isEnclosed = () => process.env[INSIDE] === '1'

/**
 * Runs a command of hopbench in a PID namespace.
 * @param {string[]} argv
 * @param {{ ip?: Tool | null, input?: string, onReady?: () => void }} [options] ip: the program of findNetworkTool();
 * with it the command gets a network of its own; input: for its standard input; onReady: called when signals are passed
 * on
 * @returns {Promise<number | null>} exit code; null: there is no PID namespace
 * @throws {HopbenchError} suite-killed
 */
export async function runInside (argv, { ip = null, input, onReady = () => {} } = {}) {
  const temp = makeTempRoot()
  try {
    const facts = await labFacts()
    if (!facts.pids) {
      startSupervisor()
      return null
    }
    const namespaces = ['unshare', ip ? '-Urnpf' : '-Urpf', '--mount-proc', '--kill-child', '--']
    const reaper = ip ? [...NETWORK_REAPER, ip.path] : REAPER
    const child = runInForeground([...namespaces, ...reaper, process.execPath, ...SMALL, bootstrap, ...argv], {
      env: {
        ...withoutUnsafeFolders(process.env),
        ...ip?.env,
        [INSIDE]: '1',
        HOPBENCH_TEMP: temp.path,
        HOPBENCH_STARTED: String(Number(process.hrtime.bigint()) / 1e9)
      },
      input,
      // In the order of SIGNAL_FD and HOST_PROC_FD.
      more: ['pipe', openSync('/proc', 'r')]
    })
    let isGivenUp = false
    passSignalsOn(/** @type {Duplex} */ (child.stdio[SIGNAL_FD]), () => {
      isGivenUp = true
      child.kill()
    })
    onReady()
    const exit = await child.exit
    if (isGivenUp) return 1
    rejectKilled(exit)
    return exit
  } finally {
    temp.remove()
  }
}

/**
 * Reports that a signal ended the inner process, which ends by itself otherwise.
 * @param {number} exit as a shell returns it
 * @throws {HopbenchError} suite-killed
 */
export function rejectKilled (exit) {
  const [signal] = Object.entries(constants.signals).find(([, number]) => exit === SIGNALLED + number) ?? []
  if (signal) throw new HopbenchError('suite-killed', { signal })
}

/**
 * Passes signals on to the inner process. Kills it if it does not reply to a signal, or does not end after the second
 * one.
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
  const report = oncePerPress((/** @type {string} */ signal) => {
    pressed++
    clearTimeout(unanswered)
    unanswered = setTimeout(() => giveUp(`has not responded to ${signal} for ${answerSeconds} s`), answerSeconds * 1000)
    unanswered.unref()
    if (pressed === 2) setTimeout(() => giveUp('does not end'), endSeconds * 1000).unref()
    channel.write(`${signal}\n`)
  })
  for (const signal of SIGNALS) process.on(signal, report)
}

/**
 * Returns a handler that ignores a repeated signal. npm passes Ctrl-C on to a child that already got it from the
 * terminal, so that one press causes two signals.
 */
function oncePerPress (/** @type {(signal: string) => void} */ handler) {
  let last = -Infinity
  return (/** @type {string} */ signal) => {
    const now = performance.now()
    if (now - last > SAME_PRESS_MS) handler(signal)
    last = now
  }
}

/**
 * Calls `handler` once for each press of Ctrl-C and for each SIGTERM. The inner process ignores SIGINT from the
 * terminal, which the outer process passes on as well.
 */
export function onInterrupt (/** @type {(signal: string) => void} */ handler) {
  const once = oncePerPress(handler)
  if (!isEnclosed()) {
    for (const signal of SIGNALS) process.on(signal, () => once(signal))
    return
  }
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => once('SIGTERM')).on('SIGHUP', () => once('SIGHUP'))
  const signals = new Socket({ fd: SIGNAL_FD, readable: true, writable: true })
  // Do not keep the process alive to wait for a signal.
  signals.unref()
  signals.on('data', text => {
    // Reply, because the outer process kills an inner process that does not.
    signals.write('heard\n')
    once(String(text).trim().split('\n')[0])
  })
  // Exit when the outer process has ended, because it would clean up, and its caller would read the result.
  signals.on('close', () => process.exit(1))
  signals.on('error', () => process.exit(1))
}

/**
 * Lets a measurement end and be reported at the first Ctrl-C, and exits at the second.
 * @param {string} part part of the measurement that is completed: "slice"
 * @returns {() => boolean} whether Ctrl-C was pressed
 */
export function endingOnInterrupt (part) {
  let interrupted = false
  onInterrupt(() => {
    if (interrupted) process.exit(1)
    interrupted = true
    process.stderr.write(`\nEnding after this ${part}, then reporting; press Ctrl-C again to stop at once.\n`)
  })
  return () => interrupted
}

/** Returns the folder /proc of the machine, which lists the processes outside the namespace, too. */
export const hostProc = () => isEnclosed() ? `/proc/self/fd/${HOST_PROC_FD}` : '/proc'

/** Returns the PID of a process outside the namespace. Without a PID namespace it is the same. @param {number} pid */
export function hostPid (pid) {
  if (!isEnclosed()) return pid
  const proc = hostProc()
  const mine = readLink('/proc/self/ns/pid')
  for (const id of listNumbers(proc)) {
    // Empty if the process has ended or belongs to another user.
    const status = readText(`${proc}/${id}/status`)
    const chain = /^NSpid:\s*(.*)$/m.exec(status)?.[1].split('\t').map(Number) ?? []
    if (mine !== '' && chain.at(-1) === pid && readLink(`${proc}/${id}/ns/pid`) === mine) return chain[0]
  }
  return pid
}
