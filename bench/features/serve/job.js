/** Starts one run at a time in a worker, and follows its progress. */
import { explain, HopbenchError, toSentence } from '../../errors.js'
import { callWorker } from '../../run/call-worker.js'

/** @import { RunFlags } from '../../request/types.js' */
/** @import { JobEvent } from './types.js' */

const MAX_EVENTS = 10_000 // Events of about 45 minutes of half-second slices, in about 12 MB.

/** @typedef {ReturnType<typeof createRunJobs>} RunJobs */

/**
 * Returns functions that run one job at a time, because two runs would disturb each other.
 *
 * @param {object} options
 * @param {string} options.resultsDir
 * @param {string} options.temp folder for the output of a run
 * @param {typeof callWorker} [options.call] tests pass another one
 * @param {number} [options.mostEvents]
 */
export function createRunJobs ({ resultsDir, temp, call = callWorker, mostEvents = MAX_EVENTS }) {
  /** The first and the latest events of the current or last run, for pages that are opened later. @type {JobEvent[]} */
  let events = []
  /** Ends the run. */
  let controller = /** @type {AbortController | null} */ (null)
  let ended = /** @type {Promise<void> | null} */ (null)
  /** @type {Set<(event: JobEvent) => void>} */
  const listeners = new Set()

  const report = (/** @type {JobEvent} */ event) => {
    events.push(event)
    if (events.length > mostEvents) {
      const old = events.splice(0, Math.ceil(mostEvents / 2))
      events.unshift(...old.filter(({ event }) => event === 'begins' || event === 'start'))
    }
    for (const listener of listeners) listener(event)
  }
  const end = (/** @type {number | null} */ exit, /** @type {string | null} */ error) => {
    controller = null
    const started = events.findLast(event => event.event === 'start')
    report({ event: 'ended', exit, run: started?.run ?? null, error })
  }

  return {
    /** @param {{ words: string[], options: Partial<RunFlags> }} request */
    begin ({ words, options }) {
      if (controller) throw new HopbenchError('already-running')
      controller = new AbortController()
      const { signal } = controller
      const request = { words, options: { lab: true, ...options, wait: false, results: resultsDir } }
      ended = call('run', request, { name: 'run', dir: temp, signal, onEvent: report })
        .then(({ result, error }) => error
          ? end(explain(error).exit, toSentence(error))
          : end(result?.succeeded ? 0 : 1, null))
        .catch(error => end(null, error.message))
      events = []
      report({ event: 'begins', what: words.join(' '), startedAt: new Date().toISOString() })
    },

    /** Returns the first and the latest events of the current or last run. */
    events: () => events,

    isRunning: () => controller !== null,

    /**
     * @param {(event: JobEvent) => void} listener
     * @returns {() => void} removes the listener
     */
    follow (listener) {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },

    /** Ends the run, and resolves when it has ended. Can be called repeatedly. */
    async stop () {
      controller?.abort()
      await ended
    }
  }
}
