/** Values that hostile inputs contain, each of which once ended in a failure of hopbench itself or in a long wait. */
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import t from '../support/tap.js'
import { differences } from '../../bench/report/claims.js'
import { isTooDeep } from '../../bench/shared/nesting.js'
import { findFault } from '../../bench/store/record-format.js'
import { readCheck } from '../../bench/store/check-results.js'
import { reopenSuite } from '../../bench/store/store.js'
import { ownExperiment } from '../../bench/request/own-experiment.js'
import { readOfferings } from '../../bench/studies/sizing/offerings.js'
import { storedRun } from '../../bench/run/stored-run.js'
import { experiment, offerings, suite } from '../support/hostile/examples.js'
import { makeArm, makeRecord } from '../support/record.js'
import { sizing } from '../support/sizing.js'
import { renderText } from '../support/rendered.js'

const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

t.test('rejects values that are nested too deeply', async t => {
  t.equal(isTooDeep([[1]], 2), false)
  t.equal(isTooDeep([[[]]], 2), true)
  const dir = t.testdir({})
  const write = (/** @type {string} */ name, /** @type {string} */ text) => {
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  }
  const loaded = JSON.stringify({ ...experiment, load: { body: 0 } }).replace('"body":0', `"body":${DEEP}`)
  await t.rejects(ownExperiment(write('deep.json', loaded)), { code: 'bad-experiment' })
  const priced = JSON.stringify({ ...offerings, url: 0 }).replace('"url":0', `"url":${DEEP}`)
  t.throws(() => readOfferings(write('plans.json', priced)), { code: 'bad-plans' })
  write('suite.json', JSON.stringify({ ...suite, endedAt: 0 }).replace('"endedAt":0', `"endedAt":${DEEP}`))
  await t.rejects(reopenSuite(dir), { code: 'bad-run-file' })
})

t.test('rejects control characters in the headers and the path of an experiment', async t => {
  const loads = [{ headers: { 'X-A': 'b\r\nX-B: c' } }, { headers: { 'X-A: b\r\nX-B': 'c' } }, { path: '/a\nb' }]
  for (const [i, load] of loads.entries()) {
    const file = join(t.testdir({}), `${i}.json`)
    writeFileSync(file, JSON.stringify({ ...experiment, load }))
    await t.rejects(ownExperiment(file), { code: 'bad-experiment' }, JSON.stringify(load))
  }
})

t.test('rejects suites and checks with texts where counts or lists are expected', async t => {
  const entries = suite.entries.map(entry => ({ ...entry, claims: { '\u202Ehostile': 1 } }))
  for (const change of [{ entries }, { suite: 'x; touch hostile-file' }]) {
    const dir = t.testdir({ 'suite.json': JSON.stringify({ ...suite, ...change }) })
    await t.rejects(reopenSuite(dir), { code: 'bad-run-file' })
  }
  const dir = t.testdir({ 'check.json': '{ "schema": 1, "servers": [null], "probes": [] }' })
  await t.rejects(readCheck(dir), { code: 'bad-run-file' })
})

t.test('rejects a sizing without the points of its growth', async t => {
  const [topology] = sizing.topologies
  /** @type {any} */
  const growth = { perConnection: 1, perKiB: null, bytes: [] }
  const record = makeRecord({ sizing: { ...sizing, topologies: [{ ...topology, growth }] } })
  t.match(findFault('record', JSON.parse(JSON.stringify(record))), /growth.*connections/)
})

t.test('finds no run whose name contains a NUL', async t => {
  await t.rejects(storedRun('uds\0', t.testdir({})), { code: 'unknown-run' })
})

t.test('prints names of any length within seconds', { timeout: 60_000 }, async t => {
  const arms = ['/'.repeat(100_000), '\u202E'.repeat(100_000)].map(name => ({ ...makeArm(), name }))
  t.ok(renderText(makeRecord({ arms }), { columns: 80 }).length < 100_000)
})

t.test('compares published versions with programs only, not with properties of every object', async t => {
  const record = makeRecord()
  t.same(differences({ software: { constructor: '1', toString: '2' } }, record), [])
})
