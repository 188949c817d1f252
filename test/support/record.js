/**
 * Example records, plans and samples.
 * @import { Arm, ArmResult, ClaimResult, Contrast, Plan, RecordKind, RunRecord, Sample } from '../../bench/types.js'
 */
import { findBound, judgeInterval } from '../../bench/judge/verdict.js'
import { parse } from '../../bench/plan/spec.js'
import { MARGIN } from '../../bench/shared/thresholds.js'

const noErrors = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
const load = { engine: 'autocannon', connections: 100, path: '/', headers: {} }
/** @type {Record<string, Plan['result']>} */
const results = { ladder: 'first-errors', plays: 'behaviour', rates: 'latency' }
const source = { title: 'Nginx + Express measured', author: 'rysk001', year: 2020, machine: 'Core i5-4590S, gigabit' }

/** @type {Record<string, { spec: string, rps: number, micros: number }>} */
const measured = {
  keepalive: { spec: 'nginx:keepalive/express-json', rps: 12345.6, micros: 61.2 },
  tcp: { spec: 'nginx:tcp/express-json', rps: 6423.1, micros: 96.4 },
  uds: { spec: 'nginx:uds/express-json', rps: 9876.5, micros: 71.5 },
  'uds-keepalive': { spec: 'nginx:uds-keepalive/express-json', rps: 13827.1, micros: 55.8 },
  'keepalive again': { spec: 'nginx:keepalive/express-json', rps: 12311.0, micros: 61.4 }
}

/** @type {(overrides?: Partial<ArmResult>) => ArmResult} */
export function makeArm (overrides = {}) {
  const { spec, rps, micros } = measured[overrides.name ?? 'keepalive'] ?? measured.keepalive
  return {
    name: 'keepalive',
    spec,
    topology: parse(overrides.spec ?? spec),
    load,
    trials: 35,
    invalidTrials: [],
    rps: { median: rps, low: rps * 0.985, high: rps * 1.012 },
    errors: { ...noErrors },
    latencyMs: null,
    cpuMicrosPerRequest: { load: 8.13, proxy: 21.47, server: micros },
    memoryMiB: { proxy: 14.2, server: 92.7 },
    bound: 'server',
    proof: { upstreamConnectionsPerRequest: 0.0021, cacheHitRatio: null, socketType: 'tcp' },
    invalid: null,
    ...overrides
  }
}

/** @type {(overrides?: Partial<Contrast>) => Contrast} */
export const makeContrast = (overrides = {}) => ({
  arm: 'uds-keepalive',
  baseline: 'keepalive',
  ratio: 1.1234,
  low: 1.0911,
  high: 1.1503,
  level: 1 - 0.05 / 3,
  blocks: 35,
  pooled: 35,
  starts: 2,
  lag1: 0.04,
  margin: MARGIN,
  oneSided: null,
  verdict: 'faster',
  why: null,
  secondsToSettle: null,
  ...overrides
})

/**
 * Makes the contrast of two arms with the verdict, the reason and the bound that follow from its interval.
 *
 * @param {ArmResult[]} pair arm and baseline
 * @param {Partial<Contrast>} [overrides]
 * @returns {Contrast}
 */
export function makeJudged ([arm, baseline], overrides) {
  const contrast = makeContrast({ arm: arm.name, baseline: baseline.name, ...overrides })
  const bound = findBound(contrast, arm, baseline)
  const { verdict, why } = judgeInterval(contrast, { bound })
  return { ...contrast, verdict, why, oneSided: bound === null || bound.side === 'nothing' ? null : bound.side }
}

/** @type {(overrides?: Partial<ClaimResult>) => ClaimResult} */
export const makeClaim = (overrides = {}) => ({
  id: 'uds-over-keepalive',
  source,
  statement: 'A Unix domain socket is faster than keepalive',
  published: 1.19,
  measured: 1.1234,
  low: 1.0911,
  high: 1.1503,
  status: 'confirmed',
  why: [{ code: 'ratio-place', params: { place: 'within', tolerance: 1.25 } }],
  ...overrides
})

/** @type {(overrides?: Partial<Plan>) => Plan} */
export function makePlan (overrides = {}) {
  /** @type {Arm[]} */
  const arms = Object.entries(measured).map(([name, { spec }]) =>
    ({ name, spec, topology: parse(spec), load, twinOf: name === 'keepalive again' ? 'keepalive' : null }))
  return {
    experiment: 'uds',
    command: ['run', 'uds'],
    question: 'Which way from nginx to Express is the fastest?',
    protocol: 'slices',
    result: results[overrides.protocol ?? 'slices'] ?? 'throughput',
    unit: 'requests',
    arms,
    contrasts: [['tcp', 'keepalive'], ['uds', 'keepalive'], ['uds-keepalive', 'keepalive']],
    twin: { arm: 'keepalive again', of: 'keepalive' },
    claims: [{
      id: 'uds-over-keepalive',
      source,
      statement: 'A Unix domain socket is faster than keepalive',
      published: 1.19,
      test: { kind: 'ratio', arm: 'uds-keepalive', baseline: 'keepalive' }
    }],
    cores: 'split',
    seed: 20240229,
    quick: false,
    targets: { precision: 0.02, budgetSeconds: 300, minBlocks: 12, maxBlocks: null, adjusted: true },
    ...overrides
  }
}

/** @type {(overrides: Partial<RunRecord>) => RecordKind} */
const findKind = ({ sizing, deployed, diff, rollout, selftest }) =>
  sizing ? 'sizing' : deployed ? 'url-sizing' : diff ? 'diff' : rollout ? 'rollout' : selftest ? 'selftest' : 'run'

/** @type {(overrides?: Partial<RunRecord>) => RunRecord} */
export const makeRecord = (overrides = {}) => ({
  schema: 3,
  kind: findKind(overrides),
  run: '2024-05-06T07-08-09Z-uds',
  experiment: 'uds',
  question: 'Which way from nginx to Express is the fastest?',
  protocol: 'slices',
  unit: 'requests',
  startedAt: '2024-05-06T07:08:09.000Z',
  endedAt: '2024-05-06T07:11:29.500Z',
  complete: true,
  ended: 'precision',
  seed: 20240229,
  plan: makePlan(overrides.protocol ? { protocol: overrides.protocol } : {}),
  environment: makeEnvironment(),
  tools: { nginx: '1.22.1', autocannon: '9.0.0', express: '5.3.0' },
  arms: Object.keys(measured).map(name => makeArm({ name })),
  contrasts: [
    makeContrast({ arm: 'tcp', ratio: 0.5203, low: 0.5114, high: 0.5298, verdict: 'slower' }),
    makeContrast({ arm: 'uds', ratio: 0.8, low: 0.7871, high: 0.8132, verdict: 'slower' }),
    makeContrast()
  ],
  noiseFloor: { ratio: 0.9972, low: 0.9893, high: 1.0061 },
  claims: [makeClaim()],
  warnings: [],
  recommendation: [],
  recommended: [],
  timing: { setupSeconds: 12.4, measuredSeconds: 87.5, sliceWallSeconds: 188.6, blocks: 35 },
  ...overrides
})

/** @type {(overrides?: Partial<RunRecord['environment']>) => RunRecord['environment']} */
export const makeEnvironment = (overrides = {}) => ({
  cpu: { model: 'Example CPU @ 2.80GHz', cores: 2, governor: null, virtual: true },
  calibration: { arithmetic: 7.3e8, memory: 4.7e10, systemCalls: 2.04e6, roundTrips: 44_100 },
  memoryMiB: 7950,
  kernel: '6.1.0-18-amd64',
  platform: 'linux x64',
  node: '20.19.0',
  user: { uid: 1000 },
  limits: { openFiles: 65536 },
  sysctl: { 'net.core.somaxconn': '4096' },
  lab: { network: 'namespaces', pids: true, why: null },
  cores: { load: [0], served: [1] },
  busy: { loadAverage: 0.12, stealShare: 0 },
  ...overrides
})

/** @type {(overrides?: Partial<Sample>) => Sample} */
export const makeSample = (overrides = {}) => ({
  arm: 'keepalive',
  block: 0,
  startedAt: '2024-05-06T07:08:31.250Z',
  requests: 6172,
  seconds: 0.4999,
  rps: 6172 / 0.4999,
  errors: { ...noErrors },
  cpuSeconds: { load: 0.05, proxy: 0.132, server: 0.378, idle: 0.0004 },
  memoryMiB: { proxy: 14.2, server: 92.7 },
  proof: { upstreamConnectionsPerRequest: 0.0021, cacheHitRatio: null, cacheExpiries: null, socketType: 'tcp' },
  invalid: null,
  ...overrides
})
