/** What `hopbench size` is made of, on real programs; test/full/ has the way from the command to the table. */
import { join } from 'node:path'
import t from 'tap'
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/lab.js'
import { armFrom } from '../../bench/studies/request.js'
import { run, start } from '../../bench/machine/process.js'
import { openEmulation } from '../../bench/studies/sizing/emulation.js'
import { openSizingRig } from '../../bench/studies/sizing/sizing-rig.js'
import { makeTempRoot } from '../../bench/machine/temp.js'
import { skipWithout } from '../support/needs.js'
import { failsWell, hopbench, makeWorkspace } from '../support/cli.js'

const noLimits = skipWithout('limits')
const { network } = await labFacts()

t.test('a goal below the unloaded latency is refused with the figure', async t => {
  const workspace = makeWorkspace(t)
  const result = await hopbench(['size', 'http-json', '--rps', '10', '--p99', '0.001ms', '--quick', '--results',
    workspace.results], { workspace })
  await failsWell(t, result, {
    workspace,
    exit: 1,
    message: /No load meets a p99 of 0\.001 ms: unloaded, half of the answers of http-json take \d+\.\d\d ms/
  })
})

t.test('the plans that are known are printed with their sources', async t => {
  const { exit, stdout } = await hopbench(['size', '--list'], { workspace: makeWorkspace(t) })
  t.equal(exit, 0)
  t.match(stdout, /Heroku Standard-1X +0\.16 \(assumed\) +512 +\$25 +2026-08-04/)
  t.match(stdout, /Google Cloud Run 1 vCPU 512 MiB +1 +512 +by use +–/)
  t.match(stdout.replaceAll(/\s+/g, ' '), /Fly\.io: https:\S+, read on 2026-08-07/)
  t.match(stdout.replaceAll(/\s+/g, ' '), /Google Cloud Run: https:\S+, of an unknown day – look it up before you buy/)
})

t.test('what is typed wrongly is reported before anything is measured', async t => {
  const workspace = makeWorkspace(t)
  const command = ['size', 'http-json', '--rps', '10', '--p99', '50ms', '--results', workspace.results]
  const size = (/** @type {string[]} */ ...args) => hopbench([...command, ...args], { workspace })
  const fails = async (/** @type {string[]} */ args, /** @type {RegExp} */ message) =>
    failsWell(t, await size(...args), { workspace, exit: 2, message })
  await fails(['--assume-vcpu', 'Heroku Standard-1X=4096'], /4096 cores cannot be assumed/)
  await fails(['--profile', 'weekend'], /load profile "\S*weekend" cannot be used/)
  await fails(['--min', '3', '--max', '2'], /it is less than --min, 3/)
  await fails(['--confidence', '20%'], /at least half of the windows/)
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
  const child = start({
    name: 'a greedy one',
    argv: [...emulation.enter, process.execPath, '-e', greedy],
    log: join(t.testdir(), 'log')
  })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  t.match(await child.exited, { signal: 'SIGKILL' })
  t.ok(emulation.stats().oomKills > 0)
})

t.test('a plan too small for Node to start is reported as that', { skip: noLimits }, async t => {
  const temp = makeTempRoot()
  t.teardown(() => temp.remove())
  const rig = openSizingRig(await armFrom('http-json', { connections: 10 }), {
    temp: join(temp.path, 's'),
    lab: network === 'namespaces',
    cores: splitCores(),
    cwd: process.cwd(),
    limits: { plan: 'Acme Tiny', cpu: 1, memoryMiB: 8 }
  })
  await t.rejects(rig, {
    code: 'plan-too-small',
    message: /http-json does not fit into the memory of Acme Tiny \(8 MiB\)/
  })
})
