/** Emulations and the rows of the table to which they belong, and the limit of requests in flight of a row. */
import t from '../../../support/tap.js'
import {
  covers, isOf, limitInFlight, toCertainty, toInstanceRate
} from '../../../../bench/features/size/prices/emulated-rows.js'
import { computeSizing } from '../../../../bench/features/size/record.js'
import { makeOffering } from '../../../support/offerings.js'
import { sentencesOf, sizing } from '../../../support/sizing.js'

/** @import { AtLimit, Sizing } from '../../../../bench/types.js' */

const [row] = sizing.table
const [emulation] = sizing.emulated ?? []
/** @type {(atLimit: AtLimit) => Sizing} */
const withLimit = atLimit => ({ ...sizing, emulated: [{ ...emulation, atLimit }] })

t.test('the limit of requests in flight is that of the capacity, of the provider, or of an emulation', async t => {
  t.equal(limitInFlight(row, sizing), 140, '2,800 a second × 50 ms')
  t.equal(limitInFlight({ ...row, offering: { ...row.offering, mostConcurrency: 80 } }, sizing), 80)
  t.equal(limitInFlight({ ...row, perInstance: null }, sizing), null)
  const limitAt = (/** @type {AtLimit} */ atLimit) => limitInFlight(row, withLimit(atLimit))
  t.equal(limitAt({ limit: 140, inFlight: 100, p99Ms: 45, holds: true }), 100, 'lowered until the goal held')
  t.equal(limitAt({ limit: 140, inFlight: 25, p99Ms: 55, holds: false }), 25, 'the fewest that missed the goal')
  t.equal(limitAt({ limit: 100, inFlight: 100, p99Ms: 55, holds: false }), 100, 'no fewer were tried')
  t.equal(limitAt({ limit: 100, inFlight: 100, p99Ms: 45, holds: true }), 140, 'the run had fewer connections')
  const other = withLimit({ limit: 140, inFlight: 25, p99Ms: 55, holds: false })
  t.equal(limitInFlight({ ...row, topology: 'express-json' }, other), 140, 'another topology was emulated')
})

t.test('the answer names the limit of requests in flight that an emulation has lowered', async t => {
  t.match(sentencesOf(withLimit({ limit: 140, inFlight: 100, p99Ms: 45, holds: true }), 'classes')[0],
    /with 100 requests in flight at most\.$/)
})

t.test('an emulation covers a row if its rate is at least that of an instance without the spare ones', async t => {
  t.equal(toInstanceRate({ instances: 4 }, { rate: 3000, spare: 1 }), 1000)
  t.equal(toInstanceRate({ instances: 1 }, { rate: 3000, spare: 1 }), 3000)
  t.equal(covers(emulation, { ...row, instances: 3 }, { rate: 2000, spare: 1 }), true)
  t.equal(covers(emulation, { ...row, instances: 2 }, { rate: 2000, spare: 1 }), false)
  t.equal(isOf(emulation, { ...row, topology: 'express-json' }), false)
})

t.test('a row is emulated here if an instance met the goal at its rate, else estimated', async t => {
  const certaintyOf = (/** @type {Partial<Sizing>} */ more) => toCertainty(row, { ...sizing, ...more })
  t.equal(certaintyOf({ goal: { ...sizing.goal, spare: 0 } }), 'emulated here')
  t.equal(certaintyOf({ goal: { ...sizing.goal, spare: 1 } }), 'estimated', 'the rate was that of two instances')
  t.equal(certaintyOf({ emulated: [{ ...emulation, holds: false }] }), 'estimated')
  t.equal(certaintyOf({ emulated: [{ ...emulation, offering: 'Acme Two' }] }), 'estimated')
  t.equal(certaintyOf({ emulated: undefined }), 'estimated')
})

t.test('the emulation of the recommended offering has at least the rate of an instance', async t => {
  const [topology] = sizing.topologies
  const curve = [0.5, 0.9].map(share => ({
    share,
    rate: 3000 * share,
    latencyMs: null,
    cores: 0.9 * share,
    micros: { load: 0, proxy: 50, server: 250 },
    invalid: null
  }))
  const request = {
    rate: 2000,
    p99Ms: 50,
    headroom: 0.3,
    spare: 1,
    min: 2,
    max: null,
    profile: { name: 'constant', shares: [1] },
    confidence: 0.5,
    newConnections: 0.1,
    memoryExtra: 0,
    offerings: [makeOffering(), makeOffering({ name: 'Two', price: 20 })]
  }
  const emulatedAt = (/** @type {number} */ rate) => computeSizing(request, {
    topologies: [{ ...topology, curve }],
    emulated: [
      { ...emulation, offering: 'Acme Two', rate: 2000 }, { ...emulation, offering: 'Acme One', rate }
    ],
    emulation: sizing.emulation
  }, '2026-11-22').emulated?.at(-1)?.offering
  t.equal(emulatedAt(2000), 'Acme One')
  t.equal(emulatedAt(1000), 'Acme Two', 'one of two instances must serve 2,000 while the other is lost')
})
