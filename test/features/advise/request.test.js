/** Tests the options of hopbench advise: defaults, and misuse. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { HopbenchError } from '../../../bench/errors.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { inProject } from '../../support/advice.js'

/** @import { Test } from 'tap' */

/**
 * @param {Test} t
 * @param {Partial<Parameters<typeof adviseRequestFrom>[0]>} options
 * @param {RegExp} message of the sentence and of what to try
 */
function rejects (t, options, message) {
  try {
    adviseRequestFrom({ lab: true, ...options })
    t.fail(`not refused: ${message}`)
  } catch (error) {
    if (!(error instanceof HopbenchError)) throw error
    t.match(`${error.message} ${error.remedy}`, message)
    t.equal(error.exit, 2)
  }
}

/**
 * Returns a HAR file.
 * @param {[path: string, headers?: Record<string, string>][]} requests
 */
const toHar = requests => JSON.stringify({
  log: {
    entries: requests.map(([path, headers = {}]) => ({
      request: {
        method: 'GET',
        url: `http://localhost:3000${path}`,
        headers: Object.entries(headers).map(([name, value]) => ({ name, value }))
      },
      response: { status: 200, content: { size: 10, mimeType: 'text/html' } }
    }))
  }
})

t.test('starts the script of package.json, and writes the kit of docker to ./deploy', async t => {
  inProject(t)
  const request = adviseRequestFrom({ lab: true })
  t.match(request, {
    run: 'npm start',
    paths: ['/'],
    load: { rps: null, p99Ms: null },
    platform: { provider: null, target: 'docker', endsTls: false },
    out: './deploy',
    isPrivate: false
  })
  t.equal(request.mix, null)
})

t.test('takes the kit, the router and its timeout of the provider', async t => {
  inProject(t)
  t.match(adviseRequestFrom({ lab: true, provider: 'fly' }).platform,
    { provider: 'Fly.io', target: 'fly', endsTls: true, trustsRouter: true, idleSeconds: 120, isIdleKnown: false })
  t.match(adviseRequestFrom({ lab: true, provider: 'hetzner' }).platform, { target: 'systemd', endsTls: false })
  t.match(adviseRequestFrom({ lab: true, provider: 'koyeb' }).platform,
    { target: 'docker', endsTls: true, trustsRouter: false })
  t.match(adviseRequestFrom({ lab: true, provider: 'heroku' }).platform, { provider: 'Heroku', target: 'heroku' })
  t.match(adviseRequestFrom({ lab: true, target: 'render' }).platform, { provider: 'Render', endsTls: true })
  t.match(adviseRequestFrom({ lab: true, provider: 'hetzner', target: 'docker' }).platform, { target: 'docker' })
})

t.test('requests the paths of a HAR file, and stores no value of a header', async t => {
  inProject(t, { 'package.json': '{}', 'public/a.js': 'a', 'page.har': toHar([['/'], ['/a.js']]) })
  const request = adviseRequestFrom({
    lab: true, app: ['node a.js'], files: ['/assets=./public'], har: 'page.har', header: ['Cookie: sid=1']
  })
  t.strictSame(request.mix, { har: 'page.har' })
  t.same(request.paths.toSorted(), ['/', '/a.js'])
  t.ok(request.isPrivate)
  t.notMatch(request.typed, /sid=1/)
})

t.test('responses to keys, and to cookies that a HAR file had, are those of a person', async t => {
  inProject(t, {
    'package.json': '{}',
    'cookie.har': toHar([['/', { Cookie: 'x=1' }]]),
    'plain.har': toHar([['/', { Accept: 'x=1' }]])
  })
  const isPrivate = (/** @type {object} */ more) =>
    adviseRequestFrom({ lab: true, app: ['node a.js'], ...more }).isPrivate
  t.ok(isPrivate({ header: ['X-Api-Key: k'] }))
  t.notOk(isPrivate({ header: ['Accept-Language: en'] }))
  t.ok(isPrivate({ har: 'cookie.har' }))
  t.notOk(isPrivate({ har: 'plain.har' }))
})

t.test('lists each path of a HAR file once, the most frequent first', async t => {
  const [text, any] = ['text/html', '*/*'].map(Accept => ({ Accept }))
  inProject(t, { 'package.json': '{}', 'page.har': toHar([['/a', text], ['/b', any], ['/b', any], ['/a', any]]) })
  const found = adviseRequestFrom({ lab: true, app: ['node a.js'], har: 'page.har' })
  t.same(found.paths, ['/b', '/a'])
  t.same(found.requests.map(({ headers }) => headers), [any, text])
})

t.test('refuses an app that is unknown, several apps, and an app with a name', async t => {
  inProject(t, {})
  rejects(t, {}, /there is no package\.json.*Name the command/)
  inProject(t, { 'package.json': '{}' })
  rejects(t, {}, /package\.json has no script "start"/)
  rejects(t, { app: ['a=node a.js'] }, /advice is about one app/)
  rejects(t, { app: ['node a.js'], listen: '$SOCKET' }, /over TCP.*--listen '\$PORT,\$SOCKET'/)
  rejects(t, { app: ['node a.js', 'b=node b.js'] }, /advice is about one app/)
})

t.test('a load in milliseconds stays a whole number', async t => {
  inProject(t)
  t.same(adviseRequestFrom({ lab: true, rps: 800, p99: 0.009 }).load, { rps: 800, p99Ms: 9 })
})

t.test('resumes with the same options only, and stores no secret', async t => {
  inProject(t)
  const typed = (/** @type {object} */ more) => adviseRequestFrom({ lab: true, ...more }).typed
  t.equal(typed({ provider: 'fly' }), typed({ provider: 'Fly.io' }))
  t.not(typed({ header: ['Cookie: sid=1'] }), typed({}))
  t.not(typed({ compare: 'status' }), typed({}))
  t.not(typed({ quietApp: true }), typed({}))
  t.notMatch(typed({ header: ['Cookie: sid=1'] }), /sid/)
})

t.test('resumes only while package.json, the lock file and the file of requests are the same', async t => {
  const dir = inProject(t)
  const typed = () => adviseRequestFrom({ lab: true, app: ['node a.js'], paths: 'paths.txt' }).typed
  const found = new Set()
  for (const [name, text] of [
    ['paths.txt', '/\n'], ['paths.txt', '/b\n'], ['package-lock.json', '{}'], ['package.json', '{"type":"module"}']
  ]) {
    writeFileSync(join(dir, name), text)
    found.add(typed())
    t.equal(typed(), [...found].at(-1))
  }
  t.equal(found.size, 4)
})

t.test('refuses half a load, and a provider without offerings', async t => {
  inProject(t)
  rejects(t, { rps: 800 }, /needs --p99/)
  rejects(t, { p99: 0.1 }, /needs --rps/)
  rejects(t, { provider: 'unknown' }, /the providers are .*Fly\.io/)
  rejects(t, { provider: 'aws' }, /beginning of AWS App Runner.*--provider 'AWS App Runner'/)
  rejects(t, { provider: 'hetzner', target: 'fly' }, /this kit is for Fly\.io, and --provider names Hetzner Cloud/)
})

t.test('refuses a folder of the kit that is taken, before anything is measured', async t => {
  const dir = inProject(t)
  mkdirSync(join(dir, 'deploy'))
  t.equal(adviseRequestFrom({ lab: true }).out, './deploy', 'an empty folder is fine')
  writeFileSync(join(dir, 'deploy/fly.toml'), '')
  rejects(t, {}, /not empty, and holds fly\.toml.*--force/)
  t.ok(adviseRequestFrom({ lab: true, force: true }))
  rejects(t, { out: '../elsewhere' }, /outside the project/)
  rejects(t, { out: 'package.json' }, /it is a file/)
})

t.test('refuses requests and folders that are missing', async t => {
  inProject(t)
  rejects(t, { files: ['/assets=./none'] }, /there is no such folder/)
  rejects(t, { har: 'none.har' }, /none\.har/)
  rejects(t, { path: 'api' }, /begins with \//)
})
