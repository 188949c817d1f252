/**
 * Compares ratios that are measured by hand with those of the stored runs, and prints the rows of docs/method.md. Each
 * takes about four minutes. Start it under the Node of the stored runs, with nothing else running.
 */
import t from './tap.js'
import { byH2load, byWrk, compareWithStored, findProgram, measureByHand, readContrast } from './by-hand.js'
import { createApps, createFiles, createProxied, createTls } from './by-hand-setups.js'

/** @import { Generator, Setup } from './by-hand.js' */

const [nginx, wrk, h2load] = [findProgram('nginx@sid', 'nginx'), findProgram('wrk'), findProgram('h2load')]
const skip = nginx && wrk && h2load ? false : 'nginx, wrk or h2load is not fetched'
/** Four processes share a port by an option that Node has since 22.12 and 23.1. */
const skipShared = Number(process.versions.node.split('.')[0]) < 24 && 'Node is older than 24'
const [server, ofWrk, ofH2load] = [nginx, wrk, h2load].map(String)
const pooled = { app: /** @type {const} */ ('socket'), isPooled: true }

/**
 * @typedef {object} Check
 * @property {string} what
 * @property {[experiment: string, arm: string, baseline: string]} stored
 * @property {Setup} arm
 * @property {Setup} baseline
 * @property {Generator} generator
 * @property {boolean} [isShared]
 */

/** @type {Check[]} */
const checks = [
  {
    what: 'transport: pooled TCP / a connection per request, wrk',
    stored: ['uds', 'keepalive', 'tcp'],
    arm: createProxied(server, { port: 9101, app: 9102, isPooled: true }),
    baseline: createProxied(server, { port: 9103, app: 9104, isPooled: false }),
    generator: byWrk(ofWrk, 100)
  },
  {
    what: 'cache: 5 s / off, h2load',
    stored: ['cache', 'uds-keepalive-cache', 'uds-keepalive'],
    arm: createProxied(server, { port: 9101, ...pooled, cache: '5s' }),
    baseline: createProxied(server, { port: 9103, ...pooled }),
    generator: byH2load(ofH2load, 100)
  },
  {
    what: 'static server: express.static / nginx, wrk',
    stored: ['static-html', 'express', 'nginx'],
    arm: createFiles(9101, null),
    baseline: createFiles(9103, server),
    generator: byWrk(ofWrk, 200),
    isShared: true
  },
  {
    what: 'processes: four with reusePort / one, h2load',
    stored: ['workers', 'reusePort', 'one'],
    arm: createApps(9101, 4),
    baseline: createApps(9103, 1),
    generator: byH2load(ofH2load, 100),
    isShared: true
  },
  {
    what: 'TLS: ended by nginx / by Node, wrk',
    stored: ['tls-termination', 'nginx, Unix socket', 'node:https'],
    arm: createTls(9101, server),
    baseline: createTls(9103, null),
    generator: byWrk(ofWrk, 100)
  }
]

for (const { what, stored, ...pair } of checks) {
  const why = skip || (what.includes('reusePort') && skipShared)
  t.test(`the stored ratio agrees with that by hand: ${what}`, { skip: why, timeout: 1_200_000 }, async t => {
    const { agrees, row } = compareWithStored(what, await measureByHand(pair), readContrast(...stored))
    t.comment(row)
    t.ok(agrees, row)
  })
}
