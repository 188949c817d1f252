import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { shellWord } from '../../bench/errors.js'
import { listRuns, openSuite, reopenSuite } from '../../bench/store/store.js'
import { runSuite, findErrorSentence } from '../../bench/studies/suite.js'
import { suiteLine, suiteSummary } from '../../bench/report/suite-text.js'
import { fillDisk } from '../support/full-disk.js'
import { makeClaim, makeContrast } from '../support/record.js'

/** @import { SuiteWorld } from '../../bench/studies/types.js' */
/** @import { SuiteRecord } from '../../bench/types.js' */
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

/** Source of a fake hopbench whose behaviour depends on the name of the experiment. */
const PROGRAM = `
import { appendFileSync, writeFileSync } from 'node:fs'
const [folder, record, ...args] = process.argv.slice(2)
appendFileSync(folder + '/calls', args.join(' ') + '\\n')
const name = args[1] === '--resume' ? 'resumed' : args[1]
if (name === 'bad') {
  process.stderr.write('starting 3 topologies\\nThe proxy died at once.\\n')
  process.stderr.write('    nginx: [emerg] no\\nTry: something else.\\n')
  process.exit(1)
} else if (name === 'slow') {
  process.on('SIGINT', () => {
    const cut = { ...JSON.parse(record), run: '2024-05-06T07-09-09Z-slow', complete: false }
    process.stdout.write(JSON.stringify(cut), () => process.exit(1))
  })
  writeFileSync(folder + '/slow-is-there', '')
  setInterval(() => {}, 1000)
} else process.stdout.write(record)
`

/**
 * Opens a suite that runs the fake hopbench.
 * @param {Test} t
 * @param {string[]} experiments
 */
async function suiteIn (t, experiments) {
  const dir = t.testdir({ 'program.js': PROGRAM, results: {} })
  const resultsDir = join(dir, 'results')
  const suite = await openSuite({ resultsDir, startedAt: '2024-05-06T07:08:09.000Z', quick: true, experiments })
  /** @type {string[]} */
  const events = []
  /** @type {SuiteWorld} */
  const world = {
    resultsDir,
    interrupted: () => 0,
    begins: ({ experiment }, at) => events.push(`${at} ${experiment}`),
    ends: ({ experiment, status }) => events.push(`${experiment} ${status}`),
    command: [process.execPath, join(dir, 'program.js'), dir, JSON.stringify(record)],
    secondsFor: async () => 60,
    utc
  }
  return {
    dir,
    resultsDir,
    suite,
    world,
    events,
    calls: () => readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n')
  }
}

t.test('continues after a failed experiment and stores the state after each experiment', async t => {
  const { suite, world, events, resultsDir, calls } = await suiteIn(t, ['bad', 'good'])
  const ended = await runSuite(suite, world)
  t.notOk(isDone(ended), 'one experiment failed')
  t.strictSame(events, ['1 bad', 'bad failed', '2 good', 'good done'])
  t.strictSame(calls(), [`run bad --quick --json --results ${resultsDir}`,
    `run good --quick --json --results ${resultsDir}`])
  const stored = JSON.parse(readFileSync(join(suite.dir, 'suite.json'), 'utf8'))
  t.strictSame(stored, ended)
  t.match(suite.record.entries, [{ status: 'waiting' }, { status: 'waiting' }], 'writes into no entry')
  t.equal(stored.endedAt, utc())
  const [bad, good] = stored.entries
  t.match(bad, { status: 'failed', error: 'The proxy died at once.', run: null })
  t.match(good, {
    status: 'done',
    run: record.run,
    verdicts: { faster: 2, slower: 1 },
    claims: { confirmed: 1, refuted: 1 },
    error: null
  })
  t.ok(good.seconds > 0)
  t.strictSame(readdirSync(suite.dir).sort(), ['bad.log', 'good.log', 'suite.json'],
    'keeps the logs and no other files')
})

t.test('Ctrl-C ends the running experiment, starts no other, and the suite resumes from there', async t => {
  const { dir, suite, world, events, resultsDir, calls } = await suiteIn(t, ['good', 'slow', 'last'])
  const pressed = () => existsSync(join(dir, 'slow-is-there')) ? 1 : 0
  const interrupted = await runSuite(suite, { ...world, interrupted: pressed })
  t.notOk(isDone(interrupted))
  t.strictSame(events, ['1 good', 'good done', '2 slow', 'slow interrupted'])
  t.equal(interrupted.endedAt, null)

  const again = await reopenSuite(null, resultsDir)
  t.strictSame(again.record, interrupted, 'the latest suite in its stored state')
  const ended = await runSuite(again, world)
  t.ok(isDone(ended))
  t.strictSame(events.slice(4), ['2 slow', 'slow done', '3 last', 'last done'], 'does not repeat completed experiments')
  t.match(calls()[2], /^run --resume 2024-05-06T07-09-09Z-slow --json --results /, 'resumes the interrupted run')
  t.equal(ended.endedAt, utc())
})

t.test('repeats experiments that failed or were running when the suite was killed', async t => {
  const { suite, world, calls } = await suiteIn(t, ['good', 'fine'])
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
  t.match(calls(), [/^run good /, /^run fine /])
  t.equal(ended.entries[0].error, null)
})

t.test('stops an experiment after its time limit and reports it as failed', async t => {
  const { dir, suite, world } = await suiteIn(t, ['slow', 'good'])
  // The limit is 0 s once the fake hopbench handles SIGINT.
  const secondsFor = async (/** @type {string} */ name) => {
    if (name !== 'slow') return 60
    while (!existsSync(join(dir, 'slow-is-there'))) await sleep(10)
    return 0
  }
  const ended = await runSuite(suite, { ...world, secondsFor })
  t.notOk(isDone(ended))
  t.match(ended.entries, [
    {
      status: 'failed',
      error: /^The run had not ended after \d+ s and was stopped\.$/,
      run: '2024-05-06T07-09-09Z-slow'
    },
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

t.test('finds the error message in the output of a run', async t => {
  t.equal(findErrorSentence('block 1\nIt is so.\n    quoted\n    more\nTry: that.\n'), 'It is so.')
  t.equal(findErrorSentence('error: unknown option\n'), 'error: unknown option')
  t.equal(findErrorSentence('It is so.\nhopbench-feed {"event":"end"}\n'), 'It is so.')
  t.equal(findErrorSentence(''), 'The run failed without a message.')
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
  t.equal(
    suiteSummary({
      ...suite,
      entries: [{ ...waiting, status: 'done' }, { ...waiting, experiment: 'a', status: 'failed' }, {
        ...waiting,
        experiment: 'b'
      }]
    }, { dir: '/r', seconds: 65 }),
    '3 experiments, 1 done in 1 min 5 s.\nFailed: a.\nMissing: b.\nResume the suite: npm run hopbench -- all ' +
    '--resume 2024-05-06T07-08-09Z-all\nResults: /r\n'
  )
  t.equal(
    suiteSummary({ ...suite, endedAt: utc(), entries: [{ ...waiting, status: 'done' }] }, { dir: '/r', seconds: 65 }),
    '1 experiment, 1 done in 1 min 5 s.\nResults: /r\n'
  )
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
