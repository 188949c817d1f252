/** `hopbench size --url --from RUN --plan NAME`: the estimate of a stored sizing, and the question before the load. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { computeScore } from '../../../../bench/judge/machines.js'
import { createArm } from '../../../../bench/plan/plan.js'
import { parse } from '../../../../bench/plan/spec.js'
import { toQuestion, urlRequestFrom } from '../../../../bench/features/size/url/request.js'
import { listening } from '../../../support/listening.js'
import { makeEnvironment, makeRecord } from '../../../support/record.js'
import { sizing } from '../../../support/sizing.js'

/** @import { Test } from 'tap' */

const RUN = '2026-11-25T00-00-00Z-size'
const [row] = sizing.table
const today = { ...row, offering: { ...row.offering, name: 'One' } }
const without = {
  ...today,
  offering: { ...row.offering, name: 'Two' },
  perInstance: null,
  why: { code: 'no-cpu-promised', params: {} }
}
/** The goal of the stored sizing. */
const goal = { p99Ms: 50, confidence: 0.5 }

/**
 * Stores a sizing and returns its folder of results.
 * @param {Test} t
 * @param {object[]} [table]
 */
function store (t, table = [today, without]) {
  const results = t.testdir()
  mkdirSync(join(results, RUN))
  const record = makeRecord({ run: RUN, experiment: 'size', sizing: /** @type {any} */ ({ ...sizing, table }) })
  writeFileSync(join(results, RUN, 'run.json'), JSON.stringify(record))
  return results
}

/**
 * Returns the estimates of a request for an instance that runs here.
 * @param {Test} t
 * @param {object} options as typed
 * @param {typeof goal} wanted
 */
async function estimatesFrom (t, options, { p99Ms, confidence } = goal) {
  const url = `http://127.0.0.1:${await listening(t, createServer((_, response) => response.end('x')))}/`
  const typed = { url, rps: 100, p99: p99Ms / 1000, connections: 10, maxRps: 400, ...options }
  return (await urlRequestFrom([], typed, { headroom: 0.4, confidence, spare: 1, min: 1 })).estimates
}

t.test('takes the estimate of an offering, ignoring the case of its name', async t => {
  const { topology, perInstance, atLeast } = row
  const score = computeScore(makeEnvironment().calibration)
  const expected = [{ run: RUN, offering: 'Acme One', topology, perInstance, atLeast, score }]
  t.same(await estimatesFrom(t, { from: RUN, plan: ['acme one'], results: store(t) }), expected)
})

t.test('rejects a sizing without such an estimate', async t => {
  const results = store(t)
  const rejects = (/** @type {object} */ options, /** @type {object} */ goal, /** @type {RegExp} */ message) =>
    t.rejects(estimatesFrom(t, { from: RUN, results, ...options }, /** @type {any} */ (goal)), {
      code: 'bad-option', message
    })
  await rejects({ plan: ['Acme Three'] }, goal, /has no such offering/)
  await rejects({ plan: ['Acme Two'] }, goal, /has no estimate for it: /)
  await rejects({ plan: ['Acme One', 'Acme Two'] }, goal, /the one offering on which the instance runs/)
  await rejects({ plan: ['Acme One'] }, { ...goal, p99Ms: 80 }, /its goal is a p99 of 50 ms/)
  await rejects({ plan: ['Acme One'] }, { ...goal, confidence: 0.95 }, /50% of the windows meet the goal/)
  await t.rejects(estimatesFrom(t, { from: 'unknown', plan: ['Acme One'], results }), { code: 'unknown-run' })
})

t.test('asks with the method, because other requests than GET may change data', async t => {
  const address = '192.0.2.1'
  const caps = { mostRps: 400, mostRequests: 240_000, seconds: 600 }
  const arm = { ...createArm(parse('https://shop.example'), { method: 'POST' }), name: 'https://shop.example/api' }
  const question = toQuestion({ arm, address, caps })
  t.match(question, /^Load https:\/\/shop\.example\/api \(192\.0\.2\.1\) with up to 400 POST requests a second, /)
})
