/**
 * `npm run replicate:cluster`: compares runs of a cluster and of one process with ratios that are measured by hand in
 * the steady state, without the scheduler of turns and without the warm-up of a run. A cluster divides its warm-up
 * among its workers, so a warm-up that ends too early makes the ratio too small in every run. Ten runs take about half
 * an hour. Every result is a line of JSON in the file of --out; a later call with the same file continues.
 */
import { execa } from 'execa'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median, quantile } from '../../bench/judge/stats/quantile.js'
import { localEngines } from '../../bench/load/find-engine.js'
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { makeTempDir, makeTempRoot } from '../../bench/machine/files/temp.js'
import { getStagedArm, openStage } from '../../bench/measure/stage.js'
import { parseJson } from '../../bench/machine/files/system-files.js'
import { planFrom } from '../../bench/request/request.js'

/** @import { FoundEngine } from '../../bench/load/types.js' */
/** @import { StagedArm } from '../../bench/measure/types.js' */
/** @import { RunRecord } from '../../bench/types.js' */

const project = fileURLToPath(new URL('../..', import.meta.url))
const bootstrap = join(project, 'bench/bootstrap.js')
const SINGLE = 'express-json+runtime=node-24'
const CLUSTER = 'express-json@cluster:4+runtime=node-24'
/**
 * Full load of each topology before the windows by hand. A process of Express is steady after 215,000 requests, which
 * one of four workers needs 20 to 30 s for on two cores (docs/method.md).
 */
const WARM_SECONDS = 40
/** Six pairs, whose order alternates, so that linear drift of the machine cancels. */
const PAIRS = 6
const WINDOW_SECONDS = 4
/**
 * Load before each window. Between two windows of a topology V8 idles and returns memory to the system: with 1 s the
 * median ratio with wrk was 1.21, with 6 s 1.38 (docs/method.md).
 */
const LEAD_SECONDS = 6
/** Limit of the error of an estimate, as a share, and the share of intervals that must overlap. */
const LIMITS = { off: 0.05, overlap: 0.9 }

/** @typedef {{ kind: 'hand', engine: string, ratios: number[], rates: { cluster: number, single: number }[] }} Hand */
/**
 * @typedef {object} ClusterRun
 * @property {'run'} kind
 * @property {string} engine
 * @property {string} run
 * @property {number | null} ratio rate of the cluster divided by that of one process; null: nothing valid
 * @property {number | null} low
 * @property {number | null} high
 * @property {string} verdict
 * @property {number | null} starts
 * @property {number} blocks
 */

const printProgress = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }

/**
 * Measures the ratio of both topologies by hand.
 * @param {string} engineName
 * @returns {Promise<Hand>}
 */
async function measureHand (engineName) {
  const temp = makeTempRoot()
  try {
    const { network } = await labFacts()
    const { plan } = await planFrom([SINGLE, CLUSTER], { engine: engineName, seed: 1, lab: true })
    const cores = splitCores(plan.cores)
    const stage = await openStage(plan.arms, {
      temp: makeTempDir(temp.path, 's'),
      lab: network === 'namespaces',
      cores: cores.split ? cores.served : null,
      cwd: temp.path
    })
    try {
      const engine = await localEngines.find(engineName)
      const [single, cluster] = plan.arms.map(({ name }) => getStagedArm(stage, name))
      let windows = 0
      const measure = (/** @type {StagedArm} */ staged, /** @type {number} */ seconds) =>
        measureRate(staged, engine, { seconds, cores: cores.split ? cores.load : null, tag: `${windows++}` })
      for (const staged of [single, cluster]) await measure(staged, WARM_SECONDS)
      const rates = []
      for (let pair = 0; pair < PAIRS; pair++) {
        const isClusterFirst = pair % 2 === 1
        const early = isClusterFirst ? await measure(cluster, WINDOW_SECONDS) : null
        const singleRate = await measure(single, WINDOW_SECONDS)
        rates.push({ cluster: early ?? await measure(cluster, WINDOW_SECONDS), single: singleRate })
        const last = rates[pair]
        printProgress(`${engineName} by hand, pair ${pair + 1} of ${PAIRS}: ${(last.cluster / last.single).toFixed(3)}`)
      }
      return { kind: 'hand', engine: engineName, ratios: rates.map(({ cluster, single }) => cluster / single), rates }
    } finally {
      await stage.close()
    }
  } finally {
    temp.remove()
  }
}

/**
 * Measures the rate of a topology with a generator of its own. The other topology has no load.
 * @param {StagedArm} staged
 * @param {FoundEngine} engine
 * @param {{ seconds: number, cores: number[] | null, tag: string }} window tag: distinguishes the generators' folders
 * @returns {Promise<number>} requests per second, by the counters of the served side
 */
async function measureRate ({ arm, dir, target, network, running }, engine, { seconds, cores, tag }) {
  const generator = await engine.start({
    name: arm.name,
    load: arm.load,
    target,
    network,
    cores,
    dir: join(dir, `hand-${tag}`),
    maxSeconds: LEAD_SECONDS + seconds + 60
  })
  try {
    await sleep(LEAD_SECONDS * 1000)
    const before = await running.front()
    await sleep(seconds * 1000)
    const after = await running.front()
    return (after.requests - before.requests) / (after.atSeconds - before.atSeconds)
  } finally {
    await generator.kill()
  }
}

/**
 * Makes one ordinary run.
 * @param {string} engine
 * @param {{ budget: string, seed: number, results: string }} options
 * @returns {Promise<ClusterRun | null>} null: there is no record
 */
async function makeRun (engine, { budget, seed, results }) {
  const options = ['--engine', engine, '--budget', budget, '--seed', `${seed}`, '--results', results, '--json']
  const { stdout } = await execa(process.execPath, [bootstrap, 'run', SINGLE, CLUSTER, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'], reject: false
  })
  /** @type {RunRecord | null} */
  const record = parseJson(stdout)
  const contrast = record?.contrasts?.find(({ arm, baseline }) => arm === CLUSTER && baseline === SINGLE)
  if (!record || !contrast) return null
  const { ratio, low, high, verdict, starts = null, blocks } = contrast
  return { kind: 'run', engine, run: record.run, ratio, low, high, verdict, starts, blocks }
}

/**
 * Compares the runs of one engine with the ratios by hand (pure).
 * @param {Pick<Hand, 'ratios'>} hand
 * @param {Pick<ClusterRun, 'ratio' | 'low' | 'high'>[]} runs
 */
export function compareWithHand ({ ratios }, runs) {
  const [low, middle, high] = [quantile(ratios, 0.25), median(ratios), quantile(ratios, 0.75)]
  return {
    low,
    middle,
    high,
    runs: runs.map(run => ({
      isOverlapping: run.low !== null && run.high !== null && run.low <= high && run.high >= low,
      off: run.ratio === null ? Infinity : run.ratio / middle - 1
    }))
  }
}

/**
 * Judges the runs of all engines (pure).
 * @param {ReturnType<typeof compareWithHand>['runs']} runs
 */
export function judge (runs) {
  const overlapping = runs.filter(({ isOverlapping }) => isOverlapping).length
  const off = Math.max(...runs.map(({ off }) => Math.abs(off)))
  const isMet = runs.length > 0 && overlapping >= LIMITS.overlap * runs.length && off <= LIMITS.off
  return { overlapping, off, isMet }
}

/**
 * Prints all results.
 * @param {(Hand | ClusterRun)[]} results
 * @param {{ engines: string[], runs: number }} options
 * @returns {boolean} whether the goal is met by all runs
 */
export function report (results, { engines, runs: wanted }) {
  const print = (/** @type {string} */ line) => { process.stdout.write(`${line}\n`) }
  const fixed = (/** @type {number | null} */ value) => value === null ? '–' : value.toFixed(3)
  /** @type {ReturnType<typeof compareWithHand>['runs']} */
  const compared = []
  for (const engine of engines) {
    const hand = results.find(result => result.kind === 'hand' && result.engine === engine)
    const runs = results.flatMap(result => result.kind === 'run' && result.engine === engine ? [result] : [])
    if (hand?.kind !== 'hand') continue
    const { low, middle, high, runs: found } = compareWithHand(hand, runs)
    print(`${engine} by hand: ${hand.ratios.map(fixed).join(' ')}; median ${fixed(middle)}, middle half ` +
      `${fixed(low)} to ${fixed(high)}`)
    for (const [i, { isOverlapping, off }] of found.entries()) {
      const { ratio, low, high, starts, blocks, run } = runs[i]
      const overlap = isOverlapping ? 'overlaps' : 'DOES NOT OVERLAP'
      print(`  ${fixed(ratio)} (${fixed(low)} to ${fixed(high)}), ${overlap}, ` +
        `${(off * 100).toFixed(1)} % off, ${starts} starts, ${blocks} blocks, ${run}`)
    }
    compared.push(...found)
  }
  const { overlapping, off, isMet } = judge(compared)
  const isDone = compared.length >= wanted
  print(`${isMet && isDone ? 'met    ' : 'NOT MET'}  ${overlapping} of ${compared.length} intervals overlap the ` +
    `middle half, at most ${(off * 100).toFixed(1)} % off (goal: ${LIMITS.overlap * 100} % of ${wanted} runs, ` +
    `${LIMITS.off * 100} %)`)
  return isMet && isDone
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code: 1 if the goal is not met
 */
export async function main (args) {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '10' },
      engines: { type: 'string', default: 'wrk,autocannon' },
      budget: { type: 'string', default: '120s' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string', default: join(project, 'replications/cluster-pair.jsonl') }
    }
  })
  const [runs, seed, engines] = [Number(values.runs), Number(values.seed), values.engines.split(',')]
  if (!(runs > 0) || !Number.isInteger(seed)) {
    printProgress('Usage: npm run replicate:cluster -- [--runs <number>] [--engines <names>] [--budget <time>] ' +
      '[--seed <number>] [--out <file>]')
    return 2
  }
  const out = resolve(process.env.INIT_CWD ?? process.cwd(), values.out)
  mkdirSync(dirname(out), { recursive: true })
  /** @type {(Hand | ClusterRun)[]} */
  const results = existsSync(out) ? readFileSync(out, 'utf8').split('\n').flatMap(line => parseJson(line) ?? []) : []
  const keep = (/** @type {Hand | ClusterRun} */ result) => {
    results.push(result)
    appendFileSync(out, `${JSON.stringify(result)}\n`)
  }
  for (const engine of engines) {
    const hasHand = results.some(result => result.kind === 'hand' && result.engine === engine)
    if (!hasHand) keep(await measureHand(engine))
  }
  for (let i = results.filter(({ kind }) => kind === 'run').length; i < runs; i++) {
    const engine = engines[i % engines.length]
    printProgress(`${engine}: run ${i + 1} of ${runs}`)
    const run = await makeRun(engine, { budget: values.budget, seed: seed + i, results: `${out}.runs` })
    // A run that fails once fails again.
    if (!run) break
    keep(run)
  }
  return report(results, { engines, runs }) ? 0 : 1
}
