/**
 * Causes of differences between starts of one handler. Many starts run side by side in gang slices, with the logs of
 * V8. Outliers and starts that changed are listed with the optimizations that only they have. Each possible cause (hash
 * seed, growth of the heap, large pages) is set in half of the starts, in all combinations. With workers, the
 * distribution of connections is measured, too.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { GangScheduler } from '../../bench/measure/gang-scheduler.js'
import { makeTempRoot } from '../../bench/machine/temp.js'
import { orderOfBlock, planExperiment } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { aboutProtocol, pluginFile } from '../../bench/plan/plugins.js'
import { effectOf, eventsOf, setApart, unlike } from '../support/v8-trace.js'
import { withEverythingUp } from './everything-up.js'
import { fixed, percent } from './measure.js'

/**
 * @import { bringUp } from '../../bench/measure/all-up.js'
 * @import { Plan, Sample } from '../../bench/types.js'
 */
/** @import { Bench, Line, Part } from './index.js' */

const TRACE = ['trace-opt', 'trace-deopt']
/** Settings, each of them for one bit of the number of a start. */
const SETTINGS = ['hash-seed:1', 'min-semi-space-size:16', 'use-largepages:silent']
const STARTS = 2 ** SETTINGS.length
/** Repetitions of all starts. */
const ROUNDS = { full: 3, short: 1 }
const BLOCKS = { full: 30, short: 4 }
const WORKERS = 2
const MAX_LISTED = 12
const GOAL = 0.02

/**
 * @typedef {{ name: string, flags: string[], costs: number[], log: string, sizes: number[] }} Start costs: CPU time of
 *   a request by block, µs; sizes: of the log after each block
 */

/** @type {Part} */
export default {
  title: 'differences between starts of one handler: optimizations, settings, connections of workers',
  async run (bench) {
    /** @type {Start[][]} */
    const rounds = []
    for (let round = 0; round < ROUNDS[bench.short ? 'short' : 'full']; round++) {
      rounds.push(await startsOf(bench, { round, manager: '' }))
      printFactors(bench, rounds[round])
    }
    const found = rounds.map(starts => setApart(starts.map(({ costs }) => costs)))
    const all = rounds.flat()
    const factors = found.flatMap(({ factors }) => factors)
    const spread = Math.sqrt(factors.reduce((sum, x) => sum + Math.log(x) ** 2, 0) / factors.length)
    const spreads = tellSpread(bench, await startsOf(bench, { round: ROUNDS.full, manager: `@cluster:${WORKERS}` }))
    return [
      {
        what: `CPU time per request of ${all.length} starts, sd`,
        measured: `${percent(spread)}; apart ${found.flatMap(({ apart }) => apart).length}, ` +
          `changed ${found.flatMap(({ changed }) => changed).length}`,
        goal: `≤ ${percent(GOAL)}`,
        met: spread <= GOAL
      },
      ...SETTINGS.map(setting =>
        effectLine(setting, effectOf(factors, all.map(({ flags }) => flags.includes(setting))))),
      spreads
    ]
  }
}

/**
 * @param {string} setting
 * @param {{ change: number, error: number }} effect
 * @returns {Line}
 */
const effectLine = (setting, { change, error }) => ({
  what: `--${setting.replace(':', '=')} changes CPU time per request by`,
  measured: `${percent(change)} ± ${percent(error)} (standard error)`,
  goal: 'within two standard errors of 0',
  met: Math.abs(change) <= 2 * error
})

/**
 * @param {Bench} bench
 * @param {{ round: number, manager: string }} which
 * @returns {Promise<Start[]>}
 */
async function startsOf (bench, { round, manager }) {
  const temp = makeTempRoot()
  bench.teardown(() => temp.remove())
  const plan = await planOfStarts(temp.path, { round, manager })
  const starts = await withEverythingUp(bench, plan, up => blocksOf(up, plan, BLOCKS[bench.short ? 'short' : 'full']),
    temp.path)
  // Reads the logs after the end, because workers print a line when they exit.
  return starts.map(start => ({ ...start, log: readFileSync(start.log, 'latin1') }))
}

/**
 * @param {Awaited<ReturnType<typeof bringUp>>} up
 * @param {Plan} plan
 * @param {number} blocks
 * @returns {Promise<Start[]>} log: path of the file
 */
async function blocksOf ({ load }, plan, blocks) {
  const starts = plan.arms.map(({ name }) => ({
    name,
    flags: flagsOf(Number(name)),
    costs: /** @type {number[]} */ ([]),
    log: join(/** @type {{ staged: { dir: string } }} */ (load.arms.get(name)).staged.dir, 'server.log'),
    sizes: /** @type {number[]} */ ([])
  }))
  const gang = new GangScheduler(load.arms, plan)
  try {
    for (let block = 0; block < blocks; block++) {
      const samples = await gang.measureBlock(orderOfBlock(plan, block), block)
      for (const start of starts) {
        start.costs.push(costOf(samples.find(({ arm }) => arm === start.name)))
        start.sizes.push(statSync(start.log).size)
      }
    }
  } finally {
    gang.close()
  }
  return starts
}

/**
 * @param {Sample | undefined} sample
 * @returns {number} µs; NaN: invalid trial
 */
const costOf = sample => sample && !sample.invalid && sample.requests > 0
  ? sample.cpuSeconds.server / sample.requests * 1e6
  : NaN

/**
 * @param {number} start
 * @returns {string[]}
 */
const flagsOf = start => SETTINGS.filter((_, bit) => start >> bit & 1)

/**
 * @param {string} dir folder for the handler
 * @param {{ round: number, manager: string }} which
 * @returns {Promise<Plan>}
 */
async function planOfStarts (dir, { round, manager }) {
  const original = JSON.stringify(pathToFileURL(pluginFile('server', 'express-json')).href)
  writeFileSync(join(dir, 'handler.js'), `import { writeSync } from 'node:fs'
import original from ${original}
export { about } from ${original}
const sockets = new Set()
process.on('exit', () => writeSync(1, 'connections ' + sockets.size + '\\n'))
export default async context => {
  const app = await original(context)
  return (req, res) => {
    sockets.add(req.socket)
    app(req, res)
  }
}
`)
  const spec = (/** @type {number} */ start) =>
    `./handler.js${manager}+flags=${[...TRACE, ...flagsOf(start)].join(',')}`
  return planExperiment('starts', {
    title: 'starts of one handler',
    question: 'Why do starts differ?',
    source: null,
    arms: Object.fromEntries(Array.from({ length: STARTS }, (_, start) => [String(start), spec(start)])),
    protocol: 'gang',
    unit: 'requests',
    cores: manager === '' ? 'split' : 'shared',
    load: { path: '/' }
  }, { seed: round, budgetSeconds: 600 }, { parse, protocol: await aboutProtocol('gang') })
}

/**
 * Prints the optimizations of outliers and of starts that changed.
 * @param {Bench} bench
 * @param {Start[]} starts
 */
function printFactors (bench, starts) {
  const { factors, apart, changed } = setApart(starts.map(({ costs }) => costs))
  const events = starts.map(({ log }) => eventsOf(log))
  bench.note(`cost of a start, relative to the median: ${factors.map(x => fixed(x, 3)).join(', ')}`)
  for (const start of apart) {
    const { only, missing } = unlike(events, start)
    bench.note(`start ${start} is an outlier (${fixed(factors[start])}): only there: ${listed(only)}; ` +
      `everywhere else: ${listed(missing)}`)
  }
  for (const { start, at, factor } of changed) {
    const { log, sizes } = starts[start]
    const around = eventsOf(log.slice(sizes[Math.max(0, at - 2)], sizes[Math.min(at + 1, sizes.length - 1)]))
    bench.note(`start ${start} changed in block ${at} (${fixed(factor)}): V8 then: ${listed(around)}`)
  }
}

/**
 * @param {Bench} bench
 * @param {Start[]} starts of several workers
 * @returns {Line}
 */
function tellSpread (bench, starts) {
  const { factors } = setApart(starts.map(({ costs }) => costs))
  const shares = starts.map(({ log }) => {
    const counts = [...log.matchAll(/^connections (\d+)$/gm)].map(([, count]) => Number(count)).filter(Boolean)
    return Math.max(...counts) / counts.reduce((a, b) => a + b, 0)
  })
  starts.forEach(({ name }, i) =>
    bench.note(`start ${name}: the fullest worker of ${WORKERS} had ${percent(shares[i])} of the connections, ` +
      `cost ${fixed(factors[i], 3)}`))
  const worst = Math.max(...shares)
  return {
    what: `connections of the fullest of ${WORKERS} workers`,
    measured: `up to ${percent(worst)}`,
    goal: '≤ 60 %',
    met: worst <= 0.6
  }
}

/** @param {string[]} events */
function listed (events) {
  const more = events.length - MAX_LISTED
  return events.length === 0
    ? 'nothing'
    : events.slice(0, MAX_LISTED).join(' | ') + (more > 0 ? ` and ${more} more` : '')
}
