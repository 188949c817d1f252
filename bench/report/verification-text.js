/** Verifications of a sizing as text: offerings that ran under their limits, and named ones that did not. */
import { count, listing, micros, plural, rate } from '../shared/format.js'
import { printSizingWhy } from './facts/sizing-texts.js'
import { listHeadlines } from './sizing-headlines.js'
import { offeringName } from './tables/sizing.js'

/** @import { PriceRow, Sizing, Verification } from '../types.js' */

/**
 * Reports each offering that was verified, the recommended one last, then the named ones that were not.
 * @param {Sizing} sizing
 * @returns {string[]} empty if there is no verification
 */
export const verificationSentences = sizing => {
  const all = listVerified(sizing)
  return all.length > 0 ? [...all.map(found => verificationSentence(found, sizing)), ...openSentences(sizing)] : []
}

/**
 * Reports the verification of the recommended offering, and the named ones without one.
 * @param {Sizing} sizing
 * @returns {string[]}
 */
export const briefVerification = sizing =>
  sizing.verification ? [verificationSentence(sizing.verification, sizing), ...openSentences(sizing)] : []

/** Returns all verifications, that of the recommended offering last. @param {Sizing} sizing */
const listVerified = ({ verification, refuted = [], verified = [] }) =>
  verification ? [...refuted, ...verified, verification] : []

/** @type {(found: Verification, row: PriceRow) => boolean} */
const isOf = (found, { offering, topology }) =>
  found.offering === offeringName(offering) && found.topology === topology

/** Returns whether an offering was run under its limits. @type {(row: PriceRow, sizing: Sizing) => boolean} */
export const isVerified = (row, sizing) => listVerified(sizing).some(found => isOf(found, row))

/**
 * @param {Verification} verification
 * @param {Sizing} sizing
 */
function verificationSentence (verification, { goal, table }) {
  const { topology, offering, rate: perSecond, seconds, latencyMs, limits, windows, holds, why } = verification
  const outcome = `the goal of ${micros(goal.p99Ms)} ms ${holds ? 'holds' : `does not hold: ${printSizingWhy(why)}`}`
  const killed = limits.oomKills > 0 ? `, and killed ${count(limits.oomKills)} processes, out of memory` : ''
  const repeated = windows && windows.of > 1
    ? ` It was the last of ${windows.of} windows, of which ${windows.held} met the goal.`
    : ''
  const isNamed = !holds || listHeadlines(table).some(({ row }) => isOf(verification, row))
  return `One instance of ${topology} under the limits of ${offering}, ` +
    `${rate(perSecond)} requests a second for ${count(seconds)} s: p50 ` +
    `${micros(latencyMs?.p50)} ms, p99 ${micros(latencyMs?.p99)} ms; ${outcome}. ` +
    `CPU time ran out in ${count(limits.throttledPeriods)} of ${count(limits.periods)} periods of the quota, for ` +
    `${micros(limits.throttledSeconds * 1000)} ms in total; the kernel counted ` +
    `${count(Math.round(limits.memoryPeakMiB))} MiB at most${killed}.${repeated}${limitSentence(verification)}` +
    `${isNamed ? '' : ` The answer does not name ${offering}, so this confirms none of its offerings.`}`
}

/**
 * Reports p99 at the limit of requests in flight that a kit sets.
 * @param {Verification} verification
 * @returns {string} empty, or a sentence after a space
 */
function limitSentence ({ atLimit }) {
  if (!atLimit) return ''
  const { limit, inFlight, p99Ms, holds } = atLimit
  const measured = `p99 was ${micros(p99Ms)} ms with ${plural(inFlight, 'request')} in flight`
  if (!holds) return ` The goal is missed at the limit of requests in flight of a kit, too: ${measured}.`
  if (inFlight === limit) {
    return ` At the limit of a kit, or with all connections of this run if those are fewer, ${measured}.`
  }
  return ` A kit permits ${count(inFlight)} requests in flight in place of ${count(limit)}, where p99 was above the ` +
    `goal: ${measured}.`
}

/**
 * Lists the offerings that the answer names and that were not verified, and the reason.
 * @param {Sizing} sizing
 * @returns {string[]} one sentence for each reason
 */
function openSentences (sizing) {
  const cores = Math.max(...sizing.topologies.map(topology => topology.cores))
  const open = listHeadlines(sizing.table).map(({ row }) => row)
    .filter(row => !isVerified(row, sizing))
  const isTooLarge = (/** @type {PriceRow} */ { offering: { vcpu, assumed } }) =>
    Number(vcpu ?? assumed?.low ?? 0) > cores
  const names = (/** @type {PriceRow[]} */ rows) =>
    listing([...new Set(rows.map(({ offering }) => offeringName(offering)))])
  const large = open.filter(isTooLarge)
  const others = open.filter(row => !isTooLarge(row))
  return [
    ...others.length > 0 ? [`Not verified: ${names(others)}.`] : [],
    ...large.length > 0
      ? [`Not verified, because this machine serves with ${plural(cores, 'core')} and each has more: ${names(large)}.`]
      : []
  ]
}
