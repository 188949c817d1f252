/**
 * `npm run reference -- --minutes 60`: makes the reference runs that published pages need and that are missing on this
 * kind of machine, the most important first, and files each in results/reference/<kind of machine>/. A later call
 * continues, also after an interruption. `--list` prints what is missing without measuring.
 */
import { execa } from 'execa'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { QUESTIONS } from '../../bench/features/publish/questions.js'
import { toFingerprint } from '../../bench/judge/machines.js'
import { splitCores } from '../../bench/machine/cores.js'
import { readEnvironment } from '../../bench/machine/environment/environment.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { storedArchive } from '../../bench/machine/setup/apt.js'
import { findRuntime } from '../../bench/machine/setup/runtime.js'
import { proxySpecs } from '../../bench/measure/find-programs.js'
import { loadExperiments } from '../../bench/plan/plugins.js'
import { NODE_LINES, runtimes, toProductionLine } from '../../bench/plan/runtimes.js'
import { column, textTable } from '../../bench/report/table.js'
import { planFrom } from '../../bench/request/request.js'
import { plural } from '../../bench/shared/format.js'
import { CURRENT, findVersion } from '../../bench/shared/releases.js'
import { readCheck } from '../../bench/store/check-results.js'
import { PLAN, RECORD, SAMPLES } from '../../bench/store/layout.js'
import { listRuns, readRun, REFERENCE_DIR } from '../../bench/store/store.js'
import { withholdSafety } from '../support/withhold-safety.js'
import {
  estimateSeconds, findFault, getCheckState, getDue, getState, isOf, listNeeds, listNewest, orderMissing
} from './reference-needs.js'

/** @import { Plan, RunRecord } from '../../bench/types.js' */
/** @import { Need, State, Stored } from './reference-needs.js' */

const project = fileURLToPath(new URL('../..', import.meta.url))
const bootstrap = join(project, 'bench/bootstrap.js')
/** Seconds of commands without an experiment: the longest stored sizing with `--verify` took 7 minutes. */
const OTHER_SECONDS = 450
/** Check of the servers, whose file is of no kind of machine. @type {Need} */
const CHECK = {
  experiment: 'check', words: ['check', '--release', 'current'], line: null, times: 1, pages: ['static.md', 'check.md']
}
/**
 * Factor of the budget of an experiment. A warm-up took 40 s of each start on a slow host, which left one or two starts
 * in five minutes.
 */
const BUDGET_FACTOR = 3
/** Seconds that a run may exceed its estimate: programs are fetched before it, and another run may be measuring. */
const SPARE_SECONDS = 900
/** Seconds in which an interrupted run stores its samples: up to 30 s of its window, and the end of its programs. */
const END_SECONDS = 90
/** Attempts of one run in a call. A run that depends on the position in a start can do so by chance. */
const MAX_ATTEMPTS = 2

/**
 * @typedef {object} Options
 * @property {string} results folder of reference runs
 * @property {string} keep folder of runs that are not complete, or not valid
 * @property {string[]} only experiments; empty: all
 */
/**
 * @typedef {object} Survey
 * @property {string} set this kind of machine
 * @property {State[]} states
 * @property {(need: Need) => number} getSeconds estimated duration of one run
 * @property {(need: Need) => string[]} getWords command of one run, without the name of the program
 * @property {(need: Need, record: RunRecord) => string | null} findFault
 */

const printProgress = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }

/**
 * Reads the stored runs, and finds what is missing.
 *
 * @param {Options} options
 * @returns {Promise<Survey>}
 */
async function survey ({ results, only }) {
  const lab = await labFacts()
  const set = toFingerprint(await readEnvironment({ lab, cores: splitCores() }, { isCalibrated: false }))
  const lts = toProductionLine(runtimes[`node-${NODE_LINES.at(-1)}`].version, new Date().toISOString())
  const needs = listNeeds(await loadExperiments(), QUESTIONS, lts)
    .filter(({ experiment }) => only.length === 0 || only.includes(experiment))
  /** @type {Map<string, Plan>} */
  const plans = new Map()
  for (const { experiment, words: [command, ...words] } of needs) {
    if (command !== 'run' || plans.has(experiment)) continue
    const release = words.includes('--release') ? CURRENT : undefined
    plans.set(experiment, (await planFrom([experiment], { release, lab: true, seed: 1 })).plan)
  }
  const stored = await readStored(results)
  const versions = listNewest([...stored.map(({ record }) => record.tools), await listKnown([...plans.values()])])
  const nodes = new Map(NODE_LINES.map(line => [line, runtimes[`node-${line}`].version]))
  const toConditions = (/** @type {Need} */ { experiment }) =>
    ({ plan: plans.get(experiment) ?? null, versions, nodes })
  return {
    set,
    states: [
      ...needs.map(need => getState(need, stored, { set, ...toConditions(need) })),
      ...only.length === 0 || only.includes(CHECK.experiment)
        ? [getCheckState(CHECK, await readCheck(results), { versions, nodes })]
        : []
    ],
    getSeconds: need => estimateSeconds(need, stored, getBudget(plans.get(need.experiment)) ?? OTHER_SECONDS),
    getWords: ({ words, experiment }) => {
      const plan = plans.get(experiment)
      return plan?.result === 'throughput' ? [...words, '--budget', `${getBudget(plan)}s`] : words
    },
    findFault: (need, record) => findFault(record, toConditions(need))
  }
}

/** Returns the seconds of a run of an experiment. @param {Plan} [plan] undefined: a command without an experiment */
const getBudget = plan => plan && plan.targets.budgetSeconds * (plan.result === 'throughput' ? BUDGET_FACTOR : 1)

/**
 * Reads the records of a folder, one after the other, without their samples.
 *
 * @param {string} folder
 * @returns {Promise<Stored[]>} the oldest first
 */
async function readStored (folder) {
  const stored = []
  for (const { dir, set } of await listRuns(folder)) {
    const { record } = await readRun(dir, folder)
    if (record) stored.push({ set, record })
  }
  return stored
}

/**
 * Returns the versions that are known without measuring: of runtimes, which are pinned, and of programs of the newest
 * release, from the stored lists of Debian's archive.
 *
 * @param {Plan[]} plans
 * @returns {Promise<Record<string, string>>} by program
 */
async function listKnown (plans) {
  const packages = storedArchive(process.env)?.packages ?? {}
  const specs = await proxySpecs(plans.flatMap(({ arms }) => arms))
  return Object.fromEntries([
    ...Object.entries(runtimes).map(([name, { version }]) => [name, version]),
    ...specs.flatMap(({ key, spec: { release, packages: names } }) => {
      const found = release === undefined ? null : findVersion(release, packages[names?.debian?.[0] ?? ''] ?? [])
      return found ? [[key, found.version.replace(/^\d+:/, '')]] : []
    })
  ])
}

/**
 * Prints what is missing, in the order in which it is made.
 *
 * @param {Survey} found
 * @returns {string[]}
 */
export function listLines ({ set, states, getSeconds }) {
  const missing = orderMissing(states)
  const runs = missing.map(({ need: { times }, done }) => times - done)
  const seconds = missing.reduce((sum, { need }, i) => sum + runs[i] * getSeconds(need), 0)
  const rows = missing.map(({ need, why }, i) => ({ ...need, why, runs: runs[i], minutes: getSeconds(need) / 60 }))
  /** @typedef {typeof rows[number]} Row */
  const table = textTable({
    rows,
    columns: [
      column('run', (/** @type {Row} */ { words }) => printWords(words), { left: true, width: 21 }),
      column('Node', (/** @type {Row} */ { line }) => `${line ?? ''}`),
      column('minutes', (/** @type {Row} */ { runs, minutes }) =>
        runs > 1 ? `${runs} × ${minutes.toFixed(0)}` : minutes.toFixed(0)),
      column('missing', (/** @type {Row} */ { why }) => `${why}`, { left: true, width: 17 }),
      column('for', (/** @type {Row} */ { pages }) => pages.join(', '), { left: true, width: 19 })
    ]
  }, { columns: 80, colors: plainColors })
  const total = runs.reduce((a, b) => a + b, 0)
  const here = states.reduce((sum, { done }) => sum + done, 0)
  return [
    ...missing.length > 0 ? [...table, ''] : [],
    `${plural(here, 'reference run')} of ${here + total}; the others take about ${Math.ceil(seconds / 60)} minutes.`,
    `Machine: ${set}`
  ]
}
const plainColors = /** @type {any} */ (new Proxy({}, { get: () => String }))

/**
 * Prints a command in short: of an experiment its name.
 *
 * @param {string[]} words
 */
const printWords = ([command, ...words]) =>
  command === 'run' ? words[0] : [command, ...words.slice(0, 3).filter(word => !word.includes('/'))].join(' ')

/**
 * Makes missing runs until the time is over.
 *
 * @param {Options & { minutes: number }} options
 * @returns {Promise<State[]>} those that are still missing
 */
async function measure ({ minutes, ...options }) {
  const end = performance.now() + minutes * 60_000
  let isInterrupted = false
  // The run gets the signal, too, ends by itself, and stores its samples.
  const interrupt = () => { isInterrupted = true }
  process.on('SIGINT', interrupt)
  /** @type {Map<string, number>} */
  const attempts = new Map()
  try {
    for (;;) {
      const found = await survey(options)
      const missing = orderMissing(found.states)
      const left = (end - performance.now()) / 1000
      const next = missing.find(state => getDue(state) <= Date.now() && found.getSeconds(state.need) <= left &&
        (attempts.get(toKey(state.need)) ?? 0) < MAX_ATTEMPTS)
      if (isInterrupted || !next) return missing
      const { need } = next
      attempts.set(toKey(need), (attempts.get(toKey(need)) ?? 0) + 1)
      const minutesLeft = Math.round(left / 60)
      printProgress(`${printWords(need.words)}, Node ${need.line}: ${next.why} (${minutesLeft} minutes left)`)
      await makeRun(need, { ...options, ...found, seconds: found.getSeconds(need) })
    }
  } finally {
    process.off('SIGINT', interrupt)
  }
}

/** @param {Need} need */
const toKey = ({ words, line }) => `${words.join(' ')} ${line}`

/**
 * Makes or resumes one run, and files it if it is valid.
 *
 * @param {Need} need
 * @param {Options & Survey & { seconds: number }} options
 */
async function makeRun (need, { results, keep, seconds, getWords, findFault }) {
  mkdirSync(keep, { recursive: true })
  const before = readdirSync(keep)
  const begun = need.words[0] === 'run' ? await findBegun(need, keep) : null
  const words = begun ? ['run', '--resume', begun] : getWords(need)
  const program = await findNode(need.line)
  const isCheck = need === CHECK
  const { exitCode, timedOut } = await execa(program, [bootstrap, ...words, '--results', isCheck ? results : keep], {
    cwd: project,
    env: { INIT_CWD: project },
    stdio: ['ignore', 'ignore', 'inherit'],
    reject: false,
    timeout: (seconds + SPARE_SECONDS) * 1000,
    killSignal: 'SIGINT',
    forceKillAfterDelay: END_SECONDS * 1000
  })
  // A check merges its results into check.json.
  if (isCheck) {
    withholdSafety(join(results, 'check.json'))
    return
  }
  const names = [...readdirSync(keep).filter(name => !before.includes(name)), ...begun ? [begun] : []]
  const made = (await Promise.all(names.map(name => readRun(join(keep, name), keep).catch(() => null))))
    .find(run => run?.record && isOf(need, run.record))
  const state = timedOut ? 'its time limit passed' : `exit code ${exitCode}`
  if (!made?.record) {
    // A run that cannot be resumed on this machine must not be tried again.
    if (begun) renameSync(join(keep, begun), join(keep, `${begun}.left`))
    return printProgress(`${printWords(need.words)} stored no record: ${state}.`)
  }
  const fault = findFault(need, made.record)
  if (fault !== null) {
    const next = fault === 'interrupted' ? 'A later call resumes it.' : `Its folder is ${made.dir}`
    return printProgress(`${made.run} is not filed: ${fault}. ${next}`)
  }
  printProgress(`Filed ${fileRun(made.dir, join(results, toFingerprint(made.record.environment)))}`)
}

/**
 * Copies a run to its set without its seals, which are of this account, and removes it from the other folder.
 *
 * @param {string} dir
 * @param {string} set folder
 * @param {string} [from] folder in which it was made, of which stored paths are cleared
 * @returns {string} folder of the run
 */
export function fileRun (dir, set, from) {
  const target = join(set, basename(dir))
  // A run whose copy was cut off has another name, so that no page is made of it.
  const partial = `${target}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  cpSync(join(dir, SAMPLES), join(partial, SAMPLES))
  for (const name of [PLAN, RECORD]) {
    const text = withoutFolder(readFileSync(join(dir, name), 'utf8'))
    writeFileSync(join(partial, name), from ? text.replaceAll(JSON.stringify(`${from}/`).slice(1, -1), '/') : text)
  }
  renameSync(partial, target)
  rmSync(dir, { recursive: true })
  return target
}

/**
 * Removes the folder of results, which is a path of this machine, from the stored command.
 *
 * @param {string} text of a plan or a record
 */
const withoutFolder = text => text.replace(/,\s*"--results",\s*"(?:[^"\\]|\\.)*"/g, '')

/**
 * Returns the last interrupted run of a need.
 *
 * @param {Need} need
 * @param {string} keep
 * @returns {Promise<string | null>} its name
 */
async function findBegun (need, keep) {
  for (const { run, dir, experiment } of (await listRuns(keep)).reverse()) {
    if (experiment !== need.experiment || !existsSync(join(dir, RECORD))) continue
    const stored = await readRun(dir, keep)
    if (stored.record && !stored.record.complete && stored.samples.length > 0 && isOf(need, stored.record)) return run
  }
  return null
}

/**
 * Returns the Node that a run is made with.
 *
 * @param {number | null} line null: that of this process
 * @returns {Promise<string>} path
 */
async function findNode (line) {
  if (line === null) return process.execPath
  const name = `node-${line}`
  return process.versions.node === runtimes[name].version
    ? process.execPath
    : (await findRuntime(name, runtimes[name], { printProgress })).program
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code: 1 if runs are missing at the end
 */
export async function main (args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string' },
      list: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      results: { type: 'string', default: REFERENCE_DIR },
      keep: { type: 'string', default: join(project, 'replications/reference') }
    }
  })
  const minutes = Number(values.minutes)
  if (values.list === (values.minutes !== undefined) || (!values.list && !(minutes > 0))) {
    printProgress('Usage: npm run reference -- --list | --minutes <number>\n' +
      '  [--only <experiments>] [--results <folder>] [--keep <folder>]')
    return 2
  }
  const [results, keep] = [values.results, values.keep]
    .map(path => resolve(process.env.INIT_CWD ?? process.cwd(), path))
  const options = { results, keep, only: values.only.split(',').filter(name => name !== '') }
  const missing = values.list ? [] : await measure({ ...options, minutes })
  for (const line of listLines(await survey(options))) process.stdout.write(`${line}\n`)
  return missing.length > 0 ? 1 : 0
}
