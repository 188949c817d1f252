/**
 * `npm run replicate -- equal`: makes independent runs of one command, stores each with its samples, and prints a table
 * once there are enough. A later call continues an interrupted series.
 *
 *   equal     20 runs of two equal handlers, 60 s each
 *   planted   20 runs of a handler and one whose requests cost 10 % more, 60 s each
 *   uds       8 runs of the experiment uds, 3 min each
 */
import { execa } from 'execa'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { makeTempDir, makeTempRoot } from '../../bench/machine/files/temp.js'
import { readRun } from '../../bench/store/store.js'
import { calibrate } from '../../bench/features/selftest/study.js'
import { writePlanted } from '../../bench/features/selftest/planted.js'
import { agreement, coverage, falseVerdicts, runLines, words } from './replications.js'

/** @import { Goal, StoredReplicate } from './replications.js' */

const MORE = 0.1
/** Size of the run that measures the cost of planted work, about a minute. */
const PILOT = { blocks: 10, starts: 4, seed: 1 }
const bootstrap = fileURLToPath(new URL('../../bench/bootstrap.js', import.meta.url))
const project = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @typedef {object} Part
 * @property {number} runs
 * @property {string} budget of each run
 * @property {(dir: string) => Promise<string[]>} wordsIn writes the servers into a folder and returns their words
 * @property {(runs: StoredReplicate[]) => Goal} goal
 */

/** @type {Record<string, Part>} */
export const parts = {
  equal: {
    runs: 20,
    budget: '60s',
    wordsIn: async dir => ['equal', 'same'].map(name => `./${basename(writePlanted(dir, name, 0))}`),
    goal: falseVerdicts
  },
  planted: { runs: 20, budget: '60s', wordsIn: plantedIn, goal: runs => coverage(runs, 1 / (1 + MORE)) },
  uds: { runs: 8, budget: '180s', wordsIn: async () => ['uds'], goal: agreement }
}

/**
 * Writes two servers, one of which costs 10 % more. Later runs use the same files.
 * @param {string} dir
 */
async function plantedIn (dir) {
  const files = ['equal', 'more'].map(name => `./${name}.js`)
  if (existsSync(join(dir, 'more.js'))) return files
  const temp = makeTempRoot()
  try {
    const { network } = await labFacts()
    const found = await calibrate({
      temp: makeTempDir(temp.path, 'c'),
      keepIn: join(temp.path, 'kept'),
      lab: network === 'namespaces',
      cores: splitCores(),
      cwd: temp.path,
      printProgress
    }, { ...PILOT, dir: makeTempDir(temp.path, 'm'), name: file => `./${relative(temp.path, file)}` })
    writeFileSync(join(dir, 'calibration.json'), `${JSON.stringify(found)}\n`)
    writePlanted(dir, 'equal', 0)
    writePlanted(dir, 'more', MORE * found.microsPerShare)
  } finally {
    temp.remove()
  }
  return files
}

const printProgress = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }

/**
 * Makes the missing runs of a part, and reads all of them.
 * @param {string} name of the part
 * @param {{ runs?: number, budget?: string, keep?: string, measure?: boolean }} [options] keep: folder of all parts
 * @returns {Promise<StoredReplicate[]>} complete runs
 */
export async function replicate (name, { runs, budget, keep = join(project, 'replications'), measure = true } = {}) {
  const part = parts[name]
  const dir = resolve(keep, name)
  mkdirSync(dir, { recursive: true })
  const words = measure ? await part.wordsIn(dir) : []
  let interrupted = !measure
  const shouldContinue = () => !interrupted
  // The run gets the signal, too, ends by itself, and stores its samples.
  const interrupt = () => { interrupted = true }
  process.on('SIGINT', interrupt)
  try {
    let done = await storedIn(dir)
    for (let failed = 0; done.length < (runs ?? part.runs) && shouldContinue() && failed < 2;) {
      printProgress(`${name}: run ${done.length + 1} of ${runs ?? part.runs}`)
      const args = ['run', ...words, '--budget', budget ?? part.budget, '--results', join(dir, 'runs')]
      await execa(process.execPath, [bootstrap, ...args], {
        cwd: dir, env: { INIT_CWD: dir }, stdio: ['ignore', 'ignore', 'inherit'], reject: false
      })
      const now = await storedIn(dir)
      failed = now.length > done.length ? 0 : failed + 1
      done = now
    }
    return done
  } finally {
    process.off('SIGINT', interrupt)
  }
}

/**
 * @param {string} dir of a part
 * @returns {Promise<StoredReplicate[]>}
 */
async function storedIn (dir) {
  const folder = join(dir, 'runs')
  if (!existsSync(folder)) return []
  const runs = await Promise.all(readdirSync(folder).sort().filter(name => existsSync(join(folder, name, 'run.json')))
    .map(name => readRun(join(folder, name))))
  return runs.flatMap(({ record, samples }) => record?.complete ? [{ record, samples }] : [])
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code: 1 if the goal is not met, or without a complete run
 */
export async function main (args) {
  const { values: { table, ...options }, positionals: [name] } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      runs: { type: 'string' },
      budget: { type: 'string' },
      keep: { type: 'string' },
      table: { type: 'boolean', default: false }
    }
  })
  const runs = options.runs === undefined ? undefined : Number(options.runs)
  if (!(name in parts) || (runs !== undefined && !(runs > 0))) {
    process.stderr.write(`Usage: npm run replicate -- ${Object.keys(parts).join(' | ')} ` +
      '[--runs <number>] [--budget <time>] [--keep <folder>] [--table]\n')
    return 2
  }
  const keep = options.keep === undefined ? undefined : resolve(process.env.INIT_CWD ?? process.cwd(), options.keep)
  const found = await replicate(name, { ...options, keep, runs, measure: !table })
  for (const line of report(name, found)) process.stdout.write(`${line}\n`)
  return found.length > 0 && parts[name].goal(found).met ? 0 : 1
}

/**
 * @param {string} name of the part
 * @param {StoredReplicate[]} found
 * @returns {string[]}
 */
export function report (name, found) {
  if (found.length === 0) return [`${name}: no complete run`]
  const { what, measured, goal, met } = parts[name].goal(found)
  const verdict = `${met ? 'met    ' : 'NOT MET'}  ${what}: ${measured} (goal: ${goal})`
  return [...runLines(found), '', ...words(found), verdict]
}
