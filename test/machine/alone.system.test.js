/** Two suites at once on one machine: the second one names the first and waits for it, or is refused. */
import { writeFileSync } from 'node:fs'
import t from '../support/tap.js'
import { start, waitUntil, readLastLines } from '../../bench/machine/process.js'
import { begin, failsWell, hopbench, makeWorkspace } from '../support/cli.js'
import { getFailure } from '../support/in-process.js'
import { join } from 'node:path'

/** @import { Workspace } from '../support/cli.js' */
/** @import { Test } from 'tap' */

/**
 * Starts a process that holds the machine lock, as a suite does while it measures.
 * @param {Test} t
 * @param {Workspace} workspace
 */
async function planted (t, workspace) {
  const log = join(workspace.dir, 'holder.log')
  const module = new URL('../../bench/machine/machine-lock.js', import.meta.url).href
  const script = `import('${module}').then(async ({ acquireMachineLock }) => {
    await acquireMachineLock(['run', 'uds'], { results: '/their/results' })
    console.log('measuring')
    setInterval(() => {}, 1000)
  })`
  const child = start({
    name: 'the other suite',
    argv: [process.execPath, '-e', script],
    env: { TMPDIR: workspace.tmp },
    log
  })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  await waitUntil(child, () => readLastLines(log).includes('measuring'))
  return child
}

/**
 * Returns the arguments of a run whose results cannot be written, so that it fails as soon as it holds the lock.
 * @param {Workspace} workspace
 */
const run = workspace => {
  writeFileSync(workspace.results, 'a file is in the way')
  return ['run', 'http-json', '--quick', '--results', workspace.results]
}

t.test('with --no-wait the second suite is refused with the process and command of the first one', async t => {
  const workspace = makeWorkspace(t)
  const other = await planted(t, workspace)
  const commands = [
    ['all', '--only', 'uds', '--results', workspace.results],
    ['size', 'http-json', '--rps', '10', '--p99', '1s'],
    ['selftest']
  ]
  const { exit, stderr: text } = await hopbench([...run(workspace), '--no-wait'], { workspace })
  const refused = [{ name: 'run', exit, text }]
  for (const args of commands) {
    refused.push({ name: args[0], ...await getFailure(t, [...args, '--no-wait'], workspace) })
  }
  for (const { name, exit, text } of refused) {
    t.equal(exit, 1, name)
    t.match(text, `Another hopbench is measuring on this machine (process ${other.pid}, "hopbench run uds", since 20`,
      name)
    t.match(text, /Z\), and two would disturb each other\.\nTry: Leave out --no-wait/, name)
  }
})

t.test('without --no-wait the second suite prints once that it waits, and begins when the first is killed', async t => {
  const workspace = makeWorkspace(t)
  const other = await planted(t, workspace)
  const second = begin(t, run(workspace), { workspace })
  await second.until(() => second.stderr().includes('Waiting for its end'))
  t.match(second.stderr(), `(process ${other.pid}, "hopbench run uds"`)
  other.signal('SIGKILL')
  const { code } = await second.child.exited
  await failsWell(t, { exit: code, stdout: second.stdout(), stderr: second.stderr(), signal: null, timedOut: false },
    { workspace, exit: 1, message: /results cannot be written/ })
  t.equal(second.stderr().match(/Waiting/g)?.length, 1)
})

t.test('commands that do not measure, processes of the suite, and suites with another TMPDIR do not wait', async t => {
  const workspace = makeWorkspace(t)
  const other = await planted(t, workspace)
  const apart = makeWorkspace(t)
  const [list, inItsName, elsewhere] = await Promise.all([
    hopbench(['list'], { workspace }),
    hopbench(run(workspace), { workspace, env: { HOPBENCH_IN_TURN: String(other.pid) } }),
    hopbench([...run(apart), '--no-wait'], { workspace: apart })
  ])
  t.equal(list.exit, 0)
  for (const { stderr } of [inItsName, elsewhere]) t.match(stderr, /results cannot be written/)
})
