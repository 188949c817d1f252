/** Measures for an advice in workers, or reads the results if the advice is resumed. */
import { dirname } from 'node:path'
import { HopbenchError, shellWord } from '../../errors.js'
import { describeFileError, isSystemError } from '../../machine/files/file-failures.js'
import { OTHER_NODE } from '../../plan/changed-spec.js'
import { runtimes, toProductionLine } from '../../plan/runtimes.js'
import { isNumber } from '../../shared/format.js'
import { now } from '../../machine/clocks.js'
import { storedRun } from '../../run/stored-run.js'
import { callWorker } from '../../run/call-worker.js'
import { toFailure } from './compare.js'
import { toRunOptions, toSizeOptions } from './words.js'
import { findRuntime } from '../../machine/setup/runtime.js'

/** @import { AdviceFacts, RunRecord } from '../../types.js' */
/** @import { AdviseWorld } from './study.js' */
/** @import { RunFlags } from '../../request/types.js' */
/** @import { AdviseRequest } from './request.js' */
/** @import { FeedEvent } from '../../report/progress-feed.js' */

/** failure: a sentence; null: none. @typedef {{ record: RunRecord | null, failure: string | null }} Measured */
/**
 * A measurement. name: of the files of its output; seconds: budget; onEvent: is called with the progress of a run.
 *
 * @typedef {{ name: string, words: string[], options: RunFlags, seconds: number,
 *   onEvent?: (event: FeedEvent) => void }} Order
 */

/**
 * Budget of a comparison, in seconds: three starts, with two of which an interval is several times as wide. Eight
 * minutes have room for three comparisons and two sizings.
 */
const FULL_SECONDS = 100
/** Time that a quick comparison takes at most by itself, in seconds. */
const QUICK_SECONDS = 76
/** Limit of a quick sizing, in seconds. */
const SIZE_SECONDS = 120

/** Seconds that a task may exceed its budget: programs are installed, apps start, and a sizing ends its window. */
const SPARE_SECONDS = 300

/** Measurements of an advice. */
export class Measurements {
  #request
  #world
  /** Names of the runs, by what they measured. @type {Record<string, string>} */
  runs
  /** Paths of a page view, as they were compared. @type {string[] | null} */
  page = null
  /** Time of the last comparison that succeeded, in seconds. */
  #lastSeconds = 0
  #hasTried = false
  /** Connections of the load; null: as many as a run has by default. @type {number | null} */
  #connections = null

  /**
   * @param {AdviseRequest} request
   * @param {AdviseWorld} world
   */
  constructor (request, world) {
    this.#request = request
    this.#world = world
    this.runs = { ...world.store.stored?.runs }
  }

  /** Returns the time that the next comparison takes, in seconds; 0: there was none yet. */
  predictSeconds () {
    if (!this.#hasTried) return 0
    const mostSeconds = this.#request.quick ? QUICK_SECONDS : FULL_SECONDS
    return this.#lastSeconds || mostSeconds
  }

  /**
   * Compares topologies. If the connections are too many for a slow app, this and later comparisons have fewer.
   * @param {string} name of the rule
   * @param {string[]} words topologies, the baseline first
   * @param {object} situation
   * @param {AdviceFacts} situation.facts
   * @param {(seconds: number, record: RunRecord) => boolean} situation.isWorthAgain whether a second comparison of this
   *   length ends in time, and the first one leaves the decision open
   * @returns {Promise<Measured>}
   */
  async compare (name, words, { facts, isWorthAgain }) {
    const begun = now()
    this.#hasTried = true
    try {
      const otherApps = words.includes(OTHER_NODE) ? [await this.#toOtherApp(facts)] : []
      const first = await this.#run(name, words, otherApps)
      const { record } = first
      const seconds = now() - begun
      // The time of a failed comparison predicts that of the next one badly.
      if (record) this.#lastSeconds = seconds
      const fewer = findFewerConnections(record)
      if (record === null || fewer === null || this.#world.bench.interrupted() > 0) return first
      if (!isWorthAgain(seconds, record)) return first
      this.#connections = fewer
      const again = await this.#run(name, words, otherApps)
      return again.record ? again : first
    } catch (error) {
      // Node cannot be fetched, or the folders cannot be copied: the other decisions do not need it.
      if (!(error instanceof HopbenchError) && !isSystemError(error)) throw error
      return { record: null, failure: error instanceof HopbenchError ? toFailure(error) : describeFileError(error) }
    }
  }

  /**
   * Sizes a topology.
   * @param {string} spec
   * @returns {Promise<Measured>}
   */
  size (spec) {
    return this.#runOrRead('size', `size ${spec}`, {
      name: 'size', words: [spec], options: toSizeOptions(spec, this.#given()), seconds: SIZE_SECONDS
    })
  }

  /** @param {AdviceFacts} facts */
  #toOtherApp ({ machine: { node }, today }) {
    return toOtherNode(toProductionLine(node, today), this.#request.run, this.#world.tell)
  }

  /**
   * @param {string} name of the rule
   * @param {string[]} words topologies
   * @param {string[]} otherApps the app under another line of Node, as --app takes it
   */
  async #run (name, words, otherApps) {
    const { quick } = this.#request
    const connections = this.#connections
    const options = toRunOptions(words, this.#given(), FULL_SECONDS)
    const fewer = connections === null ? [] : ['--connections', String(connections)]
    const measured = await this.#runOrRead('run', ['compare', ...words, ...fewer].join(' '), {
      name: [name, ...fewer.slice(1)].join('-'),
      words,
      options: { ...options, app: [options.app ?? [], otherApps].flat(), ...connections !== null && { connections } },
      seconds: quick ? QUICK_SECONDS : FULL_SECONDS,
      // A quick comparison soon has its result.
      ...!quick && { onEvent: this.#tellFirstBlock() }
    })
    this.page ??= measured.record?.plan?.arms[0]?.load.paths ?? null
    return measured
  }

  /** Returns a function that prints the first estimates of a run, which decide nothing yet. */
  #tellFirstBlock () {
    const { tell, startedSeconds } = this.#world
    let isTold = false
    return (/** @type {FeedEvent} */ event) => {
      const known = event.event === 'block' && !isTold ? event.contrasts.filter(({ ratio }) => isNumber(ratio)) : []
      if (known.length === 0) return
      isTold = true
      const texts = known.map(({ arm, baseline, ratio }) => `${arm} ${ratio.toFixed(2)} times ${baseline}`)
      tell(`so far: ${texts.join(', ')} (${Math.round(now() - startedSeconds)} s)`)
    }
  }

  /** Returns what the options of a run follow from. */
  #given () {
    const { options, bench: { dir, sharedDir } } = this.#world
    return { request: this.#request, options, dir, sharedDir, page: this.page }
  }

  /**
   * Measures, or reads the result if the advice is resumed.
   * @param {'run' | 'size'} task
   * @param {string} key of the run in the record
   * @param {Order} order
   * @returns {Promise<Measured>}
   */
  async #runOrRead (task, key, { words, options, ...order }) {
    const { bench: { dir, interrupted, call = callWorker }, options: { results }, tell, startedSeconds } = this.#world
    const stored = this.runs[key]
    // The run may have been deleted.
    const earlier = stored ? await storedRun(stored, results).then(({ record }) => record, () => null) : null
    if (earlier?.complete) return { record: earlier, failure: null }
    tell(`measuring: ${order.name} (${Math.round(now() - startedSeconds)} s)`)
    const { result, error } = await call(task, { words, options }, {
      ...order, dir, interrupted, seconds: order.seconds + SPARE_SECONDS
    })
    if (result === null) return { record: null, failure: toFailure(error) }
    this.runs[key] = result.record.run
    return { record: result.record, failure: null }
  }
}

/**
 * Returns the number of connections that a run recommends in place of its own.
 * @param {RunRecord | null} record
 * @returns {number | null} null: its connections were not too many
 */
function findFewerConnections (record) {
  const warning = record?.warnings?.find(({ code }) => code === 'batches')
  return warning && 'params' in warning && 'fewer' in warning.params ? warning.params.fewer : null
}

/**
 * Returns the command of the app under the line of Node for production, as --app takes it. That Node precedes the one
 * on PATH, so that npm and its scripts use it, too.
 *
 * @param {number} line
 * @param {string} run command of the app
 * @param {(line: string) => void} say prints that Node is fetched
 * @returns {Promise<string>}
 * @throws {HopbenchError} those of fetching a runtime
 */
async function toOtherNode (line, run, say) {
  const name = `node-${line}`
  const { program } = await findRuntime(name, runtimes[name], { say })
  return `${OTHER_NODE}=export PATH=${shellWord(dirname(program))}:"$PATH"; ${run}`
}
