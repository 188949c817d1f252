/** States of an advice for tests of its rules and of its texts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findRisks } from '../../bench/features/advise/risks.js'
import { SIMPLEST } from '../../bench/features/advise/advice.js'
import { applyRule } from '../../bench/features/advise/decide.js'
import { inEnvironment } from './provoke.js'

/** @import {
 *   AdviceContrast, AdviceFacts, AdviceRecord, AdviceSizing, AdviceState, FolderFacts, PageFacts
 * } from '../../bench/types.js' */
/** @import { NamedRule } from '../../bench/features/advise/decide.js' */
/** @import { Test } from 'tap' */

/** Response of a page that may be stored and compressed. @type {PageFacts} */
export const PAGE = {
  path: '/',
  status: 200,
  type: 'text/html',
  bytes: 5000,
  encoding: null,
  cacheControl: 'public, max-age=10',
  setsCookie: false,
  vary: null,
  hasEtag: true,
  varies: false,
  streams: false,
  isUnbuffered: false
}

/** @type {FolderFacts} */
export const FOLDER = { prefix: '/assets', files: 2, bytes: 50_000, compressible: 50_000, hashed: 0, twins: 0, maps: 0 }

/**
 * Facts of an Express app for Fly.io, with changes of each part.
 * @param {object} [changes]
 * @param {Partial<AdviceFacts['project']>} [changes.project]
 * @param {Partial<AdviceFacts['app']>} [changes.app]
 * @param {Partial<AdviceFacts['platform']>} [changes.platform]
 * @param {Partial<AdviceFacts['machine']>} [changes.machine]
 * @param {Partial<AdviceFacts>} [more]
 * @returns {AdviceFacts}
 */
export const makeFacts = ({ project, app, platform, machine } = {}, more = {}) => ({
  project: {
    name: 'shop',
    hasManifest: true,
    framework: { name: 'express', version: '^5.1.0' },
    lock: 'npm',
    upgrades: [],
    unnamedFolders: [],
    ...project
  },
  app: {
    pages: [PAGE],
    refused: [],
    keepAliveSeconds: 5,
    closesConnections: false,
    poweredBy: null,
    drains: true,
    endSeconds: 0.2,
    ...app
  },
  folders: [],
  platform: {
    provider: 'Fly.io',
    target: 'fly',
    endsTls: true,
    trustsRouter: true,
    idleSeconds: 120,
    isIdleKnown: false,
    ...platform
  },
  machine: { servedCores: 1, cpu: 'a processor', node: '24.1.0', ...machine },
  hasSocket: false,
  hasOwnPort: true,
  isPrivate: false,
  today: '2026-11-25T00:00:00Z',
  ...more
})

/**
 * @param {string} arm
 * @param {string} baseline
 * @param {Partial<AdviceContrast>} [changes]
 * @returns {AdviceContrast}
 */
export const makeContrast = (arm, baseline, changes = {}) => ({
  arm,
  baseline,
  ratio: 2,
  low: 1.8,
  high: 2.2,
  level: 0.95,
  verdict: 'faster',
  secondsToSettle: null,
  run: '2026-11-25T00-00-00Z-typed',
  bytes: { arm: 1000, baseline: 1000 },
  requests: 1,
  cpuMicros: { arm: 500, baseline: 1000 },
  ...changes
})

export const NGINX = 'nginx:keepalive/app'
export const STATIC = 'nginx:keepalive+static/app'
export const PACKED = 'nginx:keepalive+static+gzip_static/app'
/** Results of a comparison, for `makeContrast`. @type {Record<string, Partial<AdviceContrast>>} */
export const RESULTS = {
  slower: { ratio: 0.8, low: 0.75, high: 0.85, verdict: 'slower' },
  equal: { ratio: 1, low: 0.99, high: 1.01, verdict: 'no-difference' },
  open: { ratio: 1.1, low: 0.9, high: 1.3, verdict: 'inconclusive', secondsToSettle: 200 },
  invalid: { ratio: NaN, low: NaN, high: NaN, verdict: 'invalid' }
}

/** @type {AdviceSizing} */
export const SIZING = {
  run: '2026-11-25T00-00-00Z-size',
  spec: 'app',
  offering: 'Fly.io shared-1x 256MB',
  perInstance: 100,
  instances: 4,
  cores: 0.0625,
  processes: 1,
  monthly: 20,
  total: 20,
  traffic: 0,
  currency: 'USD',
  perGb: 0.02,
  freeGb: 0
}

/**
 * @param {Partial<AdviceState>} [changes]
 * @returns {AdviceState}
 */
export const makeState = (changes = {}) => ({
  facts: makeFacts(),
  quick: false,
  load: { rps: 200, p99Ms: 100 },
  chosen: 'app',
  contrasts: [],
  sizing: null,
  decisions: [],
  ...changes
})

/**
 * @param {AdviceState} state after the decisions
 * @param {Partial<AdviceRecord>} [changes]
 * @returns {AdviceRecord}
 */
export const makeAdvice = ({ facts, load, chosen, decisions, sizing }, changes = {}) => ({
  schema: 1,
  advice: '2026-11-25T00-00-00Z-advise',
  startedAt: '2026-11-25T00:00:00Z',
  endedAt: '2026-11-25T00:02:00Z',
  quick: true,
  request: '[]',
  seed: 1,
  facts,
  load,
  topology: chosen,
  decisions,
  risks: findRisks({ facts, topology: chosen, checks: changes.checks ?? [] }),
  sizing,
  runs: {},
  notes: [],
  kit: {
    dir: 'deploy',
    files: ['fly.toml'],
    next: ['fly deploy . --config deploy/fly.toml'],
    ownImage: false,
    notOffered: []
  },
  checks: [],
  seconds: { firstDecision: 30, all: 120 },
  ...changes
})

/**
 * Makes a project and starts in it.
 * @param {Test} t
 * @param {Record<string, string>} [files] by path
 */
export function inProject (t, files = { 'package.json': JSON.stringify({ scripts: { start: 'node a.js' } }) }) {
  const dir = t.testdir({})
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(dir, name, '..'), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  inEnvironment(t, { INIT_CWD: dir })
  return dir
}

/**
 * Lets all rules decide, without measuring.
 * @param {AdviceState} state
 * @param {NamedRule[]} rules
 * @returns {AdviceState}
 */
export const decideAll = (state, rules) => rules.reduce(applyRule, { ...state, chosen: SIMPLEST, decisions: [] })
