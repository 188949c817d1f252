/** Gang slices with real processes: idle arms are paused, a restart replaces all processes, counts agree. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { splitCores } from '../../../bench/machine/cores.js'
import { labFacts } from '../../../bench/machine/network/lab.js'
import { bringUp } from '../../../bench/measure/rigs/all-up.js'
import { GangScheduler } from '../../../bench/measure/rigs/gang-scheduler.js'
import { AllUpRig } from '../../../bench/measure/rigs/all-up-rig.js'
import { planFrom } from '../../../bench/request/request.js'
import { tempRoot } from '../../support/temp.js'

/** @import { Test } from 'tap' */

const WORDS = ['nginx:keepalive/http-json', 'http-json@cluster:2', 'http-json@pm2:2', 'apache:uds/http-json']

/** @param {Test} t */
async function optionsFor (t) {
  const temp = tempRoot(t)
  const { network } = await labFacts()
  return {
    temp: temp.path,
    keepIn: join(temp.path, 'kept'),
    lab: network === 'namespaces',
    cores: splitCores('shared'),
    engine: 'autocannon',
    mayswitch: false,
    cwd: process.cwd(),
    maxSeconds: 120,
    printProgress: () => {}
  }
}

const stateOf = (/** @type {number} */ pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1][0]

t.test('pauses all processes of every arm between slices, and resumes them at the end', async t => {
  const { plan } = await planFrom(WORDS, { seed: 1, smoke: true, lab: true })
  const up = await bringUp(plan, await optionsFor(t))
  t.teardown(() => up.close())
  const gang = new GangScheduler(up.load.arms, plan)
  await gang.measureBlock(WORDS, 0, 0.1)
  for (const [name, { staged: { running } }] of up.load.arms) {
    const { proxy, server } = running.pids()
    t.ok(server.length > 0, name)
    // The kernel stops a process some time after the signal.
    const states = () => new Set([...proxy, ...server].map(stateOf))
    for (let tries = 0; tries < 500 && [...states()].some(state => state !== 'T'); tries++) await sleep(10)
    t.strictSame(states(), new Set('T'), `${name}: every process is stopped`)
  }
  gang.close()
  for (const [name, { staged: { running } }] of up.load.arms) {
    t.ok([...running.pids().proxy, ...running.pids().server].every(pid => stateOf(pid) !== 'T'), `${name} goes on`)
  }
})

t.test('measures only the listed arms, and counts of clients and servers agree over a restart', async t => {
  // Counts of PM2's processes: test/topology/managers.full.test.js.
  const words = WORDS.filter(spec => !spec.includes('@pm2'))
  const { plan } = await planFrom(words, { seed: 1, smoke: true, lab: true })
  const short = { ...plan, windowSeconds: 0.2, startBlocks: 1 }
  const rig = await AllUpRig.open(short, await optionsFor(t), { isGang: true })
  t.teardown(() => rig.close())
  const samples = []
  for await (const made of rig.trials(words, 0)) samples.push(...made)
  for await (const made of rig.trials(words.slice(0, 2), 1)) samples.push(...made)
  t.strictSame(samples.map(({ arm, block, start, invalid }) => [arm, block, start, invalid]),
    [...words.map(spec => [spec, 0, 0, null]), ...words.slice(0, 2).map(spec => [spec, 1, 1, null])])
  for (const { requests, seconds, cpuSeconds, rps } of samples) {
    t.ok(requests > 0 && rps > 0 && seconds > 0 && cpuSeconds.server > 0 && cpuSeconds.load > 0)
  }
  t.strictSame([...await rig.finish()], [], 'clients and servers counted the same, in both starts')
  t.equal(rig.lost().size, 0)
  await rig.close()
})
