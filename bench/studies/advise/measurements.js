/** Measures for an advice by commands of hopbench, or reads their results if the advice is resumed. */
import { dirname } from 'node:path'
import { HopbenchError, shellWord } from '../../errors.js'
import { describeFileError, isSystemError } from '../../machine/file-failures.js'
import { OTHER_NODE } from '../../plan/changed-spec.js'
import { runtimes, toProductionLine } from '../../plan/runtimes.js'
import { soFarText } from '../../report/advice-text.js'
import { now } from '../../machine/clocks.js'
import { storedRun } from '../../run/stored-run.js'
import { runForRecord, toFailure } from './compare.js'
import { toRunWords, toSizeWords } from './words.js'
import { findRuntime } from '../../machine/setup/runtime.js'

/** @import { AdviceFacts, RunRecord } from '../../types.js' */
/** @import { AdviseWorld } from './advise-study.js' */
/** @import { AdviseRequest } from './request.js' */
/** @import { FeedEvent } from '../../report/progress-feed.js' */
/** @import { Order } from './compare.js' */

/** @typedef {Awaited<ReturnType<typeof runForRecord>>} Measured */

/**
 * Budget of a comparison, in seconds: three starts, with two of which an interval is several times as wide. Eight
 * minutes have room for three comparisons and two sizings.
 */
const FULL_SECONDS = 100
/** Time that a quick comparison takes at most by itself, in seconds. */
const QUICK_SECONDS = 76
/** Limit of a quick sizing, in seconds. */
const SIZE_SECONDS = 120

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
      const nodeWords = words.includes(OTHER_NODE) ? await this.#toNodeWords(facts) : []
      const first = await this.#run(name, words, nodeWords)
      const { record } = first
      const seconds = now() - begun
      // The time of a failed comparison predicts that of the next one badly.
      if (record) this.#lastSeconds = seconds
      const fewer = findFewerConnections(record)
      if (record === null || fewer === null || this.#world.bench.interrupted() > 0) return first
      if (!isWorthAgain(seconds, record)) return first
      this.#connections = fewer
      const again = await this.#run(name, words, nodeWords)
      return again.record ? again : first
    } catch (error) {
      // Node cannot be fetched, or the folders cannot be copied: the other decisions do not need it.
      if (!(error instanceof HopbenchError) && !isSystemError(error)) throw error
      const failure = error instanceof HopbenchError
        ? toFailure(error.message, error.remedy)
        : describeFileError(error)
      return { record: null, failure }
    }
  }

  /**
   * Sizes a topology.
   * @param {string} spec
   * @returns {Promise<Measured>}
   */
  size (spec) {
    const words = ['size', spec, ...toSizeWords(spec, this.#given())]
    return this.#runOrRead(`size ${spec}`, { name: 'size', words, seconds: SIZE_SECONDS })
  }

  /** @param {AdviceFacts} facts */
  #toNodeWords ({ machine: { node }, today }) {
    return toOtherNode(toProductionLine(node, today), this.#request.run, this.#world.tell)
  }

  /**
   * @param {string} name of the rule
   * @param {string[]} words topologies
   * @param {string[]} nodeWords options that start the app under another line of Node
   */
  async #run (name, words, nodeWords) {
    const { quick } = this.#request
    const connectionWords = this.#connections === null ? [] : ['--connections', String(this.#connections)]
    const title = [name, ...connectionWords.slice(1)].join('-')
    const measured = await this.#runOrRead(['compare', ...words, ...connectionWords].join(' '), {
      name: title,
      words: ['run', ...words, ...nodeWords, ...connectionWords, ...toRunWords(words, this.#given(), FULL_SECONDS)],
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
      const text = event.event === 'block' && !isTold ? soFarText(event.contrasts) : null
      if (text === null) return
      isTold = true
      tell(`${text} (${Math.round(now() - startedSeconds)} s)`)
    }
  }

  /** Returns what the options of a command follow from. */
  #given () {
    const { options, bench: { dir, sharedDir } } = this.#world
    return { request: this.#request, options, dir, sharedDir, page: this.page }
  }

  /**
   * Runs a command, or reads its result if the advice is resumed.
   * @param {string} key of the run in the record
   * @param {Order & { words: string[] }} order
   * @returns {Promise<Measured>}
   */
  async #runOrRead (key, { words, ...order }) {
    const { bench, options, tell, startedSeconds } = this.#world
    const stored = this.runs[key]
    // The run may have been deleted.
    const earlier = stored ? await storedRun(stored, options.results).then(({ record }) => record, () => null) : null
    if (earlier?.complete) return { record: earlier, failure: null }
    tell(`measuring: ${order.name} (${Math.round(now() - startedSeconds)} s)`)
    const result = await runForRecord(words, { ...bench, ...order })
    if (result.record) this.runs[key] = result.record.run
    return result
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
 * Returns the options that start the app under the line of Node for production. That Node precedes the one on PATH, so
 * that npm and its scripts use it, too.
 *
 * @param {number} line
 * @param {string} run command of the app
 * @param {(line: string) => void} say prints that Node is fetched
 * @returns {Promise<string[]>}
 * @throws {HopbenchError} those of fetching a runtime
 */
async function toOtherNode (line, run, say) {
  const name = `node-${line}`
  const { program } = await findRuntime(name, runtimes[name], { say })
  return ['--app', `${OTHER_NODE}=export PATH=${shellWord(dirname(program))}:"$PATH"; ${run}`]
}
