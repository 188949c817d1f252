import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import apache from '../../proxy/apache.js'
import { fetchResponses } from '../../bench/measure/gate/gate.js'
import { findModules } from '../../bench/machine/setup/modules.js'
import { groupMembers } from '../../bench/machine/probe.js'
import { run } from '../../bench/machine/process.js'
import { armFrom } from '../../bench/request/request.js'
import { openStage } from '../../bench/measure/stage.js'
import { findTool, toolVersion } from '../../bench/machine/tools.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { transports } from '../../bench/plan/spec.js'
import { countRequests, staged } from '../support/stage.js'
import { tempFolder, tempRoot } from '../support/temp.js'

/** @import { StagedArm } from '../../bench/measure/types.js' */
/** @import { OptionValue, RenderRequest } from '../../bench/types.js' */

/** @typedef {Record<string, OptionValue>} Options */

const tool = await findTool({ program: apache.about.program, packages: apache.about.packages })
const version = await toolVersion(tool.path, apache.version, tool.env)
const modules = await findModules(apache, tool)
const dir = tempFolder(t)

/**
 * Lets Apache check a configuration.
 * @param {RenderRequest['upstream']} upstream
 * @param {Options} options
 * @param {{ root?: string, purpose?: 'measure' | 'home' }} [more]
 */
async function verdictOn (upstream, options, { root = dir, purpose = 'measure' } = {}) {
  /** @type {RenderRequest} */
  const request = {
    version,
    listen: { kind: 'tcp', host: '127.0.0.1', port: 48080 },
    upstream,
    root,
    options: resolveOptions('apache', apache.about.options, options),
    dir,
    modules,
    clients: 100,
    purpose
  }
  for (const folder of apache.folders?.(request) ?? []) mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(apache.render(request))) {
    writeFileSync(join(dir, file), purpose === 'home' ? relocate(text) : text)
  }
  const { exit, stderr } = await run([tool.path, ...apache.check(dir)], { env: tool.env })
  return exit === 0 ? stderr.trim() : `exit ${exit}: ${stderr}`
}

/**
 * Replaces the folders of Debian's package in the recommended configuration by those of the cache.
 * @param {string} text
 */
const relocate = text =>
  text.replaceAll(`"${modules?.installed}/`, `"${modules?.folder}/`).replaceAll(/"\/(etc|run|var\/[a-z]+)\/apache2/g,
    `"${dir}`)
    .replaceAll(/^(User|Group) .*$/gm, '$1 #65534')

const OK = 'Syntax OK'

t.test('Apache accepts every MPM with every option as a static server', async t => {
  for (const mpm of ['prefork', 'worker', 'event']) {
    for (const options
      of /** @type {Options[]} */ ([{}, { processes: 7 }, { gzip: true, gzip_comp_level: 9 }, {
        sendfile: false,
        mmap: false,
        gzip: true
      }])) {
      t.equal(await verdictOn(null, { mpm, ...options }), OK, `${mpm} ${JSON.stringify(options)}`)
    }
  }
  mkdirSync(join(dir, 'my files'))
  t.equal(await verdictOn(null, {}, { root: join(dir, 'my files') }), OK, 'a folder with a space')
  t.equal(await verdictOn(null, { gzip: true }, { purpose: 'home' }), OK, 'the recommended configuration')
})

t.test('Apache accepts every MPM with every option in front of a server', async t => {
  /** @type {Options[]} */
  const caches = [{}, { cache: '5s' }, { cache: '5s', lock: true, stale: true }, {
    cache: '5s',
    store: 'socache',
    lock: true
  }]
  for (const mpm of ['prefork', 'worker', 'event']) {
    for (const transport of transports) {
      const upstream = {
        transport,
        addresses: [transport.startsWith('uds')
          ? /** @type {const} */ ({ kind: 'unix', path: join(dir, 'app.sock') })
          : /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port: 43000 })]
      }
      for (const cache of caches) {
        t.equal(await verdictOn(upstream, { mpm, gzip: true, ...cache }), OK,
          `${mpm} ${transport} ${JSON.stringify(cache)}`)
      }
    }
  }
  /** @type {RenderRequest['upstream']} */
  const upstream = { transport: 'uds', addresses: [{ kind: 'unix', path: join(dir, 'app.sock') }] }
  for (const cache of caches) {
    t.equal(await verdictOn(upstream, cache, { purpose: 'home' }), OK, `home ${JSON.stringify(cache)}`)
  }
})

for (const mpm of ['prefork', 'event']) {
  for (const transport of transports) {
    t.test(`apache:${transport}+mpm=${mpm} uses this transport to the server, and counts every request`, async t => {
      const arm = await staged(t, `apache:${transport}+mpm=${mpm}+processes=8/http-json`)
      const { front, requests, connections, listening, failures, seconds } = await countRequests(arm, 100)
      t.strictSame(failures, [])
      t.equal(front, 100, 'reading the counters is not counted')
      t.ok(seconds > 0, 'the clock of Apache advances')
      t.equal(requests, 100)
      t.equal(listening, transport.startsWith('uds') ? 'unix' : 'tcp')
      if (transport.endsWith('keepalive')) {
        t.ok(connections <= 8, `${connections} connections for 100 requests: at most one for each process`)
      } else t.equal(connections, 100, 'a connection for each request')
      t.equal((await arm.running.front()).connections, null, 'Apache does not count the connections that it accepts')
      t.strictSame(arm.running.noted(), [], 'no errors in the log')
    })
  }
}

t.test('Apache serves files without a server, compressed for clients that accept gzip', async t => {
  const gzip = { 'Accept-Encoding': 'gzip' }
  const plain = await staged(t, 'apache/files', { path: '/page.html', headers: gzip })
  const packed = await staged(t, 'apache+mpm=worker+gzip/files', { path: '/page.html', headers: gzip })
  t.equal(await plain.running.origin(), null, 'no server behind Apache')
  t.strictSame(plain.running.pids().server, [])
  const [all, fewer] = [plain, packed].map(({ bytesPerResponse }) => Number(bytesPerResponse))
  t.ok(all > 8550, `${all} bytes with the headers of a page of 8,550`)
  t.ok(fewer < 0.6 * all, `${fewer} compressed on the fly`)
})

t.test('Apache responds with 404 to hidden files, and logs the error with its status', async t => {
  const { running, arm, network } = await staged(t, 'apache/files', { path: '/1kb.json' })
  const load = { ...arm.load, path: '/.env' }
  const { answers } = await fetchResponses({ target: running.target, load, network, times: 1 })
  t.equal(answers[0].answer.status, 404)
  t.match(running.noted(), [{ status: 404, cache: null }])
})

for (const store of ['disk', 'socache']) {
  t.test(`a cache (${store}) serves all requests except the first`, async t => {
    const arm = await staged(t, `apache:uds+cache=1h+store=${store}/express-json`)
    const { front, requests, answers } = await countRequests(arm, 100)
    t.equal(front, 100)
    t.equal(requests, 0, 'the gate has filled the cache')
    t.strictSame(answers.map(({ answer, times }) => [answer.cache, times]), [['HIT', 100]])
    const missed = arm.running.noted()
    t.ok(missed.length >= 1 && missed.length <= 4, 'the gate starts with four requests at once')
    t.ok(missed.every(({ cache, status }) => cache === 'MISS' && status === 200))
    const text = readFileSync(join(arm.dir, 'httpd.conf'), 'utf8')
    const root = /CacheRoot "(.*)"/.exec(text)?.[1]
    if (store === 'disk') t.ok(root && existsSync(root), `the cache's files are in ${root}`)
    else t.notOk(root)
  })
}

t.test('all 50 processes of Apache run once it is up, and none after it was stopped', async t => {
  const temp = tempRoot(t)
  const arm = await armFrom('apache:uds+mpm=prefork+processes=50+cache=5s/http-json', { connections: 50 })
  const stage = await openStage([arm], { temp: temp.path, lab: false, cores: null, cwd: process.cwd() })
  t.teardown(() => stage.close())
  const { running, dir } = /** @type {StagedArm} */ (stage.arms.get(arm.name))
  const { proxy } = running.pids()
  // The parent process, 50 processes, and two for the connections of the suite.
  t.equal(proxy.length, 1 + 50 + 2)
  const memory = /CacheRoot "(.*)\/cache"/.exec(readFileSync(join(dir, 'httpd.conf'), 'utf8'))?.[1] ?? ''
  await stage.close()
  t.strictSame(proxy.filter(pid => existsSync(`/proc/${pid}`) && groupMembers(proxy).includes(pid)), [])
  t.notOk(existsSync(join(dir, apache.counters.socket)), 'the relay removed its socket')
  temp.remove()
  t.notOk(existsSync(memory), 'no file remains on tmpfs')
})

t.test('finds the files *.so in the folder of modules', async t => {
  t.ok(modules?.files.includes('mod_proxy_http.so'))
  t.ok(modules?.builtIn.includes('mod_so.c'))
  const root = join(dir, 'package')
  mkdirSync(join(root, 'usr/lib64/httpd/modules'), { recursive: true })
  for (const file of ['mod_proxy.so', 'httpd.exp']) writeFileSync(join(root, 'usr/lib64/httpd/modules', file), '')
  const found = await findModules(apache, { ...tool, root })
  t.match(found, { folder: join(root, 'usr/lib64/httpd/modules'), installed: '/usr/lib64/httpd/modules' })
  t.strictSame(found?.files, ['mod_proxy.so'])
  t.match(await findModules(apache, { ...tool, root: join(dir, 'nowhere') }), {
    folder: null,
    installed: '/usr/lib/apache2/modules'
  })
})
