/**
 * Drives the pipeline with scripted samples and a simulated clock, which advances with each slice. Only the results
 * folder is real.
 * @import { CpuTicks, GateRefusal, OpenRun, Plan, Progress, Reason, Rig, Sample } from '../../bench/types.js'
 */
import { measure } from '../../bench/run/pipeline.js'
import { seeded } from './random.js'
import { makeEnvironment } from './record.js'
import { sampleOf } from './samples.js'

/** @typedef {(arm: string, block: number) => Partial<Sample>} Script what an arm does in a block */

const SETUP_SECONDS = 10
const SLICE_SECONDS = 0.6

/**
 * Scripts throughputs that vary by ±1 % between blocks, reproducibly for each arm and block.
 * @param {Record<string, number>} rps
 * @returns {Script}
 */
export const steady = rps => noisy(rps, 0.01)

/**
 * Scripts throughputs that vary by a share between blocks.
 * @param {Record<string, number>} rps
 * @param {number} noise
 * @returns {Script}
 */
export const noisy = (rps, noise) => (arm, block) => {
  const name = Object.keys(rps).indexOf(arm)
  return { rps: rps[arm] * (1 + noise * (2 * seeded(1000 * name + block).next() - 1)) }
}

/**
 * Slice in which a process of the arm ended.
 * @type {Partial<Sample>}
 */
export const died = {
  requests: 0,
  rps: 0,
  seconds: 0,
  invalid: { code: 'process-died', params: { message: 'the server of it ended with exit code 1.' } }
}

/** Counts the starts of a rig, which replaces its processes after the blocks of a start. */
class Starts {
  #number = 0
  /** First block of the current start. @type {number | null} */
  #first = null

  /** @param {Pick<Plan, 'startBlocks'>} plan */
  constructor ({ startBlocks }) {
    this.startBlocks = startBlocks
  }

  /**
   * Begins a block, and returns whether a start begins with it.
   * @param {number} block
   * @param {Rig} rig
   */
  begin (block, { keepsStart }) {
    this.#first ??= block
    if (!this.startBlocks || keepsStart || block - this.#first < this.startBlocks) return false
    this.#first = block
    this.#number++
    return true
  }

  ofSample () {
    return this.startBlocks ? { start: this.#number } : {}
  }
}

/**
 * @param {Plan} plan
 * @param {object} options
 * @param {Script} options.script
 * @param {OpenRun} options.run
 * @param {Sample[]} [options.earlier]
 * @param {(blocks: number) => boolean} [options.interrupted] gets the number of stored blocks
 * @param {Map<string, GateRefusal>} [options.refused] by the gate
 * @param {() => Map<string, Reason>} [options.finish] arms whose counts disagree
 * @param {() => CpuTicks | null} [options.readCpuTicks]
 * @param {(seconds: number) => number} [options.wall] converts passed seconds to wall time
 */
export function scriptedRun (
  plan,
  {
    script, run, earlier = [], interrupted = () => false, refused = new Map(), finish = () => new Map(),
    readCpuTicks, wall = seconds => seconds
  }
) {
  /** @type {{ slices: string[], closed: number, progress: string[] }} */
  const seen = { slices: [], closed: 0, progress: [] }
  let clock = 0
  let stored = 0
  const starts = new Starts(plan)
  /** @type {Set<string>} */
  const lost = new Set(refused.keys())

  /** @type {Rig} */
  const rig = {
    lost: () => lost,
    async * trials (arms, block) {
      if (starts.begin(block, rig)) clock += SETUP_SECONDS
      for (const arm of arms.filter(name => !lost.has(name))) {
        seen.slices.push(`${block} ${arm}`)
        clock += SLICE_SECONDS
        const sample = sampleOf({ arm, block, ...starts.ofSample(), proof: proofOf(plan, arm), ...script(arm, block) })
        if (sample.invalid?.code === 'process-died') lost.add(arm)
        yield [sample]
      }
    },
    refused,
    engine: 'autocannon',
    switchedFor: null,
    instead: null,
    crowded: null,
    slowerUsers: null,
    tools: { nginx: '1.22.1', autocannon: '9.0.0' },
    finish: async () => finish(),
    close: async () => { seen.closed++ }
  }

  const record = measure(plan, {
    async openRig () {
      clock += SETUP_SECONDS
      return rig
    },
    run: {
      ...run,
      async append (samples) {
        await run.append(samples)
        stored++
      }
    },
    earlier,
    now: () => clock,
    utc: () => new Date(Date.UTC(2024, 4, 6, 7, 8, 9) + wall(clock) * 1000).toISOString(),
    interrupted: () => interrupted(stored),
    progress: recordingProgress(seen.progress),
    readCpuTicks,
    environment: makeEnvironment(),
    startedSeconds: 0,
    startedAt: '2024-05-06T07:08:09.000Z'
  })
  return { record, seen, elapsed: () => clock }
}

/**
 * Returns a progress that records its lines.
 * @param {string[]} lines
 * @returns {Progress}
 */
const recordingProgress = lines => ({
  start: () => {},
  note: text => { lines.push(text) },
  stage: text => { lines.push(text) },
  block: ({ block }) => { lines.push(`block ${block}`) },
  end: () => { lines.push('end') }
})

/**
 * Returns the proof of an arm that uses its transport.
 * @param {Plan} plan
 * @param {string} name
 * @returns {Sample['proof']}
 */
function proofOf ({ arms }, name) {
  const transport = arms.find(arm => arm.name === name)?.topology.proxy?.transport ?? 'tcp'
  return {
    upstreamConnectionsPerRequest: transport.endsWith('keepalive') ? 0.002 : 1,
    cacheHitRatio: 0,
    cacheExpiries: 0,
    socketType: transport.startsWith('uds') ? 'unix' : 'tcp'
  }
}
