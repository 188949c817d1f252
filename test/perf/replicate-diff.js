/**
 * `npm run replicate:diff -- equal`: makes independent runs of `hopbench diff` on a repository whose two commits differ
 * by a planted amount, stores each with its samples, and counts how often it found a slowdown. A later call continues.
 *
 *   equal       20 runs of 3 min of two equal commits
 *   cpu10       20 runs of 3 min; a request of head costs 10 % more CPU time
 *   cpu5        20 runs of 6 min with --margin 2%; a request of head costs 5 % more CPU time
 *   wait20      20 runs with --latency; the slowest requests of head wait 20 % longer, with equal CPU time, so that
 *               p99 alone may be slower
 *   equal-busy, cpu10-busy   the same beside a process that uses half a core
 *
 * --minutes ends the series after a time, --quick makes short runs, which check that everything works. The CPU time of
 * a loop turn is measured once and kept in calibration.json: on another machine, use another folder.
 */
import { execa } from 'execa'
import {
  appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SLOWER_EXIT } from '../../bench/judge/runs/compare-runs.js'
import { turnsPerMicro } from '../../bench/features/selftest/planted.js'
import { listRuns } from '../../bench/store/store.js'

/** @import { RunDiff } from '../../bench/types.js' */

const project = fileURLToPath(new URL('../..', import.meta.url))
const bootstrap = join(project, 'bench/bootstrap.js')
/** CPU time of a request of base, in microseconds. */
const MICROS = 300
/** Wait of every fiftieth request, in ms, so that the 99th percentile consists of such requests. */
const WAIT_MS = 20
const QUICK = ['--quick']
/** The repository needs no packages of its own. */
const EXPRESS = createRequire(import.meta.url).resolve('express')

/**
 * @typedef {object} Condition
 * @property {number} [cpu] planted share of CPU time
 * @property {number} [wait] planted share of the wait
 * @property {string[]} args of each run
 * @property {boolean} [isBusy] beside a process that uses half a core
 * @property {{ found: 'least' | 'most', of20: number, by?: 'p99' }} goal runs of 20 that find a slowdown, at least or
 *   at most; by: the only figure that has to be slower
 */
/** @type {Record<string, Condition>} */
const conditions = {
  equal: { args: ['--budget', '3m'], goal: { found: 'most', of20: 0 } },
  cpu10: { cpu: 0.1, args: ['--budget', '3m'], goal: { found: 'least', of20: 19 } },
  cpu5: { cpu: 0.05, args: ['--budget', '6m', '--margin', '2%'], goal: { found: 'least', of20: 16 } },
  wait20: {
    wait: 0.2,
    args: ['--budget', '60s', '--latency', '--rate', '600'],
    goal: { found: 'least', of20: 18, by: 'p99' }
  },
  'equal-busy': { args: ['--budget', '3m'], isBusy: true, goal: { found: 'most', of20: 0 } },
  'cpu10-busy': { cpu: 0.1, args: ['--budget', '3m'], isBusy: true, goal: { found: 'least', of20: 19 } }
}
const RUNS = 20

/**
 * Writes an Express app whose requests cost a number of loop turns, and every fiftieth of which waits.
 *
 * @param {{ turns: number, waitMs: number }} cost
 */
const toApp = ({ turns, waitMs }) => `import express from ${JSON.stringify(EXPRESS)}
let x = 1
let count = 0
const app = express()
app.get('/', (req, res) => {
  for (let i = 0; i < ${Math.round(turns)}; i++) x = Math.imul(x ^ i, 0x9E3779B1)
  const send = () => res.json({ ok: x !== 0.5 })
  if (++count % 50 === 0 && ${waitMs} > 0) setTimeout(send, ${waitMs})
  else send()
})
app.listen(process.env.PORT)
`

/**
 * Makes a repository with two commits; the second one is checked out.
 *
 * @param {string} dir
 * @param {{ turns: number, waitMs: number }} base
 * @param {{ turns: number, waitMs: number }} head
 */
async function writeRepository (dir, base, head) {
  const git = (/** @type {string[]} */ ...args) =>
    execa('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], { cwd: dir })
  const manifest = { name: 'planted', private: true, type: 'module', scripts: { start: 'node app.js' } }
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(dir, 'app.js'), toApp(base))
  await git('init', '--quiet', '--initial-branch=main')
  await git('add', '--all')
  await git('commit', '--quiet', '--message=Base')
  await git('checkout', '--quiet', '-b', 'head')
  writeFileSync(join(dir, 'app.js'), toApp(head))
  await git('commit', '--quiet', '--all', '--allow-empty', '--message=Head')
}

const printProgress = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }

/**
 * Runs hopbench diff in a repository.
 *
 * @param {string} dir of the repository
 * @param {string[]} args
 * @param {string} results folder
 * @returns {Promise<{ exit: number, run: string | null, diff: RunDiff | null, seconds: number }>}
 */
async function runDiff (dir, args, results) {
  const begun = performance.now()
  const before = (await listRuns(results)).map(({ run }) => run)
  const { exitCode = 1 } = await execa(process.execPath, [bootstrap, 'diff', 'main', ...args, '--results', results], {
    cwd: dir, env: { INIT_CWD: dir }, stdio: ['ignore', 'ignore', 'inherit'], reject: false
  })
  const run = (await listRuns(results)).map(({ run }) => run).find(run => !before.includes(run)) ?? null
  const file = run && join(results, run, 'run.json')
  const diff = file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).diff ?? null : null
  return { exit: exitCode, run, diff, seconds: Math.round((performance.now() - begun) / 1000) }
}

/**
 * Measures the cost of a loop turn and of the rest of a request, and stores it for all conditions.
 *
 * @param {string} keep folder of all conditions
 * @returns {Promise<{ turns: number, turnMicros: number }>} turns: of base
 */
async function calibrate (keep) {
  const file = join(keep, 'calibration.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  printProgress('calibration: the CPU time of a request')
  const turns = MICROS / 2 * turnsPerMicro()
  const dir = mkdtempSync(join(tmpdir(), 'hb-planted-'))
  try {
    await writeRepository(dir, { turns, waitMs: 0 }, { turns: 2 * turns, waitMs: 0 })
    const { diff } = await runDiff(dir, ['--budget', '90s'], join(dir, 'results'))
    const cpu = diff?.figures.find(({ figure }) => figure === 'cpu')
    if (!cpu?.before || !cpu.after) throw new Error('the calibration has measured no CPU time')
    const turnMicros = (cpu.after - cpu.before) / turns
    const found = { turns: Math.max(0, turns + (MICROS - cpu.before) / turnMicros), turnMicros }
    writeFileSync(file, `${JSON.stringify(found)}\n`)
    return found
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/**
 * Starts a process that uses half of a core.
 *
 * @returns {() => void} ends it
 */
export function startNeighbour () {
  const script = 'const burn = () => { const end = performance.now() + 5; while (performance.now() < end); ' +
    'setTimeout(burn, 5) }; burn()'
  const neighbour = execa(process.execPath, ['--eval', script], { stdio: 'ignore', reject: false })
  return () => { neighbour.kill() }
}

/**
 * Removes what can be made again from the samples, and the folders in which base and head were started.
 *
 * @param {string} dir of a run
 */
function keepRaw (dir) {
  const kept = ['run.json', 'plan.json', 'samples.jsonl', 'latency.jsonl']
  for (const name of readdirSync(dir)) if (!kept.includes(name)) rmSync(join(dir, name), { recursive: true })
  for (const file of ['run.json', 'plan.json'].map(name => join(dir, name)).filter(existsSync)) {
    const text = readFileSync(file, 'utf8').replace(/"[^"]*\/hb-planted-\w+"/g, '"/head"')
    writeFileSync(file, text.replace(/"[^"]*\/hopbench-\w+\/base"/g, '"/base"'))
  }
}

/** @typedef {{ run: string | null, exit: number, seconds: number, figures: Record<string, string> }} Line */

/**
 * @param {string} dir of a condition
 * @returns {Line[]}
 */
const linesIn = dir => existsSync(join(dir, 'runs.jsonl'))
  ? readFileSync(join(dir, 'runs.jsonl'), 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line))
  : []

/**
 * Makes the missing runs of a condition.
 *
 * @param {string} name
 * @param {{ runs: number, minutes: number, keep: string, isQuick: boolean }} options
 */
async function replicate (name, { runs, minutes, keep, isQuick }) {
  const { cpu = 0, wait, args, isBusy } = conditions[name]
  const dir = join(keep, name)
  mkdirSync(dir, { recursive: true })
  // A nominal cost is enough to check that everything works.
  const nominal = { turns: MICROS * turnsPerMicro(), turnMicros: 1 / turnsPerMicro() }
  const { turns, turnMicros } = isQuick ? nominal : await calibrate(keep)
  const repository = mkdtempSync(join(tmpdir(), 'hb-planted-'))
  const stop = isBusy ? startNeighbour() : () => {}
  const deadline = performance.now() + minutes * 60_000
  try {
    const waitMs = wait === undefined ? 0 : WAIT_MS
    await writeRepository(repository, { turns, waitMs }, {
      turns: turns + cpu * MICROS / turnMicros, waitMs: waitMs * (1 + (wait ?? 0))
    })
    const isBudget = (/** @type {number} */ i) => args[i] === '--budget' || args[i - 1] === '--budget'
    const typed = isQuick ? [...args.filter((_, i) => !isBudget(i)), ...QUICK] : args
    for (let failed = 0; linesIn(dir).length < runs && performance.now() < deadline && failed < 2;) {
      printProgress(`${name}: run ${linesIn(dir).length + 1} of ${runs}`)
      const { exit, run, diff, seconds } = await runDiff(repository, typed, join(dir, 'runs'))
      failed = diff ? 0 : failed + 1
      if (run) keepRaw(join(dir, 'runs', run))
      // A run without a comparison has found nothing.
      const figures = Object.fromEntries((diff?.figures ?? []).map(({ figure, ratio, low, high, verdict }) =>
        [figure, `${verdict} ${[ratio, low, high].map(value => value?.toFixed(3) ?? '-').join(' ')}`]))
      appendFileSync(join(dir, 'runs.jsonl'), `${JSON.stringify({ run, exit, seconds, figures })}\n`)
    }
  } finally {
    stop()
    rmSync(repository, { recursive: true, force: true })
  }
}

/** Figures besides p99 that decide. */
const DECIDING = ['cpu', 'throughput']
/** Whether the text of a figure has the verdict of a slowdown. @param {string} [text] */
const isWorse = (text = '') => /^(slower|costlier) /.test(text)

/**
 * Counts the runs of a condition that found a slowdown. A run that compared nothing keeps the goal from being met.
 *
 * @param {string} name
 * @param {Pick<Line, 'exit' | 'figures'>[]} lines
 * @returns {{ found: number, compared: number, isMet: boolean }}
 */
export function countFound (name, lines) {
  const { goal } = conditions[name]
  const isFound = (/** @type {Pick<Line, 'exit' | 'figures'>} */ { exit, figures: { p99, ...others } }) =>
    exit === SLOWER_EXIT && (goal.by === undefined || (isWorse(p99) && !Object.entries(others).some(([figure, text]) =>
      DECIDING.includes(figure) && isWorse(text))))
  const found = lines.filter(isFound).length
  const compared = lines.filter(({ figures }) => Object.keys(figures).length > 0).length
  const limit = goal.of20 / RUNS * lines.length
  const isReached = goal.found === 'least' ? found >= Math.ceil(limit) : found <= limit
  return { found, compared, isMet: isReached && lines.length >= RUNS && compared === lines.length }
}

/**
 * Prints the runs of a condition, and whether its goal is met.
 *
 * @param {string} name
 * @param {string} keep
 * @returns {boolean}
 */
function report (name, keep) {
  const lines = linesIn(join(keep, name))
  for (const { run, exit, seconds, figures } of lines) {
    const texts = Object.entries(figures).map(([figure, text]) => `${figure} ${text}`)
    process.stdout.write(`${run}  exit ${exit}  ${seconds} s  ${texts.join(', ')}\n`)
  }
  const { goal } = conditions[name]
  const { found, compared, isMet } = countFound(name, lines)
  process.stdout.write(`${isMet ? 'met    ' : 'NOT MET'}  ${name}: a slowdown found in ${found} of ${lines.length} ` +
    `runs, of which ${compared} compared (goal: ${goal.found === 'least' ? '≥' : '≤'} ${goal.of20} of ${RUNS})\n`)
  return isMet
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code: 1 if the goal is not met
 */
export async function main (args) {
  const { values, positionals: [name] } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: String(RUNS) },
      minutes: { type: 'string', default: 'Infinity' },
      keep: { type: 'string', default: join(project, 'replications/diff') },
      quick: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false }
    }
  })
  const [runs, minutes] = [Number(values.runs), Number(values.minutes)]
  if (!Object.hasOwn(conditions, name ?? '') || !(runs > 0) || !(minutes > 0)) {
    printProgress(`Usage: npm run replicate:diff -- ${Object.keys(conditions).join(' | ')} ` +
      '[--runs <number>] [--minutes <number>] [--keep <folder>] [--quick] [--table]')
    return 2
  }
  const keep = resolve(process.env.INIT_CWD ?? process.cwd(), values.keep)
  mkdirSync(keep, { recursive: true })
  if (!values.table) await replicate(name, { runs, minutes, keep, isQuick: values.quick })
  printProgress(`Raw runs: ${relative(process.cwd(), join(keep, name))}`)
  return report(name, keep) ? 0 : 1
}
