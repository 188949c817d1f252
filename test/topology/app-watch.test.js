import { appendFileSync, existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from '../support/tap.js'
import { AppWatch, findWatcher, getServerLog } from '../../bench/topology/app-watch.js'
import { getExecutable } from '../../bench/machine/kernel-counts.js'
import { groupMembers } from '../../bench/machine/probe.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { tempFolder } from '../support/temp.js'

/**
 * @param {string} path
 * @param {boolean} [quiet]
 */
const commandOn = (path, quiet = false) => ({
  processes: [{ argv: [], env: {}, cwd: '/', listen: /** @type {const} */ ({ kind: 'unix', path }) }],
  readySeconds: 1,
  quiet
})

t.test('finds the program of the listening process instead of its shell', async t => {
  // The kernel limits the length of socket paths.
  const dir = tempFolder(t)
  const path = join(dir, 's')
  const code = `require('node:net').createServer().listen(${JSON.stringify(path)})`
  const child = start({
    name: 'app', argv: ['sh', '-c', '"$0" -e "$1" & wait', process.execPath, code], log: join(dir, 'log')
  })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  await waitUntil(child, () => existsSync(path))
  const watch = new AppWatch(commandOn(path, true), { dir, pids: groupMembers([child.pid]) })
  await watch.findProgram()
  t.equal(watch.facts.program, `node ${process.versions.node}`)
})

t.test('returns no program when no process listens', async t => {
  const dir = t.testdir({ 'server.log': '' })
  const watch = new AppWatch(commandOn(join(dir, 's')), { dir, pids: [process.pid] })
  await watch.findProgram()
  t.equal(watch.facts.program, null)
})

t.test('detects an app that writes a line for each request of the gate', t => {
  const dir = t.testdir({ 'server.log': 'listening\n' })
  const watch = new AppWatch(commandOn(join(dir, 's')), { dir, pids: [] })
  appendFileSync(join(dir, 'server.log'), 'first request\nconnected\n')
  watch.endGateCounting()
  t.equal(watch.facts.writesPerRequest, false)
  appendFileSync(join(dir, 'server.log'), 'GET /\n'.repeat(200))
  watch.endGateCounting()
  t.equal(watch.facts.writesPerRequest, true)
  t.end()
})

t.test('discards the output of a quiet app', t => {
  t.equal(getServerLog({ quiet: true }, '/d', 0), '/dev/null')
  t.equal(getServerLog({ quiet: false }, '/d', 0), '/d/server.log')
  t.equal(basename(getServerLog(null, '/d', 2)), 'server-2.log')
  const dir = t.testdir()
  const watch = new AppWatch(commandOn(join(dir, 's'), true), { dir, pids: [] })
  watch.endGateCounting()
  t.equal(watch.facts.writesPerRequest, false)
  t.end()
})

t.test('finds a watcher among the processes of an app', { skip: process.platform !== 'linux' }, async t => {
  const dir = t.testdir({
    'app.js': 'setInterval(() => {}, 1000)', nodemon: 'setInterval(() => {}, 1000)', vite: 'setInterval(() => {}, 1000)'
  })
  /** @type {[string[], string | null][]} */
  const cases = [
    [['app.js'], null], [['--watch', 'app.js'], 'node --watch'], [['--watch-path=.', 'app.js'], 'node --watch'],
    [['nodemon', 'app.js'], 'nodemon'], [['vite'], 'vite'], [['vite', '--port', '1'], 'vite'],
    [['vite', 'preview'], null]
  ]
  for (const [args, expected] of cases) {
    const child = start({
      name: 'app', argv: ['sh', '-c', '"$0" "$@" & wait', process.execPath, ...args], cwd: dir, log: join(dir, 'log')
    })
    await waitUntil(child, () => groupMembers([child.pid]).length > 1)
    // A forked shell becomes the program a moment later.
    await waitUntil(child, () => groupMembers([child.pid]).some(pid => basename(getExecutable(pid) ?? '') === 'node'))
    t.equal(findWatcher(groupMembers([child.pid])), expected, args.join(' '))
    await child.stop({ signal: 'SIGKILL' })
  }
})
