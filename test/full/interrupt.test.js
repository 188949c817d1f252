/** Ctrl-C once and twice, and kill -9. */
import t from 'tap'
import { faultOf } from '../../bench/store/record-format.js'
import { begin, hopbench, leavesNothing, placeFor, processesOf, recordIn, runDir, samplesIn } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

/** @import { Place } from '../support/cli.js' */
/** @import { Test } from 'tap' */

/** A run that would go on for a minute, in the middle of measuring. @param {Test} t */
async function measuring (t) {
  const place = placeFor(t)
  const call = begin(t, ['run', 'http-json', 'nginx:uds/http-json', '--precision', '0.01%', '--budget', '60s',
    '--results', place.results], { place })
  await call.until(() => samplesIn(place).length > 0)
  return { place, call }
}

t.test('Ctrl-C ends a run cleanly: what there is is reported and kept, and can go on later', async t => {
  const { place, call } = await measuring(t)
  call.child.signal('SIGINT')
  t.match(await call.child.exited, { code: 1 })
  t.match(call.stderr(), /^Ending after this slice.*press Ctrl-C again to stop at once\.$/m)
  t.match(call.stdout(), 'nginx:uds/http-json', 'there is a report')
  const record = recordIn(place)
  t.match(record, { complete: false, ended: 'interrupted' })
  t.equal(faultOf('record', record), null)
  const before = samplesIn(place)
  t.ok(before.length > 0)
  await leavesNothing(t, place)

  const dir = runDir(place)
  const resumed = begin(t, ['run', '--resume', dir, '--results', place.results], { place })
  await resumed.until(() => samplesIn(place).length > before.length + 2)
  resumed.child.signal('SIGINT')
  await resumed.child.exited
  t.strictSame(samplesIn(place).slice(0, before.length), before, 'what was measured is still there')
  t.equal(recordIn(place).seed, record.seed)
  await leavesNothing(t, place)
})

t.test('Ctrl-C twice stops at once, and what was stored is kept', async t => {
  const { place, call } = await measuring(t)
  call.child.signal('SIGINT')
  await call.until(() => call.stderr().includes('Ending after this slice'))
  // Two signals in quick succession would be one press that npm passes on.
  await new Promise(resolve => setTimeout(resolve, 500))
  call.child.signal('SIGINT')
  t.match(await call.child.exited, { code: 1 })
  t.ok(samplesIn(place).length > 0)
  t.equal(recordIn(place).complete, false)
  t.equal((await hopbench(['report', runDir(place)], { place })).exit, 0, 'it can be reported')
  await leavesNothing(t, place)
})

t.test('kill -9 leaves no process behind, and the next start removes the folder', {
  skip: skipWithout('namespaces')
}, async t => {
  const { place, call } = await measuring(t)
  t.ok(processesOf(place).length > 8, 'two nginx, three servers, three generators …')
  // The outer process alone, not its group: nobody but the kernel ends the rest.
  process.kill(call.child.pid, 'SIGKILL')
  await call.child.exited
  const deadline = Date.now() + 10_000
  while (processesOf(place).length > 0 && Date.now() < deadline) await new Promise(resolve => setTimeout(resolve, 50))
  t.strictSame(processesOf(place), [])
  t.ok(samplesIn(place).length > 0, 'samples are kept')
  await hopbench(['run', 'http-json', '--smoke', '--results', place.results], { place })
  await leavesNothing(t, place)
})
