/** The run under way: started as a process of its own, followed line by line, stopped on demand. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { start, tailOf } from '../../machine/process.js'
import { readFeed } from '../../report/progress-feed.js'
import { findErrorSentence } from '../../studies/suite.js'
import { linesOf } from './lines.js'

/** @import { Child } from '../../machine/shapes.js' */
/** @import { JobEvent, Jobs, Order } from './types.js' */

const bootstrap = fileURLToPath(new URL('../../bootstrap.js', import.meta.url))
const LOOK_MS = 250 // How often a run's lines are looked for: it costs the run next to nothing.
const ENDING_SECONDS = 60 // A run that is told to end finishes its block and stores its record.
const MOST_EVENTS = 10_000 // Some three quarters of an hour of half-second slices, and a dozen megabytes.

/**
 * @param {object} options
 * @param {string} options.resultsDir
 * @param {string} [options.temp] folder that takes what a run says until it has ended
 * @param {string[]} [options.command] argv in front of "run …"; left out: this hopbench
 * @param {number} [options.mostEvents] that are remembered
 * @returns {Jobs}
 */
export function createJobs ({
  resultsDir, temp = tmpdir(), command = [process.execPath, bootstrap], mostEvents = MOST_EVENTS
}) {
  /** @type {Child | null} */
  let child = null
  /** @type {Promise<void> | null} */
  let stopping = null
  const events = eventList(mostEvents)
  /** @type {Set<(event: JobEvent) => void>} */
  const listeners = new Set()
  const report = (/** @type {JobEvent} */ event) => {
    events.add(event)
    for (const listener of listeners) listener(event)
  }
  /** @param {Order} order */
  const begin = ({ words, argv }) => {
    if (child) throw new HopbenchError('already-running')
    const dir = mkdtempSync(join(temp, 'hopbench-serve-'))
    const [stdout, log] = [join(dir, 'record.json'), join(dir, 'log')]
    child = start({
      name: words.join(' '),
      argv: [...command, 'run', '--feed', '--json', '--no-wait', `--results=${resultsDir}`, ...argv, '--', ...words],
      stdout,
      log
    })
    // Only what has started begins: a page would wait for the end of anything else.
    events.clear()
    report({ event: 'begins', what: words.join(' '), startedAt: new Date().toISOString() })
    const feed = followLog(log, report)
    const ended = (/** @type {number | null} */ exit, /** @type {string | null} */ error) => {
      rmSync(dir, { recursive: true, force: true })
      child = stopping = null
      report({ event: 'ended', exit, run: events.find('start')?.run ?? null, error })
    }
    child.exited.then(({ code }) => {
      feed.close()
      ended(code, code === 0 || recordIn(stdout) ? null : findErrorSentence(tailOf(log, 40)))
    }).catch(error => ended(null, error.message))
  }
  return {
    events: events.all,
    isRunning: () => child !== null,
    follow (listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    begin,
    async stop () {
      // Asked a second time a run would break off, as it does when Ctrl-C is pressed twice.
      stopping ??= child?.stop({ signal: 'SIGINT', graceSeconds: ENDING_SECONDS }).then(() => {}) ?? null
      await stopping
    }
  }
}

/** What a late listener gets first: how the run began, and its latest events. @param {number} most */
function eventList (most) {
  /** @type {JobEvent[]} */
  let events = []
  return {
    all: () => events,
    clear: () => { events = [] },
    /** @param {JobEvent} event */
    add (event) {
      events.push(event)
      if (events.length <= most) return
      const old = events.splice(0, Math.ceil(most / 2))
      events.unshift(...old.filter(({ event }) => event === 'begins' || event === 'start'))
    },
    /**
     * @template {JobEvent['event']} E
     * @param {E} name
     */
    find: name => /** @type {Extract<JobEvent, { event: E }> | undefined} */ (
      events.findLast(({ event }) => event === name))
  }
}

/**
 * @param {string} log
 * @param {(event: JobEvent) => void} report
 */
function followLog (log, report) {
  const lines = linesOf(log)
  const look = () => {
    for (const line of lines.added()) {
      const event = readFeed(line)
      if (event) report(event)
    }
  }
  const timer = setInterval(() => {
    try {
      look()
    } catch {
      // Its end is reported all the same.
      clearInterval(timer)
    }
  }, LOOK_MS)
  return {
    close () {
      clearInterval(timer)
      try {
        look()
      } finally {
        lines.close()
      }
    }
  }
}

/** @param {string} file */
function recordIn (file) {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8'))
    return 'error' in record ? null : record
  } catch {
    return null
  }
}
