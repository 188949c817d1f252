import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../../support/tap.js'
import { openEmulation } from '../../../../bench/features/size/capacity/emulation.js'

/**
 * @param {string} dir
 * @param {Record<string, string>} files
 */
function write (dir, files) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    writeFileSync(join(dir, file), text)
  }
}
const read = (/** @type {string[]} */ ...path) => readFileSync(join(...path), 'utf8')
/**
 * Escapes spaces as in mountinfo, see proc(5).
 * @param {string} path
 */
const mounted = path => path.replaceAll(' ', '\\040')
const limits = { cpu: 0.25, memoryMiB: 512 }

t.test('version 2: makes a sibling group with limits of CPU time and memory and without swap', async t => {
  const root = join(t.testdir(), 'with a space')
  write(root, { 'a/b/cgroup.controllers': 'cpu memory\n', 'a/b/cgroup.subtree_control': 'cpu memory\n' })
  const emulation = openEmulation(limits, {
    mounts: `36 25 0:30 / ${mounted(root)} rw - cgroup2 cgroup2 rw\n`,
    self: '0::/a/b\n',
    name: 'test'
  })
  const dir = join(root, 'a/b/test')
  t.equal(emulation.version, 2)
  t.equal(read(dir, 'cpu.max'), '25000 100000')
  t.equal(read(dir, 'memory.max'), String(512 * 2 ** 20))
  t.equal(read(dir, 'memory.swap.max'), '0')
  t.same(emulation.enter.slice(-1), [dir])
  write(dir, {
    'cpu.stat': 'usage_usec 9\nnr_periods 10\nnr_throttled 4\nthrottled_usec 1500000\n',
    'memory.events': 'oom 1\noom_kill 2\n',
    'memory.peak': `${3 * 2 ** 20}\n`
  })
  t.same(emulation.stats(), {
    periods: 10,
    throttledPeriods: 4,
    throttledSeconds: 1.5,
    oomKills: 2,
    memoryPeakMiB: 3
  })
})

t.test('version 2: uses the parent of a group that cannot pass on controllers', async t => {
  const root = t.testdir()
  // The group of this process has no controllers. The root has controllers and does not pass them on yet.
  write(root, { 'a/cgroup.controllers': '\n', 'cgroup.controllers': 'cpu memory\n', 'cgroup.subtree_control': '\n' })
  const mounts = `36 25 0:30 / ${mounted(root)} rw - cgroup2 cgroup2 rw\n`
  openEmulation(limits, { mounts, self: '0::/a\n', name: 'test' })
  t.equal(read(root, 'cgroup.subtree_control'), '+cpu +memory')
  t.equal(read(root, 'test/cpu.max'), '25000 100000')
  t.notOk(existsSync(join(root, 'a/test')), 'leaves nothing in the unsuitable group')
})

t.test('version 1: makes a group in the hierarchy of each controller', async t => {
  const root = t.testdir()
  mkdirSync(join(root, 'cpu/x'), { recursive: true })
  mkdirSync(join(root, 'memory/y'), { recursive: true })
  const mounts = [
    `30 25 0:26 / ${mounted(root)}/unified rw - cgroup2 cgroup2 rw`,
    `31 25 0:27 / ${mounted(root)}/cpu rw - cgroup cgroup rw,cpu,cpuacct`,
    `32 25 0:28 / ${mounted(root)}/memory rw - cgroup cgroup rw,memory`
  ].join('\n')
  const emulation = openEmulation({ cpu: 1.5, memoryMiB: 100 }, {
    mounts,
    self: '4:memory:/y\n1:cpu,cpuacct:/x\n0::/\n',
    name: 'test'
  })
  t.equal(emulation.version, 1)
  t.equal(read(root, 'cpu/x/test/cpu.cfs_quota_us'), '150000')
  t.equal(read(root, 'cpu/x/test/cpu.cfs_period_us'), '100000')
  t.equal(read(root, 'memory/y/test/memory.limit_in_bytes'), String(100 * 2 ** 20))
  t.same(emulation.enter.slice(-2), [join(root, 'cpu/x/test'), join(root, 'memory/y/test')])
  write(root, {
    'cpu/x/test/cpu.stat': 'nr_periods 7\nnr_throttled 3\nthrottled_time 250000000\n',
    'memory/y/test/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
    'memory/y/test/memory.max_usage_in_bytes': `${2 ** 20}\n`
  })
  t.same(emulation.stats(), {
    periods: 7,
    throttledPeriods: 3,
    throttledSeconds: 0.25,
    oomKills: 1,
    memoryPeakMiB: 1
  })
})

t.test('reports the reasons of both versions and leaves nothing when neither works', async t => {
  const root = t.testdir()
  mkdirSync(join(root, 'cpu'))
  t.throws(() => openEmulation(limits, { mounts: '', self: '' }), {
    code: 'no-limits',
    message: /version 2 of control groups is not mounted; version 1: the cpu controller is not mounted/
  })
  const mounts = `31 25 0:27 / ${mounted(root)}/cpu rw - cgroup cgroup rw,cpu`
  t.throws(() => openEmulation(limits, { mounts, self: '1:cpu:/\n', name: 'test' }), {
    code: 'no-limits',
    message: /the memory controller is not mounted/
  })
  t.same(readdirSync(join(root, 'cpu')), [])
})

t.test('removes groups left by a killed suite, but not groups in use or of other programs', async t => {
  const root = t.testdir()
  const [old, fresh] = [`hopbench-${Date.now() - 3_600_000}-x`, `hopbench-${Date.now()}-x`]
  write(root, { 'cgroup.controllers': 'cpu memory\n', 'cgroup.subtree_control': 'cpu memory\n' })
  for (const name of [old, fresh, 'other']) mkdirSync(join(root, name))
  const mounts = `36 25 0:30 / ${mounted(root)} rw - cgroup2 cgroup2 rw\n`
  openEmulation(limits, { mounts, self: '0::/\n', name: 'test' })
  t.same([old, fresh, 'other'].map(name => existsSync(join(root, name))), [false, true, true])
})
