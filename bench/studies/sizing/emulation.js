/** The limits of a plan, put on the served side by control groups: CPU time per period, and memory. Version 2 where its
 * controllers are available, else version 1 (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/ and
 * scheduler/sched-bwc.rst of the kernel). */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../../errors.js'
import { mountPoint } from '../../topology/confinement/mounts.js'
import { PERIOD_SECONDS } from './bursts.js'

/** @import { Emulation, Limits, Wanted } from './types.js' */

const PREFIX = 'hopbench-'
/** A group that is older than this and empty was left behind: one that was just made is empty too. */
const LEFT_MS = 60_000
/** Processes that were killed leave their group when the kernel has time for it. */
const REMOVE = { tries: 40, everyMs: 25 }

/** @param {Limits} limits
 * @param {{ mounts?: string, self?: string, name?: string }} [system] other tables than this machine's, for tests
 * @returns {Emulation} @throws {HopbenchError} no-limits */
export function openEmulation (
  limits,
  {
    mounts = readOr('/proc/self/mountinfo'), self = readOr('/proc/self/cgroup'),
    name = `${PREFIX}${Date.now()}-${randomUUID().slice(0, 8)}`
  } = {}
) {
  /** @type {string[]} */
  const reasons = []
  for (const version of [unified, legacy]) {
    const made = version({ mounts, self, name, limits })
    if (typeof made !== 'string') return made
    reasons.push(made)
  }
  throw new HopbenchError('no-limits', { why: reasons.join('; ') })
}

/** Whether plans can be emulated here, found out by trying.
 * @returns {Promise<{ version: 1 | 2 | null, why: string | null }>} */
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

/** Version 2: a group of its own as far down as this process's own, and further up where that one may have no children
 * with controllers. @param {Wanted} wanted @returns {Emulation | string} a string says why not */
function unified ({ mounts, self, name, limits }) {
  const mount = mountOf(mounts, fields => fields.type === 'cgroup2')
  const own = /^0::(.*)$/m.exec(self)?.[1]
  if (!mount || own === undefined) return 'version 2 of control groups is not mounted'
  let why = 'version 2 has no cpu and memory controllers here'
  for (let path = own; ; path = path.slice(0, path.lastIndexOf('/'))) {
    const parent = join(mount, path)
    const dir = join(parent, name)
    try {
      removeLeft(parent)
      if (!words(join(parent, 'cgroup.controllers')).includes('cpu')) {
        throw new Error('the cpu controller is not in version 2 here')
      }
      if (!['cpu', 'memory'].every(controller =>
        words(join(parent, 'cgroup.subtree_control')).includes(controller)
      )) {
        writeFileSync(join(parent, 'cgroup.subtree_control'), '+cpu +memory')
      }
      mkdirSync(dir)
      write(dir, {
        'cpu.max': limits.cpu === null ? 'max' : `${quotaOf(limits)} ${periodOf(limits)}`,
        'memory.max': limits.memoryMiB === null ? 'max' : String(bytesOf(limits.memoryMiB)),
        // A plan's memory is all there is.
        ...limits.memoryMiB !== null && { 'memory.swap.max?': '0' }
      })
      return {
        version: 2,
        enter: entering([dir]),
        stats: () => ({
          periods: figure(dir, 'cpu.stat', 'nr_periods'),
          throttledPeriods: figure(dir, 'cpu.stat', 'nr_throttled'),
          throttledSeconds: figure(dir, 'cpu.stat', 'throttled_usec') / 1e6,
          oomKills: figure(dir, 'memory.events', 'oom_kill'),
          memoryPeakMiB: Number(readOr(join(dir, 'memory.peak')) || 0) / 2 ** 20
        }),
        close: () => remove([dir])
      }
    } catch (error) {
      removeAtOnce(dir)
      why = `version 2: ${/** @type {Error} */ (error).message}`
    }
    if (path === '' || path === '/') return why
  }
}

/** Version 1: a group in the tree of each controller. @param {Wanted} wanted
 * @returns {Emulation | string} a string says why not */
function legacy ({ mounts, self, name, limits }) {
  const dirs = /** @type {Record<'cpu' | 'memory', string>} */ ({})
  try {
    for (const controller of /** @type {const} */ (['cpu', 'memory'])) {
      const mount = mountOf(mounts, fields => fields.type === 'cgroup' && fields.options.includes(controller))
      const own = self.split('\n').map(line => line.split(':')).find(([, names]) =>
        names?.split(',').includes(controller)
      )?.[2]
      if (!mount || own === undefined) throw new Error(`the ${controller} controller is not mounted`)
      removeLeft(join(mount, own))
      dirs[controller] = join(mount, own, name)
      mkdirSync(dirs[controller])
    }
    write(dirs.cpu, {
      'cpu.cfs_period_us': String(periodOf(limits)),
      'cpu.cfs_quota_us': limits.cpu === null ? '-1' : String(quotaOf(limits))
    })
    if (limits.memoryMiB !== null) {
      write(dirs.memory, {
        'memory.limit_in_bytes': String(bytesOf(limits.memoryMiB)),
        'memory.memsw.limit_in_bytes?': String(bytesOf(limits.memoryMiB))
      })
    }
    const all = Object.values(dirs)
    return {
      version: 1,
      enter: entering(all),
      stats: () => ({
        periods: figure(dirs.cpu, 'cpu.stat', 'nr_periods'),
        throttledPeriods: figure(dirs.cpu, 'cpu.stat', 'nr_throttled'),
        throttledSeconds: figure(dirs.cpu, 'cpu.stat', 'throttled_time') / 1e9,
        oomKills: figure(dirs.memory, 'memory.oom_control', 'oom_kill'),
        memoryPeakMiB: Number(readOr(join(dirs.memory, 'memory.max_usage_in_bytes')) || 0) / 2 ** 20
      }),
      close: () => remove(all)
    }
  } catch (error) {
    for (const dir of Object.values(dirs)) removeAtOnce(dir)
    return `version 1: ${/** @type {Error} */ (error).message}`
  }
}

/** The provider's period, or the kernel's own, µs. @param {Limits} limits */
const periodOf = ({ periodMs = PERIOD_SECONDS * 1000 }) => Math.round(periodMs * 1000)
/** The kernel takes no quota below a millisecond. @param {Limits} limits */
const quotaOf = limits => Math.max(1000, Math.round(Number(limits.cpu) * periodOf(limits)))
/** @param {number} mib */
const bytesOf = mib => Math.round(mib * 2 ** 20)

/** The shell moves itself and becomes the program: nothing runs outside the limits for a moment. @param {string[]} dirs
 */
const entering =
  dirs => ['sh', '-c',
    `${dirs.map((_, i) => `echo 0 > "$${i + 1}/cgroup.procs" && `).join('')}shift ${dirs.length} && exec "$@"`, 'sh',
    ...dirs]

/** @param {string} dir @param {Record<string, string>} files a name that ends with ? may be missing */
function write (dir, files) {
  for (const [file, text] of Object.entries(files)) {
    try {
      writeFileSync(join(dir, file.replace('?', '')), text)
    } catch (error) {
      if (!file.endsWith('?')) throw error
    }
  }
}

/** @param {string} mounts @param {(fields: { type: string, options: string[] }) => boolean} wanted
 * @returns {string | undefined} where it is mounted */
const mountOf = (mounts, wanted) => mounts.split('\n').map(line => {
  // proc(5): fields up to " - ", then the type, the source and the options of the whole file system.
  const [before, after = ''] = line.split(' - ')
  const [type = '', , options = ''] = after.split(' ')
  return { at: mountPoint(before.split(' ')[4] ?? ''), type, options: options.split(',') }
}).find(wanted)?.at

/** @param {string} dir @param {string} file @param {string} name */
const figure = (dir, file, name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readOr(join(dir, file)))?.[1] ?? 0)
/** @param {string} file */
const words = file => readOr(file).trim().split(/\s+/)

/** @param {string} file */
function readOr (file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** @param {string[]} dirs */
async function remove (dirs) {
  for (let tries = REMOVE.tries; tries > 0; tries--) {
    if (dirs.map(removeAtOnce).every(Boolean)) return
    await sleep(REMOVE.everyMs)
  }
}

/** @param {string} dir @returns {boolean} whether it is gone; false while something runs in it */
function removeAtOnce (dir) {
  try {
    rmdirSync(dir)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT'
  }
}

/** Groups of suites that were killed: the kernel removes only those in which nothing runs. @param {string} parent */
function removeLeft (parent) {
  try {
    for (const name of readdirSync(parent)) {
      const madeAt = name.startsWith(PREFIX) ? parseInt(name.slice(PREFIX.length)) : NaN
      if (Date.now() - madeAt > LEFT_MS) removeAtOnce(join(parent, name))
    }
  } catch {}
}
