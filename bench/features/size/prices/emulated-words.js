/** Words for emulations: offerings that ran under their limits, and named ones that did not (pure). */
import { isTlsAtInstance } from './instance.js'
import { listHeadlines, offeringName } from './offering-choice.js'
import { getCores } from './offerings.js'
import { covers, isOf, listCandidates, listEmulated, toEmulatedShare, toInstanceRate } from './emulated-rows.js'
import { hasTls } from '../../../plan/predicates.js'
import { printSizingWhy } from '../why-words.js'
import { compact } from '../../../report/wrap.js'
import { count, listing, micros, percent, plural, rate } from '../../../shared/format.js'

/** @import { PriceRow, Sizing, Emulated } from '../../../types.js' */

/**
 * Reports each offering that was emulated, the recommended one last, then the named ones that were not.
 * @param {Sizing} sizing
 * @param {Emulated[]} [found] those to report; default: all
 * @returns {string[]} empty if there is no emulation
 */
export const emulatedSentences = (sizing, found = listEmulated(sizing)) => found.length === 0
  ? []
  : [...found.map(emulation => emulationSentence(emulation, sizing)), ...openSentences(sizing)]

/**
 * @param {Emulated} emulation
 * @param {Sizing} sizing
 */
function emulationSentence (emulation, sizing) {
  const { topology, offering, rate: perSecond, seconds, latencyMs, limits, windows, holds, why, atLimit } = emulation
  // The limit of requests in flight is tried only if the goal holds at the rate.
  const result = holds || atLimit ? 'holds' : `does not hold: ${printSizingWhy(why)}`
  return compact([
    `One instance of ${topology} under the limits of ${offering}, ${rate(perSecond)} requests a second for ` +
      `${count(seconds)} s: p50 ${micros(latencyMs?.p50)} ms, p99 ${micros(latencyMs?.p99)} ms; the goal of ` +
      `${micros(sizing.goal.p99Ms)} ms ${result}.`,
    `CPU time ran out in ${count(limits.throttledPeriods)} of ${count(limits.periods)} periods of the quota, for ` +
      `${micros(limits.throttledSeconds * 1000)} ms in total.`,
    windows && `${windows.held} of ${plural(windows.of, 'window')}` +
      `${windows.seconds ? ` of ${windows.seconds} s` : ''} met the goal; ` +
      `${percent(toEmulatedShare(sizing.goal.confidence))} must.`,
    memorySentence(emulation),
    emulation.tooShort && `${count(seconds)} s are too short to count: run it without --quick.`,
    tlsSentence(emulation, sizing),
    limitSentence(emulation),
    holds && !emulation.tooShort && doubtSentence(emulation, sizing)
  ]).join(' ')
}

/** Reports memory, the limit of the heap, and kills. @param {Emulated} emulation */
function memorySentence ({ limits: { memoryPeakMiB, oomKills }, memory }) {
  const mib = (/** @type {number} */ value) => `${count(Math.round(value))} MiB`
  const processes = oomKills === 1 ? 'process' : 'processes'
  const killed = oomKills > 0 ? `killed ${count(oomKills)} ${processes}, out of memory` : 'killed no process'
  const counted = `The kernel counted ${mib(memoryPeakMiB)} at most`
  if (!memory) return `${counted}, and ${killed}.`
  const { firstMiB, lastMiB, limitMiB, heapLimitMiB } = memory
  const heap = heapLimitMiB === null ? '' : `; Node limits its heap to ${mib(heapLimitMiB)}`
  return `${counted} of ${mib(limitMiB)} (its processes ${mib(firstMiB)} in the first window, ${mib(lastMiB)} in the ` +
    `last)${heap}; it ${killed}.`
}

/**
 * Reports whether the instance ended TLS.
 * @param {Emulated} emulation
 * @param {Sizing} sizing
 */
function tlsSentence (emulation, { table, topologies }) {
  if (emulation.endsTls) return 'It ended TLS, on kept connections.'
  const isMissing = table.some(row => isTlsAtInstance(row.offering, row.instances) && isOf(emulation, row))
  const sized = topologies.find(({ spec }) => spec === emulation.topology)
  return isMissing && sized && !hasTls(sized.topology) && 'It ran without TLS, which an instance of it ends itself.'
}

/**
 * Reports why an emulation confirms no offering of the answer.
 * @param {Emulated} emulation
 * @param {Sizing} sizing
 */
function doubtSentence (emulation, { goal, table }) {
  const named = listHeadlines(table).find(({ row }) => isOf(emulation, row))
  if (!named) return `The answer does not name ${emulation.offering}, so this confirms none of its offerings.`
  return !covers(emulation, named.row, goal) &&
    `An instance of the answer must serve ${rate(toInstanceRate(named.row, goal))} requests a second, so this ` +
      'does not confirm it.'
}

/** Reports p99 at the limit of requests in flight that a kit sets. @param {Emulated} emulation */
function limitSentence ({ atLimit, pauseMs }) {
  if (pauseMs !== undefined) {
    return 'No limit of requests in flight holds the goal for a saturated instance: once its share of a core is ' +
      `used up, it waits for up to ${micros(pauseMs)} ms.`
  }
  if (!atLimit) return null
  const { limit, inFlight, p99Ms, holds } = atLimit
  const measured = `p99 was ${micros(p99Ms)} ms with ${plural(inFlight, 'request')} in flight`
  if (!holds) {
    const tried = inFlight < limit ? `${count(limit)} down to ${count(inFlight)}` : count(limit)
    return `With ${tried} requests in flight the goal is missed, so the offering does not hold it: ${measured}. A ` +
      `kit limits an instance to ${count(inFlight)}.`
  }
  return inFlight === limit
    ? `At the limit of a kit, or with all connections of this run if those are fewer, ${measured}.`
    : `A kit permits ${count(inFlight)} requests in flight in place of ${count(limit)}, where p99 was above the ` +
      `goal: ${measured}.`
}

/**
 * Lists the offerings that the answer names and that were not emulated, with the reason, then the cheapest of each
 * provider that was not emulated.
 * @param {Sizing} sizing
 * @returns {string[]} one sentence for each reason, and one for the providers
 */
function openSentences (sizing) {
  const cores = Math.max(...sizing.topologies.map(topology => topology.cores))
  const named = listHeadlines(sizing.table).map(({ row }) => row)
  const emulated = listEmulated(sizing)
  const open = listCandidates(sizing.table).filter(row => !emulated.some(found => covers(found, row, sizing.goal)))
  const isTooLarge = (/** @type {PriceRow} */ { offering }) => (getCores(offering) ?? 0) > cores
  const sentence = (/** @type {string} */ start, /** @type {PriceRow[]} */ rows) => rows.length > 0 &&
    `${start}: ${listing([...new Set(rows.map(({ offering }) => offeringName(offering)))])}.`
  return compact([
    sentence('Not emulated here', open.filter(row => named.includes(row) && !isTooLarge(row))),
    sentence(`Not emulated here, because this machine serves with ${plural(cores, 'core')} and each has more`,
      open.filter(row => named.includes(row) && isTooLarge(row))),
    sentence('Not emulated here, each the cheapest of its provider', open.filter(row => !named.includes(row)))
  ])
}
