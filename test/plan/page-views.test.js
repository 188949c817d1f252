/** Page views as the unit: one pass through the requests of a load counts as one. */
import t from '../support/tap.js'
import { judgeSample } from '../../bench/judge/verdict.js'
import { sampleBetween } from '../../bench/measure/sample.js'
import { findExperimentFault } from '../../bench/plan/experiment.js'
import { addOpenLoop, toOpenLoopPlan } from '../../bench/plan/open-loop.js'
import { countRequestsPerUnit } from '../../bench/plan/request-mix.js'
import { planExperiment } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { aboutProtocol, findExperiment } from '../../bench/plan/plugins.js'
import { countRequests, showsErrors } from '../../bench/shared/trial.js'
import { errors, reading, seen as requestsSeen } from '../support/readings.js'
import { makeArm, makeRecord } from '../support/record.js'
import { renderText } from '../support/rendered.js'

/** @import { Experiment, Plan } from '../../bench/types.js' */

const seen = { ...requestsSeen, unit: /** @type {const} */ ('pages'), requestsPerUnit: 21, running: { proxied: false } }

/** @param {string} name */
async function planOf (name) {
  const experiment = /** @type {Experiment} */ (await findExperiment(name))
  const protocol = await aboutProtocol(experiment.protocol)
  return planExperiment(name, experiment, { seed: 1 }, { parse, protocol })
}

t.test('a page view has as many requests as the sequence of the load', t => {
  t.equal(countRequestsPerUnit('pages', { paths: ['/', '/a', '/a'] }), 3)
  t.equal(countRequestsPerUnit('pages', { requests: [{ path: '/' }, { path: '/a' }], sequence: [0, 1, 1, 1] }), 4)
  t.equal(countRequestsPerUnit('requests', { paths: ['/', '/a'] }), 1)
  t.end()
})

t.test('a trial counts page views, their rate and CPU time, and errors by request', t => {
  const sample = sampleBetween(reading(0, 0), reading(2100, 2), seen)
  t.match(sample, { requests: 100, requestsPerUnit: 21, rps: 50, seconds: 2 })
  t.equal(countRequests(sample), 2100)
  const failed = sampleBetween(reading(0, 0), reading(2100, 2), { ...seen, errors: { ...errors, non2xx: 21 } })
  t.equal(failed.requests, 99, 'requests that failed are no part of a page view')
  const ofRequests = sampleBetween(reading(0, 0), reading(10, 1), { ...seen, unit: 'requests', requestsPerUnit: 1 })
  t.equal(ofRequests.requestsPerUnit, undefined)
  t.end()
})

t.test('counts the processes of an app that do its work, without wrappers', t => {
  const at = (/** @type {[number, number][]} */ ...used) =>
    ({ ...reading(10, 1), cpu: { proxy: new Map(), server: new Map(used) } })
  const app = { program: 'node 26.1.0', writesPerRequest: false }
  const count = (/** @type {[number, number][]} */ ...used) =>
    sampleBetween(at([1, 4], [2, 0]), at(...used), { ...seen, running: { proxied: false, app } }).proof.processes
  t.equal(count([1, 4.01], [2, 0.9], [3, 1]), 2, 'a shell that started before, and a process that is new')
  t.equal(count([1, 4.4], [2, 1]), 1, 'a program that formats the log')
  t.equal(count([1, 4], [2, 1]), 1)
  t.equal(count([1, 4], [2, 0]), undefined, 'no CPU time is known')
  t.equal(sampleBetween(at([1, 1]), at([1, 2]), seen).proof.processes, undefined, 'not the app of a command')
  t.end()
})

t.test('one error in a thousand requests is too many, not in a thousand page views', t => {
  const sample = { requests: 100, requestsPerUnit: 21, errors: { ...errors, resets: 2 } }
  t.notOk(showsErrors(sample), '2 errors in 2,100 requests')
  t.ok(showsErrors({ ...sample, errors: { ...errors, resets: 3 } }))
  t.ok(showsErrors({ ...sample, requestsPerUnit: 1 }), '2 errors in 100 requests')
  t.end()
})

t.test('the reason of an invalid trial names requests', async t => {
  const { arms: [arm] } = await planOf('site')
  const sample = sampleBetween(reading(0, 0), reading(2100, 2), { ...seen, errors: { ...errors, resets: 50 } })
  const reason = judgeSample(/** @type {any} */ ({ ...sample, invalid: null, memoryMiB: { proxy: 0, server: 0 } }), arm)
  t.match(reason, { code: 'errors', params: { requests: 2100 } })
})

t.test('an experiment with page views needs paths in each arm', async t => {
  const experiment = /** @type {Experiment} */ (await findExperiment('site'))
  const protocol = await aboutProtocol(experiment.protocol)
  t.equal(findExperimentFault(experiment, protocol), null)
  t.match(findExperimentFault({ ...experiment, load: { path: '/' } }, protocol), /page views are of a load/)
})

t.test('an open loop at a rate of requests follows page views', async t => {
  const plan = addOpenLoop(await planOf('site'), 500, {})
  const { unit, arms } = toOpenLoopPlan(/** @type {Plan & { openLoop: any }} */ (plan))
  t.equal(unit, 'requests')
  t.equal(arms[0].load.paths?.length, 21)
})

t.test('reports print page views a second, and costs of a page view', t => {
  const arms = [makeArm({ name: 'app', bytesPerResponse: 555_000 }), makeArm({ name: 'nginx serves' })]
  const text = renderText(makeRecord({ unit: 'pages', arms }))
  t.match(text, /pages\/s/)
  t.match(text, /CPU time per page view/)
  t.end()
})
