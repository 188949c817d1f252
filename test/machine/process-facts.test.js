/** Tests the facts of processes that are read from /proc. */
import t from '../support/tap.js'
import { getParent, isAlive, isDescendant } from '../../bench/machine/process-facts.js'
import { start } from '../../bench/machine/process.js'

t.test('reads parents, descendants, and whether a process runs', { skip: process.platform !== 'linux' }, async t => {
  const dir = t.testdir({})
  const child = start({ name: 'a child', argv: ['sleep', '30'], log: `${dir}/log` })
  t.teardown(() => child.stop())
  t.equal(getParent(child.pid), process.pid)
  t.ok(isDescendant(child.pid, process.pid))
  t.ok(isDescendant(child.pid, process.ppid))
  t.notOk(isDescendant(process.pid, child.pid))
  t.ok(isAlive(child.pid))
  await child.stop()
  t.notOk(isAlive(child.pid))
})
