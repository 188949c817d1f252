import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import nginx from '../../proxy/nginx.js'
import { ask } from '../../bench/gate.js'
import { run } from '../../bench/process.js'
import { findTool, toolVersion } from '../../bench/tools.js'
import { resolveOptions } from '../../bench/topology/options.js'
import { transports } from '../../bench/topology/word.js'
import { staged } from '../support/stage.js'

/** @typedef {Record<string, import('../../bench/types.d.ts').OptionValue>} Options */

const tool = await findTool({ program: 'nginx', packages: nginx.about.packages })
const version = await toolVersion(tool.path, nginx.version, tool.env)
const dir = mkdtempSync(join(tmpdir(), 'hb-'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))

/** Every set of these options, each with and without. @param {Options} options @returns {Options[]} */
const combinations = options => Object.entries(options).reduce(
  (sets, [name, value]) => sets.flatMap(set => [set, { ...set, [name]: value }]), [({})])

/**
 * What nginx itself says of a configuration.
 * @param {import('../../bench/types.d.ts').RenderRequest['upstream']} upstream
 * @param {Options} options
 * @param {string} [root]
 */
async function verdictOn (upstream, options, root = '/srv/www') {
  const files = nginx.render({
    version, listen: { kind: 'tcp', host: '127.0.0.1', port: 48080 }, upstream, root, options: resolveOptions('nginx', nginx.about.options, options), dir, clients: 100, purpose: 'measure'
  })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
  const { exit, stderr } = await run([tool.path, ...nginx.check(dir)], { env: tool.env })
  // A port that is in use is no fault of the configuration.
  return exit === 0 ? 'ok' : stderr
}

t.test('nginx accepts every combination of options as a server of files', async t => {
  for (const options of combinations({ gzip: true, gzip_static: true, sendfile: false, open_file_cache: true, workers: 2 })) {
    t.equal(await verdictOn(null, options), 'ok', JSON.stringify(options))
  }
  mkdirSync(join(dir, 'my files'))
  t.equal(await verdictOn(null, {}, join(dir, 'my files')), 'ok', 'and a folder with a space')
})

t.test('nginx accepts every combination of options in front of one or several servers', async t => {
  for (const transport of transports) {
    const addresses = Array.from({ length: 3 }, (_, i) => transport.startsWith('uds')
      ? /** @type {const} */ ({ kind: 'unix', path: join(dir, `app-${i}.sock`) })
      : /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port: 43000 + i }))
    for (const balance of ['none', 'round-robin', 'least-conn']) {
      const upstream = { transport, addresses: balance === 'none' ? addresses.slice(0, 1) : addresses }
      for (const options of combinations({ gzip: true, cache: '5s', workers: 2 })) {
        t.equal(await verdictOn(upstream, { balance, ...options }), 'ok', `${transport} ${balance} ${JSON.stringify(options)}`)
      }
    }
  }
  t.equal(await verdictOn({ transport: 'uds', addresses: [{ kind: 'unix', path: join(dir, 'app.sock') }] }, { cache: '5s', stale: false, lock: true, gzip: true, gzip_comp_level: 9, gzip_min_length: 1000, pool: 8, connections: 64 }), 'ok')
})

t.test('files come from nginx itself, compressed for those who take it', async t => {
  const gzip = { 'Accept-Encoding': 'gzip' }
  const sizes = await Promise.all([
    staged(t, 'nginx/files', { path: '/page.html', headers: gzip }),
    staged(t, 'nginx+gzip/files', { path: '/page.html', headers: gzip }),
    staged(t, 'nginx+gzip_static/files', { path: '/page.html', headers: gzip }),
    staged(t, 'nginx+gzip+gzip_static/files', { path: '/page.html' })
  ].map(async arm => {
    const { running, bytesPerResponse } = await arm
    t.equal(await running.origin(), null, 'there is no server behind')
    t.strictSame(running.pids().server, [])
    return Number(bytesPerResponse)
  }))
  const [plain, fly, ready, unasked] = sizes
  t.ok(plain > 8550, `${plain} bytes with the headers of a page of 8,550`)
  t.ok(fly < 0.6 * plain, `${fly} compressed on the fly`)
  t.ok(ready < fly, `${ready} compressed beforehand, at the highest level`)
  t.ok(Math.abs(unasked - plain) < 60, `${unasked} for those who do not ask for it`)
})

for (const [word, each] of [['nginx:tcp+balance=round-robin/http-json@node:3', true], ['nginx:uds+balance=least-conn+workers=2/http-json@node:3', false]]) {
  t.test(`${word} spreads requests over its processes`, async t => {
    const { running, arm, network } = await staged(t, String(word))
    await ask({ target: running.target, load: arm.load, network, times: 90 })
    const counts = await running.origin()
    const requests = counts?.workers ?? []
    t.equal(requests.length, 3)
    t.equal(running.pids().server.length, 3)
    const total = requests.reduce((sum, { requests }) => sum + requests, 0)
    t.equal(total, 290, 'the gate asked 200 times')
    if (each) t.ok(requests.every(({ requests }) => Math.abs(requests - total / 3) <= 1), 'each in turn')
    else t.ok(requests.every(({ requests }) => requests > 0), 'none is left out')
  })
}
