/** Starts one run at a time in a separate process, and follows its progress. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { start, readLastLines } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { LogFollower } from '../../studies/log-follower.js'
import { findErrorSentence } from '../../studies/suite.js'

/** @import { Child } from '../../machine/shapes.js' */
/** @import { JobEvent } from './types.js' */

const bootstrap = fileURLToPath(new URL('../../bootstrap.js', import.meta.url))
const ENDING_SECONDS = 60 // After SIGINT a run finishes its block and stores its record.
const MOST_EVENTS = 10_000 // Events of about 45 minutes of half-second slices, in about 12 MB.

/** Runs one job at a time, because two runs would disturb each other. */
export class RunJobs {
  #resultsDir
  #temp
  #command
  #events
  /** @type {Child | null} */
  #child = null
  /** @type {Promise<unknown> | null} */
  #stopping = null
  /** @type {Set<(event: JobEvent) => void>} */
  #listeners = new Set()

  /**
   * @param {object} options
   * @param {string} options.resultsDir
   * @param {string} [options.temp] folder for the output of a run
   * @param {string[]} [options.command] argv before "run …" (default: this hopbench)
   * @param {number} [options.mostEvents]
   */
  constructor ({
    resultsDir, temp = tmpdir(), command = [process.execPath, bootstrap], mostEvents = MOST_EVENTS
  }) {
    this.#resultsDir = resultsDir
    this.#temp = temp
    this.#command = command
    this.#events = new EventList(mostEvents)
  }

  /** @param {{ words: string[], argv: string[] }} order words and options of `hopbench run` */
  begin ({ words, argv }) {
    if (this.#child) throw new HopbenchError('already-running')
    const dir = mkdtempSync(join(this.#temp, 'hopbench-serve-'))
    const [stdout, log] = [join(dir, 'record.json'), join(dir, 'log')]
    const options = ['--feed', '--json', '--no-wait', `--results=${this.#resultsDir}`, ...argv]
    this.#child = start({
      name: words.join(' '), argv: [...this.#command, 'run', ...options, '--', ...words], stdout, log
    })
    // Reported after start(), because pages would wait for the end of a run that could not be started.
    this.#events.clear()
    this.#report({ event: 'begins', what: words.join(' '), startedAt: new Date().toISOString() })
    const follower = new LogFollower(log, event => this.#report(event))
    this.#child.exited.then(({ code }) => {
      follower.close()
      this.#end(dir, code, code === 0 || hasRecord(stdout) ? null : findErrorSentence(readLastLines(log, 40)))
    }).catch(error => this.#end(dir, null, error.message))
  }

  /** Returns the first and the latest events of the current or last run. */
  events () {
    return this.#events.all
  }

  isRunning () {
    return this.#child !== null
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
    // A second SIGINT would abort the run without a record.
    this.#stopping ??= this.#child?.stop({ signal: 'SIGINT', graceSeconds: ENDING_SECONDS }) ?? null
    await this.#stopping
  }

  /** @param {JobEvent} event */
  #report (event) {
    this.#events.add(event)
    for (const listener of this.#listeners) listener(event)
  }

  /**
   * @param {string} dir
   * @param {number | null} exit
   * @param {string | null} error
   */
  #end (dir, exit, error) {
    rmSync(dir, { recursive: true, force: true })
    this.#child = this.#stopping = null
    this.#report({ event: 'ended', exit, run: this.#events.findRun(), error })
  }
}

/** Keeps the first and the latest events of a run, for pages that are opened later. */
class EventList {
  /** @type {JobEvent[]} */
  all = []
  #limit

  /** @param {number} limit */
  constructor (limit) {
    this.#limit = limit
  }

  clear () {
    this.all = []
  }

  /** @param {JobEvent} event */
  add (event) {
    this.all.push(event)
    if (this.all.length <= this.#limit) return
    const old = this.all.splice(0, Math.ceil(this.#limit / 2))
    this.all.unshift(...old.filter(({ event }) => event === 'begins' || event === 'start'))
  }

  findRun () {
    for (const event of this.all.toReversed()) if (event.event === 'start') return event.run ?? null
    return null
  }
}

/** @param {string} file standard output of a run */
const hasRecord = file => attempt(() => !('error' in JSON.parse(readFileSync(file, 'utf8'))), () => false)
