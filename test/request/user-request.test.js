/** Tests requests, commands and experiments for an app of your own, and that their secrets are not stored. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { withoutSecrets, restoreSecrets } from '../../bench/plan/stored-plan.js'
import { firstExperiment } from '../../bench/features/run/first-experiment.js'
import { commandFrom, requestFrom } from '../../bench/request/user-request.js'
import { appsFrom } from '../../bench/request/user-apps.js'
import { armFrom, planFrom } from '../../bench/request/request.js'

const lab = { lab: true }

t.test('parses typed requests and rejects impossible ones', async t => {
  t.same(requestFrom(lab), {}, 'a plain GET')
  t.match(requestFrom({ ...lab, body: '{"a":1}', header: ['X-A: b: c'] }), {
    method: 'POST', headers: { 'X-A': 'b: c', 'Content-Type': 'application/json' }, body: { bytes: 7 }
  })
  t.throws(() => requestFrom({ ...lab, method: 'GET', body: 'x' }), { code: 'bad-option', message: /GET has no body/ })
  t.throws(() => requestFrom({ ...lab, method: 'HEAD' }), { code: 'bad-option' })
  t.throws(() => requestFrom({ ...lab, header: ['Content-Length: 3'] }), { code: 'bad-header' })
  t.throws(() => requestFrom({ ...lab, ignoreBody: '(' }), { code: 'bad-option' })
  t.throws(() => requestFrom({ ...lab, compare: 'smell' }), { code: 'bad-option' })
})

t.test('clients of one topology that compresses accept it, unless the request names the encodings', async t => {
  const accepted = async (/** @type {string} */ spec, /** @type {string[]} */ ...header) =>
    (await armFrom(spec, { connections: 1, header })).load.headers
  t.strictSame(await accepted('nginx+gzip/files'), { 'Accept-Encoding': 'gzip' })
  t.strictSame(await accepted('nginx+gzip/files', 'accept-encoding: br'), { 'accept-encoding': 'br' })
  t.strictSame(await accepted('nginx/files'), {})
})

t.test('parses the addresses on which a command listens', async t => {
  t.match(commandFrom({ app: 'npm start' }), { run: 'npm start', listen: ['tcp'] })
  t.match(commandFrom({ app: 'npm start', listen: '$PORT,$SOCKET' }), { listen: ['tcp', 'unix'] })
  t.match(commandFrom({ app: 'npm start', listen: '3000' }), { listen: [3000] })
  for (const listen of ['80', '70000', 'PORT', '']) {
    t.throws(() => commandFrom({ app: 'npm start', listen }), { code: 'bad-option' }, listen)
  }
  t.throws(() => commandFrom({ listen: '$PORT' }), { code: 'bad-option' }, 'it requires --app')
  const uds = planFrom(['nginx:uds/app'], { ...lab, app: 'npm start' })
  await t.rejects(uds, { code: 'bad-topology', remedy: /\$SOCKET/ })
  const oha = planFrom(['app'], { ...lab, app: 'x', engine: 'oha' })
  await t.rejects(oha, { code: 'engine-cannot', message: /requests counted/ })
})

t.test('measures with secrets and does not store them', async t => {
  const options = {
    ...lab,
    app: 'DB_PASSWORD=swordfish node app.js',
    path: '/a?token=sesame&page=2',
    header: ['Cookie: id=sesame'],
    body: 'sesame',
    method: 'POST'
  }
  const { plan } = await planFrom([], options)
  const stored = withoutSecrets(plan)
  t.notMatch(JSON.stringify(stored), /sesame|swordfish|c2VzYW1l/, 'nor in base64')
  t.match(stored.arms[0].load, { path: '/a?token=[redacted]&page=2', headers: { Cookie: '[redacted]' } })
  const given = { request: { ...requestFrom(options), path: options.path }, apps: appsFrom(options) }
  t.same(restoreSecrets(stored, 'run', given).arms, plan.arms, 'the same plan when the secrets are given again')
  const other = { ...given, request: { ...given.request, body: requestFrom({ ...lab, body: 'other' }).body } }
  t.throws(() => restoreSecrets(stored, 'run', other), { code: 'secret-missing', message: /body of 6 bytes/ })
  const { plan: open } = await planFrom(['http-json'], lab)
  t.equal(withoutSecrets(open), open, 'a plan without secrets does not change')
})

t.test('loads an experiment from a file and names the line and field of an error', async t => {
  const dir = t.testdir({})
  const file = (/** @type {string} */ name, /** @type {string} */ text) => {
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  }
  const first = file('first.js',
    firstExperiment({ commands: { app: 'npm start' }, listen: '$PORT,$SOCKET', path: '/', method: 'GET' },
      { run: 'hopbench run ./first.js' }))
  const { plan } = await planFrom([first], lab)
  t.same(plan.arms.map(({ name }) => name), ['alone', 'tcp', 'keepalive', 'uds', 'uds-keepalive'],
    'loads the experiment written by init')
  t.match(plan.arms[1].topology.server?.command, { run: 'npm start' })
  const faults = /** @type {[string, RegExp][]} */ ([
    ['{\n"arms": {"a": "http-json", "b": "st"},\n"load": {\n"conections": 3 }}', /line 4, load\.conections/],
    ['{\n"arms": {"a": "http-json",\n "b": "nginx:udp/st"}}', /line 3, arms\.b: .*udp/],
    ['{\n"arms": {"a": "http-json"\n "b": "st"}}', /line 3: it is not JSON/],
    ['{"arms": {"a": "http-json", "b": "st"}, "contrasts": [["c", "a"]]}', /contrasts/],
    ['{\n"servers": {\n"x": {"command": "y", "listen": "80"}}, "arms": {"a": "x", "b": "st"}}', /line 3, servers\.x/],
    ['{\n"servers": {\n"st": {"command": "y"}}, "arms": {"a": "st", "b": "sirv"}}', /line 3, servers\.st: .*hide/]
  ])
  for (const [text, message] of faults) {
    await t.rejects(planFrom([file('bad.json', text)], lab), { code: 'bad-experiment', message })
  }
})
