/** Apps of several frameworks, started by their own commands, alone and behind nginx. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { run } from '../../bench/machine/process.js'
import { hopbench, leavesNothing, makeWorkspace, project } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'
import { cacheIn, OUTSIDE_NPM } from '../support/packed.js'

const INSTALL_SECONDS = 180

const workspace = makeWorkspace(t)
const folder = join(workspace.dir, 'apps')
cpSync(join(project, 'test/support/user-apps'), folder, { recursive: true })

/**
 * @param {...string} argv of npm
 * @returns {Promise<void>}
 */
async function npm (...argv) {
  const { exit, stdout, stderr } = await run([...OUTSIDE_NPM, 'npm', ...cacheIn(workspace.dir), ...argv], {
    cwd: folder,
    env: { TMPDIR: workspace.tmp, NEXT_TELEMETRY_DISABLED: '1' },
    timeoutSeconds: INSTALL_SECONDS
  })
  if (exit !== 0) throw new Error(`npm ${argv.join(' ')}: ${stdout}${stderr}`)
}

/** @typedef {{ command: string, listen?: string, topologies?: string[], request?: string[] }} App */

/** @type {Record<string, App>} */
const APPS = {
  Express: {
    command: 'node express.js',
    listen: '$PORT,$SOCKET',
    topologies: ['app', 'nginx:uds-keepalive/app'],
    request: ['--path', '/orders', '--header', 'Authorization: Bearer secret', '--header',
      'Content-Type: application/json', '--body', '{"item":"tea"}']
  },
  Fastify: { command: 'node fastify.js', listen: '$SOCKET', topologies: ['nginx:uds/app', 'nginx:uds-keepalive/app'] },
  Nest: { command: 'node nest.js' },
  Hono: { command: 'node hono.js' },
  Next: { command: 'node .next/standalone/server.js', request: ['--path', '/api/hello'] },
  'sessions and compression': { command: 'node with-session.js', request: ['--header', 'Accept-Encoding: gzip'] },
  'http-server': { command: 'npx http-server . -p "$PORT" -s', request: ['--path', '/page.html'] },
  serve: { command: 'NO_UPDATE_CHECK=1 npx serve -l "tcp://127.0.0.1:$PORT" -L .', request: ['--path', '/page'] },
  'json-server': { command: 'npx json-server --port "$PORT" -q db.json', request: ['--path', '/posts'] },
  '20 KB in chunks': { command: 'BYTES=20000 CHUNKED=1 node sized.js' },
  '1 MB': { command: 'BYTES=1000000 node sized.js' },
  Python: { command: 'python3 app.py' },
  // This server responds in HTTP/1.0 and closes each connection.
  WSGI: { command: 'python3 wsgi.py', topologies: ['app', 'nginx:tcp/app'] }
}
/** Size of the file that http-server and serve send: above one read of a file, below two of a socket. */
const PAGE_BYTES = 13_800

/**
 * Asserts that both arms are valid.
 * @param {import('tap').Test} t
 * @param {App} app
 */
async function isMeasured (t, { command, listen = '$PORT', topologies = [], request = [] }) {
  const args = ['run', ...topologies, '--app', command, '--listen', listen, ...request, '--smoke', '--json', '-o',
    workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace, cwd: folder, timeoutSeconds: 150 })
  if (!t.equal(exit, 0)) return t.comment(stderr)
  t.notMatch(stdout, 'Bearer secret')
  const { arms } = JSON.parse(stdout)
  t.equal(arms.length, 2)
  for (const { name, invalid, rps } of arms) {
    t.equal(invalid, null, name)
    t.ok(rps.median > 0, name)
  }
}

t.test('measures apps of frameworks from the registry', { skip: skipWithout('nginx', 'registry') }, async t => {
  await npm('install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund')
  await npm('exec', '--', 'next', 'build')
  writeFileSync(join(folder, 'page.html'), 'x'.repeat(PAGE_BYTES))
  writeFileSync(join(folder, 'db.json'), '{"posts":[{"id":1,"title":"x"}]}')
  const names = Object.keys(APPS).filter(name => !APPS[name].command.startsWith('python3'))
  for (const name of names) await t.test(name, t => isMeasured(t, APPS[name]))
})

t.test('measures apps in Python', { skip: skipWithout('nginx', 'python') }, async t => {
  for (const name of ['Python', 'WSGI']) await t.test(name, t => isMeasured(t, APPS[name]))
})

t.test('finds the capacity of an app, and does not store the secrets of its requests', {
  skip: skipWithout('nginx', 'python')
}, async t => {
  const args = ['size', 'app', '--app', 'python3 app.py', '--header', 'Authorization: Bearer secret', '--rps', '20',
    '--p99', '400ms', '--quick', '--plan', 'Heroku Performance-M', '--json', '-o', workspace.results]
  const { exit, stdout, stderr } = await hopbench(args, { workspace, cwd: folder, timeoutSeconds: 300 })
  if (!t.equal(exit, 0)) return t.comment(stderr)
  const { sizing: { topologies: [{ spec, capacity }] }, plan } = JSON.parse(stdout)
  t.equal(spec, 'app')
  t.ok(capacity.rate > 0)
  t.equal(plan.arms[0].topology.server.command.run, 'python3 app.py')
  t.notMatch(stdout, 'Bearer secret')
  const [folderOfRun] = readdirSync(workspace.results).filter(name => name.endsWith('-size'))
  const runFolder = join(workspace.results, folderOfRun)
  for (const file of readdirSync(runFolder).filter(name => /\.(json|jsonl|html)$/.test(name))) {
    t.notMatch(readFileSync(join(runFolder, file), 'utf8'), 'Bearer secret', file)
  }
})

t.test('no process and no temporary file remains', t => leavesNothing(t, workspace))
