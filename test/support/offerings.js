/**
 * An offering and a measured topology, for tests of sizing.
 * @import { Autoscaling, Offering, PriceRow } from '../../bench/types.js'
 */
import { priceTable } from '../../bench/features/size/prices/price.js'
import { HEADROOM, NEW_CONNECTIONS, SPARE } from '../../bench/shared/thresholds.js'

/** CPU time at two rates: 200 µs for each request at half load and 160 µs at full load. */
export const USAGES = [{ rate: 2500, cores: 0.5 }, { rate: 5000, cores: 0.8 }]
/** @type {(overrides?: Partial<Offering>) => Offering} */
export const makeOffering = overrides => ({
  provider: 'Acme',
  name: 'One',
  vcpu: 1,
  memoryMiB: 1024,
  price: 10,
  currency: 'USD',
  url: 'https://acme.example/plans',
  read: '2026-01-01',
  region: 'any',
  most: null,
  mostRps: null,
  mostConnections: null,
  mostConcurrency: null,
  autoscales: null,
  ...overrides
})
/** The rule of an autoscaler with a target of your own. @type {Autoscaling} */
export const OWN_TARGET = { by: 'cpu', target: null, least: 1, most: null }
/** Returns an offering as a file has it. @param {Partial<Offering>} [overrides] */
export const inFile = overrides => {
  const { name, ...offering } = makeOffering(overrides)
  return { ...offering, plan: name }
}
/** Measurements of one topology. */
export const measured = {
  spec: 'express-json',
  capacity: 5000,
  atLeast: false,
  cores: 1,
  usages: USAGES,
  burst: null,
  delay: 0.05,
  goalSeconds: 0.05,
  memoryMiB: 100,
  processMiB: 80
}
/** The topology with the size of its responses. */
export const known = { ...measured, bytesPerResponse: 1254 }
/** An offering whose total is known. @param {Partial<Offering>} [overrides] */
export const firm = overrides => makeOffering({ egress: { perGb: 0 }, ...overrides })
/** Prices offerings. @type {(offerings: Offering[], more?: Partial<Parameters<typeof priceTable>[0]>) => PriceRow[]} */
export const price = (offerings, more) => priceTable({
  topologies: [known],
  offerings,
  rate: 2000,
  headroom: HEADROOM,
  spare: SPARE,
  newConnections: NEW_CONNECTIONS,
  fewest: 1,
  most: null,
  profile: { name: 'constant', shares: [1] },
  today: '1970-01-01',
  ...more
})
/** Prices an offering. @type {(overrides: Partial<Offering>, more?: Parameters<typeof price>[1]) => PriceRow} */
export const priceOne = (overrides, more) => price([makeOffering(overrides)], more)[0]
