/** The table of first responses. The files first-response-*.full.test.js try it with real servers. */
import t from '../support/tap.js'
import { findFault } from '../../bench/shared/first-response.js'
import { seeded } from '../support/random.js'

/** @import { Look } from '../../bench/shared/first-response.js' */

const request = 'GET /'

/** @param {Omit<Look, 'request'>} look */
const params = look => findFault({ request, ...look })?.params ?? null

t.test('every status has a fault except 2xx, and only 502, 503 and 504 are worth another request', t => {
  for (let status = 200; status < 600; status++) {
    const fault = findFault({ request, answer: { status } })
    t.equal(fault === null, status < 300, `${status}`)
    if (!fault) continue
    t.ok(fault.params.why.startsWith(`its own server responds to GET / with status ${status}`), fault.params.why)
    t.match(fault.params.remedy, /^[A-Z][^]*\.$/)
    t.strictSame([fault.isWaiting, fault.isMissing], [[502, 503, 504].includes(status), false])
  }
  t.end()
})

t.test('recognises where a redirect leads', t => {
  /** @type {[string, string[]][]} */
  const cases = [
    ['/login?next=/', ['--header', 'Cookie: NAME=VALUE']],
    ['https://id.example/oauth/authorize', ['--header', 'Cookie: NAME=VALUE']],
    ['https://127.0.0.1:8080/', ['--header', 'X-Forwarded-Proto: https']],
    ['http://www.shop.example/', ['--header', 'Host: www.shop.example']],
    ['http://127.0.0.1:8080/home?a=1', ['--path', '/home?a=1']],
    ['/home', ['--path', '/home']],
    ['home', ['--path', '/home']]
  ]
  for (const [location, add] of cases) {
    t.strictSame(params({ answer: { status: 302, location } })?.add, add, location)
  }
  t.end()
})

t.test('recognises limiters by their headers, and ignores a limit that no load reaches', t => {
  const limits = {
    ratelimit: (/** @type {number} */ n) => `limit=${n}, remaining=${n - 1}, reset=900`,
    'ratelimit-policy': (/** @type {number} */ n) => `"default"; q=${n}; w=900`,
    'ratelimit-limit': (/** @type {number} */ n) => `${n}`,
    'x-ratelimit-limit': (/** @type {number} */ n) => `${n}`,
    'x-rate-limit-limit': (/** @type {number} */ n) => `${n}`
  }
  const random = seeded(58)
  for (const [name, toValue] of Object.entries(limits)) {
    for (let i = 0; i < 50; i++) {
      const limit = 1 + random.below(2_000_000)
      const found = params({ answer: { status: 200, headers: { [name]: toValue(limit) } } })
      const why = `its own server responds to GET / with status 200: it limits clients to ${limit} requests`
      t.equal(found?.why, limit < 1_000_000 ? why : undefined, `${name}: ${toValue(limit)}`)
    }
  }
  t.end()
})

t.test('names how a limiter is skipped only if the app depends on its package', t => {
  const remedy = 'Raise the limit of the app above the load, or skip its limiter while you measure'
  for (const status of [200, 429]) {
    const answer = { status, headers: { 'ratelimit-limit': '100' } }
    t.equal(params({ answer })?.remedy, `${remedy}.`)
    t.equal(params({ answer, packages: ['express', 'constructor'] })?.remedy, `${remedy}.`)
    t.equal(params({ answer, packages: ['express', 'express-rate-limit'] })?.remedy,
      `${remedy}, with express-rate-limit: rateLimit({ skip: () => true }).`)
    t.match(params({ answer, packages: ['@fastify/rate-limit'] })?.remedy, /@fastify\/rate-limit: .*allowList/)
  }
  t.end()
})

t.test('names a service that the app does not reach, and --no-lab only in a private network', t => {
  const outputs = {
    'connect ECONNREFUSED 127.0.0.1:5432': 'PostgreSQL',
    'getaddrinfo ENOTFOUND mysql': 'MySQL',
    'MongoServerSelectionError: connect ECONNREFUSED ::1:27017': 'MongoDB',
    'Redis Client Error: EAI_AGAIN': 'Redis',
    'connect ECONNREFUSED 127.0.0.1:9999': 'the program to which the app connects'
  }
  for (const [output, name] of Object.entries(outputs)) {
    const hidden = params({ answer: { status: 500 }, output, isPrivate: true })
    t.equal(hidden?.why, 'its own server responds to GET / with status 500: ' +
      `it does not reach ${name} from its private network`)
    t.strictSame(hidden?.add, ['--no-lab'])
    t.equal(params({ answer: { status: 500 }, output })?.add, undefined)
    for (const isPrivate of [true, false]) {
      const waits = findFault({ request, answer: { status: 503 }, output, isPrivate })?.isWaiting
      t.equal(waits, !isPrivate, 'a service that the network hides does not appear later')
    }
    t.equal(params({ answer: { status: 404 }, output, isPrivate: true })?.add?.[0], '--path', 'a page is missing')
  }
  t.end()
})

t.test('the path of a file of requests is left out of the file', t => {
  const remedy = 'Leave the path out of the file of --paths or --har.'
  t.strictSame(params({ answer: { status: 404 }, isMix: true }),
    { why: 'its own server responds to GET / with status 404', remedy })
  t.strictSame(params({ answer: { status: 401 }, isMix: true })?.add, ['--header', 'Authorization: Bearer TOKEN'])
  t.end()
})

t.test('a location with a secret is printed without it', t => {
  const { why, add } = params({ answer: { status: 302, location: '/home?token=abcdef123' } }) ?? {}
  t.notMatch(`${why} ${add}`, /abcdef123/)
  t.end()
})
