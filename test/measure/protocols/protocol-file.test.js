/** Tests that a new protocol requires only one new file. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from '../../support/tap.js'
import { aboutProtocol, findContractFault } from '../../../bench/plan/plugins.js'
import { copyOfProject } from '../../support/project.js'

const PROTOCOL = `
/** Protocol \`twice\`: a window that counts itself twice. */
export const about = {
  clientCounts: true, windowSeconds: { full: 2, quick: 1, smoke: 1 }, steps: 'connections', result: 'first-errors'
}
export const open = async plan => ({ opened: plan.protocol })
`
const EXPERIMENT = `
export default {
  title: 'mine', question: 'Is it?', source: null, protocol: 'twice', unit: 'requests', steps: [10, 20],
  arms: { a: 'http-json', b: 'express-json' }
}
`

t.test('plans, opens and reports a protocol that consists of one file', async t => {
  const copy = copyOfProject(t)
  writeFileSync(join(copy, 'bench/measure/protocols/twice.js'), PROTOCOL)
  writeFileSync(join(copy, 'bench/experiments/mine.js'), EXPERIMENT)
  const load = (/** @type {string} */ file) => import(pathToFileURL(join(copy, 'bench', file)).href)

  const { planFrom } = await load('request/request.js')
  const { plan } = await planFrom(['mine'], { lab: true, quick: true })
  t.match(plan, { protocol: 'twice', result: 'first-errors', windowSeconds: 1 })
  t.ok(plan.arms.some((/** @type {{ name: string }} */ { name }) => name === 'a c20'), 'each step is an arm')
  await t.rejects(planFrom(['mine'], { lab: true, engine: 's-time' }), { code: 'engine-cannot' })
  const { openRig } = await load('measure/rigs/rig.js')
  t.match(await openRig(plan, {}), { opened: 'twice' })
  const { findFault } = await load('store/record-format.js')
  t.equal(findFault('plan', JSON.parse(JSON.stringify(plan))), null, 'the plan keeps to results/schema.json')
})

t.test('fills in defaults of a protocol and rejects unknown properties', async t => {
  t.match(await aboutProtocol('window'), { paused: false, steps: null, result: 'throughput' })
  t.match(await aboutProtocol('slices'), { paused: true, clientCounts: false, windowSeconds: null })
  t.match(findContractFault('protocol', { about: {} }), /'open'/)
  const about = { ...await aboutProtocol('window'), climbs: true }
  t.match(findContractFault('protocol', { open () {}, about }), /climbs/)
})
