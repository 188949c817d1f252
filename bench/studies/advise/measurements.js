/** Measures for an advice by commands of hopbench, or reads their results if the advice is resumed. */
import { HopbenchError } from '../../errors.js'
import { describeFileError, isSystemError } from '../../machine/file-failures.js'
import { OTHER_NODE } from '../../plan/changed-word.js'
import { toProductionLine } from '../../plan/runtimes.js'
import { now } from '../session.js'
import { storedRun } from '../stored-run.js'
import { runForRecord } from './compare.js'
import { toOtherNode } from './other-node.js'
import { toRunWords, toSizeWords } from './words.js'

/** @import { AdviceFacts, RunRecord } from '../../types.js' */
/** @import { AdviseWorld } from './advise-study.js' */
/** @import { AdviseRequest } from './request.js' */

/** @typedef {Awaited<ReturnType<typeof runForRecord>>} Measured */

/** Budget of a comparison, in seconds: eight minutes have room for five, and for two sizings. */
const FULL_SECONDS = 45
/** Time that a quick comparison takes at most by itself, in seconds. */
const QUICK_SECONDS = 76
/** Time that a comparison of FULL_SECONDS takes with the start of its topologies, in seconds. */
const LONG_SECONDS = FULL_SECONDS + 15
/** Limit of a quick sizing, in seconds. */
const SIZE_SECONDS = 120
/**
 * Upper limit of an interval as a multiple of its lower limit, from which a quick comparison is made again. Page views
 * of 28 ms of CPU time have 0.4 to 8.8; most others have less than 1.4.
 */
const WIDE = 1.5

export class Measurements {
  #request
  #world
  /** Names of the runs, by what they measured. @type {Record<string, string>} */
  runs
  /** Paths of a page view, as they were compared. @type {string[] | null} */
  page = null
  /** Time of the last comparison, in seconds. */
  lastSeconds = 0

  /**
   * @param {AdviseRequest} request
   * @param {AdviseWorld} world
   */
  constructor (request, world) {
    this.#request = request
    this.#world = world
    this.runs = { ...world.store.stored?.runs }
  }

  /**
   * Compares topologies. A quick comparison that leaves the ratio wide open is made again for longer.
   * @param {string} name of the rule
   * @param {string[]} words topologies, the baseline first
   * @param {{ facts: AdviceFacts, hasTime: (seconds: number) => boolean }} situation hasTime: whether a measurement of
   *   this length ends in time
   * @returns {Promise<Measured>}
   */
  async compare (name, words, { facts, hasTime }) {
    const { quick } = this.#request
    const begun = now()
    try {
      const nodeWords = words.includes(OTHER_NODE) ? await this.#toNodeWords(facts) : []
      const first = await this.#run({ name, words, nodeWords, budgetSeconds: quick ? null : FULL_SECONDS })
      this.lastSeconds = now() - begun
      const isEnough = !quick || !first.record || !isWide(first.record)
      if (isEnough || this.#world.bench.interrupted() > 0 || !hasTime(LONG_SECONDS)) return first
      const longer = await this.#run({ name: `${name}-longer`, words, nodeWords, budgetSeconds: FULL_SECONDS })
      return longer.record ? longer : first
    } catch (error) {
      // Node cannot be fetched, or the folders cannot be copied: the other decisions do not need it.
      if (!(error instanceof HopbenchError) && !isSystemError(error)) throw error
      return { record: null, failure: isSystemError(error) ? describeFileError(error) : error.message }
    }
  }

  /**
   * Sizes a topology.
   * @param {string} word
   * @returns {Promise<Measured>}
   */
  size (word) {
    const words = ['size', word, ...toSizeWords(word, this.#given())]
    return this.#runOrRead(`size ${word}`, { name: 'size', words, seconds: SIZE_SECONDS })
  }

  /** @param {AdviceFacts} facts */
  #toNodeWords ({ machine: { node }, today }) {
    return toOtherNode(toProductionLine(node, today), this.#request.run, this.#world.tell)
  }

  /** @param {{ name: string, words: string[], nodeWords: string[], budgetSeconds: number | null }} comparison */
  async #run ({ name, words, nodeWords, budgetSeconds }) {
    const length = budgetSeconds === null ? '' : ` for ${budgetSeconds} s`
    const measured = await this.#runOrRead(`compare ${words.join(' ')}${length}`, {
      name,
      words: ['run', ...words, ...nodeWords, ...toRunWords(words, this.#given(), budgetSeconds)],
      seconds: budgetSeconds ?? QUICK_SECONDS
    })
    this.page ??= measured.record?.plan?.arms[0]?.load.paths ?? null
    return measured
  }

  /** Returns what the options of a command follow from. */
  #given () {
    const { options, bench: { dir, sharedDir } } = this.#world
    return { request: this.#request, options, dir, sharedDir, page: this.page }
  }

  /**
   * Runs a command, or reads its result if the advice is resumed.
   * @param {string} key of the run in the record
   * @param {{ name: string, words: string[], seconds: number }} order
   * @returns {Promise<Measured>}
   */
  async #runOrRead (key, { name, words, seconds }) {
    const { bench, options, tell, startedSeconds } = this.#world
    const stored = this.runs[key]
    // The run may have been deleted.
    const earlier = stored ? await storedRun(stored, options.results).then(({ record }) => record, () => null) : null
    if (earlier?.complete) return { record: earlier, failure: null }
    tell(`measuring: ${name} (${Math.round(now() - startedSeconds)} s)`)
    const result = await runForRecord(words, { ...bench, name, seconds })
    if (result.record) this.runs[key] = result.record.run
    return result
  }
}

/**
 * Returns whether a contrast is undecided and its interval spans both a large gain and a large loss.
 * @param {RunRecord} record
 */
const isWide = ({ contrasts }) => contrasts.some(({ verdict, low, high }) =>
  verdict === 'inconclusive' && high !== null && low !== null && high > WIDE * Math.max(0, low))
