/**
 * Samples as a protocol returns them, with the throughput that a test sets.
 * @import { Arm, Experiment, Plan, Sample } from '../../bench/types.js'
 */
import { planExperiment } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { aboutProtocol, pluginNames } from '../../bench/plan/plugins.js'

/** @import { PlanOptions } from '../../bench/plan/plan.js' */

/** The `about` of every protocol, by name. */
export const protocols = Object.fromEntries(
  await Promise.all(pluginNames('protocol').map(async name => [name, await aboutProtocol(name)]))
)

export const cores = { load: [0], served: [1] }

/** @type {(overrides?: Partial<Sample>) => Sample} a valid trial of nginx:tcp/express-json */
export const sampleOf = (overrides = {}) => {
  const rps = overrides.rps ?? 10_000
  return {
    arm: 'tcp',
    block: 0,
    startedAt: '2024-05-06T07:08:09.000Z',
    requests: rps / 2,
    seconds: 0.5,
    rps,
    errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
    cpuSeconds: { load: 0.2, proxy: 0.15, server: 0.33, idle: 0.001 },
    memoryMiB: { proxy: 12, server: 90 },
    proof: { upstreamConnectionsPerRequest: 1, cacheHitRatio: 0, cacheExpiries: 0, socketType: 'tcp' },
    invalid: null,
    ...overrides
  }
}

/**
 * Makes a plan that compares two transports, including its twin.
 * @param {Partial<Experiment>} [experiment]
 * @param {Partial<PlanOptions>} [options]
 */
export const planFor = (experiment = {}, options = {}) => planExperiment('test', {
  title: 'Two transports',
  question: 'Which is faster?',
  source: null,
  arms: { tcp: 'nginx:tcp/express-json', uds: 'nginx:uds/express-json' },
  protocol: 'slices',
  unit: 'requests',
  ...experiment
}, { seed: 1, ...options }, { parse, protocol: protocols[experiment.protocol ?? 'slices'] })

/**
 * Makes a sample of every arm in every block.
 * @param {Plan} plan
 * @param {number} blocks
 * @param {(arm: string, block: number) => Partial<Sample>} of
 * @returns {Sample[]}
 */
export const samplesFor = (plan, blocks, of) => Array.from({ length: blocks }, (_, block) => block)
  .flatMap(block => plan.arms.map(({ name }) => sampleOf({ arm: name, block, ...of(name, block) })))

/**
 * Makes the planned arm of a topology.
 * @param {string} spec
 * @returns {Arm}
 */
export const armOf = spec => planFor({ arms: { it: spec } }).arms[0]
