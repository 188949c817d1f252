/**
 * Runs all experiments, each in a separate process, so that a failure or a hang does not affect the others. Stores the
 * state after each experiment.
 */
import { rmSync } from 'node:fs'
import { planExperiment } from '../plan/plan.js'
import { aboutProtocol, findExperiment } from '../plan/plugins.js'
import { readLastLines } from '../machine/process.js'
import { printContrastWhy } from '../report/facts/facts.js'
import { FEED } from '../report/progress-feed.js'
import { parse } from '../plan/spec.js'
import { childCommand, readPrinted, startChild, waitForEnd } from './child-command.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { OpenSuite } from '../store/suite-record.js' */
/** @import { RunRecord, SuiteEntry, SuiteRecord } from '../types.js' */
/** @import { SuiteWorld } from './types.js' */

/** Seconds that a run may exceed its budget: programs are installed before it, and a ladder completes its block. */
const SPARE_SECONDS = 600

/**
 * Runs the experiments that are waiting, were interrupted or failed.
 *
 * @param {OpenSuite} suite
 * @param {SuiteWorld} world
 * @returns {Promise<SuiteRecord>} the record as stored at the end
 * @throws {HopbenchError} if the state cannot be stored
 */
export async function runSuite (suite, world) {
  let { record } = suite
  const store = async (/** @type {Partial<SuiteRecord>} */ changes) => {
    record = { ...record, ...changes }
    await suite.save(record)
  }
  const storeEntry = (/** @type {SuiteEntry} */ entry) => store({
    entries: record.entries.map(other => other.experiment === entry.experiment ? entry : other)
  })
  const command = world.command ?? await childCommand()
  for (const [i, entry] of suite.record.entries.entries()) {
    if (entry.status === 'done') continue
    if (world.interrupted()) break
    world.begins(entry, i + 1)
    const resumed = entry.status === 'interrupted' ? entry.run : null
    await storeEntry({ ...entry, status: 'running', run: null, error: null, verdicts: {}, claims: {} })
    const ended = await runOne(entry.experiment, { suite, world, command, resumed })
    await storeEntry(ended)
    world.ends(ended)
  }
  const missing = record.entries.some(({ status }) => ['waiting', 'running', 'interrupted'].includes(status))
  await store({ endedAt: missing ? null : world.utc() })
  return record
}

/**
 * @param {string} experiment
 * @param {{ suite: OpenSuite, world: SuiteWorld, command: string[], resumed: string | null }} options resumed: name of
 * an interrupted run
 * @returns {Promise<SuiteEntry>}
 */
async function runOne (experiment, { suite, world, command, resumed }) {
  const { quick } = suite.record
  const { runOptions = [] } = world
  const words = resumed ? ['--resume', resumed] : [experiment, ...quick ? ['--quick'] : [], ...runOptions]
  const startedAt = performance.now()
  const { child, stdout, log } = startChild(
    ['run', ...words, '--json', '--results', world.resultsDir], { name: experiment, dir: suite.dir, command }
  )
  const secondsFor = world.secondsFor ?? allowedSeconds
  const timedOut = await waitForEnd(child, {
    interrupted: world.interrupted, seconds: await secondsFor(experiment, quick)
  })
  const seconds = (performance.now() - startedAt) / 1000
  /** @type {RunRecord | null} */
  const record = readPrinted(stdout)
  // The record is also in the run's folder. The log is kept.
  rmSync(stdout, { force: true })
  const outcome = {
    experiment,
    run: record?.run ?? null,
    seconds,
    verdicts: tally(record?.contrasts.map(({ verdict }) => verdict) ?? []),
    claims: tally(record?.claims.map(({ status }) => status) ?? [])
  }
  if (timedOut) {
    const error = `The run had not ended after ${Math.round(seconds)} s and was stopped.`
    return { ...outcome, status: 'failed', error }
  }
  if (child.ended()?.code === 0 && record) return { ...outcome, status: 'done', error: null }
  if (world.interrupted() && !record?.complete) return { ...outcome, status: 'interrupted', error: null }
  const error = record ? describeFailure(record) : findErrorSentence(readLastLines(log, 40))
  return { ...outcome, status: 'failed', error }
}

/**
 * @param {string} experiment
 * @param {boolean} quick
 */
async function allowedSeconds (experiment, quick) {
  try {
    const found = await findExperiment(experiment)
    if (found === null) return SPARE_SECONDS
    const { targets } = planExperiment(experiment, found, { seed: 0, quick }, {
      parse, protocol: await aboutProtocol(found.protocol)
    })
    return targets.budgetSeconds + SPARE_SECONDS
  } catch {
    return SPARE_SECONDS // The run itself reports the fault of the experiment.
  }
}

/**
 * Counts equal words.
 *
 * @template {string} T
 * @param {T[]} words
 * @returns {Partial<Record<T, number>>}
 */
function tally (words) {
  /** @type {Partial<Record<T, number>>} */
  const counts = {}
  for (const spec of words) counts[spec] = (counts[spec] ?? 0) + 1
  return counts
}

/**
 * Describes the failure of a run with a record in one sentence.
 *
 * @param {Pick<RunRecord, 'contrasts' | 'complete' | 'ended'>} record
 */
function describeFailure ({ contrasts, complete, ended }) {
  const invalid = contrasts.find(({ verdict }) => verdict === 'invalid')
  if (invalid) {
    const why = printContrastWhy(invalid) ?? 'no reason was recorded'
    return `${invalid.arm} against ${invalid.baseline} is invalid: ${why}.`
  }
  if (complete) return 'The run failed after it had stored its record.'
  return `The run was cut off (${ended ?? 'reason unknown'}).`
}

/**
 * Finds the sentence of an error in a log (format: bench/errors.js): the last line before "Try:" that is not indented.
 * Output of other programs is indented. Events of --feed are no sentences.
 *
 * @param {string} log
 * @returns {string}
 */
export function findErrorSentence (log) {
  const lines = log.split('\n')
  const remedy = lines.findLastIndex(line => line.startsWith('Try: '))
  const before = lines.slice(0, remedy === -1 ? lines.length : remedy).filter(line =>
    line.trim() !== '' && !line.startsWith('    ') && !line.startsWith(FEED)
  )
  return before.at(-1)?.trim() ?? 'The run failed without a message.'
}
