/** Applies the CPU and memory limits of an offering to the served processes, by control groups of version 2 where its
 * controllers are available, else of version 1. See Documentation/admin-guide/cgroup-v2.rst,
 * Documentation/admin-guide/cgroup-v1/ and Documentation/scheduler/sched-bwc.rst of the Linux kernel. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorCode, getErrorMessage, HopbenchError } from '../../../errors.js'
import { readText } from '../../../machine/files/system-files.js'
import { attempt } from '../../../shared/attempt.js'
import { mountPoint } from '../../../topology/confinement/mounts.js'
import { PERIOD_SECONDS } from './bursts.js'

/** @import { Limits } from '../types.js' */
/** @import { LimitStats } from '../../../types.js' */

const PREFIX = 'hopbench-'
/** Age after which an empty group is removed as a leftover. A group that was just created is empty, too. */
const LEFTOVER_MS = 60_000
/** Retries of a removal, because killed processes leave their group with a delay. */
const REMOVAL = { tries: 40, everyMs: 25 }
/** The kernel rejects a smaller CPU quota. */
const MIN_QUOTA_US = 1000
/** @type {('cpu' | 'memory')[]} */
const CONTROLLERS = ['cpu', 'memory']

/** Names of the counters, and ticks per second of the time throttled, by version. */
const COUNTERS = {
  1: { throttled: 'throttled_time', ticks: 1e9, memory: 'memory.oom_control', peak: 'memory.max_usage_in_bytes' },
  2: { throttled: 'throttled_usec', ticks: 1e6, memory: 'memory.events', peak: 'memory.peak' }
}

/** Control groups with limits. @typedef {ReturnType<typeof toEmulation>} Emulation */

/**
 * Returns control groups with limits. Version 2 has one folder for both controllers, version 1 a folder for each.
 *
 * @param {1 | 2} version of control groups
 * @param {Record<typeof CONTROLLERS[number], string>} dirs
 */
function toEmulation (version, { cpu, memory }) {
  const counters = COUNTERS[version]
  const dirs = [...new Set([cpu, memory])]
  const entering = dirs.map((_, i) => `echo 0 > "$${i + 1}/cgroup.procs" && `).join('')
  return {
    version,
    /** Start of an argv that runs the rest of it under the limits. The shell enters the groups and then becomes the
     * program, so that no instruction of the program runs outside the limits. */
    enter: ['sh', '-c', `${entering}shift ${dirs.length} && exec "$@"`, 'sh', ...dirs],
    /** @returns {LimitStats} */
    stats: () => ({
      periods: readCounter(join(cpu, 'cpu.stat'), 'nr_periods'),
      throttledPeriods: readCounter(join(cpu, 'cpu.stat'), 'nr_throttled'),
      throttledSeconds: readCounter(join(cpu, 'cpu.stat'), counters.throttled) / counters.ticks,
      oomKills: readCounter(join(memory, counters.memory), 'oom_kill'),
      memoryPeakMiB: Number(readText(join(memory, counters.peak)) || 0) / 2 ** 20
    }),
    /** Removes the groups. To be called when all processes in them have ended. */
    async close () {
      for (let tries = REMOVAL.tries; tries > 0; tries--) {
        if (dirs.map(removeGroup).every(Boolean)) return
        await sleep(REMOVAL.everyMs)
      }
    }
  }
}

/**
 * Creates control groups with limits.
 *
 * @param {Limits} limits
 * @param {{ mounts?: string, self?: string, name?: string }} [system] tables in place of this machine's, for tests
 * @throws {HopbenchError} no-limits
 */
export function openEmulation (limits, system = {}) {
  const mounts = parseMounts(system.mounts ?? readText('/proc/self/mountinfo'))
  const self = system.self ?? readText('/proc/self/cgroup')
  const name = system.name ?? `${PREFIX}${Date.now()}-${randomUUID().slice(0, 8)}`
  const reasons = []
  for (const open of [openUnified, openLegacy]) {
    try {
      return open(limits, { mounts, self, name })
    } catch (error) {
      reasons.push(getErrorMessage(error))
    }
  }
  throw new HopbenchError('no-limits', { why: reasons.join('; ') })
}

/**
 * Determines by trying whether limits can be set on this machine.
 *
 * @returns {Promise<{ version: 1 | 2 | null, why: string | null }>}
 */
export async function emulationFacts () {
  try {
    const emulation = openEmulation({ cpu: 1, memoryMiB: 64 })
    await emulation.close()
    return { version: emulation.version, why: null }
  } catch (error) {
    if (error instanceof HopbenchError) return { version: null, why: String(error.details.why) }
    throw error
  }
}

/**
 * Creates a group of version 2 below the group of this process, or below the closest ancestor that may have children
 * with controllers.
 *
 * @param {Limits} limits
 * @param {{ mounts: ReturnType<typeof parseMounts>, self: string, name: string }} system self: content of
 *   /proc/self/cgroup; name: of the new group
 * @throws {Error} with the reason why the last ancestor does not allow it
 */
function openUnified (limits, { mounts, self, name }) {
  const mount = mounts.find(({ type }) => type === 'cgroup2')?.at
  let path = /^0::(.*)$/m.exec(self)?.[1]
  if (!mount || path === undefined) throw new Error('version 2 of control groups is not mounted')
  for (;;) {
    const parent = join(mount, path)
    try {
      return createUnified(limits, parent, name)
    } catch (error) {
      removeGroup(join(parent, name))
      if (path === '' || path === '/') throw new Error(`version 2: ${getErrorMessage(error)}`)
      path = path.slice(0, path.lastIndexOf('/'))
    }
  }
}

/**
 * @param {Limits} limits
 * @param {string} parent
 * @param {string} name
 */
function createUnified (limits, parent, name) {
  removeLeftovers(parent)
  if (!readWords(join(parent, 'cgroup.controllers')).includes('cpu')) {
    throw new Error('the cpu controller is not in version 2 here')
  }
  const enabled = readWords(join(parent, 'cgroup.subtree_control'))
  if (!CONTROLLERS.every(controller => enabled.includes(controller))) {
    writeFileSync(join(parent, 'cgroup.subtree_control'), '+cpu +memory')
  }
  const dir = join(parent, name)
  mkdirSync(dir)
  writeFileSync(join(dir, 'cpu.max'), limits.cpu === null ? 'max' : `${toQuotaUs(limits)} ${toPeriodUs(limits)}`)
  writeFileSync(join(dir, 'memory.max'), limits.memoryMiB === null ? 'max' : toBytes(limits.memoryMiB))
  // Forbids swapping, because an offering has no memory beyond its limit.
  if (limits.memoryMiB !== null) writeIfPossible(join(dir, 'memory.swap.max'), '0')
  return toEmulation(2, { cpu: dir, memory: dir })
}

/**
 * Creates a group of version 1 in the tree of each controller.
 *
 * @param {Limits} limits
 * @param {Parameters<typeof openUnified>[1]} system
 */
function openLegacy (limits, system) {
  const dirs = { cpu: '', memory: '' }
  try {
    for (const controller of CONTROLLERS) dirs[controller] = createLegacyGroup(controller, system)
    writeFileSync(join(dirs.cpu, 'cpu.cfs_period_us'), String(toPeriodUs(limits)))
    writeFileSync(join(dirs.cpu, 'cpu.cfs_quota_us'), limits.cpu === null ? '-1' : String(toQuotaUs(limits)))
    if (limits.memoryMiB !== null) {
      writeFileSync(join(dirs.memory, 'memory.limit_in_bytes'), toBytes(limits.memoryMiB))
      writeIfPossible(join(dirs.memory, 'memory.memsw.limit_in_bytes'), toBytes(limits.memoryMiB))
    }
    return toEmulation(1, dirs)
  } catch (error) {
    for (const dir of Object.values(dirs).filter(Boolean)) removeGroup(dir)
    throw new Error(`version 1: ${getErrorMessage(error)}`)
  }
}

/**
 * @param {'cpu' | 'memory'} controller
 * @param {Parameters<typeof openUnified>[1]} system
 * @returns {string} folder of the group
 */
function createLegacyGroup (controller, { mounts, self, name }) {
  const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller))?.at
  const memberships = self.split('\n').map(line => line.split(':'))
  const path = memberships.find(([, controllers]) => controllers?.split(',').includes(controller))?.[2]
  if (!mount || path === undefined) throw new Error(`the ${controller} controller is not mounted`)
  removeLeftovers(join(mount, path))
  const dir = join(mount, path, name)
  mkdirSync(dir)
  return dir
}

/** Length of a quota period in µs: the provider's, or the kernel's default. @param {Limits} limits */
const toPeriodUs = ({ periodMs = PERIOD_SECONDS * 1000 }) => Math.round(periodMs * 1000)
/** @param {Limits} limits */
const toQuotaUs = limits => Math.max(MIN_QUOTA_US, Math.round(Number(limits.cpu) * toPeriodUs(limits)))
/** @param {number} mib */
const toBytes = mib => String(Math.round(mib * 2 ** 20))

/**
 * Writes a file that some kernels do not have.
 *
 * @param {string} file
 * @param {string} text
 */
const writeIfPossible = (file, text) => attempt(() => writeFileSync(file, text), () => {})

/** Parses /proc/self/mountinfo: fields up to " - ", then type, source and options of the file system (proc(5)).
 * @param {string} mountinfo */
const parseMounts = mountinfo => mountinfo.split('\n').map(line => {
  const [mount, fileSystem = ''] = line.split(' - ')
  const [type = '', , options = ''] = fileSystem.split(' ')
  return { at: mountPoint(mount.split(' ')[4] ?? ''), type, options: options.split(',') }
})

/**
 * @param {string} file
 * @param {string} name
 * @returns {number} 0 without such a counter
 */
const readCounter = (file, name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readText(file))?.[1] ?? 0)
/** @param {string} file */
const readWords = file => readText(file).trim().split(/\s+/)

/**
 * Removes a group. The kernel rejects while a process is in it.
 *
 * @param {string} dir
 * @returns {boolean} success
 */
const removeGroup = dir => attempt(() => {
  rmdirSync(dir)
  return true
}, error => getErrorCode(error) === 'ENOENT')

/** Removes the empty groups of runs that were killed. @param {string} parent */
function removeLeftovers (parent) {
  for (const name of attempt(() => readdirSync(parent), () => [])) {
    const createdAt = name.startsWith(PREFIX) ? parseInt(name.slice(PREFIX.length)) : NaN
    if (Date.now() - createdAt > LEFTOVER_MS) removeGroup(join(parent, name))
  }
}
