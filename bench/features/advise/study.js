/** The course of `hopbench advise`: look, measure what can change a decision, size, decide, write. */
import { join } from 'node:path'
import { getErrorMessage, HopbenchError } from '../../errors.js'
import { YOURS } from '../../plan/changed-spec.js'
import { toContrasts, toFailedContrasts } from '../../judge/advice-contrasts.js'
import { findRisks } from './risks.js'
import { dearerNote } from './kind.js'
import { attempt } from '../../shared/attempt.js'
import { textWithoutSecrets } from '../../shared/secrets.js'
import { now } from '../../machine/clocks.js'
import { utc } from '../../run/session.js'
import { rejectUnfit } from '../size/index.js'
import { listInvalid, toSizing, withInstances } from './compare.js'
import { SIMPLEST } from './advice.js'
import { applyRule, decideWithinTopology, toDecision } from './decide.js'
import { tryKit } from './check-kit.js'
import { Measurements } from './measurements.js'
import { describeKitFault, describeLost, toKitArm, writeKit } from './write.js'

/** @import { AdviceFacts, AdviceRecord, AdviceSizing, AdviceState, Decision, RunRecord } from '../../types.js' */
/** @import { OpenAdvice } from '../../store/advice-record.js' */
/** @import { Bench } from './compare.js' */
/** @import { NamedRule } from './decide.js' */
/** @import { AdviseFlags, AdviseRequest } from './request.js' */

/** Time of a whole advice, in seconds, as --help promises it. */
const MAX_SECONDS = { quick: 180, full: 480 }
/** Time that the start and the checks of the kit take, in seconds. */
const KIT_SECONDS = 17
/** Time that a sizing takes, in seconds. */
const SIZING_SECONDS = 57
/** Most sizings: of the topology that is chosen first, and of a simpler one that it turns out to be worth as much. */
const MAX_SIZINGS = 2

/**
 * @typedef {object} AdviseWorld
 * @property {AdviseFlags} options
 * @property {NamedRule[]} rules
 * @property {Bench} bench
 * @property {OpenAdvice} store
 * @property {(line: string) => void} printProgress
 * @property {string | null} [kitFault] note, if a kit cannot be written
 * @property {string[]} [leftOut] requests and folders that the advice leaves out, with the reason
 * @property {typeof tryKit} [check] tries behaviours of the kit; tests pass another one
 * @property {number} startedSeconds by now()
 * @property {string} startedAt
 */

/** An advice in progress, with what was found so far. */
export class AdviseStudy {
  #request
  #world
  #measurements
  /** @type {string[]} */
  #notes = []
  /** Note about a kit that cannot be written. The look supplies it before a kit is tried. @type {string | null} */
  #kitFault
  /** Decisions as they were printed. @type {Set<string>} */
  #printed = new Set()
  /** @type {AdviceState} */
  #state
  /** @type {number | null} */
  #firstDecision = null
  /** @type {AdviceRecord['kit']} */
  #kit = null
  /** @type {AdviceRecord['checks']} */
  #checks = []

  /**
   * @param {AdviseRequest} request
   * @param {AdviceFacts} facts
   * @param {AdviseWorld} world
   */
  constructor (request, facts, world) {
    this.#request = request
    this.#world = world
    this.#measurements = new Measurements(request, world)
    this.#kitFault = world.kitFault ?? null
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
    // Decisions that follow from facts alone.
    for (const named of rules.filter(({ rule }) => rule.isFactual && rule.needs(this.#state).length === 0)) {
      this.#printProgress(toDecision(this.#state, named))
    }
    for (const named of rules) {
      if (bench.interrupted() > 0) return this.#store(null)
      await this.#measureFor(named)
      this.#state = applyRule(this.#state, named)
      const decision = this.#state.decisions[this.#state.decisions.length - 1]
      if (decision.because.contrast) this.#firstDecision ??= now() - this.#world.startedSeconds
      this.#printProgress(decision)
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
   * Prints a decision, unless the same was printed before.
   * @param {Decision} decision
   */
  #printProgress ({ text }) {
    if (!this.#printed.has(text)) this.#world.printProgress(text)
    this.#printed.add(text)
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
    const seconds = this.#measurements.nextSeconds
    const laterSeconds = this.#request.load.rps === null ? 0 : SIZING_SECONDS
    // The first comparison is always made.
    if (seconds > 0 && !this.#hasTime(seconds + laterSeconds)) {
      this.#notes.push(`${rule.about.title}: it was not measured, because the time was over.`)
      return
    }
    const compare = (/** @type {string[]} */ words) => this.#measurements.compare(name, words, {
      facts: this.#state.facts,
      // Repeats a comparison only if it leaves the decision open.
      isWorthAgain: (seconds, record) => this.#hasTime(seconds + laterSeconds) &&
        rule.decide({ ...this.#state, contrasts: [...contrasts, ...toContrasts(record)] }).decision === 'open'
    })
    const isFirst = Boolean(this.#state.facts.own?.config) && !contrasts.some(({ arm }) => arm === YOURS)
    const first = isFirst && !words.includes(YOURS) ? await compare([...words, YOURS]) : null
    // A configuration that cannot be measured takes no decision with it.
    if (first?.failure) this.#notes.push(`${YOURS}: ${first.failure}`)
    const { record, failure } = first?.record ? first : await compare(words)
    if (failure) this.#notes.push(`${rule.about.title}: ${failure}`)
    const failed = first?.failure ? toFailedContrasts([baseline, YOURS]) : []
    const found = [...record ? toContrasts(record) : toFailedContrasts(words), ...failed]
    const { sizing, load } = this.#state
    this.#state = { ...this.#state, contrasts: withInstances([...contrasts, ...found], sizing, load) }
    if (record) this.#notes.push(...listInvalid(record))
    await this.#store(null)
  }

  /**
   * Returns whether measurements of this length end in time.
   * @param {number} neededSeconds
   */
  #hasTime (neededSeconds) {
    const elapsedSeconds = now() - this.#world.startedSeconds
    return !isTooLate({ quick: this.#request.quick, elapsedSeconds, neededSeconds })
  }

  /** Sizes the chosen topology and lets the rules decide anew, which may choose a simpler topology. */
  async #sizeAndDecide () {
    const { rules, bench } = this.#world
    for (let sizings = 0; sizings < MAX_SIZINGS && bench.interrupted() === 0; sizings++) {
      const { chosen, contrasts, load } = this.#state
      if (sizings > 0 && !this.#hasTime(SIZING_SECONDS)) {
        this.#notes.push(`sizing of ${chosen}: it was not measured, because the time was over.`)
        return
      }
      const sizing = await this.#size(chosen)
      if (!sizing) return
      const dearer = dearerNote(sizing, this.#state.sizing)
      if (dearer) this.#notes.push(dearer)
      const before = this.#state.decisions
      const state = { ...this.#state, sizing, contrasts: withInstances(contrasts, sizing, load) }
      // The second sizing is of the topology that the first one has led to, so it changes the topology no more.
      if (sizings === 0) await this.#decideAnew(state)
      else this.#state = decideWithinTopology({ ...this.#state, sizing }, rules)
      for (const decision of this.#state.decisions) {
        if (before.find(({ rule }) => rule === decision.rule)?.text !== decision.text) {
          this.#world.printProgress(`now: ${decision.text}`)
        }
      }
      if (this.#state.chosen === chosen) return
    }
  }

  /**
   * Lets all rules decide by the first sizing, with what they need then: it may lead to another topology, and it finds
   * how many processes an instance has.
   * @param {AdviceState} state with the sizing
   */
  async #decideAnew (state) {
    const { rules, bench } = this.#world
    this.#state = { ...state, chosen: SIMPLEST, decisions: [] }
    for (const named of rules) {
      if (bench.interrupted() > 0) return
      await this.#measureFor(named)
      this.#state = applyRule(this.#state, named)
    }
  }

  /**
   * @param {string} spec
   * @returns {Promise<AdviceSizing | null>}
   */
  async #size (spec) {
    const { record, failure } = await this.#measurements.size(spec)
    if (failure) this.#notes.push(`sizing: ${failure}`)
    const sizing = record && toSizing(record, this.#request.platform.provider)
    if (record && !sizing) this.#notes.push(`sizing: ${describeUnfit(record)}`)
    await this.#store(null)
    return sizing
  }

  async #writeKit () {
    try {
      const { options, printProgress } = this.#world
      const kit = await writeKit(this.#state.chosen,
        { request: this.#request, options, state: this.#state, printProgress })
      this.#kitFault = null
      this.#notes.push(...describeLost(this.#state.chosen, this.#state.facts))
      return kit
    } catch (error) {
      if (!(error instanceof HopbenchError)) throw error
      this.#kitFault = describeKitFault(error)
      return null
    }
  }

  async #checkKit () {
    const { bench, options, printProgress, check = tryKit } = this.#world
    const { facts: { project, platform }, chosen } = this.#state
    if (this.#kit === null) return
    if (this.#kit.ownImage) {
      this.#notes.push('kit: it was not started here, because Docker builds the image of the app.')
      return
    }
    printProgress('starting the kit')
    const arm = await toKitArm(chosen, this.#request, options)
    const { checks, failures } = await check(arm, {
      dir: this.#kit.dir,
      requests: this.#measurements.page?.map(path => ({ path })) ?? this.#request.requests,
      headers: this.#request.headers,
      lab: options.lab,
      temp: join(bench.sharedDir, 'kit'),
      platform,
      upgrades: project.upgrades.length > 0
    })
    this.#checks = checks
    // The advice holds without the checks.
    this.#notes.push(...failures.map(failure => `kit: some of its behaviours were not tried, because ${failure}`))
  }

  /**
   * @param {string | null} endedAt null: the advice goes on, or was interrupted
   * @returns {Promise<AdviceRecord>}
   */
  async #store (endedAt) {
    const { store, startedSeconds, startedAt, leftOut = [] } = this.#world
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
      runs: this.#measurements.runs,
      notes: [...new Set([
        ...leftOut.map(text => `left out: ${textWithoutSecrets(text)}`),
        ...this.#notes,
        ...this.#kitFault === null ? [] : [this.#kitFault]
      ])],
      kit: this.#kit,
      checks: this.#checks,
      seconds: { firstDecision: this.#firstDecision, all: now() - startedSeconds }
    }
    await store.save(record)
    return record
  }
}

/** Returns why a sizing recommends no offering. @param {RunRecord} record */
const describeUnfit = ({ sizing }) =>
  (sizing && attempt(() => rejectUnfit(sizing), getErrorMessage)) ?? 'no offering holds this rate within the goal.'

/**
 * Returns whether a measurement, with what has to follow it, would end too late.
 *
 * @param {object} advice
 * @param {boolean} advice.quick
 * @param {number} advice.elapsedSeconds since its start
 * @param {number} advice.neededSeconds of the measurement and of those after it
 */
export const isTooLate = ({ quick, elapsedSeconds, neededSeconds }) =>
  elapsedSeconds + neededSeconds + KIT_SECONDS > MAX_SECONDS[quick ? 'quick' : 'full']
