import t from '../support/tap.js'
import { parse } from '../../bench/plan/spec.js'
import { knownServers } from '../../bench/run/known-servers.js'

const arms = ['http-fs', 'sirv', 'nginx/files'].map(spec => ({ topology: parse(spec) }))
/** @param {string} day */
const checked = day => ({ checkedAt: `${day}T14:00:00.000Z`, node: '26.10.0', version: null })

const ABOUT = { package: null, serves: ['static'], bytesFrom: 'disk', compression: 'none' }

/**
 * Stores a check of servers, and returns its folder.
 * @param {import('tap').Test} t
 * @param {string} title
 * @param {Record<string, string>} days of the checks, by server
 */
function storeCheck (t, title, days) {
  const about = { ...ABOUT, title }
  const servers = Object.entries(days).map(([name, day]) => ({ name, about, chains: [], ...checked(day) }))
  return t.testdir({ 'check.json': JSON.stringify({ schema: 1, tools: {}, seconds: 1, probes: [], servers }) })
}

t.test('reads the description of a server from its file, not from a stored check', async t => {
  const days = { 'http-fs': '2026-11-18', 'http-fs+production': '2026-11-19', st: '2026-11-20' }
  const { aboutOf, failuresOf, checked: last } = await knownServers(arms, storeCheck(t, 'as it was', days))
  t.strictSame(last, { day: '2026-11-19', node: '26.10.0' }, 'that of a compared server')
  t.match(aboutOf('http-fs'), { demonstration: true })
  t.match(aboutOf('sirv'), { package: 'sirv' })
  t.equal(aboutOf('files'), null)
  t.equal(failuresOf('sirv'), null, 'not checked')
})

t.test('counts failures without a proxy, behind those of the run, and of safety behind any', async t => {
  const probes = ['plain', 'behind nginx', 'behind traefik', 'unsafe'].map(name =>
    ({ name, title: name, topic: name, safety: name === 'unsafe', section: '1', rfc: '9110' }))
  const failing = (/** @type {string[]} */ ...names) => probes.map(({ name }) =>
    ({ probe: name, outcome: names.includes(name) ? 'fail' : 'pass', saw: name, died: false }))
  const behind = (/** @type {string} */ proxy, /** @type {string[]} */ ...names) =>
    ({ spec: `${proxy}:tcp/sirv`, proxy, transport: 'tcp', error: null, results: failing(...names) })
  const chains = [
    { spec: 'sirv', proxy: null, transport: null, error: null, results: failing('plain') },
    behind('nginx', 'plain', 'behind nginx'), behind('traefik', 'plain', 'behind traefik', 'unsafe')
  ]
  const servers = [{ name: 'sirv', about: { ...ABOUT, title: 'sirv' }, chains, ...checked('2026-11-20') }]
  const dir = t.testdir({ 'check.json': JSON.stringify({ schema: 1, tools: {}, seconds: 1, probes, servers }) })
  const { failuresOf } = await knownServers(arms, dir)
  t.strictSame(failuresOf('sirv')?.map(({ name }) => name), ['unsafe', 'plain', 'behind nginx'])
})

t.test('reads the description of a server without a file from the check', async t => {
  const gone = /** @type {any} */ ({ server: { name: 'gone' } })
  const { aboutOf } = await knownServers([{ topology: gone }], storeCheck(t, 'gone', { gone: '2026-11-20' }))
  t.match(aboutOf('gone'), { title: 'gone' })
})
