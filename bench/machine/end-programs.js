/** Ends the programs of a command by SIGTERM, as platforms do before they replace an instance. */
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getParent, isAlive } from './process-facts.js'
import { readText } from './files/system-files.js'

/** Limit for the end after SIGTERM: the time that Docker waits by default before SIGKILL (docker stop). */
export const END_SECONDS = 10
const POLL_MS = 50
const SHELLS = /^(?:sh|ash|bash|dash|zsh)$/
/** Package managers, also as files that Node runs. */
const MANAGERS = /^(?:npm|npx|pnpm|yarn|corepack)(?:-cli)?(?:\.[cm]?js)?$/

/**
 * Returns the processes that a platform signals: the first ones below shells and package managers. They end their own
 * children, as the primary process of a cluster does.
 * @param {number[]} pids of a command
 */
export function findPrograms (pids) {
  const isWrapper = new Map(pids.map(pid => [pid, isWrapperCommand(readText(`/proc/${pid}/cmdline`))]))
  return pids.filter(pid => !isWrapper.get(pid) && (isWrapper.get(Number(getParent(pid))) ?? true))
}

/**
 * Returns whether a process is a shell or a package manager.
 * @param {string} cmdline of /proc: arguments that NUL ends, or a title, as in "npm start"
 */
export function isWrapperCommand (cmdline) {
  const [program = '', script = ''] = cmdline.split(/[\0 ]/).map(part => basename(part))
  return SHELLS.test(program) || MANAGERS.test(program) || (/^node(?:js)?$/.test(program) && MANAGERS.test(script))
}

/**
 * Sends SIGTERM and waits for the end.
 * @param {number[]} pids
 * @param {number} [limitSeconds]
 * @returns {Promise<number | null>} seconds; null: they were still running at the limit
 */
export async function endPrograms (pids, limitSeconds = END_SECONDS) {
  const startedAt = performance.now()
  signalAll(pids, 'SIGTERM')
  while (performance.now() - startedAt < limitSeconds * 1000) {
    if (!pids.some(isAlive)) return (performance.now() - startedAt) / 1000
    await sleep(POLL_MS)
  }
  return null
}

/**
 * @param {number[]} pids
 * @param {NodeJS.Signals} signal
 */
export function signalAll (pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has ended.
    }
  }
}
