/** Example result of `hopbench size`. */
import { parse } from '../../bench/plan/spec.js'
import { pageTable } from '../../bench/report/table.js'
import { listSections } from '../../bench/features/size/kind.js'
import { makeOffering } from './offerings.js'
import { makeArm } from './record.js'

/** @import { Block, Sizing, Table } from '../../bench/types.js' */

/** @type {Sizing} */
export const sizing = {
  goal: { rate: 2000, p99Ms: 50, headroom: 0.3, fewestInstances: 2, spare: 0, confidence: 0.5 },
  topologies: [{
    spec: 'nginx:uds/express-json',
    path: '/',
    connections: 400,
    topology: parse('nginx:uds/express-json'),
    floor: { rate: 100, p50Ms: 0.8, p99Ms: 2.5 },
    peak: 4000,
    capacity: { rate: 3000, low: 2900, high: 3100, searches: [2900, 3000, 3100], atLeast: false },
    trials: [{ rate: 3000, holds: true, p99Ms: 41, lagMs: 0.4, why: null }, {
      rate: 3750,
      holds: false,
      p99Ms: 480,
      lagMs: 0.4,
      why: { code: 'too-slow', params: { p99Ms: 480 } }
    }],
    curve: [],
    growth: {
      connections: [{ x: 10, micros: 200 }, { x: 400, micros: 260 }],
      perConnection: 0.15,
      bytes: [],
      perKiB: null
    },
    burstMs: 1.4,
    memoryMiB: 100,
    processMiB: 80,
    cores: 1,
    tools: { nginx: '1.22.1' }
  }],
  table: [{
    offering: makeOffering({ name: '<b>One</b>', memoryMiB: 512, price: 7 }),
    topology: 'nginx:uds/express-json',
    perInstance: 2800,
    atLeast: false,
    limit: 'quota',
    usable: 0.82,
    instances: 2,
    monthly: 14,
    egress: 0,
    total: 14,
    perThousand: 2.5,
    workers: { workers: 1, limit: 'cpu', rule: 1 },
    why: null
  }],
  emulated: [{
    offering: 'Acme <b>One</b>',
    topology: 'nginx:uds/express-json',
    rate: 1000,
    seconds: 10,
    holds: true,
    why: null,
    latencyMs: { p50: 2, p90: 8, p95: 12, p99: 31, max: 60, rate: 1000, source: 'paced, open loop' },
    limits: { periods: 100, throttledPeriods: 3, throttledSeconds: 0.02, oomKills: 0, memoryPeakMiB: 88 }
  }],
  scaling: [{
    family: 'express-json@cluster:N',
    points: [1, 2, 3, 4].map(n => ({ n, x: 1000 * n })),
    usl: { lambda: 1000, sigma: 0.01, kappa: 0 },
    predicted: { n: 8, x: 7500, low: 7000, high: 8000 }
  }],
  emulation: { version: 1, why: null }
}
/** Arms of one topology at three shares of its peak. */
export const atRates = [0.25, 0.5, 0.9].map((share, step) => makeArm({
  name: `app ${share * 100} %`,
  load: { engine: 'paced', connections: 400, path: '/', headers: {}, share },
  ladder: { of: 'app', step },
  rps: { median: 3000 * share, low: 3000 * share, high: 3000 * share },
  latencyMs: { p50: 1, p90: 4, p95: 9, p99: 40 * share, max: 50, rate: 3000 * share, source: 'paced, open loop' }
}))

/**
 * Returns the blocks of a section of a sizing.
 * @param {Sizing} sized
 * @param {string} id
 * @param {{ isBrief?: boolean }} [options] isBrief: those of the short report
 * @returns {Block[]}
 */
function blocksOf (sized, id, { isBrief = false } = {}) {
  const { blocks = [], brief } = listSections(sized).find(section => section.id === id) ?? {}
  return isBrief && Array.isArray(brief) ? brief : blocks
}

/**
 * Returns the sentences of a section of a sizing.
 * @type {(...place: Parameters<typeof blocksOf>) => string[]}
 */
export const sentencesOf = (...place) => blocksOf(...place).filter(block => typeof block === 'string')

/**
 * Finds the table of a section of a sizing.
 * @type {(...place: Parameters<typeof blocksOf>) => Table<any>}
 */
export function findTable (...place) {
  const table = blocksOf(...place).find(block => typeof block === 'object' && 'columns' in block)
  if (typeof table !== 'object' || !('columns' in table)) throw new TypeError(`${place[1]} has no table`)
  return table
}

/**
 * Returns the table of a section of a sizing, as on the page.
 * @type {(...place: Parameters<typeof blocksOf>) => ReturnType<typeof pageTable>}
 */
export const tableOf = (...place) => pageTable(findTable(...place))
