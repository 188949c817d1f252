/**
 * Reads what the machine is and what it was doing: CPU, speed, kernel, limits, sysctls, other load. Values that the
 * system does not show are null. Changes nothing.
 */
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBusiest, readProcessTicks } from './busiest-process.js'
import { calibrate } from './calibration.js'
import { readCpuTicks } from './cpu-ticks.js'
import { hostPid, hostProc } from './enclosure.js'
import { readFingerprint } from './fingerprint.js'
import { findOpenFilesLimit } from './open-files.js'
import { run } from './process.js'
import { readText } from './system-files.js'
import { measureTurnLoss } from './turn-loss.js'

/** @import { Environment } from '../types.js' */

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
  const text = limits === null
    ? (await run(['sh', '-c', 'ulimit -n'])).stdout
    : findOpenFilesLimit(limits)
  return /^\d+$/.test(text.trim()) ? Number(text) : null
}

function readSysctls (/** @type {string} */ root) {
  const pairs = SYSCTLS.map(name => [name, read(root, `proc/sys/${name.replaceAll('.', '/')}`)?.replace(/\s+/g, ' ')])
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}

/** Returns the value in a file; null if the file is missing or empty. */
const read = (/** @type {string} */ root, /** @type {string} */ path) => readText(join(root, path)).trim() || null
