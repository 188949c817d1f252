/**
 * Confinement of servers with known vulnerabilities, tested with a server that reads, writes and runs any file.
 */
import { chmodSync, mkdirSync, readFileSync, realpathSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { confine } from '../../bench/topology/confinement/confinement.js'
import { openNetwork } from '../../bench/machine/lab.js'
import { describe } from '../../bench/topology/describe.js'
import { startTopology } from '../../bench/topology/start.js'
import { parse } from '../../bench/plan/word.js'
import { project } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

/** @import { ConfinedBy } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

const planted = fileURLToPath(new URL('../support/reads-any-path.js', import.meta.url))
const launcher = join(project, 'bench/topology/launch.js')
const readme = join(project, 'README.md')
const skip = { namespace: skipWithout('namespaces'), permissions: false }

process.env.HOPBENCH_TEST_TOKEN = 'a token of the user'

/**
 * Starts the planted server.
 * @param {Test} t
 * @param {ConfinedBy} way
 * @param {{ manager?: string, hidden?: string }} [options] hidden: replaces the file that must not be readable
 */
async function serve (t, way, { manager = 'node:1', hidden } = {}) {
  const temp = realpathSync(mkdtempSync(join(tmpdir(), 'hb-')))
  t.teardown(() => rmSync(temp, { recursive: true, force: true }))
  const [dir, root] = ['0', 'files'].map(name => join(temp, name))
  for (const folder of [join(dir, 'control'), root]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(root, 'page.html'), 'served')
  chmodSync(temp, 0o711)
  const network = await openNetwork({ name: 'it', dir, private: false })
  t.teardown(() => network.close())
  const found = await confine({ dir, root, code: [planted], enterBeside: network.enterBeside, ways: [way] })
  const enter = found.enter.length > 0 ? found.enter : network.enterServed
  // NODE_OPTIONS of tap names files that a confined process cannot load.
  const confinement = { ...found, hidden: hidden ?? found.hidden, enter: ['env', '-u', 'NODE_OPTIONS', ...enter] }
  const description = describe(parse(`./planted.js@${manager}`), {
    dir,
    root,
    ports: { front: await network.port(18300), origin: 18301 },
    cores: 2,
    clients: 10,
    launcher,
    node: process.execPath,
    module: planted,
    pm2: join(project, 'node_modules/pm2'),
    proxy: null,
    confinement
  })
  const running = await startTopology(description, {
    name: 'planted',
    dir,
    network,
    cores: null,
    proxyPlugin: null,
    confinement
  })
  t.teardown(() => running.stop())
  /** @param {string} path */
  const ask = async path => {
    const answer = await fetch(`${running.target.url}${path}`)
    return { status: answer.status, body: await answer.text() }
  }
  return { ask, running, dir, root }
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
    const { ask, root, running, dir } = await serve(t, way)
    t.equal(running.confinedBy, way)
    t.strictSame(await ask(`/read${root}/page.html`), { status: 200, body: 'served' })
    for (const file of [readme, '/etc/passwd', '/etc/hostname', '/proc/self/environ', '/proc/1/cmdline',
      join(project, 'results/schema.json'), `${root}/../0/../../..${readme}`]) {
      t.match(await ask(`/read${file}`), { status: 403, body: /^(ENOENT|ERR_ACCESS_DENIED)$/ }, file)
    }
    for (const file of [`${root}/page.html`, `${root}/new.html`, join(project, 'servers/new.js'), launcher,
      '/tmp/new']) {
      t.match(await ask(`/write${file}`), { status: 403, body: /^(EROFS|ENOENT|ERR_ACCESS_DENIED)$/ },
        `${file} is not written`)
    }
    t.match(await ask('/run/bin/pwd'), { status: 403 }, 'runs no other program')
    t.match(await ask(`/write${dir}/note.txt`), { status: 200 }, 'writes the folder of its sockets and logs')
    t.notMatch((await ask('/environment')).body, /HOPBENCH_TEST_TOKEN/, 'without the variables of the user')
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

t.test('does not start a server that can read a hidden file', async t => {
  const error = await serve(t, 'nothing', { hidden: readme }).catch(error => error)
  t.match(error, { code: 'process-died', details: { output: /the server is not confined: it can read .*README\.md/ } })
})

for (const word of ['node-static', 'nginx:uds/node-static@cluster:2']) {
  t.test(`${word} passes the gate while confined`, { skip: skip.namespace }, async t => {
    const { running } = await staged(t, word, { path: '/page.html' })
    t.equal(running.confinedBy, 'namespace')
    await running.stop()
  })
}

t.test('a server without known vulnerabilities is not confined', async t => {
  const { running } = await staged(t, 'http-fs', { path: '/page.html' })
  t.equal(running.confinedBy, undefined)
})
