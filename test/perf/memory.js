/** Peak memory of the suite itself, in the outer and the inner process. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { begin, makeWorkspace } from '../support/cli.js'
import { fixed } from './measure.js'

/** @import { Part } from './index.js' */

const GOAL_MB = 150

/** @type {Part} */
export default {
  title: 'memory of the suite itself',
  async run (bench) {
    const workspace = makeWorkspace(bench)
    const args = bench.short ? ['http-json', '--budget', '10s'] : ['uds']
    const { child } = begin(bench, ['run', ...args, '--quick', '--results', workspace.results], { workspace })
    let [highest, plain] = [0, 0]
    while (!child.ended()) {
      const processes = suiteProcesses(workspace.tmp).map(memoryOf)
      const own = processes.reduce((sum, { anonymous }) => sum + anonymous, 0)
      const shared = Math.max(0, ...processes.map(({ file }) => file))
      highest = Math.max(highest, own + shared)
      plain = Math.max(plain, processes.reduce((sum, { peak }) => sum + peak, 0))
      await sleep(50)
    }
    return [{
      what: 'outer and inner process, the pages of the node program once',
      measured: `${fixed(highest, 0)} MB (${fixed(plain, 0)} MB as the sum of both peaks)`,
      goal: `< ${GOAL_MB} MB`,
      met: highest < GOAL_MB
    }]
  }
}

/**
 * Finds the Node processes that run bootstrap.js with a TMPDIR.
 * @param {string} tmp
 */
const suiteProcesses = tmp =>
  readdirSync('/proc').filter(pid =>
    /^\d+$/.test(pid) &&
    /^[^\0]*node\0(?:--[^\0]*\0)*[^\0]*bootstrap\.js\0/.test(textOf(`/proc/${pid}/cmdline`)) &&
    textOf(`/proc/${pid}/environ`).includes(tmp)
  )

/**
 * Reads the memory of a process in MB: its own, the part shared with all Node processes, and its peak.
 * @param {string} pid
 */
function memoryOf (pid) {
  const status = textOf(`/proc/${pid}/status`)
  const megabytes = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024 / 1e6
  return { anonymous: megabytes('RssAnon'), file: megabytes('RssFile'), peak: megabytes('VmHWM') }
}

/** @param {string} file */
function textOf (file) {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
