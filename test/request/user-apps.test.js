/** Apps of your own by command: several of them, in experiments, and the failure of a slower one. */
import t from '../support/tap.js'
import { rejectWithoutContrast } from '../../bench/features/run/fail-if-slower.js'
import { appsFrom, defaultTopologies } from '../../bench/request/user-apps.js'
import { armsFrom, planFrom } from '../../bench/request/request.js'

const lab = { lab: false }
const OLD = 'old=node old.js'
const NEW = 'new=node new.js'

t.test('reads names of apps, and leaves variables of the environment in the command', async t => {
  t.match(appsFrom({ app: [OLD, NEW] }), { old: { run: 'node old.js' }, new: { run: 'node new.js' } })
  t.match(appsFrom({ app: 'NODE_ENV=test node a.js' }), { app: { run: 'NODE_ENV=test node a.js' } })
  t.match(appsFrom({ app: 'app=lower=1 node a.js' }), { app: { run: 'lower=1 node a.js' } })
  t.same(appsFrom({}), {})
})

t.test('rejects a second app of the same name, and names that mean something else', async t => {
  const rejections = [['node a.js', 'node b.js'], [OLD, OLD], ['uds=node a.js'], ['nginx=node a.js'],
    ['files=node a.js'],
    ['express-json=node a.js'], ['old=']]
  for (const app of rejections) t.throws(() => appsFrom({ app }), { code: 'bad-option', exit: 2 }, app.join(' '))
})

t.test('compares several apps with the first, and one app with nginx in front of it', async t => {
  t.same(defaultTopologies(appsFrom({ app: [OLD, NEW] })), ['old', 'new'])
  t.same(defaultTopologies(appsFrom({ app: 'node a.js' })), ['app', 'nginx:keepalive/app'])
  const { plan } = await planFrom(['old', 'nginx:keepalive/new'], { ...lab, app: [OLD, NEW] })
  t.match(plan.arms, [
    { spec: 'old', topology: { server: { command: { run: 'node old.js' } } } },
    { spec: 'nginx:keepalive/new', topology: { server: { command: { run: 'node new.js' } } } }
  ])
})

t.test('rejects an app that no topology contains', async t => {
  const refused = { code: 'bad-option', exit: 2, message: /no topology contains "new"/ }
  await t.rejects(planFrom(['old'], { ...lab, app: [OLD, NEW] }), refused)
  await t.rejects(planFrom(['http-json', 'express-json'], { ...lab, app: NEW }), refused)
  await t.rejects(planFrom(['http://127.0.0.1:3000/'], { ...lab, app: NEW }), refused)
  await t.rejects(armsFrom(['http-json'], { connections: 1, app: NEW }), refused)
})

t.test('rejects parts of a topology that only modules have', async t => {
  for (const spec of ['app@cluster:2', 'app@pm2:2', 'app+runtime=node-24', 'nginx:keepalive/app+flags=jitless']) {
    await t.rejects(planFrom([spec], { ...lab, app: 'node a.js' }), { code: 'bad-topology', exit: 2 }, spec)
  }
})

t.test('leaves out arms that need a socket, or replaces sockets where all need one', async t => {
  const app = 'node a.js'
  const uds = await planFrom(['uds'], { ...lab, app })
  t.same(uds.plan.arms.filter(({ twinOf }) => twinOf === null).map(({ spec }) => spec),
    ['app', 'nginx:tcp/app', 'nginx:keepalive/app'])
  t.match(uds.note, /uds, uds-keepalive/)
  const proxies = await planFrom(['proxies'], { ...lab, app })
  t.ok(proxies.plan.contrasts.length > 0, 'there is something to compare')
  const caches = await planFrom(['caches'], { ...lab, app })
  t.ok(caches.plan.arms.every(({ topology }) => topology.proxy?.transport === 'keepalive'))
  t.ok(caches.note)
  await t.rejects(planFrom(['nginx-defaults'], { ...lab, app, listen: '$SOCKET' }), { code: 'bad-option' })
  await t.rejects(planFrom(['uds'], { ...lab, app: [OLD, NEW] }), { code: 'bad-option' })
})

t.test('restarts and kills an app where it listens, without POST and without arms of process managers', async t => {
  for (const name of ['reload-app', 'reload-kill']) {
    const { plan, note } = await planFrom([name], { ...lab, app: 'node a.js' })
    t.same(plan.arms.map(({ spec }) => spec),
      ['app', 'nginx:keepalive/app', 'nginx:keepalive+balance=round-robin/app@node:4'], name)
    t.match(plan.arms, plan.arms.map(() => ({ load: { path: '/', scenario: { options: { post: false } } } })))
    t.notMatch(plan.answer?.names, { 'nginx and one': /drain/ })
    t.equal(note, undefined)
  }
  const onSocket = await planFrom(['reload-app'], { ...lab, app: 'node a.js', listen: '$SOCKET' })
  t.same(onSocket.plan.arms.map(({ spec }) => spec),
    ['app', 'nginx:uds-keepalive/app', 'nginx:uds-keepalive+balance=round-robin/app@node:4'])
  t.match(onSocket.note, /over Unix sockets, not over TCP/)
  const onPort = await planFrom(['reload-app'], { ...lab, app: 'node a.js', listen: '3000' })
  t.same(onPort.plan.arms.map(({ spec }) => spec), ['app', 'nginx:keepalive/app'])
  t.match(onPort.note, /does not listen on \$PORT: nginx and four/)
})

t.test('rejects --fail-if-slower for a run that cannot fail', async t => {
  const { plan } = await planFrom(['old', 'new'], { ...lab, app: [OLD, NEW] })
  t.doesNotThrow(() => rejectWithoutContrast(0.05, plan))
  const alone = await planFrom(['old'], { ...lab, app: OLD })
  t.throws(() => rejectWithoutContrast(0.05, alone.plan), { code: 'bad-option', exit: 2 })
  t.throws(() => rejectWithoutContrast(0.05, { ...plan, smoke: true }), { code: 'bad-option', exit: 2 })
  t.doesNotThrow(() => rejectWithoutContrast(undefined, alone.plan))
})
