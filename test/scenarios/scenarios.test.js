import http from 'node:http'
import t from '../support/tap.js'
import { runClient } from '../../bench/measure/play.js'
import { completeExperiment, findExperimentFault } from '../../bench/plan/experiment.js'
import { createArm, planExperiment } from '../../bench/plan/plan.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { parse } from '../../bench/plan/spec.js'
import { aboutProtocol, loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { checkLimits } from '../../bench/request/plan-checks.js'
import { checkScenario, withScenarios } from '../../bench/request/scenario-plan.js'
import { listening } from '../support/listening.js'

/** @import { RequestListener } from 'node:http' */
/** @import { Test } from 'tap' */
/** @import { PlayedScenario, Scenario } from '../../bench/types.js' */

const protocol = await aboutProtocol('plays')
const file = completeExperiment({
  title: 'a test',
  question: 'What does it lose?',
  scenario: 'idle-502',
  options: { requests: 20 },
  arms: { busy: { topology: 'nginx:keepalive/behaviour', options: { busy: '2s' } }, quiet: 'behaviour' }
})
const plan = planExperiment('a-test', file, { seed: 1 }, { parse, protocol })

t.test('every scenario keeps its contract and states the seconds of a play', async t => {
  for (const name of pluginNames('scenario')) {
    /** @type {{ default: Scenario }} */
    const { default: scenario } = await loadPlugin('scenario', name)
    const { seconds } = scenario.needs(resolveOptions(name, scenario.options, {}))
    t.ok(seconds > 0 && seconds <= 60, `${name}: ${seconds} s`)
  }
})

t.test('an experiment with a scenario plays it in each arm, without contrasts or a twin', async t => {
  t.match(plan, { protocol: 'plays', result: 'behaviour', twin: null, errorsAreResults: true })
  t.strictSame(plan.contrasts, [])
  t.equal(plan.arms.length, 2)
  t.match(plan.arms[0].load, { engine: 'plays', scenario: { name: 'idle-502', options: { requests: 20, busy: '2s' } } })
  t.match(findExperimentFault({ ...file, protocol: 'gang' }, await aboutProtocol('gang')), /scenario is not allowed/)
  t.match(findExperimentFault({ ...file, scenario: undefined }, protocol), /scenario is required/)
})

t.test('adds defaults, milliseconds, the axis and the connections of the scenario', async t => {
  const { arms, windowSeconds } = await withScenarios(plan, { lab: true })
  t.match(arms[0].load, { connections: 44, scenario: { options: { requests: 20, busy: 2000 }, axis: /^ms after/ } })
  t.match(arms[1].load.scenario, { options: { busy: 'off' } })
  t.equal(windowSeconds, 60)
  t.throws(() => checkLimits({ arms }, 100), { code: 'too-many-connections', details: { needed: 216 } },
    'too few open files are reported before the start')
})

t.test('rejects options of load generators and unknown options of the scenario', async t => {
  await t.rejects(withScenarios(plan, { lab: true, connections: 5 }), { code: 'bad-option' })
  await t.rejects(withScenarios(plan, { lab: true, engine: 'wrk' }), { code: 'bad-option' })
  const [arm] = plan.arms
  const scenario = { name: 'idle-502', options: { request: 5 } }
  await t.rejects(withScenarios({ ...plan, arms: [{ ...arm, load: { ...arm.load, scenario } }] }, { lab: true }),
    { code: 'bad-option', message: /did you mean requests/ })
})

t.test('names a scenario that does not exist', async t => {
  const arm = createArm(parse('behaviour'), { scenario: { name: 'idle-503', options: {} } })
  await t.rejects(checkScenario(arm), { code: 'unknown-plugin', details: { nearest: 'idle-502' } })
})

t.test('refuses a proxy that passes on no upgrade, with the spec to write', async t => {
  const scenario = { name: 'websockets', options: { connections: 10, seconds: 1, warmUp: 0 } }
  const check = (/** @type {string} */ spec) => checkScenario(createArm(parse(spec), { scenario }))
  for (const proxy of ['nginx', 'apache', 'varnish']) {
    await t.rejects(check(`${proxy}:uds-keepalive/behaviour`),
      { code: 'bad-topology', details: { remedy: `Write ${proxy}:uds-keepalive+websocket.` } })
    await check(`${proxy}:uds-keepalive+websocket/behaviour`)
  }
  for (const spec of ['behaviour', 'haproxy:keepalive/behaviour', 'nginx:keepalive+production/behaviour']) {
    await check(spec)
  }
})

t.test('10,000 idle connections behind a proxy need so many open files', async t => {
  const arms = { a: 'nginx:keepalive+websocket/behaviour', b: 'behaviour' }
  const many = { ...file, scenario: 'idle-connections', options: { connections: 10_000 }, arms }
  const idle = planExperiment('idle', many, { seed: 1 }, { parse, protocol })
  const { arms: played } = await withScenarios(idle, { lab: true })
  t.throws(() => checkLimits({ arms: played }, 20_000), {
    code: 'too-many-connections',
    details: { needed: 20_128 },
    remedy: /experiment file in which idle-connections opens fewer connections.* 20128/
  }, 'the remedy is no option that scenarios refuse')
  checkLimits({ arms: played }, 20_128)
})

t.test('reports an app without POST', async t => {
  const { failed } = await play(t, (req, res) => { res.writeHead(req.method === 'POST' ? 405 : 200).end() })
  t.match(failed, /the app responds to POST \/ with 405/)
  const { failed: refused } = await play(t, (req, res) => { res.writeHead(req.method === 'POST' ? 401 : 200).end() })
  t.match(refused, /the app responds to POST \/ with 401/, 'each POST would count as lost')
})

t.test('counts the requests to an app that resets', async t => {
  const { played, failed } = await play(t, (req, res) => { req.method === 'POST' ? res.end() : req.socket.destroy() })
  t.equal(failed, null)
  const counts = Object.fromEntries(played?.groups.map(({ name, counts }) => [name, counts]) ?? [])
  t.same(counts.GET, { reset: 10 })
})

/**
 * Plays idle-502 against a server in this process, without blocking it.
 * @param {Test} t
 * @param {RequestListener} handler
 */
async function play (t, handler) {
  const server = http.createServer({ keepAliveTimeout: 30_000 }, handler)
  const target = { url: `http://127.0.0.1:${await listening(t, server)}`, socketPath: null }
  /** @type {PlayedScenario} */
  const scenario = { name: 'idle-502', options: { requests: 10, busy: 'off' } }
  const staged = /** @type {any} */ ({
    arm: createArm(parse('behaviour'), { scenario }),
    dir: t.testdir({}),
    network: { enter: [] },
    running: { originTarget: target, pids: () => ({ proxy: [], server: [] }) },
    target
  })
  return runClient(staged, { cores: null })
}
