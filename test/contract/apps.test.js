/** Every command and every experiment measures the app of --app, or rejects the option with a reason. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { main, programOf } from '../../bench/cli.js'
import { orderFrom } from '../../bench/features/serve/app.js'
import { loadExperiments } from '../../bench/plan/plugins.js'
import { chainsOf, serversToCheck } from '../../bench/features/check/study.js'
import { appsFrom } from '../../bench/request/user-apps.js'
import { armsFrom, planFrom } from '../../bench/request/request.js'
import { command } from '../support/provoke.js'

/** @import { Test } from 'tap' */
/** @import { Arm } from '../../bench/types.js' */

const lab = { lab: false }
const APP = { app: 'node a.js' }
const ELSEWHERE = ['--app', 'node a.js', 'http-json']

/** @param {Pick<Arm, 'topology'>[]} arms */
const startsApp = arms => arms.length > 0 && arms.every(({ topology }) => topology.server?.command?.run === 'node a.js')

/**
 * Commands with --app: the words of one in which no topology contains the app; null: the command has no topologies.
 * @type {Record<string, string[] | null>}
 */
const WITH_APP = {
  advise: null,
  check: [...ELSEWHERE.slice(0, 2), 'sirv'],
  config: [...ELSEWHERE.slice(0, 2), 'nginx:keepalive/http-json'],
  diff: null,
  init: null,
  rollout: null,
  run: ELSEWHERE,
  serve: null,
  size: [...ELSEWHERE, '--rps', '10', '--p99', '1s'],
  up: ELSEWHERE
}

t.test('each command takes --app, or rejects it with a reason', async t => {
  for (const typed of (await programOf()).commands) {
    const [name, options] = [typed.name(), typed.options]
    const hasApp = options.some(({ long }) => long === '--app')
    t.equal(hasApp, Object.hasOwn(WITH_APP, name), `${name} is listed in this test`)
    if (hasApp) continue
    const message = new RegExp(`hopbench ${name} has no option --app: it `)
    const refused = { code: 'bad-command-line', exit: 2, message }
    await t.rejects(main([name, '--app', 'node a.js']), refused, name)
  }
})

for (const [name, words] of Object.entries(WITH_APP)) {
  if (words === null) continue
  t.test(`hopbench ${name} rejects an app that it would not start`, async t => {
    const refused = { code: 'bad-option', exit: 2, message: /node a\.js/ }
    await t.rejects(command(name, ...words), refused)
  })
}

t.test('arms of up, size and config start the app', async t => {
  t.ok(startsApp(await armsFrom([], { ...APP, connections: 1 })))
  t.ok(startsApp(await armsFrom(['nginx:tcp/app'], { ...APP, connections: 1 })))
})

t.test('the check starts the app alone and behind every proxy, and names the folder to serve', async t => {
  const apps = appsFrom(APP)
  const names = await serversToCheck([], apps)
  t.same(names, ['app'])
  const arms = (await chainsOf(names, { bare: false, apps })).get('app') ?? []
  t.ok(startsApp(arms))
  t.ok(arms.every(({ topology }) => topology.server?.command?.servesRoot))
  t.ok(arms.some(({ topology }) => topology.proxy === null))
  t.ok(arms.every(({ spec }) => !spec.includes(':uds')), 'without $SOCKET no proxy connects to a socket')
  for (const kind of ['--caches', '--configs']) {
    await t.rejects(command('check', kind, '--app', 'node a.js'), { code: 'bad-option', exit: 2 }, kind)
  }
})

t.test('a check of all servers takes the first and the last transport of each proxy', async t => {
  const [all, few] = await Promise.all([false, true].map(async few =>
    ((await chainsOf(['http-fs'], { bare: false, few })).get('http-fs') ?? []).map(({ spec }) => spec)))
  t.ok(few.length < all.length)
  t.same(few.filter(spec => spec.startsWith('nginx')), ['nginx:tcp/http-fs', 'nginx:uds-keepalive/http-fs'])
  const proxiesOf = (/** @type {string[]} */ specs) => new Set(specs.map(spec => spec.split(/[:/]/)[0]))
  t.same(proxiesOf(few), proxiesOf(all), 'no proxy is left out')
})

t.test('the page of serve starts only apps that serve was started with', async t => {
  const apps = { commands: { app: 'node a.js' }, options: { listen: '3000' } }
  const options = { app: ['app=node a.js'], listen: '3000' }
  t.strictSame(orderFrom({ words: ['app', 'nginx:tcp/app'] }, apps).options, options)
  t.strictSame(orderFrom({ words: ['uds'], app: 'app' }, apps).options, options)
  t.strictSame(orderFrom({ words: ['uds'], app: '' }, apps).options, {})
  t.throws(() => orderFrom({ words: ['uds'], app: 'other' }, apps), { code: 'bad-order' })
  t.throws(() => orderFrom({ words: ['uds'], app: 'app' }), { code: 'bad-order' })
  t.throws(() => orderFrom({ words: ['uds'], app: ['app'] }, apps), { code: 'bad-order' })
})

t.test('init writes the app into the file', async t => {
  const file = join(t.testdir({}), 'compare.mjs')
  t.capture(process.stdout, 'write', () => true)
  await command('init', '--app', 'node a.js', file)
  t.match(readFileSync(file, 'utf8'), /command: 'node a\.js'/)
  const { plan } = await planFrom([file], lab)
  t.ok(startsApp(plan.arms))
  const other = await planFrom([file], { ...lab, app: 'app=node b.js' })
  t.ok(other.plan.arms.every(({ topology }) => topology.server?.command?.run === 'node b.js'), '--app replaces it')
  await t.rejects(planFrom([file], { ...lab, app: 'new=node b.js' }), { code: 'bad-option' })
})

/** Experiments that measure one app, which a command can replace. Each other one is to be refused. */
const EXPERIMENTS = ['blog-cache', 'cache', 'caches', 'idle-502', 'idle-connections', 'latency', 'latency-nginx',
  'nginx-defaults', 'nginx-defaults-releases', 'pool', 'pool-caddy', 'pool-haproxy', 'proxies', 'proxies-ingress',
  'recommended',
  'recommended-proxies', 'reload', 'reload-app', 'reload-kill', 'slow-clients', 'slow-clients-starters', 'streaming',
  'streaming-gzip', 'time-wait', 'uds', 'websockets']

t.test('every experiment measures the app of --app in all arms, or rejects it', async t => {
  const names = (await loadExperiments()).map(({ name }) => name)
  t.same(EXPERIMENTS.filter(name => !names.includes(name)), [], 'these experiments exist')
  for (const name of names) {
    const planned = planFrom([name], { ...lab, app: 'node a.js', listen: '$PORT,$SOCKET' })
    if (!EXPERIMENTS.includes(name)) {
      await t.rejects(planned, { code: 'bad-option', exit: 2 }, name)
      continue
    }
    const { plan, note } = await planned
    t.ok(plan.arms.every(({ topology }) => topology.server?.command?.run === 'node a.js'), `${name} starts the app`)
    t.equal(note, undefined, `${name} has all arms`)
    t.equal(plan.experiment, `${name}-app`, 'no run of the published experiment')
    t.same(plan.claims, [])
    t.notMatch(plan.question, /Express/)
  }
})
