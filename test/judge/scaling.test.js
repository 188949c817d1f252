/** Tests that the gain of more processes is projected where they have too few cores, and printed as a calculation. */
import t from '../support/tap.js'
import { lacksCores, projectProcesses } from '../../bench/judge/scaling.js'
import { toAnswer } from '../support/rendered.js'
import { makeArm, makeContrast, makeEnvironment, makePlan, makeRecord } from '../support/record.js'

/** @import { ArmResult, Contrast } from '../../bench/types.js' */

/**
 * Makes an arm whose requests cost what the law predicts: c(N) = 50 µs (1 + 0.1 (N − 1)).
 * @param {string} manager
 * @param {number} count of processes
 */
const makeProcesses = (manager, count) => makeArm({
  name: `${manager} ${count}`,
  spec: count === 1 ? 'express-json' : `express-json@${manager}:${count}`,
  cpuMicrosPerRequest: { load: 20, proxy: 0, server: 50 * (1 + 0.1 * (count - 1)) }
})
const one = makeProcesses('node', 1)
const cluster = [2, 3, 4].map(count => makeProcesses('cluster', count))
const pm2 = [2, 3, 4].map(count => makeProcesses('pm2', count))
const arms = [one, ...cluster, ...pm2]
const shared = makeEnvironment()
shared.cpu = { ...shared.cpu, cores: 2 }
shared.cores = { ...shared.cores, load: [0, 1], served: [0, 1] }

t.test('more processes lack cores if the load shares them and has no core of its own', async t => {
  const lacks = (/** @type {number} */ cores, load = [0, 1]) => lacksCores({
    environment: { ...shared, cpu: { ...shared.cpu, cores }, cores: { ...shared.cores, load } }
  }, cluster[2], one)
  t.equal(lacks(2), true)
  t.equal(lacks(4), true, 'the load has no core of its own')
  t.equal(lacks(5), false)
  t.equal(lacks(4, [7]), false, 'the load has cores of its own')
  t.equal(lacksCores({ environment: shared }, cluster[2], cluster[0]), false, 'the baseline is not one process')
  t.equal(lacksCores({ environment: shared }, one, one), false)
})

t.test('projects the ratio by the Universal Scalability Law from four numbers of processes', async t => {
  const gain = projectProcesses(arms, cluster[2])
  t.ok(Math.abs(Number(gain?.ratio) - 4 / 1.3) < 1e-6, `${gain?.ratio}`)
  t.ok(gain && gain.low <= gain.ratio && gain.ratio <= gain.high)
  t.equal(projectProcesses(arms.filter(arm => arm !== cluster[1]), cluster[2]), null, 'three numbers')
  const nginx = makeArm({ name: 'nginx', spec: 'nginx:uds-keepalive/express-json@cluster:4' })
  t.equal(projectProcesses([...arms, nginx], nginx), null, 'others are without the proxy')
  const unknown = { ...cluster[1], cpuMicrosPerRequest: null }
  t.equal(projectProcesses([one, cluster[0], unknown, cluster[2]], cluster[2]), null, 'CPU time is unknown')
})

/**
 * @param {ArmResult[]} arms
 * @param {Partial<Contrast>} [contrast]
 */
const makeShared = (arms, contrast) => {
  const pairs = ['cluster 4', 'pm2 4'].map(name => /** @type {[string, string]} */ ([name, 'node 1']))
  const names = { 'node 1': 'one process', 'cluster 4': 'node:cluster', 'pm2 4': 'PM2' }
  return makeRecord({
    arms,
    environment: shared,
    plan: makePlan({ answer: { pairs, names }, twin: null }),
    contrasts: pairs.map(([arm, baseline]) => makeContrast({ arm, baseline, ...contrast }))
  })
}

t.test('an answer about more processes than cores is a projection, and named so', async t => {
  t.match(toAnswer(makeShared(arms)), new RegExp('^With a core for each process node:cluster would serve about ' +
    '3\\.077 \\([^)]+\\) times as much as one process: calculated from CPU time per request, because the load shares ' +
    'the 2 cores; another comparison below\\.$'), 'in three lines')
  t.equal(toAnswer(makeShared([one, cluster[2], pm2[2]])), 'A request takes 50.0 µs of CPU time in one process, ' +
    '65.0 µs in node:cluster and 65.0 µs in PM2; the gain of a core for each process is open, because the load ' +
    'shares the 2 cores.')
  const wide = { ...makeShared(arms), environment: { ...shared, cpu: { ...shared.cpu, cores: 8 } } }
  t.match(toAnswer(wide), /^node:cluster serves/, 'with cores enough the ratio is the answer')
})

t.test('arms that were not warm have no projection', async t => {
  const why = /** @type {any} */ ({ code: 'not-steady', params: {} })
  t.match(toAnswer(makeShared(arms, { verdict: 'inconclusive', why })), /is open \(not warm\)/)
})
