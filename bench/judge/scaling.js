/** Projects the gain of more processes from their CPU time, where they share cores with the load generator (pure). */
import { predictUsl } from './stats/usl.js'

/** @import { ArmResult, RunRecord } from '../types.js' */

/** Different numbers of processes that a fit requires: one more than the law has parameters. */
const MIN_NUMBERS = 4

/** Returns whether load generator and served side use the same cores. @param {Pick<RunRecord, 'environment'>} record */
export const sharesCores = ({ environment: { cores } }) => cores.load.some(core => cores.served.includes(core))

/**
 * Returns whether the rates of several processes and of one do not show the gain, because the machine has too few cores
 * for them and the load generator. The CPU time of the generator decides such a ratio: a cluster of four had 1.4 to 1.5
 * times the rate of one process with wrk, and 1.1 to 1.3 times with autocannon (docs/method.md).
 * @param {Pick<RunRecord, 'environment'>} record
 * @param {ArmResult} [arm]
 * @param {ArmResult} [baseline]
 */
export function lacksCores (record, arm, baseline) {
  const [processes, one] = [arm, baseline].map(side => Number(side?.topology.server?.instances))
  return one === 1 && processes > one && sharesCores(record) && processes >= record.environment.cpu.cores
}

/**
 * Projects the ratio of the rates of two arms to a core for each process.
 *
 * N processes with a core each serve about X(N) = N / c(N), with c seconds of CPU time per request. The Universal
 * Scalability Law is fitted to X of all arms that differ from the arm in the number of processes only. It leaves out
 * the time in which processes wait for each other without using CPU time. c(N) contains the cost of sharing cores here.
 *
 * @param {ArmResult[]} arms of the record
 * @param {ArmResult} arm
 * @returns {{ ratio: number, low: number, high: number } | null} against one process; null: fewer than four numbers
 */
export function projectProcesses (arms, arm) {
  const family = toFamily(arm)
  const points = arms.flatMap(other => {
    const n = Number(other.topology.server?.instances)
    const micros = getMicros(other)
    const isSame = toFamily(other) === family || (n === 1 && toFamily(other) === toFamily(arm, 'node'))
    return micros && isSame ? [{ n, x: n / micros }] : []
  })
  if (new Set(points.map(({ n }) => n)).size < MIN_NUMBERS) return null
  const [one, many] = [1, Number(arm.topology.server?.instances)].map(n => predictUsl(points, n))
  if ('refused' in one || 'refused' in many) return null
  return { ratio: many.x / one.x, low: many.low / one.x, high: many.high / one.x }
}

/** Returns the CPU time of proxy and server per request. @param {ArmResult} arm */
export const getMicros = ({ cpuMicrosPerRequest: cpu }) => cpu && cpu.proxy + cpu.server

/**
 * Returns what arms have in common that differ in the number of processes only.
 * @param {ArmResult} arm
 * @param {string} [manager] in place of that of the arm. One process has none.
 */
function toFamily ({ topology: { proxy, server }, load }, manager = server?.manager) {
  return JSON.stringify([proxy, { ...server, manager, instances: 0 }, load])
}
