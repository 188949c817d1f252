/**
 * Keeps cores of a virtual machine awake. The host takes a halted core away and gives it back up to 10 ms later, which
 * at a low load is most of a 99th percentile (docs/method.md). A process of the scheduling class idle runs only while
 * nothing else wants its core (sched(7)), so it takes no CPU time from what is measured.
 */
import { readFingerprint } from './environment/environment.js'
import { start } from './process.js'
import { onPath } from './setup/path.js'

/**
 * @param {number[]} cores
 * @param {number} seconds limit of the CPU time that each process uses
 * @param {{ isVirtual?: boolean | null, env?: NodeJS.ProcessEnv }} [system]
 * @returns {() => Promise<void>} lets them halt again. On other machines, and without chrt (util-linux), does nothing
 * @throws {HopbenchError} start-failed
 */
export function keepAwake (cores, seconds, { isVirtual = readFingerprint('/').virtual, env = process.env } = {}) {
  const chrt = onPath('chrt', env)
  if (!isVirtual || !chrt) return async () => {}
  const argv = [chrt, '-i', '0', 'sh', '-c', `ulimit -t ${Math.ceil(seconds)}; while :; do :; done`]
  const children = cores.map(core => start({ name: `the loop on core ${core}`, argv, cores: [core], log: '/dev/null' }))
  return async () => { await Promise.all(children.map(child => child.stop({ signal: 'SIGKILL' }))) }
}
