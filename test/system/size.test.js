/** `hopbench size` on real programs: from the command to the table, with a plan's limits tried where they can be set. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { splitCores } from '../../bench/cores.js'
import { labFacts } from '../../bench/lab.js'
import { armOf } from '../../bench/request.js'
import { run, start } from '../../bench/process.js'
import { emulationFacts, openEmulation } from '../../bench/sizing/emulation.js'
import { openSizingRig } from '../../bench/sizing/rig.js'
import { faultOf } from '../../bench/store/format.js'
import { makeTempRoot } from '../../bench/temp.js'
import { failsWell, hopbench, placeFor } from '../support/cli.js'

const { version, why } = await emulationFacts()
const noLimits = version === null && `limits cannot be set here: ${why}`
const { network } = await labFacts()

/** Twice as much as a machine that is busy with other things needs. */
const PLANS = {
  plans: [
    { provider: 'Acme', plan: 'Core', vcpu: 1, memoryMiB: 2048, price: 10, currency: 'USD', source: 'a test', date: '2026-01-01' },
    { provider: 'Acme', plan: 'Nothing', vcpu: null, memoryMiB: 512, price: 1, currency: 'USD', source: 'a test', date: '2026-01-01' }
  ]
}

t.test('from a topology and a goal to plans and prices', async t => {
  const place = placeFor(t)
  writeFileSync(join(place.dir, 'plans.json'), JSON.stringify(PLANS))
  const args = ['size', 'nginx:uds/http-json', '--rps', '20', '--p99', '400ms', '--quick', '--plans', 'plans.json', '--plan', 'Acme Core', 'Acme Nothing', '--results', place.results]
  const { exit, stdout, stderr } = await hopbench([...args, ...noLimits ? [] : ['--verify'], '--json'], { place, timeoutSeconds: 300 })
  if (!stdout) return t.fail(stderr)
  const record = JSON.parse(stdout)
  t.equal(faultOf('record', record), null)
  const { topologies: [topology], table, verification, goal } = record.sizing
  t.match(goal, { rate: 20, p99Ms: 400, headroom: 0.3, fewestInstances: 2 })
  t.match(topology, { word: 'nginx:uds/http-json', path: '/' })
  t.ok(topology.capacity.low <= topology.capacity.rate && topology.capacity.rate <= topology.capacity.high)
  t.ok(topology.trials.some((/** @type {any} */ { holds }) => holds), 'a rate was found that holds')
  t.ok(topology.floor.p50Ms <= topology.floor.p99Ms)
  t.ok(topology.burstMs > 0, 'CPU time was read period by period')
  t.ok(topology.memoryMiB > topology.processMiB && topology.processMiB > 10)
  t.same(topology.curve.map((/** @type {any} */ { share }) => share), [0.25, 0.5, 0.9])
  for (const point of topology.curve) t.ok(point.cores > 0 && point.micros.server > 0 && point.micros.proxy > 0, `cost at ${point.share}`)
  t.match(table.map((/** @type {any} */ { plan, instances }) => [plan.plan, instances]), [['Core', Number], ['Nothing', null]])
  t.ok(table[0].instances >= 2)
  t.same(record.arms.map((/** @type {any} */ { name }) => name), ['nginx:uds/http-json 25 %', 'nginx:uds/http-json 50 %', 'nginx:uds/http-json 90 %'])
  if (!noLimits) {
    t.match(verification, { plan: 'Acme Core', topology: 'nginx:uds/http-json', holds: Boolean })
    t.ok(verification.limits.periods > 0, 'what is served was under the limits')
    t.ok(verification.limits.memoryPeakMiB > 10)
  }
  t.equal(exit, verification === null || verification.holds ? 0 : 1, 'the exit code says whether the goal holds')
  const [folder] = readdirSync(place.results)
  t.ok(readFileSync(join(place.results, folder, 'report.html'), 'utf8').includes('Plans for 20 requests a second'))
  const text = (await hopbench(['report', 'size', '--results', place.results], { place })).stdout
  t.match(text, /Capacity: the highest rate/)
  t.match(text, /Acme Core .* \$\d+/)
  t.match(text, /Left out: Acme Nothing, since no CPU is promised/)
  for (const line of text.split('\n').filter(line => !line.startsWith('Results: '))) t.ok([...line].length <= 80, `80 columns: ${line}`)
})

t.test('a goal below the unloaded latency is refused with the figure', async t => {
  const place = placeFor(t)
  const result = await hopbench(['size', 'http-json', '--rps', '10', '--p99', '0.001ms', '--quick', '--results', place.results], { place })
  await failsWell(t, result, { place, exit: 1, says: /No load meets a p99 of 0\.001 ms: unloaded, half of the answers of http-json take \d+\.\d\d ms/ })
})

t.test('the plans that are known are printed with their sources', async t => {
  const { exit, stdout } = await hopbench(['size', '--list'], { place: placeFor(t) })
  t.equal(exit, 0)
  t.match(stdout, /Render Starter +0\.5 +512 +\$7 +2026-05-04/)
  t.match(stdout, /Heroku: memory: devcenter dyno-types/)
})

t.test('CPU time: what runs in a quota is held to it, and that is counted', { skip: noLimits }, async t => {
  const emulation = openEmulation({ cpu: 0.1, memoryMiB: null })
  t.teardown(() => emulation.close())
  // A third of a second of CPU time at a tenth of a core: it cannot end before the quota has run out many times.
  const busy = 'const end = process.cpuUsage().user + 333000; while (process.cpuUsage().user < end);'
  const { exit, stderr } = await run([...emulation.enter, process.execPath, '-e', busy])
  t.equal(exit, 0, stderr)
  const { periods, throttledPeriods, throttledSeconds } = emulation.stats()
  t.ok(periods > 0 && throttledPeriods > 0 && throttledSeconds > 0, `${throttledPeriods} of ${periods} periods`)
})

t.test('memory: what needs more is ended by the kernel, and that is counted', { skip: noLimits }, async t => {
  const emulation = openEmulation({ cpu: null, memoryMiB: 64 })
  t.teardown(() => emulation.close())
  const greedy = 'const kept = []; while (true) kept.push(Buffer.alloc(1 << 22, 1))'
  const child = start({ name: 'a greedy one', argv: [...emulation.enter, process.execPath, '-e', greedy], log: join(t.testdir(), 'log') })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  t.match(await child.exited, { signal: 'SIGKILL' })
  t.ok(emulation.stats().oomKills > 0)
})

t.test('a plan too small for Node to start is told as that', { skip: noLimits }, async t => {
  const temp = makeTempRoot()
  t.teardown(() => temp.remove())
  const rig = openSizingRig(await armOf('http-json', { connections: 10 }), {
    temp: join(temp.path, 's'), lab: network === 'namespaces', cores: splitCores(), cwd: process.cwd(), limits: { cpu: 1, memoryMiB: 16 }, limitsOf: 'Acme Tiny'
  })
  await t.rejects(rig, { code: 'plan-too-small', message: /http-json does not fit into the memory of Acme Tiny \(16 MiB\)/ })
})
