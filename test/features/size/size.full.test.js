/** `hopbench size` from the command to the table, with real programs, and with limits where control groups allow it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { PROJECT } from '../../../bench/plan/plugins.js'
import { findFault } from '../../../bench/store/record-format.js'
import { hopbench, listRuns, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { inFile } from '../../support/offerings.js'

const noLimits = skipWithout('limits')

/** Offerings, one of them with twice the CPU time that the goal needs on a busy machine, and one without a promise. */
const PLANS = {
  plans: [inFile({ name: 'Core', memoryMiB: 2048 }), inFile({ name: 'Nothing', vcpu: null, memoryMiB: 512, price: 1 })]
}

t.test('hopbench size finds the capacity of a topology, and prices offerings for a goal', async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'plans.json'), JSON.stringify(PLANS))
  // With 100 connections the growth is measured at two numbers of connections, and with more at three.
  const args = ['size', 'nginx:uds/http-json', '--rps', '20', '--p99', '400ms', '--quick', '--warm-up', '1s',
    '--connections', '100', '--plans', 'plans.json', '--plan', 'Acme Core', 'Acme Nothing',
    '--results', workspace.results]
  const { exit, stdout, stderr } = await hopbench([...args, ...noLimits ? [] : ['--emulate'], '--json'], {
    workspace,
    timeoutSeconds: 300
  })
  if (!stdout) return t.fail(stderr)
  const record = JSON.parse(stdout)
  t.equal(findFault('record', record), null)
  const { topologies: [topology], table, emulated: [emulated = null] = [], goal } = record.sizing
  t.match(goal, { rate: 20, p99Ms: 400, headroom: 0.4, spare: 1, fewestInstances: 2 })
  t.match(topology, { spec: 'nginx:uds/http-json', path: '/' })
  t.ok(topology.capacity.low <= topology.capacity.rate && topology.capacity.rate <= topology.capacity.high)
  t.ok(topology.trials.some((/** @type {any} */ { holds }) => holds), 'a rate meets the goal')
  t.ok(topology.floor.p50Ms <= topology.floor.p99Ms)
  t.ok(topology.burstMs > 0, 'CPU time was read in each period')
  t.ok(topology.startSeconds > 0, 'the start was timed')
  t.ok(topology.memoryMiB > topology.processMiB && topology.processMiB > 10)
  t.same(topology.curve.map((/** @type {any} */ { share }) => share), [0.25, 0.5, 0.9])
  for (const point of topology.curve) {
    t.ok(point.cores > 0 && point.micros.server > 0 && point.micros.proxy > 0, `cost at ${point.share}`)
  }
  t.match(table.map((/** @type {any} */ { offering, instances }) => [offering.name, instances]), [['Core', Number], [
    'Nothing',
    null
  ]])
  t.ok(table[0].instances >= 2)
  t.same(record.arms.map((/** @type {any} */ { name }) => name), ['nginx:uds/http-json 25 %',
    'nginx:uds/http-json 50 %', 'nginx:uds/http-json 90 %'])
  if (!noLimits) {
    t.match(emulated, { offering: 'Acme Core', topology: 'nginx:uds/http-json', holds: Boolean })
    t.ok(emulated.limits.periods > 0, 'the served side ran under the limits')
    t.ok(emulated.limits.memoryPeakMiB > 10)
  }
  t.equal(exit, emulated === null || emulated.holds ? 0 : 1, 'exit code 1 if the goal is missed')
  const [folder] = listRuns(workspace.results)
  const page = readFileSync(join(workspace.results, folder, 'report.html'), 'utf8')
  t.ok(page.includes('Offerings for 20 requests a second'))
  const text = (await hopbench(['report', 'size', '--details', '--results', workspace.results], { workspace })).stdout
  t.match(text, /Capacity with a p99 of/)
  t.match(text, /Acme Core .* \$\d+/)
  t.match(text, /Excluded: Acme Nothing, because no CPU is promised/)
  // Paths and commands that contain them are not wrapped.
  for (const line of text.split('\n').filter(line => !line.startsWith('Results: ') && !line.includes(PROJECT))) {
    t.ok([...line].length <= 80, `80 columns: ${line}`)
  }
})
