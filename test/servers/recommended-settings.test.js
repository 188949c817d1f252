/** Tests the recommended settings of the static servers against the stored check and the measured responses. */
import { once } from 'node:events'
import http from 'node:http'
import t from '../support/tap.js'
import { toForms } from '../../bench/judge/check-failures.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { parse } from '../../bench/plan/spec.js'
import { readCheck } from '../../bench/store/check-results.js'
import { REFERENCE_DIR } from '../../bench/store/store.js'
import { serverSettings } from '../../bench/topology/server-options.js'
import { PATHS, writeFixtures } from '../../bench/topology/fixtures/fixtures.js'
import { listening } from '../support/listening.js'
import { tempFolder } from '../support/temp.js'

/** @import { CheckRecord, ServerAbout, ServerFactory } from '../../bench/types.js' */

const check = /** @type {CheckRecord} */ (await readCheck(REFERENCE_DIR))
const root = tempFolder(t)
writeFixtures(root)

/** @type {{ name: string, about: ServerAbout, factory: ServerFactory }[]} */
const servers = (await Promise.all(pluginNames('server').map(async name => {
  const { about, default: factory } = await loadPlugin('server', name)
  return { name, about, factory }
}))).filter(({ about }) => about.serves.includes('static'))

/**
 * Returns the probes that a form of a server fails without a proxy.
 * @param {string} form
 * @returns {string[] | undefined} undefined: not checked
 */
const findFailed = form => check.servers.find(({ name }) => name === form)?.chains.find(({ spec }) => spec === form)
  ?.results.filter(({ outcome }) => outcome === 'fail').map(({ probe }) => probe)

/**
 * Requests a file as the experiments do.
 * @param {ServerFactory} factory
 * @param {boolean} production
 */
async function fetchMeasured (factory, production) {
  const port = await listening(t, http.createServer(await factory({ root, options: { production } })))
  const [response] = await once(http.get({ port, path: PATHS.page, agent: false }), 'response')
  const body = Buffer.concat(await response.toArray()).toString()
  const { date, vary, ...headers } = response.headers
  return { status: response.statusCode, body, headers }
}

for (const { name, about, factory } of servers) {
  const { production } = about
  t.test(`${name} states its recommended settings, or why there are none`, async t => {
    const { recommended } = toForms(name)
    if (!production) throw new Error('production is missing')
    const failures = findFailed(name) ?? []
    if ('none' in production) {
      t.throws(() => serverSettings(parse(recommended), '26.0.0', about),
        { code: 'bad-option', details: { why: production.none } })
      t.equal(findFailed(recommended), undefined, 'the check has one form')
      return
    }
    t.match(serverSettings(parse(recommended), '26.0.0', about).own, { production: true })
    t.match(serverSettings(parse(name), '26.0.0', about).own, { production: false })
    const left = findFailed(recommended)
    if (!left) throw new Error(`the stored check lacks ${recommended}`)
    for (const [setting, probes] of Object.entries(production.settings)) {
      for (const probe of probes) {
        t.ok(failures.includes(probe), `${probe} fails as shipped`)
        t.notOk(left.includes(probe), `${probe} passes with ${setting}`)
      }
    }
    t.strictSame(left.filter(probe => !failures.includes(probe)), [], 'the settings cause no failure')
    t.strictSame(await fetchMeasured(factory, true), await fetchMeasured(factory, false),
      'the measured response differs by Vary at most')
  })
}
