/**
 * Processes that are killed during a run, as by a kernel without memory: a worker of a cluster, a worker of nginx, a
 * load generator, an app, the suite and its supervisor.
 */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import {
  begin, beginRun, hopbench, leavesNothing, makeWorkspace, recordIn, remainingProcesses, runDir, samplesIn
} from '../support/cli.js'
import { withoutNamespaces } from '../support/kill.js'
import { skipWithout } from '../support/needs.js'

/** @import { Workspace } from '../support/cli.js' */

const APP = 'export default (req, res) => { res.setHeader("Content-Type", "text/plain"); res.end("here I am") }\n'

/**
 * Reads a text of a process; empty if the process has ended.
 * @param {() => string} read
 */
const readIfThere = read => {
  try {
    return read()
  } catch {
    return ''
  }
}

/**
 * Kills the last process of a call that matches, and waits for one if there is none: a generator may be between two
 * trials.
 * @param {ReturnType<typeof begin>} call
 * @param {Workspace} workspace
 * @param {RegExp} pattern of its command line and its environment
 */
async function kill (call, workspace, pattern) {
  /** @type {number | undefined} */
  let pid
  await call.until(() => {
    pid = findLast(workspace, pattern)
    return pid !== undefined || call.child.ended() !== null
  })
  if (pid === undefined) throw new Error(`no process matches ${pattern}`)
  process.kill(pid, 'SIGKILL')
}

/**
 * Returns the newest process of a call that matches.
 * @param {Workspace} workspace
 * @param {RegExp} pattern of its command line and its environment
 * @returns {number | undefined}
 */
function findLast ({ tmp }, pattern) {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name)).filter(pid => {
    const folder = readIfThere(() => readlinkSync(`/proc/${pid}/cwd`))
    const [argv, env] = ['cmdline', 'environ'].map(file =>
      readIfThere(() => readFileSync(`/proc/${pid}/${file}`, 'latin1')).replaceAll('\0', ' '))
    return (folder.startsWith(tmp) || env.includes(tmp)) && pattern.test(`${argv}\n${env}`)
  })
  return pids.length > 0 ? Math.max(...pids.map(Number)) : undefined
}

/**
 * Returns the codes and messages of invalid trials.
 * @param {Workspace} workspace
 */
const reasonsIn = workspace => samplesIn(workspace).flatMap(({ arm, invalid }) =>
  invalid ? [`${arm}: ${invalid.code} ${invalid.params.message ?? invalid.params.workers}`] : [])

t.test('a killed process invalidates its arm, and the report names role and signal', {
  skip: skipWithout('nginx')
}, async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'app.mjs'), APP)
  const words = ['./app.mjs', 'http-json', 'nginx:uds/http-json', 'express-json', '--details',
    '--engine', 'autocannon']
  const call = await beginRun(t, words, { workspace, budget: '90s' })
  const before = samplesIn(workspace)

  /** @type {[RegExp, RegExp][]} pattern of the process; reason */
  const kills = [
    [/^nginx: worker/, /nginx:uds\/http-json: process-died a worker of the proxy of .* was ended by SIGKILL/],
    // The folder of the fourth arm, express-json. If the first arm lost its generator, the run would end.
    [/autocannon-child[^]*\/3\/autocannon/, /express-json: process-died the load generator of .* was ended by SIGKILL/],
    [/launch\.js[^]*app\.mjs/, /\.\/app\.mjs: process-died the server of .*app\.mjs was ended by SIGKILL/]
  ]
  for (const [pattern, reason] of kills) {
    await kill(call, workspace, pattern)
    await call.until(() => reasonsIn(workspace).some(text => reason.test(text)) || call.child.ended() !== null)
    t.ok(reasonsIn(workspace).some(text => reason.test(text)), String(reason)) || t.comment(reasonsIn(workspace))
  }
  t.match(await call.child.exited, { code: 1 })
  t.match(recordIn(workspace), { ended: 'failed' })
  t.strictSame(samplesIn(workspace).slice(0, before.length), before, 'earlier samples are kept')
  t.match(call.stdout(), /was\s+ended\s+by\s+SIGKILL/)
  await leavesNothing(t, workspace)
})

t.test('a killed worker of a cluster invalidates the trial', async t => {
  const workspace = makeWorkspace(t)
  const call = await beginRun(t, ['http-json@cluster:2'], { workspace })
  await kill(call, workspace, /launch(?:-cluster)?\.js/)
  // On a busy machine a trial may be invalid for another reason first.
  const isSeen = () => reasonsIn(workspace).includes('http-json@cluster:2: worker-died 1')
  await call.until(() => isSeen() || call.child.ended() !== null)
  t.ok(isSeen()) || t.comment(reasonsIn(workspace))
  call.child.signal('SIGINT')
  await call.child.exited
  const { arms: [{ invalidTrials }] } = recordIn(workspace)
  t.ok(invalidTrials.some((/** @type {any} */ { reason }) => reason.code === 'worker-died'))
  await leavesNothing(t, workspace)
})

t.test('a killed suite is reported, its run can be resumed, and killed as a whole', {
  skip: skipWithout('namespaces')
}, async t => {
  const workspace = makeWorkspace(t)
  const call = await beginRun(t, ['http-json'], { workspace })
  // The inner process has a smaller young generation than the outer one.
  await kill(call, workspace, /^\S*node \S*semi-space/)
  t.match(await call.child.exited, { code: 1 })
  t.match(call.stderr(), /The measuring process .* was ended by SIGKILL.*\nTry: .*--resume.*\[suite-killed\]$/m)
  await leavesNothing(t, workspace)

  const before = samplesIn(workspace)
  // Stored before the first sample.
  t.equal(recordIn(workspace).complete, false)
  t.equal((await hopbench(['report', runDir(workspace)], { workspace })).exit, 0)
  const resumed = begin(t, ['run', '--resume', runDir(workspace), '--results', workspace.results], { workspace })
  await resumed.until(() => samplesIn(workspace).length > before.length)
  // Only the outer process, not its group.
  process.kill(resumed.child.pid, 'SIGKILL')
  await resumed.child.exited
  t.strictSame(await remainingProcesses(workspace), [], 'the kernel ends the others with the namespace')
  t.strictSame(samplesIn(workspace).slice(0, before.length), before, 'earlier samples are kept')
  await hopbench(['run', 'http-json', '--smoke', '--results', join(workspace.dir, 'other')], { workspace })
  await leavesNothing(t, workspace) // The next start has removed the files of the killed one.
})

t.test('a killed supervisor is reported and replaced, and its successor ends all processes', async t => {
  const workspace = makeWorkspace(t)
  const call = await beginRun(t, ['http-json'], { workspace, env: withoutNamespaces(join(workspace.dir, 'bin')) })
  await kill(call, workspace, /supervisor\.js/)
  await call.until(() => /The supervisor.* was ended by SIGKILL and has been started again\.$/m.test(call.stderr()))
  const { length } = samplesIn(workspace)
  await call.until(() => samplesIn(workspace).length > length)
  process.kill(call.child.pid, 'SIGKILL')
  await call.child.exited
  t.strictSame(await remainingProcesses(workspace), [])
  t.ok(samplesIn(workspace).length > length)
})
