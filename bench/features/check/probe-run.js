/** Runs all probes against one chain. */
import { readdirSync } from 'node:fs'
import { hasNoConnection } from '../../judge/check-failures.js'
import { onNoResponse } from './client.js'
import { fail, untested } from './outcome.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { CheckResult } from '../../types.js' */
/** @import { TestedChain } from './chain.js' */
/** @import { Topic, TopicProbe } from './types.js' */

/** Milliseconds after a probe in which a death of the server is attributed to the probe. */
const USUAL_PATIENCE_MS = 2
/** The same for a probe that is repeated, because it is suspected of causing a death. */
const PATIENCE_MS = 200

const folder = new URL('./probes/', import.meta.url)

/**
 * Imports all files in probes/. Each file is a topic.
 *
 * @returns {Promise<TopicProbe[]>} topic by topic
 */
export async function loadProbes () {
  /** @type {{ default: Topic }[]} */
  const modules = await Promise.all(readdirSync(folder).sort().map(file => import(new URL(file, folder).href)))
  return modules.flatMap(({ default: { topic, probes } }) => probes.map(probe => ({ ...probe, topic })))
}

/** Runs probes one after the other, and restarts the server if a probe ends it. */
export class ProbeRun {
  /** @type {CheckResult[]} */
  #results = []
  #chain
  #deadly

  /**
   * @param {Pick<TestedChain, 'start' | 'context' | 'death' | 'stop'>} chain not started yet
   * @param {Set<string>} [deadly] names of probes that end this server; shared by the runs of all chains of a server
   */
  constructor (chain, deadly = new Set()) {
    this.#chain = chain
    this.#deadly = deadly
  }

  /**
   * @param {TopicProbe[]} probes
   * @returns {Promise<CheckResult[]>} one result per probe, in their order
   * @throws {HopbenchError} if the server cannot be started at all
   */
  async run (probes) {
    await this.#chain.start()
    let isUp = true
    try {
      for (const [i, probe] of probes.entries()) {
        if (!isUp) {
          this.#results.push({ probe: probe.name, ...untested('the server could not be started again'), died: false })
          continue
        }
        const result = await this.#tryProbe(probe)
        this.#results.push(result)
        if (!result.died) continue
        isUp = await this.#restart()
        if (isUp && !this.#deadly.has(probe.name)) isUp = await this.#findCause(probe, probes[i - 1])
      }
      return this.#results
    } finally {
      await this.#chain.stop()
    }
  }

  /**
   * Repeats the last probe, and if the server survives, the probe before. A server can die after a delay, so that the
   * death was attributed to the wrong probe.
   *
   * @param {TopicProbe} last
   * @param {TopicProbe | undefined} previous
   * @returns {Promise<boolean>} whether the server is up again
   */
  async #findCause (last, previous) {
    const lastResult = await this.#tryProbe(last, PATIENCE_MS)
    const isUp = await this.#restart()
    if (lastResult.died) {
      this.#deadly.add(last.name)
      return isUp
    }
    if (!previous || !isUp) return isUp
    const previousResult = await this.#tryProbe(previous, PATIENCE_MS)
    if (previousResult.died) {
      this.#deadly.add(previous.name)
      this.#results.splice(-2, 2, previousResult, lastResult)
    }
    return this.#restart()
  }

  /**
   * Runs a probe, and repeats it once if it had no connection. The server has responded after the first attempt.
   *
   * @param {TopicProbe} probe
   * @param {number} [patienceMs]
   * @returns {Promise<CheckResult>} untested: the second attempt had no connection either
   */
  async #tryProbe (probe, patienceMs = USUAL_PATIENCE_MS) {
    const result = await this.#runProbe(probe, patienceMs)
    if (!hasNoConnection(result)) return result
    const repeated = await this.#runProbe(probe, patienceMs)
    if (!hasNoConnection(repeated)) return repeated
    return { ...repeated, ...untested(`no connection in two attempts: ${repeated.saw}`) }
  }

  /**
   * @param {TopicProbe} probe
   * @param {number} patienceMs
   * @returns {Promise<CheckResult>}
   */
  async #runProbe (probe, patienceMs) {
    const finding = await probe.run(this.#chain.context()).catch(onNoResponse(error => fail(error.message)))
    const death = await this.#chain.death(patienceMs)
    if (death === null) return { probe: probe.name, ...finding, died: false }
    const cause = finding.outcome === 'fail' ? `${finding.saw}; ${death}` : death
    return { probe: probe.name, ...fail(cause), died: true }
  }

  #restart () {
    return this.#chain.start().then(() => true, () => false)
  }
}
