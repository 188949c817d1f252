/**
 * `npm run replicate:sizing`: sizes one app ten times in a row (about half an hour), stores each sizing, and compares
 * the range of instances that each prints with the results of the others; then the error of the model with the windows
 * under real quotas in results/reference/quotas.json. A later call continues.
 *
 * --busy sizes beside a process that uses half a core; --quick makes short sizings, which check that everything works;
 * --table makes none, and --keep may name any folder of stored sizings of one app.
 */
import { execa } from 'execa'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SMALL_CORES } from '../../bench/features/size/prices/offering-choice.js'
import { computeScore } from '../../bench/judge/machines.js'
import { median } from '../../bench/judge/stats/quantile.js'
import { readRun } from '../../bench/store/store.js'
import { readOfferings } from '../../bench/features/size/prices/offerings.js'
import { cellsOf } from './quota-cells.js'
import { startNeighbour } from './replicate-diff.js'
import { comparePairs, judgeModel, judgeOverlap, judgePairs, listEstimates } from './sizing-ranges.js'

/** @import { RunRecord } from '../../bench/types.js' */
/** @import { Seen } from './quota-cells.js' */

const project = fileURLToPath(new URL('../..', import.meta.url))
const bootstrap = join(project, 'bench/bootstrap.js')
const SIZE = ['size', 'nginx:uds-keepalive/express-json', '--rps', '2000', '--p99', '50ms']
/** Requests per second for which the instances are compared: those of docs/answers.md. */
const RATES = [500, 2000, 10_000]
const RUNS = 10

/**
 * Makes the missing sizings.
 *
 * @param {string} folder of the runs
 * @param {{ runs: number, isQuick: boolean, isBusy: boolean }} options
 */
async function replicate (folder, { runs, isQuick, isBusy }) {
  const stop = isBusy ? startNeighbour() : () => {}
  try {
    for (let done = (await readSizings(folder)).length, failed = 0; done < runs && failed < 2;) {
      process.stderr.write(`sizing ${done + 1} of ${runs}\n`)
      const args = [...SIZE, ...isQuick ? ['--quick'] : [], '--results', folder]
      await execa(process.execPath, [bootstrap, ...args], { stdio: ['ignore', 'ignore', 'inherit'], reject: false })
      const now = (await readSizings(folder)).length
      failed = now > done ? 0 : failed + 1
      done = now
    }
  } finally {
    stop()
  }
}

/**
 * @param {string} folder
 * @returns {Promise<RunRecord[]>} complete sizings, in order of time
 */
async function readSizings (folder) {
  const names = readdirSync(folder).filter(name => existsSync(join(folder, name, 'run.json'))).sort()
  const runs = await Promise.all(names.filter(name => name.endsWith('-size')).map(name => readRun(join(folder, name))))
  return runs.flatMap(({ record }) => record?.complete && record.sizing ? [record] : [])
}

/**
 * @param {RunRecord[]} records
 * @returns {boolean} whether all goals are met
 */
function report (records) {
  const offerings = readOfferings()
  for (const { run, sizing, environment } of records) {
    const score = computeScore(environment.calibration)
    for (const { spec, capacity } of sizing?.topologies ?? []) {
      process.stdout.write(`${run}  ${spec}  ${Math.round(capacity.rate)} req/s (${Math.round(capacity.low)} to ` +
        `${Math.round(capacity.high)}), over the score ${score === null ? '?' : Math.round(capacity.rate / score)}\n`)
    }
  }
  /** @type {Seen[]} */
  const seen = JSON.parse(readFileSync(join(project, 'results/reference/quotas.json'), 'utf8'))
  const sizings = records.map(record => ({
    startedAt: record.startedAt, estimates: listEstimates(record, { rates: RATES, offerings })
  }))
  const goals = [
    ...judgeOverlap(sizings),
    ...judgePairs(comparePairs(sizings.map(({ estimates }) => estimates)),
      median(records.map(({ environment: { busy } }) => busy.busyShare ?? 0))),
    judgeModel(seen.flatMap(entry => cellsOf(entry)), SMALL_CORES)
  ]
  for (const { what, measured, goal, met } of goals) {
    process.stdout.write(`${met ? 'met    ' : 'NOT MET'}  ${what}: ${measured} (goal: ${goal})\n`)
  }
  return goals.every(({ met }) => met)
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code: 1 if a goal is not met, or with fewer than two sizings
 */
export async function main (args) {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: String(RUNS) },
      keep: { type: 'string', default: join(project, 'replications/sizing') },
      busy: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false }
    }
  })
  const runs = Number(values.runs)
  const folder = resolve(process.env.INIT_CWD ?? process.cwd(), values.keep)
  if (!(runs > 1) || (values.table && !existsSync(folder))) {
    process.stderr.write('Usage: npm run replicate:sizing -- [--runs <2 or more>] [--keep <folder>] [--busy] ' +
      '[--quick] [--table]\n')
    return 2
  }
  mkdirSync(folder, { recursive: true })
  if (!values.table) await replicate(folder, { runs, isQuick: values.quick, isBusy: values.busy })
  const records = await readSizings(folder)
  if (records.length < 2) process.stderr.write(`There are ${records.length} complete sizings in ${folder}.\n`)
  return report(records) && records.length > 1 ? 0 : 1
}
