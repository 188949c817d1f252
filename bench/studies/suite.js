/** Every experiment in turn, each as a run of its own in a process of its own: one that fails or hangs stops none of
 * the others. What has ended is known after every experiment. */
import { rmSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { planOf } from '../plan/plan.js'
import { aboutProtocol, loadPlugin } from '../plugins.js'
import { run, start, tailOf } from '../machine/process.js'
import { parse } from '../plan/word.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Child } from '../machine/shapes.js' */
/** @import { OpenSuite } from '../store/suite-record.js' */
/** @import { RunRecord, SuiteEntry } from '../types.js' */
/** @import { SuiteWorld } from './types.js' */

const bootstrap = fileURLToPath(new URL('../bootstrap.js', import.meta.url))

/** Beyond the time budget of a run: programs are fetched before it begins, and a ladder ends with a whole block. */
const SPARE_SECONDS = 600
const ENDING_SECONDS = 60 // A run that is asked to end finishes its window and stores its record.
const POLL_MS = 100

/**
 * Runs what is missing: what waits, what was cut off and what had failed.
 *
 * @param {OpenSuite} suite
 * @param {SuiteWorld} world
 * @returns {Promise<boolean>} whether all of it is done
 * @throws {HopbenchError} when the state cannot be stored any more
 */
export async function runSuite (suite, world) {
  const { record, save } = suite
  const command = world.command ?? [...await endsWithUs(), process.execPath, bootstrap]
  for (const [i, entry] of record.entries.entries()) {
    if (entry.status === 'done') continue
    if (world.interrupted()) break
    world.begins(entry, i + 1)
    const resumed = entry.status === 'interrupted' ? entry.run : null
    Object.assign(entry, { status: 'running', run: null, error: null, verdicts: {}, claims: {} })
    await save()
    Object.assign(entry, await runOne(entry.experiment, { suite, world, command, resumed }))
    await save()
    world.ends(entry)
  }
  const missing = record.entries.some(({ status }) => ['waiting', 'running', 'interrupted'].includes(status))
  record.endedAt = missing ? null : world.utc()
  await save()
  return record.entries.every(({ status }) => status === 'done')
}

/** A run that nobody waits for any more ends too: util-linux can ask the kernel to signal it.
 * @returns {Promise<string[]>} argv in front; empty where that is not available */
async function endsWithUs () {
  const argv = ['setpriv', '--pdeathsig', 'TERM', '--']
  return (await run([...argv, 'true'])).exit === 0 ? argv : []
}

/**
 * @param {string} experiment
 * @param {{ suite: OpenSuite, world: SuiteWorld, command: string[], resumed: string | null }} how `resumed`: the run
 * that goes on
 */
async function runOne (experiment, { suite, world, command, resumed }) {
  const { quick } = suite.record
  const stdout = join(suite.dir, `${experiment}.json`)
  const log = join(suite.dir, `${experiment}.log`)
  // A log of an earlier try would be taken for this one's.
  for (const file of [stdout, log]) rmSync(file, { force: true })
  const what = resumed ? ['--resume', resumed] : [experiment, ...quick ? ['--quick'] : []]
  const startedAt = performance.now()
  const child = start({
    name: experiment,
    argv: [...command, 'run', ...what, '--json', '--results', world.resultsDir],
    stdout,
    log
  })
  const secondsFor = world.secondsFor ?? allowedSeconds
  const timedOut = await endOf(child, { world, seconds: await secondsFor(experiment, quick) })
  const seconds = (performance.now() - startedAt) / 1000
  const record = recordIn(stdout)
  // The run has stored it; the log stays.
  rmSync(stdout, { force: true })
  const outcome = {
    run: record?.run ?? null,
    seconds,
    verdicts: tally(record?.contrasts.map(({ verdict }) => verdict) ?? []),
    claims: tally(record?.claims.map(({ status }) => status) ?? [])
  }
  if (timedOut) {
    return { ...outcome, status: 'failed', error: `It had not ended after ${Math.round(seconds)} s and was stopped.` }
  }
  if (child.ended()?.code === 0 && record) return { ...outcome, status: 'done', error: null }
  if (world.interrupted() && !record?.complete) return { ...outcome, status: 'interrupted', error: null }
  return { ...outcome, status: 'failed', error: record ? whyOf(record) : sentenceOf(tailOf(log, 40)) }
}

/**
 * Waits for a run's end; passes Ctrl-C on to it, and stops one that takes too long.
 *
 * @param {Child} child
 * @param {{ world: SuiteWorld, seconds: number }} options
 * @returns {Promise<boolean>} whether it took too long
 */
async function endOf (child, { world, seconds }) {
  const deadline = performance.now() + seconds * 1000
  let passedOn = 0
  while (!child.ended()) {
    for (const pressed = world.interrupted(); passedOn < pressed; passedOn++) child.signal('SIGINT')
    if (performance.now() > deadline) {
      await child.stop({ signal: 'SIGINT', graceSeconds: ENDING_SECONDS })
      return true
    }
    await Promise.race([child.exited, sleep(POLL_MS)])
  }
  return false
}

/**
 * @param {string} experiment
 * @param {boolean} quick
 */
async function allowedSeconds (experiment, quick) {
  try {
    const { default: plugin } = await loadPlugin('experiment', experiment)
    const knows = { parse, protocol: await aboutProtocol(plugin.protocol) }
    return planOf(experiment, plugin, { seed: 0, quick }, knows).targets.budgetSeconds + SPARE_SECONDS
  } catch {
    // What is wrong with the experiment its own run says at once.
    return SPARE_SECONDS
  }
}

/**
 * @param {string} file
 * @returns {RunRecord | null} null: the run has not come to printing it
 */
function recordIn (file) {
  try {
    const printed = JSON.parse(readFileSync(file, 'utf8'))
    return printed.error ? null : printed
  } catch {
    return null
  }
}

/**
 * How often each word is there.
 *
 * @template {string} T
 * @param {T[]} words
 * @returns {Partial<Record<T, number>>}
 */
const tally = words =>
  words.reduce((counts, word) => ({ ...counts, [word]: (counts[word] ?? 0) + 1 }),
    /** @type {Partial<Record<T, number>>} */ ({}))

/** Why a run that has a record has failed, as a sentence.
 * @param {Pick<RunRecord, 'contrasts' | 'complete' | 'ended'>} record */
export function whyOf ({ contrasts, complete, ended }) {
  const invalid = contrasts.find(({ verdict }) => verdict === 'invalid')
  if (invalid) {
    return `${invalid.arm} against ${invalid.baseline} is invalid: ${invalid.why ?? 'no reason was recorded'}.`
  }
  return complete ? 'It has a record, and ended with a failure.' : `It was cut off (${ended ?? 'reason unknown'}).`
}

/**
 * The sentence of an error as the command line prints it (bench/errors.js): before its "Try:" line, and before the
 * program's own message, which is indented.
 *
 * @param {string} log
 * @returns {string}
 */
export function sentenceOf (log) {
  const lines = log.split('\n')
  const remedy = lines.findLastIndex(line => line.startsWith('Try: '))
  const before = lines.slice(0, remedy === -1 ? lines.length : remedy).filter(line =>
    line.trim() !== '' && !line.startsWith('    ')
  )
  return before.at(-1)?.trim() ?? 'It failed silently.'
}
