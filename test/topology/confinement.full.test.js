/**
 * Confinement of servers with known vulnerabilities, tested with a server that reads, writes and runs any file.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from '../support/tap.js'
import { confine } from '../../bench/topology/confinement/confinement.js'
import { openNetwork } from '../../bench/machine/network/lab.js'
import { cpuSecondsBetween, readCpuSeconds } from '../../bench/machine/probe.js'
import { readLastLines } from '../../bench/machine/process.js'
import { readStat } from '../../bench/machine/files/system-files.js'
import { findProxies } from '../../bench/measure/find-programs.js'
import { keepFiles } from '../../bench/measure/kept-files.js'
import { describe } from '../../bench/topology/describe/describe.js'
import { startTopology } from '../../bench/topology/start/start.js'
import { parse } from '../../bench/plan/spec.js'
import { project } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'
import { armOf } from '../support/samples.js'
import { staged } from '../support/stage.js'
import { tempFolder } from '../support/temp.js'

/** @import { ConfinedBy, ProxyDescription, ProxyProgram } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

const planted = fileURLToPath(new URL('../support/reads-any-path.js', import.meta.url))
// As in a run, one of them is a folder that the launcher needs, too.
const code = [planted, join(project, 'node_modules')]
const launcher = join(project, 'bench/topology/launch.js')
const readme = join(project, 'README.md')
const arm = { ...armOf('./planted.js'), name: 'planted' }
const skip = { namespace: skipWithout('namespaces'), permissions: false }

/** Files that the suite writes into the folder of a topology after the server has started, or reads there. */
const OF_THE_SUITE = ['proxy.log', 'relay.log', 'lab.log', 'lab.sh', 'lab.ready', 'confinement.sh']

process.env.HOPBENCH_TEST_TOKEN = 'a token of the user'

/**
 * Makes the folders of a topology and of the served files.
 * @param {Test} t
 */
function makeFolders (t) {
  const temp = tempFolder(t)
  const [dir, root] = ['0', 'files'].map(name => join(temp, name))
  for (const folder of [join(dir, 'control'), root]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'page.html'), 'served')
  chmodSync(temp, 0o711)
  return { dir, root, outside: join(temp, 'outside') }
}

/**
 * Starts the planted server.
 * @param {Test} t
 * @param {ConfinedBy} way
 * @param {object} [options]
 * @param {string} [options.manager]
 * @param {string} [options.unreadableFile] replaces the file that must not be readable
 * @param {string} [options.proxy] name of a proxy that starts after the server
 */
async function serve (t, way, { manager = 'node:1', unreadableFile, proxy } = {}) {
  const { dir, root, outside } = makeFolders(t)
  const network = await openNetwork({ name: 'it', dir, private: false })
  t.teardown(() => network.close())
  const found = await confine({ dir, root, code, enterBeside: network.enterBeside, ways: [way] })
  const enter = found.enter.length > 0 ? found.enter : network.enterServed
  // NODE_OPTIONS of tap names files that a confined process cannot load.
  const confinement = {
    ...found,
    unreadableFile: unreadableFile ?? found.unreadableFile,
    enter: ['env', '-u', 'NODE_OPTIONS', ...enter]
  }
  const topology = parse(`${proxy ? `${proxy}:uds/` : ''}./planted.js@${manager}`)
  const program = proxy ? (await findProxies([{ ...arm, topology }])).get(proxy) ?? null : null
  const description = describe(topology, {
    dir,
    root,
    ports: { front: await network.port(18300), origin: 18301 },
    cores: 2,
    clients: 10,
    launcher,
    node: process.execPath,
    module: planted,
    pm2: join(project, 'node_modules/pm2'),
    proxy: program,
    confinement
  })
  const links = getFileNames(description.proxy, program)
  if (program) writeFileSync(join(root, 'links.json'), JSON.stringify({ names: links, target: outside }))
  const running = await startTopology(description, {
    name: 'planted',
    dir,
    network,
    cores: null,
    proxyPlugin: program?.plugin ?? null,
    confinement
  })
  t.teardown(() => running.stop())
  /** @param {string} path */
  const ask = async path => {
    // Varnish accepts connections some time after its counters can be read.
    let answer = null
    for (let tries = 0; answer === null && tries < 50; tries++) {
      answer = await fetch(`${running.target.url}${path}`).catch(error => {
        if (error.cause?.code !== 'ECONNREFUSED') throw error
        return sleep(100, null)
      })
    }
    if (!answer) throw new Error('nothing listens')
    return { status: answer.status, body: await answer.text() }
  }
  return { ask, running, dir, root, own: confinement.dir, outside, links }
}

/**
 * Waits until a process has a state, which the kernel sets some time after a signal.
 * @param {number} pid
 * @param {string} state as in proc_pid_stat(5)
 * @throws {Error} the process has ended, or does not get the state in ten seconds
 */
async function untilState (pid, state) {
  for (let tries = 0; tries < 2000; tries++) {
    const [found] = readStat(`/proc/${pid}/stat`)
    if (found === state) return
    if (!found) throw new Error(`process ${pid} has ended`)
    await sleep(5)
  }
  throw new Error(`process ${pid} does not get the state ${state}`)
}

/**
 * Returns the names of the files that a proxy and the suite write into the folder of a topology.
 * @param {ProxyDescription | null} description
 * @param {ProxyProgram | null} program
 */
function getFileNames (description, program) {
  if (!description || !program) return []
  const { log, errorLog } = program.plugin.counters
  const inConfiguration = Object.values(description.files)
    .flatMap(text => [...text.matchAll(/[\w-]+\.(?:log|pid|conf)\b/g)].map(([name]) => name))
  return [...new Set([...OF_THE_SUITE, ...Object.keys(description.files), log, errorLog, ...inConfiguration])]
}

t.test('without confinement the server reads and writes any file, and runs programs', async t => {
  const { ask, root, running } = await serve(t, 'nothing')
  t.equal(running.confinedBy, 'nothing')
  t.strictSame(await ask(`/read${readme}`), { status: 200, body: readFileSync(readme, 'utf8') })
  t.match(await ask('/read/etc/passwd'), { status: 200, body: /^root:/ })
  t.match(await ask(`/write${root}/new.html`), { status: 200 })
  t.match(await ask('/run/bin/pwd'), { status: 200 })
})

for (const way of /** @type {const} */ (['namespace', 'permissions'])) {
  t.test(`confined by ${way} the server reads only the files that it serves`, { skip: skip[way] }, async t => {
    const { ask, root, running, dir, own } = await serve(t, way)
    t.equal(running.confinedBy, way)
    t.strictSame(await ask(`/read${root}/page.html`), { status: 200, body: 'served' })
    for (const file of [readme, '/etc/passwd', '/etc/hostname', '/proc/self/environ', '/proc/1/cmdline',
      join(project, 'results/schema.json'), `${root}/../0/../../..${readme}`]) {
      t.match(await ask(`/read${file}`), { status: 403, body: /^(ENOENT|ERR_ACCESS_DENIED)$/ }, file)
    }
    for (const file of [`${root}/page.html`, `${root}/new.html`, join(project, 'servers/new.js'), launcher,
      '/tmp/new', join(dir, 'nginx.conf'), join(dir, 'note.txt')]) {
      t.match(await ask(`/write${file}`), { status: 403, body: /^(EROFS|ENOENT|ERR_ACCESS_DENIED)$/ },
        `${file} is not written`)
    }
    t.match(await ask('/run/bin/pwd'), { status: 403 }, 'runs no other program')
    t.match(await ask(`/write${own}/note.txt`), { status: 200 }, 'writes the folder of its sockets and logs')
    t.notMatch((await ask('/environment')).body, /HOPBENCH_TEST_TOKEN/, 'without the variables of the user')
  })

  t.test(`confined by ${way} the server cannot have the suite read another file as its log`, {
    skip: skip[way]
  }, async t => {
    const { ask, dir, own, running } = await serve(t, way)
    const log = join(own, 'server.log')
    t.equal(running.serverLog, log)
    t.match(await ask(`/replace${log}`), { status: way === 'namespace' ? 200 : 403 })
    t.notMatch(readLastLines(log), 'root:')
    await running.stop()
    keepFiles([{ arm, dir, configs: [] }], join(dir, 'kept'))
    t.notOk(existsSync(join(dir, 'kept/planted/app/server.log')))
  })

  for (const manager of ['cluster:2', 'pm2:2']) {
    t.test(`confinement by ${way} includes every worker of ${manager}`, { skip: skip[way] }, async t => {
      const { ask, root } = await serve(t, way, { manager })
      for (let request = 0; request < 4; request++) {
        t.strictSame(await ask(`/read${root}/page.html`), { status: 200, body: 'served' })
        t.match(await ask(`/read${readme}`), { status: 403 })
        t.match(await ask('/run/bin/pwd'), { status: 403 })
      }
    })
  }
}

for (const [manager, processes] of Object.entries({ 'node:1': 1, 'cluster:2': 3, 'pm2:2': 3 })) {
  t.test(`a confined server under ${manager} reaches only its own processes, and the suite reaches all of them`, {
    skip: skip.namespace
  }, async t => {
    const { ask, root, running } = await serve(t, 'namespace', { manager })
    t.strictSame(await ask('/list/proc'), { status: 200, body: 'self' })
    const { server } = running.pids()
    t.equal(server.length, processes)
    for (const pid of [process.pid, ...server]) t.match(await ask(`/signal/${pid}`), { status: 403, body: 'ESRCH' })
    if (processes === 1) t.match(await ask('/signal/-1'), { status: 403, body: 'ESRCH' })

    const before = readCpuSeconds(server)
    for (let request = 0; request < 100; request++) await ask(`/read${root}/page.html`)
    t.ok(cpuSecondsBetween(before, readCpuSeconds(server)) > 0, 'its CPU time is counted')
    running.pause()
    for (const pid of server) await untilState(pid, 'T')
    running.resume()
    t.match(await ask(`/read${root}/page.html`), { status: 200 })
    await running.stop()
    for (const pid of server) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, 'it has ended')
  })
}

for (const proxy of ['nginx', 'apache', 'haproxy', 'caddy', 'varnish', 'envoy']) {
  t.test(`links of the confined server are followed neither by ${proxy} nor by the suite`, {
    skip: skipWithout('namespaces', proxy)
  }, async t => {
    const { ask, root, running, own, outside, links } = await serve(t, 'namespace', { proxy })
    t.strictSame(await ask(`/read${root}/page.html`), { status: 200, body: 'served' })
    running.logged()
    running.noted()
    await running.stop()
    t.ok(links.length > OF_THE_SUITE.length)
    for (const name of links) t.equal(readlinkSync(join(own, name)), outside, `${name} is still a link`)
    t.notOk(existsSync(outside), 'its target is not written')
  })
}

t.test('does not start a server that can read a hidden file', async t => {
  const error = await serve(t, 'nothing', { unreadableFile: readme }).catch(error => error)
  t.match(error, { code: 'process-died', details: { output: /the server is not confined: it can read .*README\.md/ } })
})

for (const spec of ['node-static', 'nginx:uds/node-static@cluster:2',
  'nginx:uds+balance=round-robin/node-static@node:2']) {
  t.test(`${spec} passes the gate while confined`, { skip: skip.namespace }, async t => {
    const { running } = await staged(t, spec, { path: '/page.html' })
    t.equal(running.confinedBy, 'namespace')
    await running.stop()
  })
}

t.test('a server without known vulnerabilities is not confined', async t => {
  const { running } = await staged(t, 'http-fs', { path: '/page.html' })
  t.equal(running.confinedBy, undefined)
})
