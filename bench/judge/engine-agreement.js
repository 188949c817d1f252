/** Windows of several engines on one topology → agreement between the engines (pure). */
import { hodgesLehmann, signedRankInterval } from './stats/signed-rank.js'
import { median } from './stats/quantile.js'
import { combineLatencies, computeThroughput, sumCpuSeconds, sumErrors, sumOf } from './arm-result.js'
import { placeOf, withinMargin } from './margin.js'
import { findBottleneck } from './bottleneck.js'
import { ENGINE_AGREEMENT, LEVEL } from '../shared/thresholds.js'

/** @import { ByRole, Cores, EngineResult, ErrorCounts, Latency } from '../types.js' */

/**
 * @typedef {object} EngineWindow one engine in one block
 * @property {string} engine
 * @property {number} block
 * @property {number} requests counted on the served side within `seconds`, by its clock
 * @property {number} seconds
 * @property {{ requests: number, seconds: number }} own as the engine reports them, from its start to its end
 * @property {ByRole} cpuSeconds within `seconds`
 * @property {ErrorCounts} errors
 * @property {Latency | null} latencyMs
 * @property {string | null} disagreement between the counts of both sides
 */

/**
 * @param {readonly EngineWindow[]} windows
 * @param {readonly { engine: string, block: number, failure: string }[]} failed
 * @param {object} context
 * @param {Cores} context.cores
 * @param {Parameters<typeof findBottleneck>[3]} context.load
 * @param {readonly Pick<EngineResult, 'name' | 'title' | 'version' | 'latencyNote'>[]} context.engines
 * @returns {EngineResult[]} in the order of `engines`
 */
export function compareEngines (windows, failed, { engines, ...context }) {
  const results = engines.map(engine =>
    computeResult(engine, windows.filter(window => window.engine === engine.name), context)
  )
  const unbound = results.filter(({ bound, waits, rps }) => rps && bound !== 'load' && !waits).map(({ name }) => name)
  return results.map(result => ({
    ...result,
    ...compareToMiddle(result.name, windows, unbound),
    failures: failed.filter(({ engine }) => engine === result.name).map(({ failure }) => failure)
  }))
}

/**
 * @param {Pick<EngineResult, 'name' | 'title' | 'version' | 'latencyNote'>} engine
 * @param {EngineWindow[]} windows of this engine
 * @param {{ cores: Cores, load: Parameters<typeof findBottleneck>[3] }} context
 * @returns {Omit<EngineResult, 'toMiddle' | 'agrees' | 'failures'>}
 */
function computeResult ({ name, title, version, latencyNote }, windows, { cores, load }) {
  const requests = sumOf(windows, window => window.requests)
  const seconds = sumOf(windows, window => window.seconds)
  const cpuSeconds = sumCpuSeconds(windows)
  const hasWindows = windows.length > 0
  return {
    name,
    title,
    version,
    windows: windows.length,
    rps: hasWindows ? computeThroughput(windows.map(getRate)) : null,
    ownRps: hasWindows ? median(windows.map(({ own }) => own.requests / own.seconds)) : null,
    cpuMicrosPerRequest: requests > 0 ? cpuSeconds.load / requests * 1e6 : null,
    share: hasWindows ? cpuSeconds.load / seconds : null,
    ...findBottleneck(cpuSeconds, cores, seconds, load),
    latencyMs: combineLatencies(windows),
    latencyNote,
    errors: sumErrors(windows),
    disagreements: windows.flatMap(({ disagreement }) => disagreement ?? [])
  }
}

/** @param {EngineWindow} window */
const getRate = ({ requests, seconds }) => requests / seconds

/** Whether an engine agrees, by the place of its ratio relative to the accepted range. */
const AGREEMENT_BY_PLACE = /** @type {const} */ ({ within: 'yes', below: 'no', above: 'no', across: 'open' })

/**
 * Compares an engine with the median of the engines that were not the bottleneck, block by block.
 *
 * @param {string} name
 * @param {readonly EngineWindow[]} windows of all engines
 * @param {string[]} unbound names of the engines that were not the bottleneck
 * @returns {Pick<EngineResult, 'toMiddle' | 'agrees'>}
 */
function compareToMiddle (name, windows, unbound) {
  if (unbound.length < 2 || !unbound.includes(name)) return { toMiddle: null, agrees: null }
  const logRatios = windows.filter(window => window.engine === name).flatMap(own => {
    const block = windows.filter(window => window.block === own.block && unbound.includes(window.engine))
    const ratio = getRate(own) / median(block.map(getRate))
    // If the window of an engine is missing in a block, the median is that of other engines.
    return block.length === unbound.length && ratio > 0 ? Math.log(ratio) : []
  })
  if (logRatios.length === 0) return { toMiddle: null, agrees: null }
  const { low, high } = signedRankInterval(logRatios, LEVEL) ??
    { low: Math.min(...logRatios), high: Math.max(...logRatios) }
  const toMiddle = { ratio: Math.exp(hodgesLehmann(logRatios)), low: Math.exp(low), high: Math.exp(high) }
  return { toMiddle, agrees: AGREEMENT_BY_PLACE[placeOf(toMiddle, withinMargin(ENGINE_AGREEMENT))] }
}
