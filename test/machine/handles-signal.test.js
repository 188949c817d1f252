import { join } from 'node:path'
import t from '../support/tap.js'
import { signalWhenHandled } from '../../bench/machine/handles-signal.js'
import { start } from '../../bench/machine/process.js'

const program = 'sleep 0.2; trap "exit 7" USR2; while :; do sleep 0.05; done'

t.test('sends a signal only after the process has a handler for it', async t => {
  const child = start({ name: 'a shell', argv: ['sh', '-c', program], log: join(t.testdir(), 'log') })
  t.teardown(() => child.stop())
  await signalWhenHandled(child, 'SIGUSR2')
  t.same(await child.exited, { code: 7, signal: null })
})

t.test('rejects a process that ends without a handler', async t => {
  const child = start({ name: 'a shell', argv: ['sh', '-c', 'exit 3'], log: join(t.testdir(), 'log') })
  t.teardown(() => child.stop())
  await t.rejects(signalWhenHandled(child, 'SIGUSR2'), { code: 'process-died' })
})
