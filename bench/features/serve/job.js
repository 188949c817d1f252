/** Starts one run at a time in a worker, and follows its progress. */
import { explain, HopbenchError, toSentence } from '../../errors.js'
import { callWorker } from '../../run/call-worker.js'

/** @import { RunFlags } from '../../request/types.js' */
/** @import { JobEvent } from './types.js' */

const MAX_EVENTS = 10_000 // Events of about 45 minutes of half-second slices, in about 12 MB.

/** Runs one job at a time, because two runs would disturb each other. */
export class RunJobs {
  #resultsDir
  #temp
  #call
  #mostEvents
  /** The first and the latest events of the current or last run, for pages that are opened later. @type {JobEvent[]} */
  #events = []
  /** Ends the run. @type {AbortController | null} */
  #stop = null
  /** @type {Promise<void> | null} */
  #ended = null
  /** @type {Set<(event: JobEvent) => void>} */
  #listeners = new Set()

  /**
   * @param {object} options
   * @param {string} options.resultsDir
   * @param {string} options.temp folder for the output of a run
   * @param {typeof callWorker} [options.call] tests pass another one
   * @param {number} [options.mostEvents]
   */
  constructor ({ resultsDir, temp, call = callWorker, mostEvents = MAX_EVENTS }) {
    this.#resultsDir = resultsDir
    this.#temp = temp
    this.#call = call
    this.#mostEvents = mostEvents
  }

  /** @param {{ words: string[], options: Partial<RunFlags> }} request */
  begin ({ words, options }) {
    if (this.#stop) throw new HopbenchError('already-running')
    const { signal } = this.#stop = new AbortController()
    const request = { words, options: { lab: true, ...options, wait: false, results: this.#resultsDir } }
    const onEvent = (/** @type {JobEvent} */ event) => this.#report(event)
    this.#ended = this.#call('run', request, { name: 'run', dir: this.#temp, signal, onEvent })
      .then(({ result, error }) => error
        ? this.#end(explain(error).exit, toSentence(error))
        : this.#end(result?.succeeded ? 0 : 1, null))
      .catch(error => this.#end(null, error.message))
    this.#events = []
    this.#report({ event: 'begins', what: words.join(' '), startedAt: new Date().toISOString() })
  }

  /** Returns the first and the latest events of the current or last run. */
  events () {
    return this.#events
  }

  isRunning () {
    return this.#stop !== null
  }

  /**
   * @param {(event: JobEvent) => void} listener
   * @returns {() => void} removes the listener
   */
  follow (listener) {
    this.#listeners.add(listener)
    return () => { this.#listeners.delete(listener) }
  }

  /** Ends the run, and resolves when it has ended. Can be called repeatedly. */
  async stop () {
    this.#stop?.abort()
    await this.#ended
  }

  /** @param {JobEvent} event */
  #report (event) {
    this.#events.push(event)
    if (this.#events.length > this.#mostEvents) {
      const old = this.#events.splice(0, Math.ceil(this.#mostEvents / 2))
      this.#events.unshift(...old.filter(({ event }) => event === 'begins' || event === 'start'))
    }
    for (const listener of this.#listeners) listener(event)
  }

  /**
   * @param {number | null} exit
   * @param {string | null} error
   */
  #end (exit, error) {
    this.#stop = null
    const started = this.#events.findLast(event => event.event === 'start')
    this.#report({ event: 'ended', exit, run: started?.run ?? null, error })
  }
}
