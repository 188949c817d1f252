/**
 * Runs a deploy kit as its platform would: as process 1 of a PID namespace, in a network of its own, in a root folder
 * with only the project, Node, nginx, sh and the programs that the kit's script calls.
 */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { main } from '../../bench/cli.js'
import { openNetwork, SERVED_USER } from '../../bench/machine/network/lab.js'
import { groupMembers } from '../../bench/machine/probe.js'
import { run, start, waitUntil } from '../../bench/machine/process.js'
import { findTool } from '../../bench/machine/tools.js'
import { mountsIn } from '../../bench/topology/confinement/mounts.js'
import { confinementScript } from '../../bench/topology/confinement/confinement.js'
import { inEnvironment } from './provoke.js'
import { tempFolder } from './temp.js'

/** @import { Scope } from './cli.js' */

const relay = fileURLToPath(new URL('../../bench/topology/start/relay.js', import.meta.url))
/** Address of the platform's router. */
const ROUTER = '10.9.9.9'
const NGINX = { program: 'nginx', packages: { debian: ['nginx'] } }
const CALLED = ['sh', 'dirname', 'env', 'sed', 'setsid', 'sleep', 'mkdir', 'rm']

/**
 * App with a JSON fixture, files below /assets/, the request's headers at /headers, a response that waits for a file at
 * /hold, an exit at /exit, and WebSockets.
 */
export const APP = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
const read = path => readFileSync(new URL(path, import.meta.url))
const body = read('1kb.json')
const run = process.env.HELD_IN
export default async (req, res) => {
  if (req.url === '/exit') process.exit(7)
  if (req.url.startsWith('/assets/')) return res.end(read(req.url.replace('/assets', 'public')))
  if (req.url.startsWith('/hold')) {
    appendFileSync(run + '/held', 'x')
    while (!existsSync(run + '/release')) await sleep(20)
  }
  if (req.url === '/count') appendFileSync(run + '/counted', 'x')
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.end(req.url === '/headers' ? JSON.stringify(req.headers) : body)
}
export const upgrade = (req, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n')
  socket.on('data', data => socket.write('echo ' + data))
  socket.on('error', () => {})
}
`

/** A command for the same app: it listens itself, with the idle timeout of Node, and drains on SIGTERM. */
export const SERVER = `
import http from 'node:http'
import handler, { upgrade } from './app.mjs'
const { SOCKET, HOST, PORT } = process.env
const server = http.createServer(handler)
server.on('upgrade', upgrade)
server.listen(SOCKET ? { path: SOCKET } : { host: HOST, port: Number(PORT) })
process.once('SIGTERM', () => {
  server.close(() => process.exit(0))
  setInterval(() => server.closeIdleConnections(), 100)
})
`

/**
 * Makes a project with a kit in its folder deploy/.
 * @param {Scope} t
 * @param {string} spec
 * @param {string} target
 * @param {{ args?: string[], files?: Record<string, string> }} [options] args: further ones of hopbench config
 * @returns {Promise<{ dir: string, project: string, tmp: string }>}
 */
export async function projectWithKit (t, spec, target, { args = [], files = {} } = {}) {
  const dir = tempFolder(t)
  const [project, tmp] = ['shop', 't'].map(name => join(dir, name))
  for (const folder of [project, tmp]) mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  inEnvironment(t, { INIT_CWD: project })
  const exit = await main(['config', spec, '--target', target, ...args])
  if (exit !== 0) throw new Error(`hopbench config ended with exit code ${exit}`)
  return { dir, project, tmp }
}

/**
 * Reads from the kit's files which command the platform runs, with which folder and variables.
 * @param {string} target
 * @param {string} kit its folder
 */
export function readStartCommand (target, kit) {
  const read = (/** @type {string} */ file) => readFileSync(join(kit, file), 'utf8')
  if (target === 'heroku') {
    return { home: '/app', argv: ['sh', '-c', read('Procfile').replace(/^web: /, '').trim()], env: { PORT: '23456' } }
  }
  if (target === 'systemd') {
    const unit = Object.fromEntries([...read('shop.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) =>
      [key, value]))
    const env = Object.fromEntries(unit.Environment.split(' ').map((/** @type {string} */ pair) => pair.split('=')))
    // A port that needs no capability. Without the name of a part, the script starts the parts of both units.
    const [sh, script] = unit.ExecStart.split(' ')
    return { home: unit.WorkingDirectory, argv: [sh, script], env: { ...env, PORT: '8080' } }
  }
  const image = read('Dockerfile')
  const port = /^ENV PORT=(\d+)$/m.exec(image)?.[1] ?? ''
  return {
    home: /^WORKDIR (.*)$/m.exec(image)?.[1] ?? '',
    argv: JSON.parse(/^CMD (.*)$/m.exec(image)?.[1] ?? '[]'),
    env: { PORT: target === 'fly' ? /^ {2}PORT = "(\d+)"$/m.exec(read('fly.toml'))?.[1] ?? '' : port }
  }
}

/**
 * Starts a kit.
 * @param {Scope} t
 * @param {{ dir: string, project: string }} workspace
 * @param {ReturnType<typeof readStartCommand>} command
 * @param {{ packages?: string, python?: boolean, app?: RegExp, called?: string[] }} [options] packages: a folder
 * node_modules; python: the root folder contains Python, too; app: command line of the app; called: further programs
 */
export async function startKit (t, { dir, project }, { home, argv, env }, { packages, python, app, called = [] } = {}) {
  const nginx = await findTool(NGINX)
  const shared = join(dir, 'run')
  const root = join(dir, 'root')
  for (const folder of [shared, root]) mkdirSync(folder, { recursive: true })
  const runFolder = /^\[ -n "\$\{RUN:-\}" \] \|\| RUN=(.*)$/m.exec(kitScript(project))?.[1] ?? ''
  const network = await openNetwork({ name: 'kit', dir, private: true })
  t.teardown(() => network.close())
  const script = join(dir, 'root.sh')
  writeFileSync(script, confinementScript({
    at: root,
    readonly: [...await programs(nginx, called), ...python ? await pythonFiles() : [],
      { path: '/proc', source: '/proc', isFolder: true },
      { path: home, source: project, isFolder: true },
      ...packages ? [{ path: '/node_modules', source: packages, isFolder: true }] : []],
    writable: [{ path: runFolder, source: shared, isFolder: true }],
    cwd: home,
    user: SERVED_USER,
    mounts: mountsIn(readFileSync('/proc/self/mountinfo', 'utf8'))
  }))
  // Without nginx the app itself drains, and on a busy machine that takes longer than a platform would wait.
  const isAlone = /^(exec env PORT=|env HOST="\$\{HOST)/m.test(kitScript(project))
  const patience = isAlone ? { DRAIN_SECONDS: '60' } : {}
  // NODE_OPTIONS of the test runner names files that do not exist in the root folder of the kit.
  const kit = start({
    name: 'the kit',
    argv: ['env', '-u', 'NODE_OPTIONS', ...network.enterBeside, 'unshare', '-Urmpf', '--kill-child', '--', 'sh', script,
      ...argv],
    env: { ...nginx.env, PATH: '/usr/sbin:/usr/bin:/bin:/sbin', HELD_IN: runFolder, ...patience, ...env },
    log: join(dir, 'kit.log')
  })
  t.teardown(() => kit.stop({ signal: 'SIGKILL' }))
  const at = (/** @type {string} */ host) => relayTo(t, { host, port: Number(env.PORT), dir, network })
  await addAddress(network)
  const [client, router] = [await at('127.0.0.1'), await at(ROUTER)]
  return { kit, network, client, router, shared, port: Number(env.PORT), processes: finderOf(kit.pid, app) }
}

/** @param {string} project */
function kitScript (project) {
  const inFolder = join(project, 'deploy/start.sh')
  return readFileSync(isThere(inFolder) ? inFolder : join(project, 'start.sh'), 'utf8')
}

/** @param {string} path */
const isThere = path => statSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * Lists the programs and their libraries at their paths on this machine, and nginx at its usual path.
 * @param {{ path: string, env: Record<string, string> }} nginx
 * @param {string[]} called further programs
 */
async function programs (nginx, called) {
  const paths = [...CALLED, ...called].map(name => join(isThere(`/usr/bin/${name}`) ? '/usr/bin' : '/bin', name))
  const { stdout } = await run(['ldd', process.execPath, nginx.path, ...paths], { env: nginx.env })
  const libraries = [...stdout.matchAll(/^\s*(?:\S+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path)
  const shown = (/** @type {string} */ path, source = path) => ({ path, source: realpathSync(source), isFolder: false })
  return [
    ...libraries.map(path => shown(path)),
    ...paths.map(path => shown(path)),
    shown('/bin/sh', '/bin/sh'),
    shown('/usr/bin/node', process.execPath),
    shown('/usr/sbin/nginx', nginx.path)
  ].filter(({ path }, i, all) => all.findIndex(other => other.path === path) === i)
}

/** Path of Python in the root folder of a kit. */
export const PYTHON = '/opt/python/bin/python3'

/** Lists the program, the libraries and the modules of this machine's Python. */
async function pythonFiles () {
  const code = 'import json, sys, sysconfig; print(json.dumps([sys.executable, sysconfig.get_paths()["stdlib"]]))'
  const { stdout } = await run(['python3', '-I', '-c', code])
  const [program, modules] = JSON.parse(stdout).map((/** @type {string} */ path) => realpathSync(path))
  const { stdout: linked } = await run(['ldd', program])
  const libraries = [...linked.matchAll(/^\s*(?:\S+ => )?(\/.+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path)
  return [
    ...libraries.map(path => ({ path, source: realpathSync(path), isFolder: false })),
    { path: PYTHON, source: program, isFolder: false },
    { path: join('/opt/python/lib', basename(modules)), source: modules, isFolder: true }
  ]
}

/** @param {Awaited<ReturnType<typeof openNetwork>>} network */
async function addAddress (network) {
  const ip = await findTool({ program: 'ip', packages: { debian: ['iproute2'] } })
  const { exit, stderr } = await run([...network.enterBeside, ip.path, 'addr', 'add', `${ROUTER}/8`, 'dev', 'lo'],
    { env: ip.env })
  if (exit !== 0) throw new Error(stderr)
}

/**
 * Opens a Unix socket that forwards to an address in the kit's network, so that a test can send requests from outside.
 * @param {Scope} t
 * @param {{ host: string, port: number, dir: string, network: { enterBeside: string[] } }} address
 * @returns {Promise<string>} path of the socket
 */
export async function relayTo (t, { host, port, dir, network }) {
  const socket = join(dir, `${host}.sock`)
  const listen = { path: socket, readableAll: true, writableAll: true }
  const child = start({
    name: 'the relay',
    argv: [...network.enterBeside, process.execPath, relay],
    env: { HOPBENCH_RELAY: JSON.stringify({ listen, target: { host, port } }), NODE_OPTIONS: '' },
    log: join(dir, 'relay.log')
  })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  await waitUntil(child, () => statSync(socket, { throwIfNoEntry: false })?.isSocket() ?? false)
  return socket
}

/**
 * Returns a function that finds the processes of a kit. A command has a process group of its own in the PID namespace
 * of the kit.
 * @param {number} group
 * @param {RegExp} [app] command line of the app
 */
function finderOf (group, app) {
  const own = namespaceOf(process.pid)
  /** @type {string | undefined} */
  let namespace
  return () => {
    const members = groupMembers([group])
    namespace ??= members.map(namespaceOf).find(name => name !== null && name !== own) ?? undefined
    const inside = readdirSync('/proc').map(Number).filter(pid => pid > 0 && namespaceOf(pid) === namespace)
    return processesIn([...new Set([...members, ...inside])], app)
  }
}

/**
 * @param {number} pid
 * @returns {string | null} null: the process has ended
 */
function namespaceOf (pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return null
  }
}

/**
 * Returns the command line of a process, or an empty one if it has ended.
 * @param {number | string} pid
 */
export function readCommandLine (pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/**
 * Finds the script (process 1 of the namespace), the app, and nginx's master.
 * @param {number[]} all
 * @param {RegExp} [app] command line of the app
 * @returns {{ script: number | undefined, app: number | undefined, nginx: number | undefined, all: number[] }}
 */
function processesIn (all, app = /^node .*serve\.mjs/) {
  const find = (/** @type {RegExp} */ pattern) => all.find(pid => pattern.test(readCommandLine(pid)))
  return {
    script: find(/^(\/bin\/)?sh \S*start\.sh/) ?? find(/^sh -c /),
    app: find(app),
    nginx: find(/^nginx: master/),
    all
  }
}

/** Packages of hopbench, for an example app that is deployed unchanged. */
export const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
