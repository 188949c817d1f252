/** Results that cannot be stored, found, read or shown. */
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { holdRun } from '../../bench/alone.js'
import { writeClaimsPage } from '../../bench/claims/page-file.js'
import * as store from '../../bench/store.js'
import { makePlan, makeRecord } from '../support/record.js'
import { command } from '../support/provoke.js'

/** Takes nothing: whoever writes to it is told that there is no space left (full(4)). */
const FULL = '/dev/full'

/** A stored run, whole. @param {import('tap').Test} t @param {Partial<import('../../bench/types.d.ts').RunRecord>} [overrides] */
async function stored (t, overrides) {
  const run = await store.openRun({ resultsDir: t.testdir({}), experiment: 'uds', startedAt: '2024-05-06T07:08:09.000Z', plan: makePlan() })
  t.teardown(() => run.close())
  await run.writeRecord(makeRecord({ run: run.run, ...overrides }))
  return run
}

/** @type {import('../support/provoke.js').Provocations} */
export default {
  'results-not-writable': t => store.openRun({ resultsDir: join(t.testdir({ file: '' }), 'file'), experiment: 'uds', startedAt: '2024-05-06T07:08:09.000Z', plan: makePlan() }),
  'disk-full': {
    skip: !existsSync(FULL) && `there is no ${FULL}`,
    provoke: async t => {
      const run = await stored(t)
      // Where the next record is written before it takes the old one's place.
      symlinkSync(FULL, join(run.dir, 'run.json.tmp'))
      await run.writeRecord(makeRecord({ run: run.run }))
    }
  },
  'run-in-use': async t => {
    const { dir } = await stored(t)
    t.teardown(await holdRun(dir))
    await holdRun(dir)
  },
  'no-runs': t => command('report', '--results', t.testdir({})),
  'unknown-run': t => store.readRun('uds', t.testdir({})),
  'unknown-suite': t => store.reopenSuite(null, t.testdir({})),
  'bad-run-file': t => store.readRun(t.testdir({ 'run.json': '{ "schema": 1' })),
  'newer-run': t => store.readRun(t.testdir({ 'run.json': '{ "schema": 99 }' })),
  'no-users': async t => command('report', (await stored(t)).dir, '--users'),
  'nothing-to-draw': async t => command('report', (await stored(t, { contrasts: [] })).dir, '--svg'),
  'page-not-writable': t => writeClaimsPage('# Claims\n', join(t.testdir({ docs: 'a file' }), 'docs', 'claims.md'))
}
