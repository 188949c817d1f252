/** Parts of `hopbench size` with real programs. test/features/size/size.full.test.js tests the whole command. */
import { join } from 'node:path'
import t from '../../support/tap.js'
import { splitCores } from '../../../bench/machine/cores.js'
import { labFacts } from '../../../bench/machine/network/lab.js'
import { armFrom } from '../../../bench/request/request.js'
import { run, start } from '../../../bench/machine/process.js'
import { openEmulation } from '../../../bench/features/size/capacity/emulation.js'
import { openSizingRig } from '../../../bench/features/size/rig.js'
import { skipWithout } from '../../support/needs.js'
import { failsWell, hopbench, makeWorkspace } from '../../support/cli.js'
import { failsInProcess } from '../../support/in-process.js'
import { tempRoot } from '../../support/temp.js'

const noLimits = skipWithout('limits')
const { network } = await labFacts()

t.test('rejects a goal below the latency without load, with the measured latency', async t => {
  const workspace = makeWorkspace(t)
  const result = await hopbench(['size', 'http-json', '--rps', '10', '--p99', '0.001ms', '--quick', '--warm-up', '1s',
    '--results', workspace.results], { workspace })
  await failsWell(t, result, {
    workspace,
    exit: 1,
    message: /No load meets a p99 of 0\.001 ms: unloaded, half of the responses of http-json take \d+\.\d\d ms/
  })
})

t.test('prints the known offerings with their sources', async t => {
  const { exit, stdout } = await hopbench(['size', '--list'], { workspace: makeWorkspace(t) })
  t.equal(exit, 0)
  t.match(stdout, /Heroku Standard-1X +0\.07 to 0\.64 \(assumed\) +512 +\$25 +2024-06-04/)
  t.match(stdout.replaceAll(/\s+/g, ' '), /Google Cloud Run, [^:]+: https:\S+, of an unknown day – look it up before/)
})

t.test('rejects invalid options before the measurement', async t => {
  const workspace = makeWorkspace(t)
  const command = ['size', 'http-json', '--rps', '10', '--p99', '50ms', '--results', workspace.results]
  const fails = async (/** @type {string[]} */ args, /** @type {RegExp} */ message) =>
    failsInProcess(t, [...command, ...args], { workspace, exit: 2, message })
  await fails(['--assume-vcpu', 'Heroku Standard-1X=4096'], /4096 cores cannot be assumed/)
  await fails(['--profile', 'weekend'], /load profile "\S*weekend" cannot be used/)
  await fails(['--min', '3', '--max', '2'], /it is less than --min, 3/)
  await fails(['--min', '1', '--max', '1'], /with --spare 1 there are at least 2 instances/)
  await fails(['--confidence', '20%'], /at least half of the windows/)
  await fails(['--confidence', '99.9999%'], /too few windows for a share above 99%/)
})

t.test('throttles a program at its CPU quota, and counts the throttled periods', { skip: noLimits }, async t => {
  const emulation = openEmulation({ cpu: 0.1, memoryMiB: null })
  t.teardown(() => emulation.close())
  // A third of a second of CPU time at a tenth of a core exhausts the quota many times.
  const busy = 'const end = process.cpuUsage().user + 333000; while (process.cpuUsage().user < end);'
  const { exit, stderr } = await run([...emulation.enter, process.execPath, '-e', busy])
  t.equal(exit, 0, stderr)
  const { periods, throttledPeriods, throttledSeconds } = emulation.stats()
  t.ok(periods > 0 && throttledPeriods > 0 && throttledSeconds > 0, `${throttledPeriods} of ${periods} periods`)
})

t.test('kills a program above its memory limit, and counts the kill', { skip: noLimits }, async t => {
  const emulation = openEmulation({ cpu: null, memoryMiB: 64 })
  t.teardown(() => emulation.close())
  const greedy = 'const kept = []; while (true) kept.push(Buffer.alloc(1 << 22, 1))'
  const child = start({
    name: 'a greedy program',
    argv: [...emulation.enter, process.execPath, '-e', greedy],
    log: join(t.testdir(), 'log')
  })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  t.match(await child.exited, { signal: 'SIGKILL' })
  t.ok(emulation.stats().oomKills > 0)
})

t.test('reports an offering with too little memory for Node to start', { skip: noLimits }, async t => {
  const temp = tempRoot(t)
  const rig = openSizingRig(await armFrom('http-json', { connections: 10 }), {
    temp: join(temp.path, 's'),
    lab: network === 'namespaces',
    cores: splitCores(),
    cwd: process.cwd(),
    limits: { name: 'Acme Tiny', cpu: 1, memoryMiB: 8 }
  })
  await t.rejects(rig, {
    code: 'plan-too-small',
    message: /http-json does not fit into the memory of Acme Tiny \(8 MiB\)/
  })
})
