import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { cacheOutcomes } from '../../../../bench/features/check/caches/outcomes.js'
import { npmTarball } from '../../../../bench/machine/setup/npm-pack.js'
import { run } from '../../../../bench/machine/process.js'
import { printReport } from '../../../../bench/report/terminal.js'
import { prepareCheck, writeCaches } from '../../../../bench/store/check-results.js'
import { cachesToCheck } from '../../../../bench/features/check/caches/study.js'
import { cachesKind } from '../../../../bench/features/check/kind.js'
import { program } from '../../../support/provoke.js'

/** @import { CacheResult } from '../../../../bench/types.js' */
/** @import { Test } from 'tap' */

/**
 * @param {Partial<CacheResult> & { id: string }} result
 * @returns {CacheResult}
 */
const result = result => ({ name: result.id, topic: 'Vary', kind: 'required', needs: [], passed: true, ...result })

const results = [
  result({ id: 'stores' }),
  result({ id: 'forgets', passed: false, saw: 'comes from cache' }),
  result({ id: 'asks-again', kind: 'optimal' }),
  result({ id: 'asks-twice', kind: 'optimal', passed: false }),
  result({ id: 'guesses', kind: 'check' }),
  result({ id: 'warns', kind: 'check', passed: false }),
  result({ id: 'broken', passed: false, setup: true }),
  result({ id: 'on-forgets', needs: ['forgets'] }),
  result({ id: 'on-warns', needs: ['warns'] }),
  result({ id: 'on-stores', needs: ['stores', 'guesses'] }),
  result({ id: 'on-unknown', needs: ['who'] })
]

t.test('derives the outcome of a test from its kind, and leaves it unknown when a required test failed', async t => {
  t.strictSame(Object.fromEntries(cacheOutcomes(results)), {
    stores: 'pass',
    forgets: 'fail',
    'asks-again': 'better',
    'asks-twice': 'not-better',
    guesses: 'yes',
    warns: 'no',
    broken: 'unasked',
    'on-forgets': 'unasked',
    'on-warns': 'unasked',
    'on-stores': 'pass',
    'on-unknown': 'unasked'
  })
})

const cache = (/** @type {string} */ spec) =>
  ({ spec, proxy: spec.split(':')[0], version: '1.2.3', checkedAt: '2026-01-01T00:00:00Z', results })
const record = (/** @type {string[]} */ ...words) =>
  ({ schema: 1, tests: 'http-cache-tests 0.4.5', seconds: 1, caches: words.map(cache) })

t.test('counts the outcomes of each kind and names the failures', async t => {
  const text = printReport(record('nginx:keepalive+cache=5s', 'varnish:uds+cache=1m'), cachesKind)
  const row = (/** @type {string} */ name) => text.split('\n').find(line => line.startsWith(name))
    ?.slice(name.length).trim().split(/ +/).map(Number)
  t.strictSame(row('required by the tests: met'), [2, 2])
  t.strictSame(row('  … failed'), [1, 1])
  t.match(text, /^Failed requirements of the tests: nginx:keepalive\+cache=5s 1 and\nvarnish:uds\+cache=1m 1\.\n/)
  t.strictSame(row('not tested'), [4, 4])
  t.match(text, /nginx:keepalive\+cache=5s: 1 failure\nVary \(1\): forgets\n/)
  t.ok(text.split('\n').every(line => line.length <= 80))
})

t.test('keeps stored results of caches that were not checked again', async t => {
  const dir = join(t.testdir({}), 'results')
  await prepareCheck(dir)
  await writeCaches(record('nginx:uds+cache=5s', 'apache:uds+cache=5s'), dir)
  const file = await writeCaches({ ...record('nginx:uds+cache=5s'), seconds: 2 }, dir)
  const kept = JSON.parse(readFileSync(file, 'utf8'))
  t.equal(kept.seconds, 2)
  t.strictSame(kept.caches.map((/** @type {any} */ { spec }) => spec), ['apache:uds+cache=5s', 'nginx:uds+cache=5s'])
})

t.test('checks every proxy with a cache and rejects one without', async t => {
  const words = (await cachesToCheck([])).map(({ spec }) => spec.split(':')[0])
  t.ok(['nginx', 'apache', 'varnish'].every(name => words.includes(name)))
  t.notOk(words.includes('haproxy') || words.includes('caddy'))
  t.match(await cachesToCheck(['nginx:uds+cache=1m']), [{ topology: { proxy: { options: { cache: '1m' } } } }])
  await t.rejects(cachesToCheck(['nginx:uds']), { code: 'bad-option' })
  await t.rejects(cachesToCheck(['nginx/files']), { code: 'bad-option' })
})

/**
 * Returns a system with a fake npm.
 * @param {Test} t
 * @param {string} script of the fake npm; COPY is replaced by a command that copies the package
 */
async function system (t, script) {
  const dir = t.testdir({ bin: {}, cache: {}, package: { 'server.mjs': 'here' } })
  const tarball = join(dir, 'it.tgz')
  await run(['tar', '-czf', tarball, '-C', dir, 'package'])
  program(join(dir, 'bin'), 'npm', script.replace('COPY', `cp "${tarball}" "$4"`))
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
  return {
    spec: { name: 'it', version: '1.0.0', integrity, main: 'server.mjs' },
    options: {
      env: { PATH: `${join(dir, 'bin')}:${process.env.PATH}`, HOPBENCH_CACHE: join(dir, 'cache') },
      printProgress () {}
    }
  }
}

t.test('fetches a package once and rejects a wrong checksum', async t => {
  const { spec, options } = await system(t, 'COPY')
  await t.rejects(npmTarball({ ...spec, integrity: 'sha512-AAAA' }, options),
    { code: 'install-failed', message: /checksum/ })
  const folder = await npmTarball(spec, options)
  t.equal(readFileSync(join(folder, 'server.mjs'), 'utf8'), 'here')
  program(join(options.env.PATH.split(':')[0]), 'npm', 'exit 1')
  t.equal(await npmTarball(spec, options), folder, 'the second time from the cache')
})

t.test('reports a failed download with the output of npm', async t => {
  const { spec, options } = await system(t, 'echo "npm error code ENOTFOUND" >&2; exit 1')
  await t.rejects(npmTarball(spec, options), { code: 'install-failed', details: { output: /ENOTFOUND/ } })
})
