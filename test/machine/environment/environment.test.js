import t from '../../support/tap.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  findBusiest, hasTurbo, readEnvironment, readProcessTicks, watchCpu
} from '../../../bench/machine/environment/environment.js'

/** @import { Test } from 'tap' */

const lab = { network: /** @type {const} */ ('namespaces'), pids: true, why: null }
const facts = { lab, cores: { load: [0], served: [1] } }
const TICKS = 'cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 100 0 50 800 50 0 0 0 0 0\n'

/** Makes /proc and /sys of a virtual machine with Linux. */
const machine = (/** @type {Test} */ t) =>
  t.testdir({
    proc: {
      cpuinfo: 'processor\t: 0\nflags\t\t: fpu hypervisor sse\n',
      stat: TICKS,
      self: {
        limits:
          'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 4096                ' +
          ' files     \n'
      },
      sys: {
        net: { core: { somaxconn: '4096\n' }, ipv4: { ip_local_port_range: '32768\t60999\n', tcp_tw_reuse: '2\n' } }
      }
    },
    sys: {
      devices: {
        system: {
          cpu: {
            cpu0: { cpufreq: { scaling_governor: 'powersave\n' } },
            cpuidle: { current_driver: 'haltpoll\n', current_governor: 'menu\n' },
            intel_pstate: { no_turbo: '0\n' }
          }
        }
      }
    }
  })

t.test('reads the whole environment on Linux', async t => {
  t.match(await readEnvironment(facts, { root: machine(t) }), {
    cpu: { model: String, cores: Number, governor: 'powersave', virtual: true, idle: 'haltpoll, menu', family: null },
    calibration: null,
    limits: { openFiles: 1024 },
    node: process.versions.node,
    sysctl: {
      'net.core.somaxconn': '4096',
      'net.ipv4.ip_local_port_range': '32768 60999',
      'net.ipv4.tcp_tw_reuse': '2'
    },
    lab,
    cores: { load: [0], served: [1] }
  })
})

t.test('returns null for unknown properties without /proc and /sys', async t => {
  const { cpu, limits, sysctl, busy } = await readEnvironment(facts, { root: t.testdir({}) })
  t.match(cpu, { governor: null, virtual: null, idle: null })
  t.ok(limits.openFiles === null || limits.openFiles > 0, 'read from the shell')
  t.same(sysctl, {})
  t.equal(busy.stealShare, null)
  t.equal(hasTurbo({ root: t.testdir({}) }), null)
})

t.test('reads unlimited open files as null, and detects a machine that is not virtual', async t => {
  const root = machine(t)
  writeFileSync(join(root, 'proc/self/limits'),
    'Max open files            unlimited            unlimited            files\n')
  writeFileSync(join(root, 'proc/cpuinfo'), 'flags\t\t: fpu sse\n')
  const { limits, cpu } = await readEnvironment(facts, { root })
  t.strictSame([limits.openFiles, cpu.virtual], [null, false])
})

t.test('computes busy and stolen shares of the time between two readings', async t => {
  const root = machine(t)
  const watching = watchCpu({ root, seconds: 0.05 })
  // After 100 ticks: 20 busy, 70 idle or waiting, 10 stolen.
  writeFileSync(join(root, 'proc/stat'), 'cpu  115 0 55 865 55 0 0 10 0 0\n')
  const shares = await watching
  t.equal(shares?.steal, 0.1)
  t.ok(Math.abs((shares?.busy ?? 0) - 0.3) < 1e-9)
})

t.test('returns null for two equal readings', async t => {
  t.equal(await watchCpu({ root: machine(t), seconds: 0.01 }), null)
})

t.test('reads turbo from either driver', async t => {
  const cpu = (/** @type {object} */ files) => ({
    root: t.testdir({ sys: { devices: { system: { cpu: /** @type {any} */ (files) } } } })
  })
  const files = [{ intel_pstate: { no_turbo: '0\n' } }, { intel_pstate: { no_turbo: '1\n' } },
    { cpufreq: { boost: '1\n' } }, { cpufreq: { boost: '0\n' } }]
  t.strictSame(files.map(file => hasTurbo(cpu(file))), [true, false, true, false])
})

/**
 * Makes /proc with processes.
 * @param {Test} t
 * @param {Record<number, { name: string, ticks: number }>} list
 */
const processList = (t, list) => t.testdir(Object.fromEntries(Object.entries(list).map(([pid, { name, ticks }]) =>
  [pid, { comm: `${name}\n`, stat: `${pid} (${name}) R 1 1 1 0 -1 0 0 0 0 0 ${ticks} ${ticks} 0 0 20 0 1 0\n` }])))

t.test('names the processes that used most CPU time, together with those of the same name', async t => {
  const before = new Map([[10, 20], [11, 20], [12, 100], [13, 0]])
  const proc = processList(t, {
    10: { name: 'gcc', ticks: 20 },
    11: { name: 'gcc', ticks: 30 },
    12: { name: 'python3', ticks: 70 },
    13: { name: 'node', ticks: 500 }
  })
  t.strictSame(readProcessTicks(proc), new Map([[10, 40], [11, 60], [12, 140], [13, 1000]]))
  t.strictSame(findBusiest(proc, before, { ticks: 200, except: 13 }), { name: 'gcc', share: 0.3 })
})

t.test('names no process where none used CPU time, and prints no control character of a name', async t => {
  const proc = processList(t, { 7: { name: '\u001b[31mred', ticks: 5 } })
  t.equal(findBusiest(proc, readProcessTicks(proc), { ticks: 100 }), null)
  t.equal(findBusiest(proc, new Map([[7, 0]]), { ticks: 100 })?.name, '[31mred')
})
