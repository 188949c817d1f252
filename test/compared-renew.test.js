/** Tests of the list of newest releases: how it is made, and that no pinned package has been behind for too long. */
import t from './support/tap.js'
import { findChanges, readCompared } from '../bench/features/publish/compared.js'
import { comparedPackages } from './compared-lock.js'
import {
  MAX_DAYS_BEHIND, keepRepeated, listOverdue, packagesByServer, pinnedVersions, toChecks, toRelease, toText
} from './compared-renew.js'

const compared = readCompared()
if (!compared) throw new Error('results/reference/compared.json is missing')
const RENEW = 'renew the list with: npm run compared -- --renew'

t.test('the newest release is the latest tag, with the day of its first release of that major version', async t => {
  const published = {
    'dist-tags': { latest: '10.1.0', next: '11.0.0-rc.1' },
    time: {
      created: '2020-01-01T00:00:00Z',
      '9.9.9': '2026-05-01T00:00:00Z',
      '10.0.0-rc.1': '2026-06-01T00:00:00Z',
      '10.1.0': '2026-08-02T03:00:00Z',
      '10.0.0': '2026-07-01T00:00:00Z',
      '11.0.0-rc.1': '2026-09-01T00:00:00Z'
    }
  }
  t.strictSame(toRelease(published, '2026-11-28'),
    { newest: '10.1.0', released: '2026-08-02', major: '2026-07-01', read: '2026-11-28' })
})

t.test('a package is overdue if its major version was behind for too long on the day of the list', async t => {
  const release = { newest: '10.1.0', released: '2026-11-01', major: '2026-01-01', read: '2026-01-01' }
  const after = (/** @type {number} */ days) =>
    new Date(Date.parse(release.major) + days * 86_400_000).toISOString().slice(0, 10)
  const late = { ...release, read: after(MAX_DAYS_BEHIND + 1) }
  t.strictSame(listOverdue({ a: '9.3.0' }, { a: late }), ['a 9.3.0: 10.1.0'])
  t.strictSame(listOverdue({ a: '10.0.0' }, { a: late }), [], 'the same major version')
  t.strictSame(listOverdue({ a: '9.3.0' }, { a: { ...late, read: after(MAX_DAYS_BEHIND) } }), [], 'not for long')
})

t.test('a check with other packages than the wanted ones is rejected', async t => {
  const server = {
    name: 'sirv+production',
    about: { package: 'sirv' },
    version: '3.0.2',
    checkedAt: '2026-11-28T01:02:03.000Z',
    node: '26.10.0',
    chains: [{ spec: 'sirv', results: [{ probe: 'b', outcome: 'fail', saw: '' }, { probe: 'a', outcome: 'pass' }] }]
  }
  const record = /** @type {any} */ ({ probes: [{ name: 'a' }, { name: 'b' }], servers: [server] })
  const packages = new Map([['sirv', ['sirv']]])
  t.strictSame([...toChecks(record, packages, { sirv: '3.0.2' })], [['sirv+production',
    { versions: { sirv: '3.0.2' }, day: '2026-11-28', node: '26.10.0', probes: 2, failed: ['b'] }]])
  t.throws(() => toChecks(record, packages, { sirv: '4.0.0' }), /with sirv 3\.0\.2, not 4\.0\.0/)
  server.chains[0].results = []
  t.throws(() => toChecks(record, packages, { sirv: '3.0.2' }), /was not checked/)
})

t.test('lists the probes whose outcome differs with the newest packages', async t => {
  const check = { versions: {}, day: '', node: '', probes: 3, failed: ['a', 'b'] }
  t.strictSame(findChanges({ pinned: check, newest: { ...check, failed: ['b', 'c'] } }),
    { mended: ['a'], broken: ['c'] })
  t.strictSame(findChanges({ pinned: check, newest: null }), { mended: [], broken: [] })
})

t.test('a failure that a second check does not repeat is left out', async t => {
  const check = { versions: {}, day: '', node: '', probes: 3, failed: ['a', 'b'] }
  const kept = keepRepeated(new Map([['x', check], ['y', check]]), new Map([['x', { ...check, failed: ['b', 'c'] }]]))
  t.strictSame([...kept].map(([name, { failed }]) => [name, failed]), [['x', ['b']], ['y', ['a', 'b']]])
})

t.test('the stored list has a line for each entry', async t => {
  t.strictSame(JSON.parse(toText(compared)), compared)
  t.equal(toText({ packages: { b: compared.packages.sirv, a: compared.packages.sirv }, servers: {} })
    .split('\n').filter(line => line.startsWith('"')).length, 2)
})

t.test('the stored list has every compared package and every server with packages', async t => {
  const servers = await packagesByServer()
  const names = new Set([...comparedPackages(), ...[...servers.values()].flat()])
  t.ok(names.size > 10)
  t.strictSame([...names].filter(name => !compared.packages[name]), [], RENEW)
  t.strictSame([...servers.keys()].filter(name => !compared.servers[name]), [], RENEW)
})

t.test('no pinned package has been a major version behind for too long', async t => {
  t.strictSame(listOverdue(pinnedVersions(Object.keys(compared.packages)), compared.packages), [],
    `take the newest version, or ${RENEW}`)
})
