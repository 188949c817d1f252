/** The course of `hopbench advise`: look, measure what can change a decision, size, decide, write. */
import { join } from 'node:path'
import { explain, HopbenchError } from '../../errors.js'
import { describeFileError, isSystemError } from '../../machine/file-failures.js'
import { findRisks } from '../../analysis/advice-risks.js'
import { OTHER_NODE } from '../../plan/changed-word.js'
import { toProductionLine } from '../../plan/runtimes.js'
import { decisionLine } from '../../report/advice-text.js'
import { storedRun } from '../stored-run.js'
import { now, utc } from '../session.js'
import { runForRecord, toContrasts, toFailedContrasts, toSizing, withInstances } from './compare.js'
import { applyRule, decideAll, SIMPLEST } from './decide.js'
import { tryKit } from './check-kit.js'
import { isTooLate, SIZING_SECONDS } from './time-limit.js'
import { toKitArm, writeKit } from './write.js'
import { toOtherNode } from './other-node.js'
import { toRunWords, toSizeWords } from './words.js'

/** @import { AdviceFacts, AdviceRecord, AdviceSizing, AdviceState, RunRecord } from '../../types.js' */
/** @import { OpenAdvice } from '../../store/advice-record.js' */
/** @import { Bench } from './compare.js' */
/** @import { NamedRule } from './decide.js' */
/** @import { AdviseFlags, AdviseRequest } from './request.js' */

/** Budget of a comparison, in seconds: eight minutes have room for five, and for two sizings. */
const FULL_SECONDS = 45
/** Time that a quick comparison takes at most by itself, in seconds. */
const QUICK_SECONDS = 76
/** Limit of a quick sizing, in seconds. */
const SIZE_SECONDS = 120
/** Most sizings: of the topology that is chosen first, and of a simpler one that it turns out to be worth as much. */
const MOST_SIZINGS = 2

/**
 * @typedef {object} AdviseWorld
 * @property {AdviseFlags} options
 * @property {NamedRule[]} rules
 * @property {Bench} bench
 * @property {OpenAdvice} store
 * @property {(line: string) => void} tell
 * @property {typeof tryKit} [check] tries behaviours of the kit; tests pass another one
 * @property {number} startedSeconds by now()
 * @property {string} startedAt
 */

/** An advice in progress, with what was found so far. */
export class AdviseStudy {
  #request
  #world
  /** @type {Record<string, string>} */
  #runs
  /** @type {string[]} */
  #notes = []
  /** @type {AdviceState} */
  #state
  /** @type {number | null} */
  #firstDecision = null
  /** @type {AdviceRecord['kit']} */
  #kit = null
  /** @type {AdviceRecord['checks']} */
  #checks = []
  /** Time of the last comparison. */
  #lastSeconds = 0
  /** Paths of a page view, as they were compared. @type {string[] | null} */
  #page = null

  /**
   * @param {AdviseRequest} request
   * @param {AdviceFacts} facts
   * @param {AdviseWorld} world
   */
  constructor (request, facts, world) {
    this.#request = request
    this.#world = world
    this.#runs = { ...world.store.stored?.runs }
    const { load, quick } = request
    this.#state = { facts, quick, load, chosen: SIMPLEST, contrasts: [], sizing: null, decisions: [] }
  }

  /**
   * Measures, decides, and writes the kit.
   * @returns {Promise<AdviceRecord>}
   * @throws {HopbenchError} advise-nothing
   */
  async run () {
    const { rules, bench } = this.#world
    await this.#store(null)
    for (const named of rules) {
      if (bench.interrupted() > 0) return this.#store(null)
      await this.#measureFor(named)
      this.#state = applyRule(this.#state, named)
      this.#tellLast()
    }
    if (this.#notes.length > 0 && this.#state.contrasts.every(({ verdict }) => verdict === 'invalid')) {
      throw new HopbenchError('advise-nothing', { why: this.#notes[0] })
    }
    if (this.#request.load.rps !== null) await this.#sizeAndDecide()
    if (bench.interrupted() > 0) return this.#store(null)
    this.#kit = await this.#writeKit()
    await this.#checkKit()
    return this.#store(utc())
  }

  /**
   * Compares the topologies that a rule needs, unless they were compared before.
   * @param {NamedRule} named
   */
  async #measureFor ({ name, rule }) {
    const words = rule.needs(this.#state)
    const [baseline, ...arms] = words
    const { contrasts } = this.#state
    const isKnown = arms.every(arm => contrasts.some(found => found.arm === arm && found.baseline === baseline))
    if (baseline === undefined || isKnown) return
    const needed = this.#lastSeconds + (this.#request.load.rps === null ? 0 : SIZING_SECONDS)
    // The first comparison is always made.
    if (this.#lastSeconds > 0 && this.#isTooLate(rule.about.title, needed)) return
    const begun = now()
    const { record, failure } = await this.#compare(name, words)
    this.#lastSeconds = now() - begun
    if (failure) this.#notes.push(`${rule.about.title}: ${failure}`)
    this.#page ??= record?.plan?.arms[0]?.load.paths ?? null
    const { contrasts: found, notes } = record ? toContrasts(record) : toFailedContrasts(words)
    this.#state = { ...this.#state, contrasts: [...contrasts, ...found] }
    this.#notes.push(...notes)
    await this.#store(null)
  }

  /**
   * Returns whether the time is over, and notes what is left out.
   * @param {string} title of a measurement
   * @param {number} neededSeconds by it and by those after it
   */
  #isTooLate (title, neededSeconds) {
    const elapsedSeconds = now() - this.#world.startedSeconds
    if (!isTooLate({ quick: this.#request.quick, elapsedSeconds, neededSeconds })) return false
    this.#notes.push(`${title}: it was not measured, because the time was over.`)
    return true
  }

  /**
   * @param {string} name of the rule
   * @param {string[]} words topologies, the baseline first
   * @returns {ReturnType<typeof runForRecord>}
   */
  async #compare (name, words) {
    const { quick, run } = this.#request
    const { machine: { node }, today } = this.#state.facts
    try {
      const appWords = words.includes(OTHER_NODE)
        ? await toOtherNode(toProductionLine(node, today), run, this.#world.tell)
        : []
      return await this.#runOrRead(`compare ${words.join(' ')}`, {
        name,
        words: ['run', ...words, ...appWords, ...toRunWords(words, this.#given(), FULL_SECONDS)],
        seconds: quick ? QUICK_SECONDS : FULL_SECONDS
      })
    } catch (error) {
      // Node cannot be fetched, or the folders cannot be copied: the other decisions do not need it.
      if (!(error instanceof HopbenchError) && !isSystemError(error)) throw error
      return { record: null, failure: isSystemError(error) ? describeFileError(error) : error.message }
    }
  }

  /** Returns what the options of a command follow from. */
  #given () {
    const { options, bench } = this.#world
    return { request: this.#request, options, dir: bench.dir, sharedDir: bench.sharedDir, page: this.#page }
  }

  /**
   * Runs a command, or reads its result if the advice is resumed.
   * @param {string} key of the run in the record
   * @param {{ name: string, words: string[], seconds: number }} order
   * @returns {Promise<{ record: RunRecord | null, failure: string | null }>}
   */
  async #runOrRead (key, { name, words, seconds }) {
    const { bench, options, tell } = this.#world
    const stored = this.#runs[key]
    // The run may have been deleted.
    const earlier = stored ? await storedRun(stored, options.results).then(({ record }) => record, () => null) : null
    if (earlier?.complete) return { record: earlier, failure: null }
    tell(`measuring: ${name} (${Math.round(now() - this.#world.startedSeconds)} s)`)
    const result = await runForRecord(words, { ...bench, name, seconds })
    if (result.record) this.#runs[key] = result.record.run
    return result
  }

  /** Sizes the chosen topology and lets the rules decide anew, which may choose a simpler topology. */
  async #sizeAndDecide () {
    const { rules, bench } = this.#world
    for (let sizings = 0; sizings < MOST_SIZINGS && bench.interrupted() === 0; sizings++) {
      const { chosen, contrasts, load } = this.#state
      if (sizings > 0 && this.#isTooLate(`sizing of ${chosen}`, SIZING_SECONDS)) return
      const sizing = await this.#size(chosen)
      if (!sizing) return
      const before = this.#state.decisions
      const state = { ...this.#state, sizing, contrasts: withInstances(contrasts, sizing, load) }
      // The second sizing is of the topology that the first one has led to, so it changes the topology no more.
      const decided = decideAll(state, rules)
      this.#state = sizings === 0 ? decided : { ...this.#state, sizing }
      for (const decision of this.#state.decisions) {
        if (before.find(({ rule }) => rule === decision.rule)?.text !== decision.text) {
          this.#world.tell(`now ${decisionLine(decision)}`)
        }
      }
      if (this.#state.chosen === chosen) return
    }
  }

  /**
   * @param {string} word
   * @returns {Promise<AdviceSizing | null>}
   */
  async #size (word) {
    const { record, failure } = await this.#runOrRead(`size ${word}`, {
      name: 'size',
      words: ['size', word, ...toSizeWords(word, this.#given())],
      seconds: SIZE_SECONDS
    })
    if (failure) this.#notes.push(`sizing: ${failure}`)
    const sizing = record && toSizing(record, this.#request.platform.provider)
    if (record && !sizing) this.#notes.push('sizing: no offering holds this rate within the goal.')
    await this.#store(null)
    return sizing
  }

  async #writeKit () {
    try {
      const { options } = this.#world
      return await writeKit(this.#state.chosen, { request: this.#request, options, state: this.#state })
    } catch (error) {
      if (!(error instanceof HopbenchError)) throw error
      this.#notes.push(`kit: ${explain(error).text.replaceAll('\n', ' ').trim()}`)
      return null
    }
  }

  async #checkKit () {
    const { bench, options, tell, check = tryKit } = this.#world
    const { facts: { project, platform }, chosen } = this.#state
    if (this.#kit === null) return
    if (this.#kit.ownImage) {
      this.#notes.push('kit: it was not started here, because Docker builds the image of the app.')
      return
    }
    tell('starting the kit')
    const arm = await toKitArm(chosen, this.#request, options)
    const { checks, failures } = await check(arm, {
      dir: this.#kit.dir,
      paths: this.#page ?? this.#request.paths,
      lab: options.lab,
      temp: join(bench.sharedDir, 'kit'),
      platform,
      upgrades: project.upgrades.length > 0
    })
    this.#checks = checks
    // The advice holds without the checks.
    this.#notes.push(...failures.map(failure => `kit: some of its behaviours were not tried, because ${failure}`))
  }

  #tellLast () {
    const { tell, startedSeconds } = this.#world
    const decision = this.#state.decisions.at(-1)
    if (!decision) return
    if (decision.because.contrast) this.#firstDecision ??= now() - startedSeconds
    tell(decisionLine(decision))
  }

  /**
   * @param {string | null} endedAt null: the advice goes on, or was interrupted
   * @returns {Promise<AdviceRecord>}
   */
  async #store (endedAt) {
    const { store, startedSeconds, startedAt } = this.#world
    const { facts, load, chosen, decisions, sizing } = this.#state
    /** @type {AdviceRecord} */
    const record = {
      schema: 1,
      advice: store.name,
      startedAt: store.stored?.startedAt ?? startedAt,
      endedAt,
      quick: this.#request.quick,
      request: this.#request.typed,
      seed: this.#world.options.seed ?? 0,
      facts,
      load,
      topology: chosen,
      decisions,
      risks: findRisks({ facts, topology: chosen, checks: this.#checks }),
      sizing,
      runs: this.#runs,
      notes: [...new Set(this.#notes)],
      kit: this.#kit,
      checks: this.#checks,
      seconds: { firstDecision: this.#firstDecision, all: now() - startedSeconds }
    }
    await store.save(record)
    return record
  }
}
