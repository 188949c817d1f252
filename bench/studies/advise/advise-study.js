/** The course of `hopbench advise`: look, measure what can change a decision, size, decide, write. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explain, getErrorMessage, HopbenchError } from '../../errors.js'
import { findRisks } from '../../analysis/advice-risks.js'
import { OTHER_NODE } from '../../plan/changed-word.js'
import { toProductionLine } from '../../plan/runtimes.js'
import { decisionLine } from '../../report/advice-text.js'
import { storedRun } from '../stored-run.js'
import { now, utc } from '../session.js'
import { runForRecord, toContrasts, toSizing, withInstances } from './compare.js'
import { applyRule, decideAll, SIMPLEST } from './decide.js'
import { checkKit } from './check-kit.js'
import { toKitArm, writeKit } from './write.js'
import { toOtherNode } from './other-node.js'
import { toWords } from './request.js'

/** @import { AdviceFacts, AdviceRecord, AdviceSizing, AdviceState, RunRecord } from '../../types.js' */
/** @import { OpenAdvice } from '../../store/advice-record.js' */
/** @import { Bench } from './compare.js' */
/** @import { NamedRule } from './decide.js' */
/** @import { AdviseFlags, AdviseRequest } from './request.js' */

/** Budget of a comparison, in seconds: eight minutes have room for five, and for two sizings. */
const FULL_SECONDS = 45
/** Time that a quick comparison takes at most by itself, in seconds. */
const QUICK_SECONDS = 76
/** Time that a quick sizing takes, in seconds. */
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
 * @property {typeof checkKit} [check] tries behaviours of the kit; tests pass another one
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

  /** @param {NamedRule} named */
  async #measureFor ({ name, rule }) {
    const words = rule.needs(this.#state)
    const [baseline, ...arms] = words
    const { contrasts } = this.#state
    const isKnown = arms.every(arm => contrasts.some(found => found.arm === arm && found.baseline === baseline))
    if (baseline === undefined || isKnown) return
    const appWords = await this.#appWordsFor(words)
    if (appWords === null) return
    const { record, failure } = await this.#runOrRead(`compare ${words.join(' ')}`, {
      name,
      words: ['run', ...words, ...appWords, ...this.#runWords()],
      seconds: this.#request.quick ? QUICK_SECONDS : FULL_SECONDS
    })
    if (failure) this.#notes.push(`${rule.about.title}: ${failure}`)
    if (!record) return
    this.#page ??= record.plan?.arms[0]?.load.paths ?? null
    const { contrasts: found, notes } = toContrasts(record)
    this.#state = { ...this.#state, contrasts: [...contrasts, ...found] }
    this.#notes.push(...notes)
    await this.#store(null)
  }

  /**
   * Returns the options that start the app under another Node, if a topology names it.
   * @param {string[]} words
   * @returns {Promise<string[] | null>} null: that Node cannot be fetched
   */
  async #appWordsFor (words) {
    if (!words.includes(OTHER_NODE)) return []
    const { machine: { node }, today } = this.#state.facts
    try {
      return await toOtherNode(toProductionLine(node, today), this.#request.run, this.#world.tell)
    } catch (error) {
      if (!(error instanceof HopbenchError)) throw error
      this.#notes.push(`Node line: ${error.message}`)
      return null
    }
  }

  /** Returns the options of a comparison. @returns {string[]} */
  #runWords () {
    const { options, bench } = this.#world
    const { quick, mixWords, prefixes, paths } = this.#request
    return [
      ...this.#commonWords(),
      ...quick ? ['--quick'] : ['--budget', `${FULL_SECONDS}s`],
      // With folders of files a run requests the page of the path and the files by itself.
      ...prefixes.length > 0 && mixWords.length === 0 ? ['--path', paths[0]] : this.#mixWords(bench.dir),
      ...options.lab ? [] : ['--no-lab']
    ]
  }

  /**
   * Returns the options that name several requests. A list of one path is compared decoded, so that a proxy may
   * compress the response.
   * @param {string} dir
   * @returns {string[]}
   */
  #mixWords (dir) {
    const { mixWords, paths, headers } = this.#request
    if (mixWords.length > 0) return mixWords
    const file = join(dir, 'paths.txt')
    writeFileSync(file, `${(this.#page ?? [paths[0]]).join('\n')}\n`)
    const hasEncodings = Object.keys(headers).some(name => name.toLowerCase() === 'accept-encoding')
    return ['--paths', file, ...hasEncodings ? [] : ['--header', 'Accept-Encoding: gzip']]
  }

  #commonWords () {
    const { options } = this.#world
    return [...this.#request.appWords, ...this.#request.contentWords, ...toWords(options, ['seed', 'results'])]
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
    const earlier = stored ? (await storedRun(stored, options.results)).record : null
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
    const { options, bench } = this.#world
    const { load: { rps, p99Ms }, platform } = this.#request
    const { record, failure } = await this.#runOrRead(`size ${word}`, {
      name: 'size',
      words: [
        'size', word, ...this.#commonWords(), ...this.#mixWords(bench.dir), '--quick', '--rps', String(rps),
        '--p99', `${p99Ms}ms`, ...platform.provider ? ['--provider', platform.provider] : [],
        ...options.lab ? [] : ['--no-lab']
      ],
      seconds: SIZE_SECONDS
    })
    if (failure) this.#notes.push(`sizing: ${failure}`)
    const sizing = record && toSizing(record)
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
    const { bench, options, tell, check = checkKit } = this.#world
    if (this.#kit === null) return
    tell('starting the kit')
    try {
      this.#checks = await check(await toKitArm(this.#state.chosen, this.#request, options), {
        dir: this.#kit.dir, paths: this.#page ?? this.#request.paths, lab: options.lab, temp: join(bench.dir, 'kit')
      })
    } catch (error) {
      // The advice holds without the checks.
      this.#notes.push(`kit: it was not checked, because ${getErrorMessage(error)}`)
    }
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
      facts,
      load,
      topology: chosen,
      decisions,
      risks: findRisks({ facts, topology: chosen }),
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
