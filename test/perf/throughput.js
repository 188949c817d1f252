/**
 * Compares the throughput that the suite measures with that of the same engine started by hand, in turn on the same
 * processes, so that differences between starts cancel.
 */
import { join } from 'node:path'
import { splitCores } from '../../bench/machine/cores.js'
import { localEngines } from '../../bench/load/find-engine.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { openLoad } from '../../bench/measure/load.js'
import { SliceScheduler } from '../../bench/measure/rigs/slice-scheduler.js'
import { openStage } from '../../bench/measure/stage.js'
import { run } from '../../bench/machine/process.js'
import { armFrom } from '../../bench/request/request.js'
import { computeWarmUp } from '../../bench/plan/targets.js'
import { pairedRatio } from '../../bench/judge/stats/paired.js'
import { findTool } from '../../bench/machine/tools.js'
import { project } from '../support/cli.js'
import { fixed } from './measure.js'
import { tempRoot } from '../support/temp.js'

/** @import { Bench, Part } from './index.js' */

const GOAL = 0.98
/**
 * The default engine, and the fastest one with the highest rate: 1 KB from nginx's cache. The latter needs more pairs,
 * because they vary more (docs/method.md).
 */
const CASES = /** @type {const} */ ([
  { spec: 'express-json', engine: 'autocannon', pairs: 12 },
  { spec: 'nginx:uds-keepalive/express-json', engine: 'autocannon', pairs: 12 },
  { spec: 'nginx:uds+cache=1h/express-json', engine: 'wrk', pairs: 36 }
])
/** @typedef {typeof CASES[number]} Case */
/** Slices of half a second, together as long as a run by hand. */
const SLICES = 6
const SECONDS = 3
const autocannon = join(project, 'node_modules/autocannon/autocannon.js')

/** @type {Part} */
export default {
  title: 'throughput measured by the suite ÷ by the same engine started by hand',
  async run (bench) {
    const lines = []
    for (const one of bench.short ? [CASES[0], CASES[2]] : CASES) {
      const ratios = await pairsOf(bench, one)
      const { ratio, low, high } = pairedRatio(ratios.map(Math.log), 0.95)
      lines.push({
        what: `${one.spec}, ${one.engine}`,
        measured: `${fixed(ratio, 3)} (${fixed(low, 3)} to ${fixed(high, 3)}, ${ratios.length} pairs)`,
        goal: `≥ ${GOAL}`,
        met: ratio >= GOAL
      })
    }
    return lines
  }
}

/**
 * @param {Bench} bench
 * @param {Case} one
 * @returns {Promise<number[]>} the suite's rate over that by hand, of each pair
 */
async function pairsOf (bench, { spec, engine, pairs }) {
  const arm = await armFrom(spec, { connections: 100 })
  const temp = tempRoot(bench)
  const { network } = await labFacts()
  const cores = splitCores('split')
  const stage = await openStage([arm], {
    temp: temp.path,
    certificates: join(temp.path, 'tls'),
    lab: network === 'namespaces',
    cores: cores.split ? cores.served : null,
    cwd: temp.path
  })
  bench.teardown(() => stage.close())
  const staged = [...stage.arms.values()]
  const load = await openLoad(staged, {
    engine,
    engines: localEngines,
    smoke: false,
    ...computeWarmUp(),
    mayswitch: false,
    cores,
    maxSeconds: 600,
    printProgress: () => {}
  })
  bench.teardown(() => load.close())
  const slicer = new SliceScheduler(load.arms)
  bench.teardown(() => slicer.close())

  const pinned = cores.split ? ['taskset', '-c', cores.load.join(',')] : []
  const { argv, env, rate } = await HANDS[engine]()
  const byHand = async () => {
    const { stdout } = await run([...staged[0].network.enter, ...pinned, ...argv(SECONDS),
      staged[0].target.url + arm.load.path], { env, timeoutSeconds: SECONDS + 30 })
    return rate(stdout)
  }
  let block = 0
  const bySuite = async () => {
    const samples = []
    for (let i = 0; i < SLICES; i++) samples.push(await slicer.measureSlice(arm.name, block++))
    const counted = samples.filter(({ invalid }) => !invalid)
    const sum = (/** @type {'requests' | 'seconds'} */ key) => counted.reduce((total, sample) => total + sample[key], 0)
    return sum('requests') / sum('seconds')
  }
  /** @type {number[]} */
  const ratios = []
  for (let pair = 0; pair < (bench.short ? 1 : pairs); pair++) {
    // Alternates the order, so that drift of the machine cancels.
    const sides = pair % 2 ? [bySuite, byHand] : [byHand, bySuite]
    const found = new Map()
    for (const side of sides) found.set(side, await side())
    ratios.push(found.get(bySuite) / found.get(byHand))
    bench.printProgress(
      `${spec}: ${Math.round(found.get(bySuite))} and ${Math.round(found.get(byHand))} req/s, ${fixed(ratios[pair], 3)}`
    )
  }
  return ratios
}

/**
 * Command line of each engine, as a user types it.
 * @type {Record<Case['engine'], () => Promise<{ argv: (seconds: number) => string[], env: Record<string, string>,
 *   rate: (stdout: string) => number }>>}
 */
const HANDS = {
  autocannon: async () => ({
    argv: seconds => [process.execPath, autocannon, '--json', '-n', '-c', '100', '-d', String(seconds)],
    env: {},
    rate (stdout) {
      const { requests, duration } = JSON.parse(stdout)
      return requests.total / duration
    }
  }),
  async wrk () {
    const { path, env } = await findTool({ program: 'wrk', packages: { debian: ['wrk'] } })
    return {
      argv: seconds => [path, '-t1', '-c100', `-d${seconds}s`],
      env,
      rate: stdout => Number(/^Requests\/sec:\s+([\d.]+)/m.exec(stdout)?.[1])
    }
  }
}
