/**
 * Reads what the machine is and what it was doing: CPU, speed, kernel, limits, sysctls, other load. Values that the
 * system does not show are null. Changes nothing.
 */
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { hostPid, hostProc } from '../network/enclosure.js'
import { findOpenFilesLimit } from '../files/open-files.js'
import { run } from '../process.js'
import { listNames, listNumbers, parseJson, readStat, readText } from '../files/system-files.js'
import { measureTurnLoss } from './turn-loss.js'
import { allowedCores } from '../cores.js'

/** @import { Calibration, CpuTicks, Environment } from '../../types.js' */

/** Clocks that a hypervisor offers to Linux, by its name (drivers/clocksource and arch/x86 of Linux). */
const CLOCKS = {
  'kvm-clock': 'KVM',
  hyperv_clocksource_tsc_page: 'Hyper-V',
  hyperv_clocksource_msr: 'Hyper-V',
  xen: 'Xen'
}

/**
 * Reads the kind of processor and hypervisor. A field that the system does not show is null.
 *
 * @param {string} root prepended to /proc and /sys
 * @returns {Pick<Environment['cpu'], 'virtual' | 'family' | 'modelNumber' | 'stepping' | 'caches' | 'hypervisor'>}
 */
export function readFingerprint (root) {
  const cpuinfo = readText(join(root, 'proc/cpuinfo'))
  const getField = (/** @type {string} */ name) =>
    new RegExp(`^${name}[ \\t]*:(.*)$`, 'm').exec(cpuinfo)?.[1].trim()
  const getNumber = (/** @type {string} */ name) => {
    const value = getField(name)
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : null
  }
  // Only x86 has the flag. Elsewhere its absence proves nothing.
  const virtual = getField('flags')?.split(' ').includes('hypervisor') ?? null
  return {
    virtual,
    family: getNumber('cpu family'),
    modelNumber: getNumber('model'),
    stepping: getNumber('stepping'),
    caches: readCaches(root),
    hypervisor: virtual === false ? null : findHypervisor(root)
  }
}

/**
 * Reads the sizes of the caches that the first core uses, in KiB.
 *
 * @param {string} root
 * @returns {Record<string, number> | null} by name: "L1d", "L1i", "L2"
 */
function readCaches (root) {
  const folder = join(root, 'sys/devices/system/cpu/cpu0/cache')
  const caches = listNames(folder).sort().flatMap(name => {
    const [level, type, size] = ['level', 'type', 'size'].map(file => readText(join(folder, name, file)).trim())
    const suffix = level === '1' && type !== 'Unified' ? type.charAt(0).toLowerCase() : ''
    return /^\d+K$/.test(size) ? [[`L${level}${suffix}`, Number.parseInt(size)]] : []
  })
  return caches.length > 0 ? Object.fromEntries(caches) : null
}

/**
 * Finds the hypervisor by its folder in /sys, by its clock, or by the name of the hardware that it shows.
 *
 * @param {string} root
 * @returns {string | null} "KVM"
 */
function findHypervisor (root) {
  const read = (/** @type {string} */ file) => readText(join(root, 'sys', file)).trim()
  const clocks = read('devices/system/clocksource/clocksource0/available_clocksource').split(' ')
  const byClock = Object.entries(CLOCKS).find(([clock]) => clocks.includes(clock))?.[1]
  const hardware = ['sys_vendor', 'product_name'].map(file => read(`class/dmi/id/${file}`)).filter(Boolean).join(' ')
  return read('hypervisor/type') || byClock || hardware || null
}

/** Processes that are read at most, so that a machine with very many does not delay a run. */
const MAX_PROCESSES = 5000
/** Indexes of user and system time in readStat(), in clock ticks (fields 14 and 15 of proc_pid_stat(5)). */
const USER_TIME = 11
const SYSTEM_TIME = 12
/** Length to which Linux cuts a name in /proc/PID/comm. */
const MAX_LETTERS = 15
const WORK = fileURLToPath(new URL('calibration-work.js', import.meta.url))
/** Limits a calibration, which takes 1.6 s on an idle core. A core with ten other programs needs ten times as long. */
const TIMEOUT_SECONDS = 20
const WATCH_SECONDS = 0.4 // Long enough for 40 ticks of 10 ms on each core.
const MIB = 1048576

/** Settings that limit the number of connections and the reuse of ports. */
const SYSCTLS = [
  'net.core.somaxconn',
  'net.core.netdev_max_backlog',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_congestion_control',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_max_syn_backlog',
  'net.ipv4.tcp_max_tw_buckets',
  'net.ipv4.tcp_tw_reuse'
]

/**
 * @param {Pick<Environment, 'lab' | 'cores'>} known
 * @param {{ root?: string, isCalibrated?: boolean }} [options] `root` is prepended to /proc and /sys; isCalibrated:
 *   measures the speed of the machine too, which takes 2.5 s
 * @returns {Promise<Environment>}
 */
export async function readEnvironment ({ lab, cores }, { root = '/', isCalibrated = root === '/' } = {}) {
  // Before the calibration, which is busy itself.
  const shares = await watchCpu({ root, ...root === '/' && { proc: hostProc() } })
  // At the same time on the first and on the last core. On a single core both are slower, which only lengthens turns.
  const [calibration, turnLossMs] = isCalibrated ? await Promise.all([calibrate(), measureTurnLoss()]) : [null, null]
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  const boot = read(root, 'proc/sys/kernel/random/boot_id')
  return {
    cpu: {
      model: cpus()[0]?.model.trim() || 'unknown',
      cores: availableParallelism(),
      governor: read(root, 'sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
      idle: idleDriver(root),
      ...readFingerprint(root)
    },
    calibration,
    turnLossMs,
    memoryMiB: Math.round(memory / MIB),
    ...boot !== null && { boot },
    kernel: release(),
    platform: `${process.platform} ${process.arch}`,
    node: process.version.slice(1),
    user: { uid: process.getuid?.() ?? null },
    limits: { openFiles: await openFiles(root) },
    sysctl: readSysctls(root),
    lab,
    cores: { load: cores.load, served: cores.served },
    busy: {
      loadAverage: loadavg()[0],
      stealShare: shares?.steal ?? null,
      busyShare: shares?.busy ?? null,
      ...shares?.busiest && { process: shares.busiest }
    }
  }
}

/**
 * Measures for a short time which shares of all cores' time are busy, and taken by the hypervisor.
 *
 * @param {{ root?: string, proc?: string, seconds?: number }} [options] proc: the /proc that lists all processes
 * @returns {Promise<{ busy: number, steal: number, busiest: { name: string, share: number } | null } | null>} null:
 * there is no /proc
 */
export async function watchCpu ({ root = '/', proc = join(root, 'proc'), seconds = WATCH_SECONDS } = {}) {
  const before = readCpuTicks(root)
  if (!before) return null
  const processes = readProcessTicks(proc)
  await sleep(seconds * 1000)
  const after = readCpuTicks(root)
  const total = after ? after.total - before.total : 0
  if (!after || total <= 0) return null
  return {
    busy: 1 - (after.idle - before.idle) / total,
    steal: (after.steal - before.steal) / total,
    busiest: findBusiest(proc, processes, { ticks: total, except: root === '/' ? hostPid(process.pid) : undefined })
  }
}

/**
 * Returns whether turbo frequencies are allowed, which drift with the temperature.
 * @param {{ root?: string }} [options]
 */
export function hasTurbo ({ root = '/' } = {}) {
  const cpu = 'sys/devices/system/cpu'
  const off = read(root, `${cpu}/intel_pstate/no_turbo`)
  if (off !== null) return off === '0'
  const on = read(root, `${cpu}/cpufreq/boost`)
  return on === null ? null : on === '1'
}

/**
 * Returns driver and governor of idle states, because a halted virtual core wakes up late.
 * @param {string} root
 * @returns {string | null} "haltpoll, haltpoll"; null: not shown
 */
function idleDriver (root) {
  const cpuidle = 'sys/devices/system/cpu/cpuidle'
  const driver = read(root, `${cpuidle}/current_driver`)
  const governor = read(root, `${cpuidle}/current_governor`) ?? read(root, `${cpuidle}/current_governor_ro`)
  return driver && [driver, governor].filter(Boolean).join(', ')
}

/**
 * @param {string} root
 * @returns {Promise<number | null>} the soft limit; null: unlimited or unknown
 */
async function openFiles (root) {
  const limits = read(root, 'proc/self/limits')
  const text = limits === null ? (await run(['sh', '-c', 'ulimit -n'])).stdout : findOpenFilesLimit(limits)
  return /^\d+$/.test(text.trim()) ? Number(text) : null
}

function readSysctls (/** @type {string} */ root) {
  const pairs = SYSCTLS.map(name => [name, read(root, `proc/sys/${name.replaceAll('.', '/')}`)?.replace(/\s+/g, ' ')])
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}

/** Returns the value in a file; null if the file is missing or empty. */
const read = (/** @type {string} */ root, /** @type {string} */ path) => readText(join(root, path)).trim() || null

/**
 * Measures the speed of fixed work on one core: the last one, which belongs to the served side. On one core both ends
 * of a round trip take turns. On two, the rate differs by a factor of two, by where the kernel puts the ends.
 *
 * @param {{ work?: string }} [options] work: path of the program
 * @returns {Promise<Calibration | null>} null: the work could not be done
 */
export async function calibrate ({ work = WORK } = {}) {
  const { cores, pinnable } = allowedCores()
  const pinned = pinnable ? ['taskset', '-c', String(cores.at(-1))] : []
  const { exit, stdout } = await run([...pinned, process.execPath, work], { timeoutSeconds: TIMEOUT_SECONDS })
  return exit === 0 ? parseJson(stdout) : null
}

/**
 * Reads the CPU time of all processes.
 *
 * @param {string} proc folder /proc
 * @returns {Map<number, number>} clock ticks by PID
 */
export function readProcessTicks (proc) {
  /** @type {Map<number, number>} */
  const ticks = new Map()
  for (const pid of listNumbers(proc).slice(0, MAX_PROCESSES)) {
    const fields = readStat(join(proc, String(pid), 'stat'))
    const used = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])
    if (Number.isFinite(used)) ticks.set(pid, used)
  }
  return ticks
}

/**
 * Finds the name under which processes used most CPU time. Processes of the same name count together.
 *
 * @param {string} proc folder /proc
 * @param {Map<number, number>} before from readProcessTicks(), some time ago
 * @param {object} during
 * @param {number} during.ticks of all cores in this time
 * @param {number} [during.except] PID of hopbench itself
 * @returns {{ name: string, share: number } | null} share: of the time of all cores; null: nothing used any
 */
export function findBusiest (proc, before, { ticks, except }) {
  /** @type {Map<string, number>} */
  const byName = new Map()
  for (const [pid, used] of readProcessTicks(proc)) {
    const more = used - (before.get(pid) ?? used)
    if (more <= 0 || pid === except) continue
    const name = toPrintable(readText(join(proc, String(pid), 'comm')))
    if (name !== '') byName.set(name, (byName.get(name) ?? 0) + more)
  }
  const [busiest] = [...byName].sort(([, a], [, b]) => b - a)
  return busiest && ticks > 0 ? { name: busiest[0], share: Math.min(1, busiest[1] / ticks) } : null
}

/** Keeps printable ASCII, because any process can choose its name. @param {string} comm */
const toPrintable = comm => comm.replace(/[^ -~]/g, '').trim().slice(0, MAX_LETTERS)

/**
 * Reads /proc/stat (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq and steal time of all cores, and
 * procs_running.
 *
 * @param {string} [root] prepended to /proc
 * @returns {CpuTicks | null} null: the system does not show it
 */
export function readCpuTicks (root = '/') {
  const text = readText(join(root, 'proc/stat'))
  const line = /^cpu .*$/m.exec(text)?.[0]
  if (!line) return null
  const ticks = line.split(/\s+/).slice(1, 9).map(Number)
  const total = ticks.reduce((sum, value) => sum + value, 0)
  const running = /^procs_running (\d+)$/m.exec(text)?.[1]
  return { total, idle: ticks[3] + (ticks[4] ?? 0), steal: ticks[7] ?? 0, running: Number(running ?? NaN) || null }
}
