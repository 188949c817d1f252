/**
 * Runs all experiments, each in a separate process, so that a failure or a hang does not affect the others. Stores the
 * state after each experiment.
 */
import { planExperiment } from '../../plan/plan.js'
import { aboutProtocol, findExperiment } from '../../plan/plugins.js'
import { shellWord, toSentence } from '../../errors.js'
import { printContrastWhy } from '../../report/facts/facts.js'
import { parse } from '../../plan/spec.js'
import { callWorker } from '../../run/call-worker.js'
import { duration, ended, listing, plural } from '../../shared/format.js'
import { compact, toPlainLine } from '../../report/wrap.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { OpenSuite } from '../../store/suite-record.js' */
/** @import { RunRecord, SuiteEntry, SuiteRecord } from '../../types.js' */
/** @import { SuiteWorld } from '../../tasks.js' */

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
  for (const [i, entry] of suite.record.entries.entries()) {
    if (entry.status === 'done') continue
    if (world.interrupted()) break
    world.begins(entry, i + 1)
    const resumed = entry.status === 'interrupted' ? entry.run : null
    await storeEntry({ ...entry, status: 'running', run: null, error: null, verdicts: {}, claims: {} })
    const ended = await runOne(entry.experiment, { suite, world, resumed })
    await storeEntry(ended)
    world.ends(ended)
  }
  const missing = record.entries.some(({ status }) => ['waiting', 'running', 'interrupted'].includes(status))
  await store({ endedAt: missing ? null : world.utc() })
  return record
}

/**
 * @param {string} experiment
 * @param {{ suite: OpenSuite, world: SuiteWorld, resumed: string | null }} options resumed: name of an interrupted run
 * @returns {Promise<SuiteEntry>}
 */
async function runOne (experiment, { suite, world, resumed }) {
  const { quick } = suite.record
  const { interrupted, resultsDir, runOptions, call = callWorker, secondsFor = allowedSeconds } = world
  const options = { lab: true, results: resultsDir }
  const startedAt = performance.now()
  const { result, error } = await call('run', resumed
    ? { words: [], options: { ...options, resume: resumed } }
    : { words: [experiment], options: { ...options, quick, ...runOptions } },
  { name: experiment, dir: suite.dir, interrupted, seconds: await secondsFor(experiment, quick) })
  const seconds = (performance.now() - startedAt) / 1000
  const record = result?.record
  const outcome = {
    experiment,
    run: record?.run ?? null,
    seconds,
    verdicts: tally(record?.contrasts.map(({ verdict }) => verdict) ?? []),
    claims: tally(record?.claims.map(({ status }) => status) ?? [])
  }
  if (result?.succeeded && error === null) return { ...outcome, status: 'done', error: null }
  if (interrupted() && !record?.complete) return { ...outcome, status: 'interrupted', error: null }
  const why = error || !record ? toSentence(error) : describeFailure(record)
  return { ...outcome, status: 'failed', error: why }
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
 * Verdicts and statuses as words after a number.
 * @type {Record<string, string>}
 */
const WORDS = { 'no-difference': 'no difference', 'not-testable': 'not testable' }

/**
 * Returns the line of an experiment that has ended.
 * @param {SuiteEntry} entry
 * @param {number} width of the longest name
 */
export function suiteLine ({ experiment, status, seconds, verdicts, claims, error }, width) {
  const head = `${experiment.padEnd(width)}  ${duration(seconds).padStart(10)}  `
  if (status === 'interrupted') return `${head}interrupted`
  if (status === 'failed') return `${head}FAILED: ${toPlainLine(error ?? 'the reason is unknown.')}`
  return `${head}${counts(verdicts) || 'nothing compared'}; claims: ${counts(claims) || 'none'}`
}

/**
 * Lists counts: "2 faster, 1 slower".
 * @param {Partial<Record<string, number>>} numbers
 */
const counts = numbers => Object.entries(numbers)
  .filter(([, amount]) => amount)
  .map(([word, amount]) => `${amount} ${WORDS[word] ?? word}`).join(', ')

/**
 * Returns the results of a suite and the command that resumes it.
 * @param {SuiteRecord} record
 * @param {{ dir: string, seconds: number }} call folder of the suite, and wall time of this call
 */
export function suiteSummary ({ suite, entries, endedAt }, { dir, seconds }) {
  const list = (/** @type {SuiteEntry['status'][]} */ ...statuses) =>
    entries.filter(({ status }) => statuses.includes(status)).map(({ experiment }) => experiment)
  const failed = list('failed')
  const missing = list('waiting', 'running', 'interrupted')
  const lines = compact([
    `${plural(entries.length, 'experiment')}, ${list('done').length} done in ${duration(seconds)}.`,
    failed.length > 0 && ended(`Failed: ${listing(failed)}`),
    missing.length > 0 && ended(`Missing: ${listing(missing)}`),
    (failed.length > 0 || !endedAt) && `Resume the suite: npm run hopbench -- all --resume ${shellWord(suite)}`,
    `Results: ${dir}`
  ])
  return `${lines.join('\n')}\n`
}
