/** Builds the plan and the result of a sizing. A sizing is a run like any other: it has an arm for each topology and
 * share of its capacity, so that reports, pages and histories apply to it (pure). */
import { HopbenchError } from '../../errors.js'
import { shareName } from '../../plan/experiment.js'
import { printSizingWhy } from '../../report/facts/sizing-texts.js'
import { toMeasured } from './instance.js'
import { priceTable, withoutRefuted } from './price.js'
import { fitScaling } from './scaling.js'

/** @import { Arm, Plan, Sizing, Verification } from '../../types.js' */
/** @import { SizeRequest } from './types.js' */

/**
 * Builds the plan that is stored with a sizing.
 *
 * @param {Pick<SizeRequest, 'arms' | 'rate' | 'p99Ms' | 'seed' | 'quick'>} request one arm per topology
 * @param {number[]} shares of the capacity
 * @returns {Plan}
 */
export const createPlan = ({ arms, rate, p99Ms, seed, quick }, shares) => ({
  experiment: 'size',
  question: `How many instances serve ${rate} requests a second with 99 of 100 responses within ${p99Ms} ms?`,
  protocol: 'rates',
  result: 'latency',
  unit: 'requests',
  arms: arms.flatMap(arm => shares.map((share, step) => ({
    ...arm,
    name: shareName(arm.name, share),
    load: { ...arm.load, share },
    ladder: { of: arm.name, step }
  }))),
  contrasts: [],
  twin: null,
  claims: [],
  cores: 'split',
  seed,
  quick,
  targets: { precision: 0.05, budgetSeconds: 180 * arms.length, minBlocks: 1, maxBlocks: 1, adjusted: false }
})

/**
 * Computes the table of offerings and the scaling from the topologies measured so far.
 *
 * @param {SizeRequest} request
 * @param {Pick<Sizing, 'topologies' | 'verification' | 'emulation'> & { refuted: Verification[] }} found
 * @param {string} today
 * @returns {Sizing}
 */
export function computeSizing (request, { topologies, verification, refuted, emulation }, today) {
  const { rate, p99Ms, headroom, min, max, profile, confidence, offerings } = request
  const measured = topologies.map(topology => toMeasured(topology, p99Ms))
  const wish = { rate, headroom, fewest: min, most: max, profile, today }
  return {
    goal: { rate, p99Ms, headroom, fewestInstances: min, mostInstances: max, profile, confidence },
    topologies,
    table: withoutRefuted(priceTable({ topologies: measured, offerings, ...wish }), refuted),
    verification,
    ...refuted.length > 0 && { refuted },
    scaling: fitScaling(topologies),
    emulation
  }
}

/**
 * Rejects a sizing from which no offering can be chosen. The record is stored nevertheless.
 *
 * @param {Sizing} sizing
 * @throws {HopbenchError} app-leaks, rate-out-of-reach
 */
export function refuseUnfit ({ topologies, table, goal }) {
  for (const { word, soak, memoryMiB } of topologies) {
    if (!soak?.leaks) continue
    throw new HopbenchError('app-leaks', { name: word, slope: soak.slope, seconds: soak.seconds, memoryMiB })
  }
  if (table.length === 0 || table.some(({ instances }) => instances !== null)) return
  const why = [...new Set(table.map(row => printSizingWhy(row.why)))].join('; ')
  throw new HopbenchError('rate-out-of-reach', { rate: goal.rate, why })
}
