/**
 * An offering and a measured topology, for tests of sizing.
 * @import { Offering } from '../../bench/types.js'
 */

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
  ...overrides
})
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
