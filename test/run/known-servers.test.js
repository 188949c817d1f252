import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { parse } from '../../bench/plan/spec.js'
import { knownServers } from '../../bench/run/run-plan.js'

const arms = ['http-fs', 'sirv', 'nginx/files'].map(spec => ({ topology: parse(spec) }))
/** @param {string} day */
const checked = day => ({ checkedAt: `${day}T14:00:00.000Z`, node: '26.10.0', version: null })

t.test('reads the description of a server from its file, not from a stored check', async t => {
  const folder = t.testdir({})
  const about = { title: 'as it was', package: null, serves: ['static'], bytesFrom: 'disk', compression: 'none' }
  writeFileSync(join(folder, 'check.json'), JSON.stringify({
    schema: 1,
    tools: {},
    seconds: 1,
    probes: [],
    servers: [{ name: 'http-fs', about, chains: [], ...checked('2026-11-18') },
      { name: 'http-fs+production', about, chains: [], ...checked('2026-11-19') },
      { name: 'st', about, chains: [], ...checked('2026-11-20') }]
  }))
  const { aboutOf, failuresOf, checked: last } = await knownServers(arms, folder)
  t.strictSame(last, { day: '2026-11-19', node: '26.10.0' }, 'that of a compared server')
  t.match(aboutOf('http-fs'), { demonstration: true })
  t.match(aboutOf('sirv'), { package: 'sirv' })
  t.equal(aboutOf('files'), null)
  t.equal(failuresOf('sirv'), null, 'not checked')
})

t.test('reads the description of a server without a file from the check', async t => {
  const folder = t.testdir({})
  const about = { title: 'gone', package: null, serves: ['static'], bytesFrom: 'disk', compression: 'none' }
  writeFileSync(join(folder, 'check.json'), JSON.stringify({
    schema: 1,
    tools: {},
    seconds: 1,
    probes: [],
    servers: [{ name: 'gone', about, chains: [], ...checked('2026-11-20') }]
  }))
  const gone = /** @type {any} */ ({ server: { name: 'gone' } })
  t.match((await knownServers([{ topology: gone }], folder)).aboutOf('gone'), { title: 'gone' })
})
