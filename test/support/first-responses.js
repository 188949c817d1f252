/** Real servers whose first response cannot be measured, and what commands print about them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findCertificate } from '../../bench/topology/certificates.js'
import { shellWord } from '../../bench/errors.js'
import { ownCommand } from '../../bench/machine/own-command.js'
import { run } from '../../bench/machine/process.js'
import { hopbench, makeWorkspace } from './cli.js'

/** @import { Test } from 'tap' */

const SERVERS = {
  401: "q.writeHead(401, { 'WWW-Authenticate': 'Basic realm=x' }).end()",
  403: 'q.writeHead(403).end()',
  404: 'q.writeHead(404).end()',
  421: 'q.writeHead(421).end()',
  429: 'q.writeHead(429).end()',
  limit: "q.writeHead(200, { RateLimit: 'limit=100, remaining=99, reset=900' }).end('x')",
  login: "q.writeHead(302, { Location: '/login' }).end()",
  https: "q.writeHead(301, { Location: 'https://127.0.0.1/' }).end()",
  moved: "q.writeHead(302, { Location: '/home' }).end()",
  stream: "q.writeHead(200, { 'Content-Type': 'text/event-stream' }); setInterval(() => q.write('data: 1\\n\\n'), 200)",
  headers: "q.writeHead(200, { 'Content-Length': 100 }).flushHeaders()",
  silent: '',
  starting: 'q.writeHead(503).end()',
  database: "console.error('connect ECONNREFUSED 127.0.0.1:5432'); q.writeHead(500).end()",
  failing: 'q.writeHead(500).end()'
}

const COMMANDS = {
  run: ['run', '--smoke'],
  up: ['up'],
  diff: ['diff', 'HEAD~1', 'HEAD'],
  advise: ['advise', '--quick', '--yes'],
  size: ['size', '--rps', '10', '--p99', '50ms', '--quick'],
  check: ['check', '--bare']
}
/** @typedef {keyof typeof COMMANDS} Name */

/** Commands without a private network. */
const SHARED = ['up', 'check']

const status = (/** @type {string} */ text) => `its own server responds to GET / with status ${text}`
const none = (/** @type {string} */ why) => `its own server does not respond to GET / (${why})`
const NOT_ENDED = none('the body after its status 200 does not end within 4 s')
/**
 * Sentences, and what is added to the command that is printed again; null: no command. The second pair is printed
 * without a private network.
 * @type {[app: string, ...[why: string, add: string | null][]][]}
 */
const CASES = [
  ['node 401.js', [status('401: it requires a login'), "--header 'Authorization: Basic BASE64'"]],
  ['node 403.js', [status('403: it may require a session'), "--header 'Cookie: NAME=VALUE'"]],
  ['node 404.js', [status('404'), '--path /PATH']],
  ['node 421.js', [status('421: it serves another host'), "--header 'Host: HOST'"]],
  ['node 429.js', [status('429: it limits requests'), null]],
  ['node limit.js', [status('200: it limits clients to 100 requests'), null]],
  ['node login.js', [status('302 and leads to /login: it requires a login'), "--header 'Cookie: NAME=VALUE'"]],
  ['node https.js', [status('301 and leads to https://127.0.0.1/: it requires https'),
    "--header 'X-Forwarded-Proto: https'"]],
  ['node moved.js', [status('302 and leads to /home'), '--path /home']],
  ['node tls.js', [`${none('socket hang up')}: it speaks TLS`, null]],
  ['node stream.js', [NOT_ENDED, '--path /PATH']],
  ['node headers.js', [NOT_ENDED, '--path /PATH']],
  ['node silent.js', [none('no response within 4 s'), '--no-lab'], [none('no response within 4 s'), null]],
  ['node starting.js', [status('503: it may still be starting (8 s after its start)'), '--ready-within 16s']],
  ['node database.js', [status('500: it does not reach PostgreSQL from its private network'), '--no-lab'],
    [status('500: it does not reach PostgreSQL on this machine'), null]],
  ['node failing.js', [status('500'), '--no-lab'], [status('500'), null]],
  ['node ended.js', ['ended with exit code 1', '--no-lab'], ['ended with exit code 1', null]],
  ['./start.sh', ['cannot start ./start.sh, whose lines end with a carriage return', null]]
]
/** Time for the first response, in which a server also starts on a busy machine. */
const LIMIT = '8s'
/** Faults whose remedy is an option of check, too. */
const OF_CHECK = '--ready-within 16s'

/**
 * Makes a repository with the servers.
 * @param {string} dir
 */
async function writeServers (dir) {
  const { keyFile, certFile } = await findCertificate('rsa2048', join(dir, 'tls'), '127.0.0.1')
  writeFileSync(join(dir, 'package.json'), '{"name":"shop"}')
  for (const [name, code] of Object.entries(SERVERS)) {
    writeFileSync(join(dir, `${name}.js`),
      `require('http').createServer((p, q) => { ${code} }).listen(process.env.PORT)`)
  }
  writeFileSync(join(dir, 'tls.js'), `const { readFileSync } = require('fs')
  const pair = { key: readFileSync('${keyFile}'), cert: readFileSync('${certFile}') }
  require('https').createServer(pair).listen(process.env.PORT)`)
  writeFileSync(join(dir, 'ended.js'),
    "console.error('connect ECONNREFUSED 127.0.0.1:6379'); process.exit(1)")
  writeFileSync(join(dir, 'start.sh'), '#!/bin/sh\r\nnode 404.js\r\n', { mode: 0o755 })
  const git = (/** @type {string[]} */ ...args) => run(['git', '-C', dir, '-c', 'user.email=a@b.example',
    '-c', 'user.name=a', ...args])
  await git('init', '-q')
  await git('add', '*.js', 'package.json', 'start.sh')
  await git('commit', '-qm', 'first')
  await git('commit', '-qm', 'second', '--allow-empty')
}

/**
 * Tests what commands print about each server.
 * @param {Test} t
 * @param {(names: Name[], i: number) => Name[]} choose returns the commands for a server
 */
export async function testFirstResponses (t, choose) {
  const workspace = makeWorkspace(t)
  await writeServers(workspace.dir)
  const all = /** @type {Name[]} */ (Object.keys(COMMANDS))
  for (const [i, [app, inNetwork, onMachine = inNetwork]] of CASES.entries()) {
    for (const name of choose(all, i)) {
      t.test(`${name} explains the first response of ${app}`, async t => {
        const [why, add] = SHARED.includes(name) ? onMachine : inNetwork
        const typed = [...COMMANDS[name], '--app', app, ...add === OF_CHECK ? [] : ['--ready-within', LIMIT]]
        // The machine lock lies in TMPDIR, and commands that run at the same time do not wait for each other.
        const { exit, stderr } = await hopbench(add === OF_CHECK ? [...typed, '--ready-within', LIMIT] : typed,
          { workspace: { ...workspace, tmp: makeWorkspace(t).tmp }, timeoutSeconds: 60 })
        t.equal(exit, 1)
        const lines = stderr.trimEnd().split('\n')
        const expected = name === 'check' && add !== OF_CHECK ? why.replace('GET / with', 'GET /alive.txt with') : why
        t.ok(lines.some(line => line.endsWith(`${expected}.`)), `${expected}\n${stderr}`)
        const again = `${ownCommand({ cwd: workspace.dir })} ${typed.map(shellWord).join(' ')}`
        const isPrinted = add !== null && (name !== 'check' || add === OF_CHECK)
        t.equal(lines.at(-1)?.startsWith('    ') ? lines.at(-1)?.trim() : null, isPrinted ? `${again} ${add}` : null)
      })
    }
  }
}
