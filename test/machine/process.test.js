import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { groupMembers } from '../../bench/machine/probe.js'
import {
  converse, died, run, runInForeground, start, readLastLines, waitUntil
} from '../../bench/machine/process.js'

/** @import { ProcessSpec } from '../../bench/machine/types.js' */
/** @import { Test } from 'tap' */

/**
 * Starts a shell script that is killed at the end of the test.
 * @param {Test} t
 * @param {string} script
 */
function child (t, script) {
  const log = join(t.testdir({}), 'log')
  const child = start({ name: 'the child', argv: ['sh', '-c', script], log })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  return { child, log, says: (/** @type {string} */ text) => waitUntil(child, () => readLastLines(log).includes(text)) }
}

/**
 * Waits up to 10 s until a condition is true.
 * @param {() => boolean} check
 */
async function until (check) {
  for (let tries = 0; !check() && tries < 1000; tries++) await sleep(10)
}

t.test('returns the output and exit status of a command', async t => {
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

t.test('returns the reason when a command cannot be started', async t => {
  const { exit, stderr } = await run(['/no/such/program'])
  t.equal(exit, null)
  t.match(stderr, 'ENOENT')
})

t.test('kills a command after its timeout', async t => {
  t.match(await run(['sleep', '60'], { timeoutSeconds: 0.1 }), { exit: null, timedOut: true })
})

t.test('the timeout includes child processes and pipes that stay open', async t => {
  const dir = t.testdir({})
  for (const script of ['sleep 9 & sleep 60', 'trap "" TERM; sleep 60 & while :; do sleep 1; done',
    // A process in another session is not in the process group of the command.
    `setsid sh -c 'echo $$ > "${dir}/pid"; exec sleep 9' & echo said; sleep 60`]) {
    const from = performance.now()
    const { timedOut } = await run(['sh', '-c', script], { timeoutSeconds: 0.5 })
    t.equal(timedOut, true, script)
    t.ok(performance.now() - from < 5000, `${Math.round(performance.now() - from)} ms`)
  }
  process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8')), 'SIGKILL')
})

t.test('ends a command whose output is too long', async t => {
  const { exit, stdout } = await run(['sh', '-c', 'while :; do echo line; done'], { mostBytes: 1000 })
  t.equal(exit, null)
  t.ok(stdout.length <= 1000)
})

t.test('returns the exit code of a foreground command, and that of a shell after a signal', async t => {
  t.equal(await runInForeground(['sh', '-c', 'exit 4'], {}).exit, 4)
  t.equal(await runInForeground(['sh', '-c', 'kill -9 $$'], {}).exit, 137)
  t.equal(await runInForeground(['/not/there'], {}).exit, 1)
})

t.test('waits until a child is ready', async t => {
  const { child: it, says } = child(t, 'echo ready; sleep 60')
  await says('ready')
  t.equal(it.ended(), null)
  t.match(await it.stop(), { signal: 'SIGTERM' })
  t.match(it.ended(), { signal: 'SIGTERM' })
})

t.test('reports a child that ends before it is ready, with its last lines', async t => {
  const { child: it } = child(t, 'for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; done; exit 5')
  await t.rejects(waitUntil(it, () => false), {
    code: 'process-died', message: 'the child ended with exit code 5.', details: { output: /^line 3\n[^]*line 10$/ }
  })
  t.match(died(it).message, 'ended with exit code 5')
})

t.test('reports a child that is not ready in time, or that ends, also if the check never resolves', async t => {
  const { child: it } = child(t, 'echo still thinking; sleep 60')
  await until(() => it.tail() !== '')
  /** @type {any} */
  const never = () => new Promise(() => {})
  for (const check of [() => false, never]) {
    await t.rejects(waitUntil(it, check, { timeoutSeconds: 0.1 }),
      { code: 'not-ready', details: { output: 'still thinking' } })
  }
  setTimeout(() => it.signal('SIGKILL'), 100)
  await t.rejects(waitUntil(it, never), { code: 'process-died' })
})

t.test('reports the reason when a program cannot be started', async t => {
  const dir = t.testdir({ text: 'no program' })
  /** @type {[Partial<ProcessSpec>, string][]} */
  const faults = [
    [{ argv: [join(dir, 'none')] }, `${dir}/none is not an executable file.`],
    [{ argv: [join(dir, 'text')] }, `${dir}/text is not an executable file.`],
    [{ argv: ['hb-none'] }, 'hb-none is not on PATH.'],
    [{ argv: ['sh'], cwd: join(dir, 'none') }, `its working directory ${dir}/none does not exist.`]
  ]
  const known = { name: 'it', argv: ['hb-none'], log: join(dir, 'log') }
  for (const [spec, why] of faults) {
    t.throws(() => start({ ...known, ...spec }),
      { code: 'start-failed', message: `it could not be started: ${why}` }, why)
  }
  t.throws(() => converse(known), { code: 'start-failed', message: /hb-none is not on PATH/ })
})

t.test('kills a child that ignores SIGTERM', async t => {
  const { child: it, says } = child(t, 'trap "" TERM; echo ready; while :; do sleep 1; done')
  await says('ready')
  t.match(await it.stop({ graceSeconds: 0.1 }), { signal: 'SIGKILL' })
  t.match(await it.stop(), { signal: 'SIGKILL' }, 'stopping a second time has no effect')
})

t.test('stops processes that the leader started in its group', async t => {
  const { child: it, says } = child(t, 'sleep 60 & echo $! is left; sleep 60')
  await says('is left')
  const left = Number(readLastLines(join(t.testdirName, 'log')).split(' ')[0])
  t.ok(groupMembers([it.pid]).includes(left))
  await it.stop()
  t.notOk(groupMembers([it.pid]).includes(left), 'stopped before stop() resolves')
})

t.test('stops the remaining members of a group whose leader was killed', async t => {
  const { child: it, says } = child(t, 'sleep 60 & echo $! is left; sleep 60')
  await says('is left')
  process.kill(it.pid, 'SIGKILL')
  t.match(await it.exited, { signal: 'SIGKILL' })
  t.equal(groupMembers([it.pid]).length > 0, true, 'only the leader was killed')
  t.match(await it.stop(), { signal: 'SIGKILL' })
  t.strictSame(groupMembers([it.pid]), [])
})

t.test('processes of the group end with the suite', async t => {
  const dir = t.testdir({})
  const script = `import('./bench/machine/process.js').then(async ({ start }) => {
    const child = start({ name: 'it', argv: ['sh', '-c', 'sleep 60 & echo $!; exit 0'], log: ${
      JSON.stringify(join(dir, 'log'))} })
    await child.exited
  })`
  await run([process.execPath, '-e', script])
  const left = Number(readLastLines(join(dir, 'log')))
  await until(() => !existsSync(`/proc/${left}`))
  t.equal(existsSync(`/proc/${left}`), false)
})

t.test('pauses, resumes and stops a whole process group', async t => {
  const { child: it, says } = child(t, 'sh -c "while :; do :; done" & echo ready; wait')
  await says('ready')
  const states = () =>
    groupMembers([it.pid]).map(pid => /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  await until(() => states().length === 2)
  it.pause()
  await until(() => states().every(state => state === 'T'))
  t.strictSame(states(), ['T', 'T'])
  it.resume()
  await until(() => !states().includes('T'))
  t.notOk(states().includes('T'))
  it.pause()
  t.match(await it.stop(), { signal: 'SIGTERM' })
  t.equal(existsSync(`/proc/${it.pid}`), false)
})

t.test('ignores signals to a group that has ended', async t => {
  const { child: it } = child(t, 'exit 0')
  await it.exited
  t.doesNotThrow(() => it.resume())
})

t.test('returns the last lines of a log, or nothing without a log', async t => {
  const log = join(t.testdir({}), 'some.log')
  t.equal(readLastLines(log), '')
  writeFileSync(log, 'one\ntwo\nthree\n')
  t.equal(readLastLines(log, 2), 'two\nthree')
})

t.test('sets LC_ALL=C because the output is parsed', async t => {
  const { stdout } = await run(['sh', '-c', 'echo $LC_ALL'], { env: { LANG: 'de_DE.UTF-8' } })
  t.equal(stdout, 'C')
  t.equal((await run(['sh', '-c', 'echo $LC_ALL'], { env: { LC_ALL: 'C.UTF-8' } })).stdout, 'C.UTF-8',
    'a given LC_ALL is kept')
})
