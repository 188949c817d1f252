/**
 * Cost of pausing and resuming the processes of an arm, by signals to their group, and by a freezer control group
 * (version 2, cgroup.freeze) if the account can make one. The processes are idle, so each of them has to wake up.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupMembers } from '../../bench/machine/probe.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { makeTempRoot } from '../../bench/machine/temp.js'
import { fixed, median } from './measure.js'

/** @import { Child } from '../../bench/machine/shapes.js' */
/** @import { Bench, Part } from './index.js' */

const SIZES = [1, 16, 64, 256, 1000, 4000]
const TIMES = 12
/** Time until all started processes are idle. */
const SETTLE_MS = 500
/** Time limit of a change of state. */
const TIMEOUT_MS = 1000
/** Longest time to pause and resume: a tenth of a turn of 50 ms in gang slices. */
const GOAL_MS = 5

/** @typedef {{ stop: () => void, go: () => void, stopped: () => boolean, close: () => void }} Pauser */

/** @type {Part} */
export default {
  title: 'cost of pausing and resuming N processes, by signals and by a freezer control group',
  async run (bench) {
    const temp = makeTempRoot()
    bench.teardown(() => temp.remove())
    const lines = []
    for (const size of bench.short ? SIZES.slice(0, 3) : SIZES) {
      const argv = ['sh', '-c', `i=1; while [ $i -lt ${size} ]; do sleep 1000 & i=$((i+1)); done; sleep 1000`]
      const child = start({ name: `${size} processes`, argv, log: join(temp.path, 'log') })
      bench.teardown(() => child.stop({ signal: 'SIGKILL' }))
      // The shell is one more process.
      await waitUntil(child, () => groupMembers([child.pid]).length > size, { timeoutSeconds: 60 })
      await sleep(SETTLE_MS)
      for (const [way, pauser] of [['signals', bySignals(child)], ['freezer', byFreezer(child)]]) {
        if (typeof pauser === 'string') {
          bench.note(`${size} processes, ${way}: ${pauser}`)
          continue
        }
        bench.note(`${size} processes, ${way}`)
        const { stop, go } = await timesOf(/** @type {Pauser} */ (pauser), bench)
        lines.push({
          what: `${size} processes by ${way}`,
          measured: `${fixed(stop)} ms to pause all, ${fixed(go)} ms to resume them`,
          goal: `≤ ${GOAL_MS} ms together`,
          met: stop + go <= GOAL_MS
        })
      }
      await child.stop({ signal: 'SIGKILL' })
    }
    return lines
  }
}

/**
 * Measures the median times to pause and to resume, in ms.
 * @param {Pauser} pauser
 * @param {Bench} bench
 */
async function timesOf (pauser, bench) {
  const found = { stop: /** @type {number[]} */ ([]), go: /** @type {number[]} */ ([]) }
  for (let time = 0; time < (bench.short ? 3 : TIMES); time++) {
    let at = performance.now()
    pauser.stop()
    waitFor(() => pauser.stopped())
    found.stop.push(performance.now() - at)
    await sleep(20)
    at = performance.now()
    pauser.go()
    waitFor(() => !pauser.stopped())
    found.go.push(performance.now() - at)
    await sleep(20)
  }
  pauser.close()
  return { stop: median(found.stop), go: median(found.go) }
}

/**
 * Waits for a condition in a busy loop, because timers are too coarse.
 * @param {() => boolean} holds
 */
function waitFor (holds) {
  const deadline = performance.now() + TIMEOUT_MS
  while (!holds()) if (performance.now() > deadline) throw new Error('the processes were not paused or resumed in time')
}

/**
 * Pauses by signals. The kernel signals a group from one end to the other, so the first and the last process suffice to
 * observe it.
 * @param {Child} child
 * @returns {Pauser}
 */
function bySignals (child) {
  const pids = groupMembers([child.pid])
  const ends = [pids[0], pids[pids.length >> 1], pids[pids.length - 1]]
  const isStopped = (/** @type {number} */ pid) => /^\d+ \(.*\) T/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  return { stop: child.pause, go: child.resume, stopped: () => ends.every(isStopped), close () {} }
}

/**
 * @param {Child} child
 * @returns {Pauser | string} string: reason why freezing is not available
 */
function byFreezer (child) {
  const mount = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').map(line => line.split(' '))
    .find(fields => fields.includes('cgroup2'))?.[4]
  if (mount === undefined) return 'version 2 of control groups is not mounted'
  const dir = join(mount, `hopbench-${process.pid}-${child.pid}`)
  try {
    mkdirSync(dir)
    for (const pid of groupMembers([child.pid])) writeFileSync(join(dir, 'cgroup.procs'), String(pid))
  } catch (error) {
    return /** @type {Error} */ (error).message
  }
  return {
    stop: () => writeFileSync(join(dir, 'cgroup.freeze'), '1'),
    go: () => writeFileSync(join(dir, 'cgroup.freeze'), '0'),
    stopped: () => readFileSync(join(dir, 'cgroup.events'), 'utf8').includes('frozen 1'),
    close () {
      for (const pid of groupMembers([child.pid])) writeFileSync(join(mount, 'cgroup.procs'), String(pid))
      if (readdirSync(dir).includes('cgroup.procs')) rmdirSync(dir)
    }
  }
}
