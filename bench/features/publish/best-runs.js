/** Selects the stored runs that published claims are compared with, and writes docs/claims.md. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { replaceFile } from '../../machine/files/atomic-write.js'
import { describeFileError } from '../../machine/files/file-failures.js'
import { recordFromSamples } from '../../run/pipeline.js'
import { findCurrentLts, getServedNode } from '../../plan/runtimes.js'
import { loadExperiments, PROJECT } from '../../plan/plugins.js'
import { groupBy } from '../../shared/group-by.js'
import { listRuns, readRun } from '../../store/store.js'

/** @import { RunEntry } from '../../store/names.js' */
/** @import { Experiment, RunRecord } from '../../types.js' */

/**
 * Returns every experiment with its best run.
 *
 * @param {string} resultsDir may be missing
 * @returns {Promise<{ name: string, experiment: Experiment, record: RunRecord | null }[]>} by name
 * @throws {HopbenchError} bad-run-file, other-format
 */
export async function publishedExperiments (resultsDir) {
  const runs = await listRuns(resultsDir)
  return Promise.all((await loadExperiments()).map(async ({ name, experiment }) =>
    ({ name, experiment, record: (await recordsByLine(name, runs, resultsDir))[0]?.[0] ?? null })))
}

/**
 * Returns the best runs under each release line of Node. Complete runs are better than interrupted ones, and full runs
 * better than quick ones. Of equal runs, the last one is best.
 *
 * @param {string} experiment
 * @param {RunEntry[]} runs the oldest first
 * @param {string} resultsDir
 * @returns {Promise<RunRecord[][]>} equal runs of a line, the best one first; the line with long-term support at the
 *   last run first, then the newest
 */
export async function recordsByLine (experiment, runs, resultsDir) {
  const candidates = []
  for (const { dir } of runs.filter(run => run.experiment === experiment)) {
    const stored = await readRun(dir, resultsDir)
    if (stored.plan?.smoke) continue
    if (stored.record?.complete) candidates.push(stored.record)
    // Excludes a run that was interrupted before its first block.
    else if (stored.record && stored.samples.length > 0) candidates.push(recordFromSamples(stored))
  }
  const toWorth = (/** @type {RunRecord} */ { complete, plan }) => (complete ? 2 : 0) + (plan.quick ? 0 : 1)
  const toLine = (/** @type {RunRecord} */ record) => Number.parseInt(getServedNode(record))
  const lts = findCurrentLts(candidates.at(-1)?.startedAt ?? '')
  const isLts = (/** @type {RunRecord} */ record) => Number(`node-${toLine(record)}` === lts)
  const best = candidates.reverse().sort((a, b) =>
    toWorth(b) - toWorth(a) || isLts(b) - isLts(a) || toLine(b) - toLine(a))
  return [...groupBy(best, toLine).values()].map(([first, ...others]) =>
    [first, ...others.filter(other => toWorth(other) === toWorth(first))])
}

/**
 * @param {string} text
 * @param {string} [file]
 * @returns {Promise<string>} path of the file
 * @throws {HopbenchError} page-not-writable
 */
export async function writeClaimsPage (text, file = join(PROJECT, 'docs', 'claims.md')) {
  await replaceFile(file, text).catch(error => {
    throw new HopbenchError('page-not-writable', { file, why: describeFileError(error) }, { cause: error })
  })
  return file
}
