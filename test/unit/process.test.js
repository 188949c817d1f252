import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { groupMembers } from '../../bench/machine/probe.js'
import {
  converse, died, run, runInForeground, runPiped, start, tailOf, waitUntil
} from '../../bench/machine/process.js'

/** @import { ProcessSpec } from '../../bench/machine/shapes.js' */
/** @import { Test } from 'tap' */

/** @param {Test} t @param {string} script of a shell */
function child (t, script) {
  const log = join(t.testdir({}), 'log')
  const child = start({ name: 'the child', argv: ['sh', '-c', script], log })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  return { child, log, says: (/** @type {string} */ text) => waitUntil(child, () => tailOf(log).includes(text)) }
}

/** Waits for what must come true, however slow the machine is. @param {() => boolean} check */
async function until (check) {
  for (let tries = 0; !check() && tries < 1000; tries++) await sleep(10)
}

t.test('a short command answers with what it printed and how it ended', async t => {
  t.match(await run(['sh', '-c', 'echo out; echo err >&2; exit 3']), {
    exit: 3,
    signal: null,
    stdout: 'out',
    stderr: 'err',
    timedOut: false
  })
  t.match(await run(['cat'], { input: 'what it is given' }), { exit: 0, stdout: 'what it is given' })
  t.match(await run(['sh', '-c', 'kill -9 $$']), { exit: null, signal: 'SIGKILL' })
  t.match(await run(['sh', '-c', 'echo $MORE'], { env: { MORE: 'seen' } }), { stdout: 'seen' })
})

t.test('a command that cannot be started says why', async t => {
  const { exit, stderr } = await run(['/no/such/program'])
  t.equal(exit, null)
  t.match(stderr, 'ENOENT')
})

t.test('a command that takes too long is ended', async t => {
  t.match(await run(['sleep', '60'], { timeoutSeconds: 0.1 }), { exit: null, timedOut: true })
})

t.test('a limit holds for whatever the command has started, and for pipes that nobody closes', async t => {
  const dir = t.testdir({})
  for (const script of ['sleep 9 & sleep 60', 'trap "" TERM; sleep 60 & while :; do sleep 1; done',
    // In a session of its own it is in no group that could be ended.
    `setsid sh -c 'echo $$ > "${dir}/pid"; exec sleep 9' & echo said; sleep 60`]) {
    const from = performance.now()
    const { timedOut } = await run(['sh', '-c', script], { timeoutSeconds: 0.5 })
    t.equal(timedOut, true, script)
    t.ok(performance.now() - from < 5000, `${Math.round(performance.now() - from)} ms`)
  }
  process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8')), 'SIGKILL')
  const from = performance.now()
  t.match(await runPiped(['sh', '-c', 'sleep 60 & sleep 60'], ['cat'], { input: '', timeoutSeconds: 0.2 }),
    { timedOut: true })
  t.ok(performance.now() - from < 5000)
})

t.test('what runs in the foreground gives its exit code, 1 for a signal', async t => {
  t.equal(await runInForeground(['sh', '-c', 'exit 4'], {}).exit, 4)
  t.equal(await runInForeground(['sh', '-c', 'kill -9 $$'], {}).exit, 1)
})

t.test('a child is waited for until it is ready', async t => {
  const { child: it, says } = child(t, 'echo ready; sleep 60')
  await says('ready')
  t.equal(it.ended(), null)
  t.match(await it.stop(), { signal: 'SIGTERM' })
  t.match(it.ended(), { signal: 'SIGTERM' })
})

t.test('a child that ends before it is ready is reported with its last lines', async t => {
  const { child: it } = child(t, 'for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; done; exit 5')
  await t.rejects(waitUntil(it, () => false), {
    code: 'process-died', message: 'the child ended with exit code 5.', details: { output: /^line 3\n[^]*line 10$/ }
  })
  t.match(died(it).message, 'ended with exit code 5')
})

t.test('a child that never gets ready is reported', async t => {
  const { child: it } = child(t, 'echo still thinking; sleep 60')
  await until(() => it.tail() !== '')
  await t.rejects(waitUntil(it, () => false, { timeoutSeconds: 0.05 }), {
    code: 'not-ready',
    details: { output: 'still thinking' }
  })
})

t.test('a program that cannot be started is reported with the reason', async t => {
  const dir = t.testdir({ text: 'no program' })
  const starting = (/** @type {Partial<ProcessSpec>} */ spec) => () =>
    start({ name: 'it', argv: [], log: join(dir, 'log'), ...spec })
  t.throws(starting({ argv: [join(dir, 'none')] }), {
    code: 'start-failed',
    message: `it could not be started: ${dir}/none is no program.`
  })
  t.throws(starting({ argv: [join(dir, 'text')] }), {
    message: `it could not be started: ${dir}/text is no program.`
  })
  t.throws(starting({ argv: ['hb-none'] }), { message: 'it could not be started: hb-none is not on PATH.' })
  t.throws(starting({ argv: ['sh'], cwd: join(dir, 'none') }), {
    message: `it could not be started: the folder ${dir}/none that it starts in is not there.`
  })
  t.throws(() => converse({ name: 'it', argv: ['hb-none'], log: join(dir, 'log') }), {
    code: 'start-failed',
    message: /hb-none is not on PATH/
  })
})

t.test('a child that does not listen to SIGTERM is killed', async t => {
  const { child: it, says } = child(t, 'trap "" TERM; echo ready; while :; do sleep 1; done')
  await says('ready')
  t.match(await it.stop({ graceSeconds: 0.1 }), { signal: 'SIGKILL' })
  t.match(await it.stop(), { signal: 'SIGKILL' }, 'ending it again changes nothing')
})

t.test('whoever a leader leaves behind in its group goes too', async t => {
  const { child: it, says } = child(t, 'sleep 60 & echo $! is left; sleep 60')
  await says('is left')
  const left = Number(tailOf(join(t.testdirName, 'log')).split(' ')[0])
  t.ok(groupMembers([it.pid]).includes(left))
  await it.stop()
  t.notOk(groupMembers([it.pid]).includes(left), 'by then, not some time later')
})

t.test('a group is over when it has no members: those of a leader that was killed are ended too', async t => {
  const { child: it, says } = child(t, 'sleep 60 & echo $! is left; sleep 60')
  await says('is left')
  process.kill(it.pid, 'SIGKILL')
  t.match(await it.exited, { signal: 'SIGKILL' })
  t.equal(groupMembers([it.pid]).length > 0, true, 'the kernel has ended the leader alone')
  t.match(await it.stop(), { signal: 'SIGKILL' })
  t.strictSame(groupMembers([it.pid]), [])
})

t.test('they end with the suite, too', async t => {
  const dir = t.testdir({})
  const script = `import('./bench/machine/process.js').then(async ({ start }) => {
    const child = start({ name: 'it', argv: ['sh', '-c', 'sleep 60 & echo $!; exit 0'], log: ${
      JSON.stringify(join(dir, 'log'))} })
    await child.exited
  })`
  await run([process.execPath, '-e', script])
  const left = Number(tailOf(join(dir, 'log')))
  await until(() => !existsSync(`/proc/${left}`))
  t.equal(existsSync(`/proc/${left}`), false)
})

t.test('a check that never answers is not waited for', async t => {
  const { child: it } = child(t, 'sleep 60')
  const never = () => new Promise(() => {})
  await t.rejects(waitUntil(it, /** @type {any} */ (never), { timeoutSeconds: 0.1 }), { code: 'not-ready' })
  setTimeout(() => it.signal('SIGKILL'), 100)
  await t.rejects(waitUntil(it, /** @type {any} */ (never)), { code: 'process-died' })
})

t.test('a whole group is frozen, thawed, and ended while it is frozen', async t => {
  const { child: it, says } = child(t, 'sh -c "while :; do :; done" & echo ready; wait')
  await says('ready')
  const states = () =>
    groupMembers([it.pid]).map(pid => /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  await until(() => states().length === 2)
  it.freeze()
  await until(() => states().every(state => state === 'T'))
  t.strictSame(states(), ['T', 'T'])
  it.thaw()
  await until(() => !states().includes('T'))
  t.notOk(states().includes('T'))
  it.freeze()
  t.match(await it.stop(), { signal: 'SIGTERM' })
  t.equal(existsSync(`/proc/${it.pid}`), false)
})

t.test('a signal to a group that is gone is no error', async t => {
  const { child: it } = child(t, 'exit 0')
  await it.exited
  t.doesNotThrow(() => it.thaw())
})

t.test('the tail of a log is its last lines, and nothing where there is none', async t => {
  const log = join(t.testdir({}), 'some.log')
  t.equal(tailOf(log), '')
  writeFileSync(log, 'one\ntwo\nthree\n')
  t.equal(tailOf(log, 2), 'two\nthree')
})

t.test('what is read of a program is in no language of the person\'s', async t => {
  const { stdout } = await run(['sh', '-c', 'echo $LC_ALL'], { env: { LANG: 'de_DE.UTF-8' } })
  t.equal(stdout, 'C')
  t.equal((await run(['sh', '-c', 'echo $LC_ALL'], { env: { LC_ALL: 'C.UTF-8' } })).stdout, 'C.UTF-8',
    'unless it is asked for')
})
