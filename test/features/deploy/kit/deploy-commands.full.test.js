/** Deploy kits of apps that are a command, in Node and in Python, run as their platforms would. */
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { answersAndDrains, drains, get, passesTheGate, up } from '../../../support/kit-checks.js'
import { hopbench, makeWorkspace } from '../../../support/cli.js'
import { readStartCommand, projectWithKit, PYTHON, SERVER, startKit } from '../../../support/kit-root.js'
import { skipWithout } from '../../../support/needs.js'

const skip = skipWithout('namespaces', 'nginx')
const MAX_MS = 120_000 // Ten times the usual time. A hanging test fails before the time limit of the file.

/** Ignores SIGTERM, and leaves a process of its own behind. */
const STUBBORN = `
import { spawn } from 'node:child_process'
import './server.mjs'
process.removeAllListeners('SIGTERM')
process.on('SIGTERM', () => {})
spawn('sleep', ['1000'])
`
const PYTHON_APP = `
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        if self.path == '/exit':
            os._exit(7)
        body = json.dumps(dict(self.headers)).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
ThreadingHTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Handler).serve_forever()
`
const app = /^node server\.mjs/
const files = { 'server.mjs': SERVER, 'stubborn.mjs': STUBBORN, 'api/app.py': PYTHON_APP }
const NODE = ['--app', 'node server.mjs', '--listen', '$PORT,$SOCKET']

// The script of a command differs by the transport and by the sockets of systemd. The other platforms are in
// test/features/deploy/kit/deploy.full.test.js.
for (const [target, transport] of [['docker', 'keepalive'], ['systemd', 'uds-keepalive']]) {
  t.test(`${target}: the kit of a command passes the gate over ${transport}, and drains when it is stopped`,
    { skip, timeout: MAX_MS }, t => answersAndDrains(t, target, `nginx:${transport}/app`, NODE, { files, app }))
}

t.test('prints the configuration of nginx for a command where it listens', { skip: skipWithout('nginx') }, async t => {
  const config = (/** @type {string[]} */ ...args) =>
    hopbench(['config', ...args], { workspace: makeWorkspace(t) })
  const port = await config('nginx:keepalive/app', '--app', 'npm start', '--listen', '5001')
  t.match(port.stdout, /server 127\.0\.0\.1:5001;[^]*keepalive_timeout 4s;/)
  const socket = await config('nginx:uds/app', '--app', 'npm start', '--listen', '$PORT,$SOCKET')
  t.match(socket.stdout, /server unix:\S+\.sock;/)
  t.match(await config('nginx:uds/app', '--app', 'npm start'), { exit: 2, stderr: /\[bad-topology\]/ })
  t.match(await config('nginx:uds/app'), { exit: 2, stderr: /--app 'npm start'/ })
  t.match(await config('nginx:uds/express-json', '--app', 'npm start'), { exit: 2 })
})

t.test('without nginx the command itself drains', { skip, timeout: MAX_MS }, async t => {
  const running = await up(t, 'docker', 'app', NODE, { files, app })
  await passesTheGate(t, running)
  await drains(t, running)
  t.match(await running.kit.exited, { code: 0 })
  t.strictSame(running.processes().all, [])
})

t.test('the kit of a command in Python ends with the app, and leaves no process', { skip }, async t => {
  const args = ['--app', `cd api && ${PYTHON} app.py`]
  const parts = { files, python: true, app: /python3 app\.py/ }
  const start = () => up(t, 'systemd', 'nginx:keepalive/app', args, parts)

  const stopped = await start()
  t.match(JSON.parse((await get(stopped.client, '/')).body), { 'X-Forwarded-For': '127.0.0.1' })
  process.kill(/** @type {number} */ (stopped.processes().script), 'SIGTERM')
  t.match(await stopped.kit.exited, { code: 0 })
  t.strictSame(stopped.processes().all, [])

  const ended = await start()
  await get(ended.client, '/exit').catch(() => null)
  t.match(await ended.kit.exited, { code: 7 })

  const killed = await start()
  process.kill(/** @type {number} */ (killed.processes().app), 'SIGKILL')
  t.match(await killed.kit.exited, { code: 128 + 9 })
  t.strictSame(killed.processes().all, [])
})

t.test('a command that ignores SIGTERM does not keep the kit from ending', { skip }, async t => {
  const args = ['--app', 'node stubborn.mjs', '--listen', '$SOCKET']
  const { kit, processes } = await up(t, 'docker', 'nginx:uds/app', args, { files, app: /^node stubborn/ })
  process.kill(/** @type {number} */ (processes().script), 'SIGTERM')
  t.match(await kit.exited, { code: 0 })
  t.strictSame(processes().all, [])
})

t.test('the kit ends if the command does not listen in time, or if its port is taken', { skip }, async t => {
  const start = async (/** @type {string[]} */ args, env = {}) => {
    const workspace = await projectWithKit(t, 'nginx:keepalive/app', 'systemd', { args, files })
    const command = readStartCommand('systemd', join(workspace.project, 'deploy'))
    return startKit(t, workspace, { ...command, env: { ...command.env, ...env } })
  }
  const late = await start(['--app', 'sleep 100', '--ready-within', '1s'])
  t.match(await late.kit.exited, { code: 69 })
  t.match(late.kit.tail(), /3000/)
  const same = await start(['--app', 'node server.mjs', '--listen', '3456'], { PORT: '3456' })
  t.match(await same.kit.exited, { code: 64 })
})
