import { join } from 'node:path'
import t from '../support/tap.js'
import { signalWhenHandled } from '../../bench/machine/handles-signal.js'
import { start } from '../../bench/machine/process.js'

/**
 * @param {import('tap').Test} t
 * @param {string} script
 */
function startShell (t, script) {
  const child = start({ name: 'a shell', argv: ['sh', '-c', script], log: join(t.testdir(), 'log') })
  t.teardown(() => child.stop())
  return child
}

t.test('sends a signal only after the process has a handler for it', async t => {
  const child = startShell(t, 'sleep 0.2; trap "exit 7" USR2; while :; do sleep 0.05; done')
  await signalWhenHandled(child, 'SIGUSR2')
  t.same(await child.exited, { code: 7, signal: null })
})

t.test('rejects a process that ends without a handler', async t => {
  await t.rejects(signalWhenHandled(startShell(t, 'exit 3'), 'SIGUSR2'), { code: 'process-died' })
})
