/** Windows of several engines on one topology → where they agree and where not (pure). */
import { hodgesLehmann, signedRankInterval } from './stats/signed-rank.js'
import { median } from './stats/quantile.js'
import { middleLatency, throughput } from './arm-result.js'
import { placeOf, withinMargin } from './margin.js'
import { bottleneckOf } from './verdict.js'
import { ENGINE_AGREEMENT, LEVEL } from '../shared/thresholds.js'

/** @import { ByRole, EngineResult, ErrorCounts, Latency } from '../types.js' */

/** @typedef {object} EngineWindow one engine in one block
 * @property {string} engine
 * @property {number} block
 * @property {number} requests counted on the served side within `seconds` of its own clock
 * @property {number} seconds
 * @property {{ requests: number, seconds: number }} own what the engine says of its whole life
 * @property {ByRole} cpuSeconds within `seconds`
 * @property {ErrorCounts} errors
 * @property {Latency | null} latencyMs
 * @property {string | null} disagreement of both sides' counts over the engine's life */
/** @typedef {{ engine: string, block: number, failure: string }} FailedWindow */

/** @param {readonly EngineWindow[]} windows @param {readonly FailedWindow[]} failed @param {object} context
 * @param {readonly { name: string, title: string, version: string, latencyNote: string }[]} context.engines
 * @param {{ load: number[], served: number[] }} context.cores
 * @param {{ proxy?: number, server?: number }} context.processes how many cores each can use at most
 * @returns {EngineResult[]} in the order of `engines` */
export function compareEngines (windows, failed, { engines, cores, processes }) {
  const results = engines.map(engine =>
    resultOf(engine, windows.filter(window => window.engine === engine.name), { cores, processes })
  )
  const free = results.filter(({ bound, waits, rps }) => rps && bound !== 'load' && !waits).map(({ name }) => name)
  return results.map(result => ({
    ...result,
    ...agreement(result.name, windows, free),
    failures: failed.filter(({ engine }) => engine === result.name).map(({ failure }) => failure)
  }))
}

/** @param {{ name: string, title: string, version: string, latencyNote: string }} engine
 * @param {EngineWindow[]} windows its own
 * @param {{ cores: { load: number[], served: number[] }, processes: { proxy?: number, server?: number } }} context
 * @returns {Omit<EngineResult, 'toMiddle' | 'agrees' | 'failures'>} */
function resultOf ({ name, title, version, latencyNote }, windows, { cores, processes }) {
  const sum = (/** @type {(window: EngineWindow) => number} */ value) =>
    windows.reduce((total, window) => total + value(window), 0)
  const [requests, seconds] = [sum(window => window.requests), sum(window => window.seconds)]
  const cpu = {
    load: sum(w => w.cpuSeconds.load),
    proxy: sum(w => w.cpuSeconds.proxy),
    server: sum(w => w.cpuSeconds.server)
  }
  const any = windows.length > 0
  return {
    name,
    title,
    version,
    windows: windows.length,
    rps: any ? throughput(windows.map(rateOf)) : null,
    ownRps: any ? median(windows.map(({ own }) => own.requests / own.seconds)) : null,
    cpuMicrosPerRequest: requests > 0 ? cpu.load / requests * 1e6 : null,
    share: any ? cpu.load / seconds : null,
    ...bottleneckOf(cpu, cores, seconds, processes),
    latencyMs: middleLatency(windows),
    latencyNote,
    errors: {
      non2xx: sum(w => w.errors.non2xx),
      timeouts: sum(w => w.errors.timeouts),
      resets: sum(w => w.errors.resets),
      mismatches: sum(w => w.errors.mismatches)
    },
    disagreements: windows.flatMap(({ disagreement }) => disagreement ?? [])
  }
}

/** @param {EngineWindow} window */
const rateOf = ({ requests, seconds }) => requests / seconds

/** Only engines that were not the bottleneck say what the topology can take. @param {string} name
 * @param {readonly EngineWindow[]} windows of all engines
 * @param {string[]} free names of the engines that were not the bottleneck
 * @returns {Pick<EngineResult, 'toMiddle' | 'agrees'>} */
function agreement (name, windows, free) {
  if (free.length < 2 || !free.includes(name)) return { toMiddle: null, agrees: null }
  const logRatios = windows.filter(window => window.engine === name).flatMap(mine => {
    const block = windows.filter(window => window.block === mine.block && free.includes(window.engine))
    const ratio = rateOf(mine) / median(block.map(rateOf))
    // With an engine's window missing in this block, the middle is another one's.
    return block.length === free.length && ratio > 0 ? Math.log(ratio) : []
  })
  if (logRatios.length === 0) return { toMiddle: null, agrees: null }
  const { low, high } = signedRankInterval(logRatios, LEVEL) ??
    { low: Math.min(...logRatios), high: Math.max(...logRatios) }
  const toMiddle = { ratio: Math.exp(hodgesLehmann(logRatios)), low: Math.exp(low), high: Math.exp(high) }
  return { toMiddle, agrees: AGREES[placeOf(toMiddle, withinMargin(ENGINE_AGREEMENT))] }
}

const AGREES = /** @type {const} */ ({ within: 'yes', below: 'no', above: 'no', across: 'open' })
