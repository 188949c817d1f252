/** Ctrl-C once and twice, and kill -9. */
import t from 'tap'
import { faultOf } from '../../bench/store/record-format.js'
import {
  begin, hopbench, leavesNothing, makeWorkspace, processesOf, recordIn, remainingProcesses, runDir, samplesIn
} from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

/** @import { Workspace } from '../support/cli.js' */
/** @import { Test } from 'tap' */

/** A run that would go on for a minute, in the middle of measuring. @param {Test} t */
async function measuring (t) {
  const workspace = makeWorkspace(t)
  const call = begin(t, ['run', 'http-json', 'nginx:uds/http-json', '--precision', '0.01%', '--budget', '60s',
    '--results', workspace.results], { workspace })
  await call.until(() => samplesIn(workspace).length > 0)
  return { workspace, call }
}

t.test('Ctrl-C ends a run cleanly: what there is is reported and kept, and can go on later', async t => {
  const { workspace, call } = await measuring(t)
  call.child.signal('SIGINT')
  t.match(await call.child.exited, { code: 1 })
  t.match(call.stderr(), /^Ending after this slice.*press Ctrl-C again to stop at once\.$/m)
  t.match(call.stdout(), 'nginx:uds/http-json', 'there is a report')
  const record = recordIn(workspace)
  t.match(record, { complete: false, ended: 'interrupted' })
  t.equal(faultOf('record', record), null)
  const before = samplesIn(workspace)
  t.ok(before.length > 0)
  await leavesNothing(t, workspace)

  const dir = runDir(workspace)
  const resumed = begin(t, ['run', '--resume', dir, '--results', workspace.results], { workspace })
  await resumed.until(() => samplesIn(workspace).length > before.length + 2)
  resumed.child.signal('SIGINT')
  await resumed.child.exited
  t.strictSame(samplesIn(workspace).slice(0, before.length), before, 'what was measured is still there')
  t.equal(recordIn(workspace).seed, record.seed)
  await leavesNothing(t, workspace)
})

t.test('Ctrl-C twice stops at once, and what was stored is kept', async t => {
  const { workspace, call } = await measuring(t)
  call.child.signal('SIGINT')
  await call.until(() => call.stderr().includes('Ending after this slice'))
  // Two signals in quick succession would be one press that npm passes on.
  await new Promise(resolve => setTimeout(resolve, 500))
  call.child.signal('SIGINT')
  t.match(await call.child.exited, { code: 1 })
  t.ok(samplesIn(workspace).length > 0)
  t.equal(recordIn(workspace).complete, false)
  t.equal((await hopbench(['report', runDir(workspace)], { workspace })).exit, 0, 'it can be reported')
  await leavesNothing(t, workspace)
})

t.test('kill -9 leaves no process behind, and the next start removes the folder', {
  skip: skipWithout('namespaces')
}, async t => {
  const { workspace, call } = await measuring(t)
  t.ok(processesOf(workspace).length > 8, 'two nginx, three servers, three generators …')
  // The outer process alone, not its group: nobody but the kernel ends the rest.
  process.kill(call.child.pid, 'SIGKILL')
  await call.child.exited
  t.strictSame(await remainingProcesses(workspace), [])
  t.ok(samplesIn(workspace).length > 0, 'samples are kept')
  await hopbench(['run', 'http-json', '--smoke', '--results', workspace.results], { workspace })
  await leavesNothing(t, workspace)
})
