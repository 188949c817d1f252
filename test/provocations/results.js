/** Results that cannot be stored, found, read or shown. */
import { existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { acquireRunLock } from '../../bench/machine/machine-lock.js'
import { writeClaimsPage } from '../../bench/features/publish/best-runs.js'
import { PLAN, SEALS } from '../../bench/store/layout.js'
import * as store from '../../bench/store/store.js'
import { openGitHub, putComment } from '../../bench/features/compare/comment-command.js'
import { rejectOtherMachine } from '../../bench/request/resume.js'
import { makeEnvironment, makePlan, makeRecord, makeSample } from '../support/record.js'
import { FULL, fillDisk } from '../support/full-disk.js'
import { command } from '../support/provoke.js'

/** @import { RunRecord } from '../../bench/types.js' */
/** @import { Provocations } from '../support/provoke.js' */
/** @import { Test } from 'tap' */

/**
 * Stores a complete run.
 * @param {Test} t
 * @param {Partial<RunRecord>} [overrides]
 */
async function stored (t, overrides) {
  const run = await store.openRun({
    resultsDir: t.testdir({}),
    experiment: 'uds',
    startedAt: '2024-05-06T07:08:09.000Z',
    plan: makePlan()
  })
  t.teardown(() => run.close())
  await run.writeRecord(makeRecord({ run: run.run, ...overrides }))
  return run
}

/** @type {Provocations} */
export default {
  'results-not-writable': t =>
    store.openRun({
      resultsDir: join(t.testdir({ file: '' }), 'file'),
      experiment: 'uds',
      startedAt: '2024-05-06T07:08:09.000Z',
      plan: makePlan()
    }),
  'disk-full': {
    skip: !existsSync(FULL) && `there is no ${FULL}`,
    provoke: async t => {
      const run = await stored(t)
      await fillDisk(t)
      await run.writeRecord(makeRecord({ run: run.run }))
    }
  },
  'run-in-use': async t => {
    const { dir } = await stored(t)
    t.teardown(await acquireRunLock(dir))
    await acquireRunLock(dir)
  },
  'untrusted-run': async t => {
    const run = await store.openRun({
      resultsDir: t.testdir({}),
      experiment: 'uds',
      startedAt: '2024-05-06T07:08:09.000Z',
      plan: makePlan({ root: '/srv' })
    })
    t.teardown(() => run.close())
    // As in a run from elsewhere, which this account has not sealed.
    unlinkSync(join(run.dir, SEALS[PLAN]))
    await command('run', '--resume', run.dir)
  },
  'other-machine': async t => {
    const run = await store.readRun((await stored(t)).dir)
    rejectOtherMachine({ ...run, samples: [makeSample()] }, makeEnvironment({ node: '1.2.3' }))
  },
  'no-runs': t => command('report', '--results', t.testdir({})),
  'unknown-run': t => store.readRun('uds', t.testdir({})),
  'unknown-suite': t => store.reopenSuite(null, t.testdir({})),
  'bad-run-file': t => store.readRun(t.testdir({ 'run.json': '{ "schema": 1' })),
  'other-format': t => store.readRun(t.testdir({ 'run.json': '{ "schema": 99 }' })),
  'no-users': async t => command('report', (await stored(t)).dir, '--export-users', '-'),
  'nothing-to-draw': async t => command('report', (await stored(t, { contrasts: [] })).dir, '--export-svg', '-'),
  'page-not-writable': t => writeClaimsPage('# Claims\n', join(t.testdir({ docs: 'a file' }), 'docs', 'claims.md')),
  'site-not-writable': t => command('site', '--out', t.testdir({ 'notes.txt': '' })),
  'no-github': () => openGitHub({ GITHUB_REPOSITORY: 'a/b' }),
  // The port of a server that does not listen.
  'github-failed': () => putComment({ api: 'http://127.0.0.1:1', repository: 'a/b', token: 'x' }, 1, 'text')
}
