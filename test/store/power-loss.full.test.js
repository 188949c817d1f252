/** Loss of power at each write of a run and of a suite. */
import { join } from 'node:path'
import t from '../support/tap.js'
import { findFault } from '../../bench/store/record-format.js'
import * as store from '../../bench/store/store.js'
import { planToResume } from '../../bench/request/resume.js'
import { storedRun } from '../../bench/run/stored-run.js'
import { apart } from '../support/measured-run.js'
import { DiskRecorder, restore } from '../support/power-loss.js'
import { planFor } from '../support/samples.js'
import { scriptedRun } from '../support/world.js'

/** @import { Test } from 'tap' */
/** @import { Sample } from '../../bench/types.js' */
/** @import { DiskState } from '../support/power-loss.js' */

const BLOCKS = 6
const startedAt = '2024-05-06T07:08:09.000Z'
/** Folder of the results below the recorded folder. Both of its levels are new. */
const RESULTS = 'new/results'
const RUN = '2024-05-06T07-08-09Z-test'

/**
 * Returns the store with a recorder of its writes.
 * @param {Test} t
 */
async function recordedStore (t) {
  const root = t.testdir({ recorded: {}, restored: {} })
  const recorder = new DiskRecorder(join(root, 'recorded'))
  /** @type {typeof store} */
  const recorded = await t.mockImport('../../bench/store/store.js', { 'node:fs/promises': recorder.functions })
  return { root, recorder, recorded, resultsDir: join(root, 'recorded', RESULTS) }
}

/**
 * Lists the states of a disk after a loss of power.
 * @param {DiskState[]} states
 */
const toLosses = states => states.flatMap(({ call, written, synced }, i) => [
  { tree: written, how: `as written after ${call} (${i})`, i },
  { tree: synced, how: `as synced after ${call} (${i})`, i }
])

t.test('after a loss of power at any write, a run is read and resumed with all complete blocks', async t => {
  const { root, recorder, recorded, resultsDir } = await recordedStore(t)
  const plan = planFor({}, { maxBlocks: BLOCKS, precision: 0.0001 })
  const run = await recorded.openRun({ resultsDir, experiment: plan.experiment, startedAt, plan })
  /** Number of the state from which on each block is complete. @type {{ from: number, samples: Sample[] }[]} */
  const blocks = []
  const append = async (/** @type {Sample[]} */ samples) => {
    await run.append(samples)
    blocks.push({ from: recorder.states.length - 1, samples })
  }
  await scriptedRun(plan, { script: apart, run: { ...run, append } }).record
  await run.close()
  t.equal(blocks.length, BLOCKS)
  const calls = recorder.states.map(({ call }) => call)
  for (const call of ['mkdir', 'rename plan.json', 'rename run.json', 'appendFile', 'sync of samples.jsonl']) {
    t.ok(calls.some(found => found.includes(call)), `${call} is recorded`)
  }

  for (const { tree, how, i } of toLosses(recorder.states)) {
    const complete = blocks.filter(({ from }) => from <= i).flatMap(({ samples }) => samples)
    const results = join(root, 'restored', String(i), how.split(' ')[1], 'results')
    restore(new Map([...tree].flatMap(([path, content]) =>
      path.startsWith(`${RESULTS}/`) ? [[path.slice(RESULTS.length + 1), content]] : [])), results)
    await checkLoss(t, { results, complete, how })
  }
})

/**
 * Checks that a run can be read and resumed, or that nothing of it was measured.
 * @param {Test} t
 * @param {{ results: string, complete: Sample[], how: string }} loss complete: samples of complete blocks
 */
async function checkLoss (t, { results, complete, how }) {
  const plan = await planToResume(join(results, RUN), { results }).catch(error => error)
  if (plan instanceof Error) {
    const isOver = (await store.readRun(RUN, results).catch(() => null))?.record?.complete
    if (isOver) return t.match(await storedRun(RUN, results), { samples: complete, record: { complete: true } }, how)
    t.strictSame(complete, [], `${how}: no block is lost`)
    t.match(plan, { code: /^(unknown-run|bad-run-file)$/, message: /^[^\n]+\.$/ }, how)
    return t.rejects(storedRun(RUN, results),
      { code: /^(unknown-run|bad-run-file)$/, message: /^[^\n]+\.$/ }, how)
  }
  const { samples, record } = await store.readRun(RUN, results)
  t.strictSame(samples.slice(0, complete.length), complete, `${how}: no block is lost`)
  if (record) t.match(await storedRun(RUN, results), { record: { complete: false } }, how)
  else await t.rejects(storedRun(RUN, results), { code: 'bad-run-file', message: /before anything was measured/ }, how)

  const reopened = await store.reopenRun(RUN, results)
  const { record: ended } = scriptedRun(reopened.plan, { script: apart, run: reopened, earlier: reopened.samples })
  const { complete: isComplete, timing } = await ended
  t.equal(isComplete, true, `${how}: resumed`)
  // A block of which some samples were stored is not repeated.
  t.ok([BLOCKS, BLOCKS + 1].includes(timing.blocks), `${how}: ${timing.blocks} blocks`)
  await reopened.close()
  const whole = await store.readRun(RUN, results)
  t.equal(findFault('record', whole.record), null, how)
  t.strictSame(whole.samples.slice(0, complete.length), complete, `${how}: kept after resuming`)
}

t.test('after a loss of power at any write, a suite is resumed in its last state that was stored', async t => {
  const { root, recorder, recorded, resultsDir } = await recordedStore(t)
  const suite = await recorded.openSuite({ resultsDir, startedAt, quick: true, experiments: ['uds', 'cache'] })
  let { record } = suite
  /** @type {{ from: number, done: number }[]} */
  const saved = [{ from: recorder.states.length - 1, done: 0 }]
  for (const done of [1, 2]) {
    const status = /** @type {const} */ ('done')
    const entries = record.entries.map((entry, i) => i < done ? { ...entry, status } : entry)
    record = { ...record, entries }
    await suite.save(record)
    saved.push({ from: recorder.states.length - 1, done })
  }
  for (const { tree, how, i } of toLosses(recorder.states)) {
    const folder = join(root, 'restored', how.replace(/\W+/g, '-'))
    restore(tree, folder)
    const stored = saved.findLast(({ from }) => from <= i)
    const again = await store.reopenSuite(null, join(folder, RESULTS)).catch(error => error)
    if (again instanceof Error) {
      t.equal(stored, undefined, how)
      t.match(again, { code: 'unknown-suite', message: /^[^\n]+\.$/ }, how)
      continue
    }
    const done = again.record.entries.filter((/** @type {any} */ { status }) => status === 'done').length
    t.ok(done >= (stored?.done ?? 0), how)
  }
})
