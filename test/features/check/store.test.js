import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { fillDisk } from '../../support/full-disk.js'
import { prepareCheck, readCheck, writeCheck } from '../../../bench/store/check-results.js'
import { tempFolder } from '../../support/temp.js'

const dir = tempFolder(t)

/**
 * @param {string[]} names
 * @param {string} at
 * @param {Record<string, string>} [tools]
 */
const record = (names, at, tools = {}) => /** @type {any} */ ({
  schema: 1,
  tools,
  seconds: 1,
  probes: [],
  servers: names.map(name => ({ name, about: null, version: null, checkedAt: at, node: '20', chains: [] }))
})

t.test('keeps stored results of servers that were not checked again', async t => {
  const results = join(dir, 'new', 'results')
  t.equal(await readCheck(results), null, 'nothing yet')
  const tools = { nginx: '1.22.1' }
  t.equal(await writeCheck(record(['st', 'sirv'], 'then', tools), results), join(results, 'check.json'))
  await writeCheck(record(['st'], 'now'), results)
  t.strictSame((await readCheck(results))?.tools, tools, 'a check without proxies keeps the versions of others')
  t.match((await readCheck(results))?.servers, [{ name: 'sirv', checkedAt: 'then' }, { name: 'st', checkedAt: 'now' }])
})

t.test('stores of a server behind a proxy what differs from the server alone, and reads the whole', async t => {
  const results = join(dir, 'chains')
  const result = (/** @type {string} */ probe, /** @type {string} */ outcome, died = false) =>
    ({ probe, outcome, saw: `${probe} ${outcome}`, died })
  const evidence = { request: null, response: null, command: 'curl' }
  const bare = [result('a', 'pass'), { ...result('b', 'fail'), evidence }, result('c', 'fail', true)]
  const behind = [result('a', 'pass'), result('b', 'fail'), result('c', 'fail')]
  const chains = [
    { spec: 'st', proxy: null, transport: null, error: null, results: bare },
    { spec: 'nginx:tcp/st', proxy: 'nginx', transport: 'tcp', error: null, results: behind },
    { spec: 'caddy:tcp/st', proxy: 'caddy', transport: 'tcp', error: 'no Caddy', results: [] }
  ]
  const whole = record(['st'], 'now')
  whole.servers[0].chains = chains
  await writeCheck(whole, results)
  const stored = JSON.parse(readFileSync(join(results, 'check.json'), 'utf8'))
  t.strictSame(stored.servers[0].chains.map((/** @type {any} */ { results }) => results), [bare, [behind[2]], []])
  t.strictSame((await readCheck(results))?.servers[0].chains, chains)
})

t.test('concurrent writers keep the results of each other', async t => {
  const results = join(dir, 'busy')
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  await Promise.all(names.map(name => writeCheck(record([name], 'now'), results)))
  t.strictSame((await readCheck(results))?.servers.map(({ name }) => name), names)
})

t.test('reports an invalid check file and replaces it with the next check', async t => {
  for (const [text, code] of [['{', 'bad-run-file'], ['{}', 'bad-run-file'], ['{"schema":9,"servers":[],"probes":[]}',
    'other-format']]) {
    writeFileSync(join(dir, 'check.json'), text)
    await t.rejects(readCheck(dir), { code })
  }
  await writeCheck(record(['st'], 'now'), dir)
  t.match(await readCheck(dir), { servers: [{ name: 'st' }] })
})

t.test('reports a folder that is not writable before the check', async t => {
  writeFileSync(join(dir, 'file'), '')
  await t.rejects(prepareCheck(join(dir, 'file', 'results')), { code: 'results-not-writable' })
})

t.test('reports a full disk without naming a run to resume', {
  skip: process.platform !== 'linux' && 'there is no /dev/full'
}, async t => {
  await fillDisk(t)
  await t.rejects(writeCheck(record(['st'], 'now'), dir), {
    code: 'disk-full',
    message: /check\.json/,
    remedy: 'Free some space and try again.'
  })
})
