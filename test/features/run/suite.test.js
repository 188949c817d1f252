import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { HopbenchError, shellWord } from '../../../bench/errors.js'
import { listRuns, openSuite, reopenSuite } from '../../../bench/store/store.js'
import { runSuite, suiteLine, suiteSummary } from '../../../bench/features/run/suite.js'
import { fillDisk } from '../../support/full-disk.js'
import { makeClaim, makeContrast } from '../../support/record.js'

/** @import { Outcome } from '../../../bench/run/call-worker.js' */
/** @import { RunFlags } from '../../../bench/request/types.js' */
/** @import { SuiteWorld } from '../../../bench/tasks.js' */
/** @import { RunRecord, SuiteRecord } from '../../../bench/types.js' */
/** @import { Test } from 'tap' */

const utc = () => '2024-05-06T08:00:00.000Z'
const record = {
  run: '2024-05-06T07-08-09Z-good',
  complete: true,
  contrasts: [makeContrast(), makeContrast({ verdict: 'slower' }), makeContrast()],
  claims: [makeClaim(), makeClaim({ status: 'refuted' })]
}

/** @param {SuiteRecord} suite */
const isDone = ({ entries }) => entries.every(({ status }) => status === 'done')

const CUT = '2024-05-06T07-09-09Z-cut'
const toResult = (/** @type {object} */ fields, succeeded = true) =>
  ({ dir: '', record: /** @type {RunRecord} */ (fields), lost: null, succeeded })

/** @typedef {{ words: string[], options: RunFlags }} RunRequest */
/** @typedef {Partial<Outcome<'run'>>} FakeOutcome */

/** Outcomes of experiments in place of workers. @type {Record<string, () => FakeOutcome>} */
const OUTCOMES = {
  bad: () => ({ error: new HopbenchError('process-died', { name: 'nginx', how: 'died', output: '[emerg] no' }) }),
  cut: () => ({ result: toResult({ ...record, run: CUT, complete: false }, false) }),
  gone: () => ({ error: new HopbenchError('process-died', { name: 'hopbench run', how: 'was ended by SIGINT' }) })
}

/**
 * Opens a suite whose runs are not measured.
 * @param {Test} t
 * @param {string[]} experiments
 * @param {Record<string, () => FakeOutcome>} [outcomes]
 */
async function suiteIn (t, experiments, outcomes = OUTCOMES) {
  const resultsDir = t.testdir({})
  const suite = await openSuite({ resultsDir, startedAt: '2024-05-06T07:08:09.000Z', quick: true, experiments })
  /** @type {string[]} */
  const events = []
  /** @type {RunRequest[]} */
  const requests = []
  const call = async (/** @type {string} */ task, /** @type {RunRequest} */ request) => {
    t.equal(task, 'run')
    requests.push(request)
    const outcome = outcomes[request.words[0]]?.() ?? { result: toResult(record) }
    return { result: null, error: null, ...outcome }
  }
  /** @type {SuiteWorld} */
  const world = {
    resultsDir,
    interrupted: () => 0,
    begins: ({ experiment }, at) => events.push(`${at} ${experiment}`),
    ends: ({ experiment, status }) => events.push(`${experiment} ${status}`),
    call: /** @type {any} */ (call),
    secondsFor: async () => 60,
    utc
  }
  return { resultsDir, suite, world, events, requests }
}

t.test('continues after a failed experiment and stores the state after each experiment', async t => {
  const { suite, world, events, resultsDir, requests } = await suiteIn(t, ['bad', 'good'])
  const ended = await runSuite(suite, world)
  t.notOk(isDone(ended), 'one experiment failed')
  t.strictSame(events, ['1 bad', 'bad failed', '2 good', 'good done'])
  const options = { lab: true, results: resultsDir, quick: true }
  t.strictSame(requests, [{ words: ['bad'], options }, { words: ['good'], options }])
  const stored = JSON.parse(readFileSync(join(suite.dir, 'suite.json'), 'utf8'))
  t.strictSame(stored, ended)
  t.match(suite.record.entries, [{ status: 'waiting' }, { status: 'waiting' }], 'writes into no entry')
  t.equal(stored.endedAt, utc())
  const [bad, good] = stored.entries
  t.match(bad, { status: 'failed', error: 'nginx died.', run: null })
  t.match(good, {
    status: 'done',
    run: record.run,
    verdicts: { faster: 2, slower: 1 },
    claims: { confirmed: 1, refuted: 1 },
    error: null
  })
  t.ok(good.seconds > 0)
})

t.test('Ctrl-C ends the running experiment, starts no other, and the suite resumes from there', async t => {
  let pressed = 0
  const cut = () => {
    pressed++
    return OUTCOMES.cut()
  }
  const { suite, world, events, resultsDir, requests } = await suiteIn(t, ['good', 'slow', 'last'], { slow: cut })
  const interrupted = await runSuite(suite, { ...world, interrupted: () => pressed })
  t.notOk(isDone(interrupted))
  t.strictSame(events, ['1 good', 'good done', '2 slow', 'slow interrupted'])
  t.equal(interrupted.endedAt, null)

  const again = await reopenSuite(null, resultsDir)
  t.strictSame(again.record, interrupted, 'the latest suite in its stored state')
  const ended = await runSuite(again, world)
  t.ok(isDone(ended))
  t.strictSame(events.slice(4), ['2 slow', 'slow done', '3 last', 'last done'], 'does not repeat completed experiments')
  t.strictSame(requests[2], { words: [], options: { lab: true, results: resultsDir, resume: CUT } },
    'resumes the interrupted run')
  t.equal(ended.endedAt, utc())
})

t.test('an experiment that Ctrl-C ends before its first block is interrupted', async t => {
  const { suite, world } = await suiteIn(t, ['gone'])
  let calls = 0
  const ended = await runSuite(suite, { ...world, interrupted: () => calls++ })
  t.match(ended.entries, [{ status: 'interrupted', run: null, error: null }])
})

t.test('repeats experiments that failed or were running when the suite was killed', async t => {
  const { suite, world, requests } = await suiteIn(t, ['good', 'fine'])
  const [first, second] = suite.record.entries
  const killed = {
    ...suite.record,
    entries: [
      { ...first, status: /** @type {const} */ ('failed'), error: 'Before.', run: 'x' },
      { ...second, status: /** @type {const} */ ('running') }
    ]
  }
  const ended = await runSuite({ ...suite, record: killed }, world)
  t.ok(isDone(ended))
  t.strictSame(requests.map(({ words }) => words), [['good'], ['fine']])
  t.equal(ended.entries[0].error, null)
})

t.test('reports a run that ended with an error after it had stored its record as failed', async t => {
  const late = () => ({ ...OUTCOMES.cut(), error: new HopbenchError('task-late', { task: 'run', seconds: 60 }) })
  const { suite, world } = await suiteIn(t, ['slow', 'good'], { slow: late })
  const ended = await runSuite(suite, world)
  t.notOk(isDone(ended))
  t.match(ended.entries, [
    { status: 'failed', error: 'hopbench run had not ended after 60 s and was stopped.', run: CUT },
    { status: 'done' }
  ])
})

t.test('a suite is not listed as a run and is found by its name or folder', async t => {
  const { suite, resultsDir } = await suiteIn(t, ['good'])
  t.equal(suite.record.suite, '2024-05-06T07-08-09Z-all')
  t.strictSame(await listRuns(resultsDir), [])
  t.strictSame((await reopenSuite('2024-05-06T07-08-09Z-all', resultsDir)).record, suite.record, 'by its name')
  t.strictSame((await reopenSuite(suite.dir, '/nowhere')).record, suite.record, 'by its folder')
  const second = await openSuite({
    resultsDir,
    startedAt: '2024-05-06T07:08:09.000Z',
    quick: false,
    experiments: ['good']
  })
  t.equal(second.record.suite, '2024-05-06T07-08-09Z-all.2', 'two suites within a second')
  t.equal((await reopenSuite(null, resultsDir)).record.suite, second.record.suite, 'the latest suite')
})

t.test('reports suites that cannot be resumed', async t => {
  const { suite, resultsDir } = await suiteIn(t, ['good'])
  await t.rejects(reopenSuite('2024-05-06T07-08-08Z-all', resultsDir), {
    code: 'unknown-suite',
    message: /Did you mean "2024-05-06T07-08-09Z-all"/
  })
  await t.rejects(reopenSuite(null, join(resultsDir, 'none')), {
    code: 'unknown-suite',
    message: /no suite in .* to resume/
  })
  const file = join(suite.dir, 'suite.json')
  writeFileSync(file, '{"schema": 1')
  await t.rejects(reopenSuite(null, resultsDir), { code: 'bad-run-file', message: /not JSON/ })
  writeFileSync(file, '{"schema": 1, "entries": [{}]}')
  await t.rejects(reopenSuite(null, resultsDir), { code: 'bad-run-file', message: /must have required property/ })
  writeFileSync(file, '{"schema": 99}')
  await t.rejects(reopenSuite(null, resultsDir), { code: 'other-format' })
})

t.test('prints a line for each experiment and a summary of missing ones', async t => {
  const entry = {
    experiment: 'uds',
    run: null,
    seconds: 62.3,
    verdicts: { faster: 2, 'no-difference': 1 },
    claims: { confirmed: 1, 'not-testable': 2 },
    error: null
  }
  t.equal(suiteLine({ ...entry, status: 'done' }, 6),
    'uds      1 min 2 s  2 faster, 1 no difference; claims: 1 confirmed, 2 not testable')
  t.equal(suiteLine({ ...entry, status: 'done', verdicts: {}, claims: {} }, 3),
    'uds   1 min 2 s  nothing compared; claims: none')
  t.equal(suiteLine({ ...entry, status: 'failed', error: 'It broke.' }, 3), 'uds   1 min 2 s  FAILED: It broke.')
  t.equal(suiteLine({ ...entry, status: 'interrupted' }, 3), 'uds   1 min 2 s  interrupted')
  const suite = { schema: 1, suite: '2024-05-06T07-08-09Z-all', startedAt: utc(), endedAt: null, quick: true }
  const waiting = { ...entry, status: /** @type {const} */ ('waiting') }
  const entries = [{ ...waiting, status: /** @type {const} */ ('done') },
    { ...waiting, experiment: 'a', status: /** @type {const} */ ('failed') }, { ...waiting, experiment: 'b' }]
  t.equal(suiteSummary({ ...suite, entries }, { dir: '/r', seconds: 65 }),
    '3 experiments, 1 done in 1 min 5 s.\nFailed: a.\nMissing: b.\nResume the suite: npm run hopbench -- all ' +
    '--resume 2024-05-06T07-08-09Z-all\nResults: /r\n')
  t.equal(suiteSummary({ ...suite, endedAt: utc(), entries: entries.slice(0, 1) }, { dir: '/r', seconds: 65 }),
    '1 experiment, 1 done in 1 min 5 s.\nResults: /r\n')
})

t.test('on a full disk the remedy resumes the suite', { skip: process.platform !== 'linux' && 'there is no /dev/full' },
  async t => {
    const { suite } = await suiteIn(t, ['good'])
    await fillDisk(t)
    await t.rejects(suite.save(suite.record), {
      code: 'disk-full',
      message: /suite\.json/,
      remedy: `Free some space and resume the run: npm run hopbench -- all --resume ${shellWord(suite.dir)}`
    })
    t.equal((await reopenSuite(suite.dir)).dir, suite.dir, 'the folder that the remedy names')
  })

t.test('rejects a stored suite that names files, paths or options', async t => {
  for (const change of [{ experiment: '/tmp/evil.js' }, { experiment: '../../x' }, { experiment: '--root=/' },
    { run: '../../x' }, { run: '--trust-run' }, { run: '2024-05-06T07-08-09Z-a/../../x' }, { status: 'other' }]) {
    const { suite, resultsDir } = await suiteIn(t, ['good'])
    Object.assign(suite.record.entries[0], { status: 'interrupted' }, change)
    await suite.save(suite.record)
    await t.rejects(reopenSuite(null, resultsDir), { code: 'bad-run-file' }, JSON.stringify(change))
  }
})
