/** Tests that the command on the first screen of a page starts the run again. */
import t from '../support/tap.js'
import { withoutSecrets } from '../../bench/plan/stored-plan.js'
import { toCommandText } from '../../bench/report/page/first-facts.js'
import { planFrom } from '../../bench/studies/request.js'
import { findFault } from '../support/printed-commands.js'
import { makePlan, makeRecord } from '../support/record.js'
import { sizing } from '../support/sizing.js'

/** @import { RunRecord, Sizing } from '../../bench/types.js' */

/**
 * Returns a record with the plan of typed words.
 * @param {string[]} words
 * @param {object} options
 * @returns {Promise<RunRecord>}
 */
async function recordOf (words, options) {
  const { plan } = await planFrom(words, { lab: true, seed: 1, ...options })
  const arms = plan.arms.map(({ name, spec, topology }) => ({ ...makeRecord().arms[0], name, spec, topology }))
  return makeRecord({ experiment: plan.experiment, plan: withoutSecrets(plan), arms })
}

t.test('a typed run is printed with its app, its requests and its rate', async t => {
  const record = await recordOf([], {
    app: ['node a.js'],
    path: '/api',
    header: ['Authorization: Bearer x'],
    body: '{}',
    connections: 20,
    rate: 50,
    quick: true
  })
  const command = toCommandText(record)
  t.match(command, /^hopbench run --app 'node a\.js' --path \/api --header 'Authorization: …' /)
  t.match(command, / --body-file '…' --connections 20 --rate 50 app nginx:keepalive\/app --quick$/)
  t.equal(await findFault(command), null)
})

t.test('an experiment with an app is printed by its name', async t => {
  const command = toCommandText(await recordOf(['cache'], { app: ['node a.js'] }))
  t.equal(command, "hopbench run --app 'node a.js' cache")
  t.equal(await findFault(command), null)
})

t.test('addresses are printed with their paths', async t => {
  const topology = (/** @type {number} */ port) => ({ proxy: null, server: null, url: `http://127.0.0.1:${port}` })
  const [arm] = makePlan().arms
  const arms = [1, 2].map(port => ({ ...arm, topology: topology(port), load: { ...arm.load, path: '/x' } }))
  const record = makeRecord({ experiment: 'typed', plan: makePlan({ arms }), arms: [] })
  t.equal(toCommandText(record), 'hopbench run http://127.0.0.1:1/x http://127.0.0.1:2/x')
})

t.test('a sizing and a selftest have commands of their own', async t => {
  t.match(toCommandText(makeRecord({ experiment: 'size', sizing })),
    /^hopbench size .*--rps 2000 --p99 50ms --headroom 30% --confidence 50% --verify nginx:uds\/express-json$/)
  const goal = {
    ...sizing.goal,
    headroom: 0.4,
    fewestInstances: 4,
    confidence: 0.99,
    spare: 2,
    newConnections: 0.25,
    memoryExtraMiB: { 'nginx:uds/express-json': 64 },
    mostInstances: 9,
    profile: { name: 'office', shares: [1, 0.5] }
  }
  const command = toCommandText(makeRecord({ experiment: 'size', sizing: { ...sizing, goal } }))
  t.match(command, ' --confidence 99% --spare 2 --min 4 --profile office --max 9 --new-connections 25% ' +
    '--memory-extra 64 --verify nginx:uds/express-json')
  t.equal(await findFault(command), null)
  const usual = { ...goal, fewestInstances: 2, confidence: 0.95, spare: 1, newConnections: 0.1 }
  const typed = { ...usual, memoryExtraMiB: {}, mostInstances: null, profile: { name: 'constant', shares: [1] } }
  t.match(toCommandText(makeRecord({ experiment: 'size', sizing: { ...sizing, goal: typed } })),
    /--p99 50ms --verify nginx:uds\/express-json$/)
  t.equal(toCommandText(makeRecord({ experiment: 'selftest' })), 'hopbench selftest')
})

t.test('a sizing is printed with the options that chose its offerings, before its topologies', async t => {
  const [row] = sizing.table
  const assumed = { low: 0.5, high: 0.5, why: 'set with --assume-vcpu' }
  const table = [{ ...row, offering: { ...row.offering, name: 'One', vcpu: null, assumed } }]
  const soak = { seconds: 600, rate: 1500, points: [], slope: 0, low: null, high: null, leaks: false }
  const topologies = [{ ...sizing.topologies[0], soak }]
  const command = (/** @type {Sizing['goal']['offerings']} */ offerings) => toCommandText(makeRecord({
    experiment: 'size',
    sizing: { ...sizing, goal: { ...sizing.goal, offerings }, table, topologies, verification: null }
  }))
  const all = command({ plans: ['Acme One'], providers: ['acme', 'bond'], hasFile: true })
  t.match(all, "--plan 'Acme One' --provider acme bond --assume-vcpu 'Acme One=0.5' --plans '…' --rps 2000 --p99 50ms ")
  t.match(all, / --soak 600s nginx:uds\/express-json$/)
  t.equal(await findFault(all), null)
  t.notMatch(command(undefined), /--plan|--provider|--verify/)
})
