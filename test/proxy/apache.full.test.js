import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import apache from '../../proxy/apache.js'
import { fetchResponses } from '../../bench/measure/gate/gate.js'
import { findModules } from '../../bench/machine/setup/modules.js'
import { groupMembers } from '../../bench/machine/probe.js'
import { armFrom } from '../../bench/request/request.js'
import { openStage } from '../../bench/measure/stage.js'
import { findTool } from '../../bench/machine/tools.js'
import { countRequests, staged } from '../support/stage.js'
import { tempFolder, tempRoot } from '../support/temp.js'

/** @import { StagedArm } from '../../bench/measure/types.js' */

const tool = await findTool({ program: apache.about.program, packages: apache.about.packages })
const modules = await findModules(apache, tool)
const dir = tempFolder(t)

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
