/** Tests what an advice takes over from files of the project, and what it states about them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { describeOwnFile } from '../../../bench/features/advise/advice.js'
import { applyRule, loadRules } from '../../../bench/features/advise/decide.js'
import { findOwnFiles } from '../../../bench/features/advise/own-files.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { describeLost, writeKit } from '../../../bench/features/advise/write.js'
import { NGINX, RESULTS, inProject, makeContrast, makeFacts, makeState } from '../../support/advice.js'

/** @import { AdviceContrast, OwnFiles } from '../../../bench/types.js' */

const NGINX_CONF = `events {}
http { server { listen 80; server_name shop.example; client_max_body_size 50m;
  location / { proxy_pass http://app:3000; } } }
`
/** @type {OwnFiles} */
const OWN = { config: './nginx.conf', hosts: ['shop.example', 'www.shop.example'], maxBody: 50, files: [] }

t.test('takes over the command of a Procfile, and names its other process types', async t => {
  const dir = t.testdir({ Procfile: 'web: node app.js --port $PORT\nworker: node work.js\nrelease: ./migrate\n' })
  const { own, app } = await findOwnFiles(dir, {})
  t.strictSame(app, ['node app.js --port $PORT'])
  t.strictSame(own.files.map(describeOwnFile), ['Procfile: takes over the start command node app.js --port $PORT; ' +
    'leaves out the process type worker; the process type release.'])
  const typed = await findOwnFiles(dir, { app: ['npm start'] })
  t.strictSame(typed.app, ['npm start'])
  t.match(typed.own.files.map(describeOwnFile)[0], /^Procfile: leaves out its start command, because --app names one;/)
})

t.test('takes over script and variables of ecosystem.config.js, and neither secrets nor instances', async t => {
  const env = { TZ: 'UTC', API_TOKEN: 'abc', PORT: 1 }
  const app = {
    name: 'shop', script: 'dist/main.js', args: '--fast', instances: 'max', env, cwd: './api', node_args: '-r a'
  }
  const files = { 'ecosystem.config.cjs': `module.exports = ${JSON.stringify({ apps: [app, { script: 'b.js' }] })}` }
  const { own, app: command } = await findOwnFiles(t.testdir(files), {})
  t.strictSame(command, ['TZ=UTC node dist/main.js --fast'])
  t.strictSame(own.files, [{
    file: 'ecosystem.config.cjs',
    keeps: ['the start command node dist/main.js', 'the variables TZ'],
    drops: ['the secrets API_TOKEN', 'PORT, which is set for each start', 'the settings cwd and node_args',
      '1 further app', 'instances: max, because the number of processes is decided anew']
  }])
  const broken = await findOwnFiles(t.testdir({ 'ecosystem.config.js': 'throw new Error()' }), {})
  t.strictSame(broken.own.files.map(describeOwnFile),
    ['ecosystem.config.js: leaves out everything, because it cannot be loaded.'])
})

t.test('finds a configuration of nginx in the places of projects, and through compose.yaml', async t => {
  const site = { 'default.conf': 'server { listen 80; location / { proxy_pass http://web:3000; } }' }
  const compose = 'services:\n  nginx:\n    image: nginx\n    ports: ["8080:80"]\n    volumes:\n' +
    '      - ./proxy/default.conf:/etc/nginx/conf.d/default.conf:ro\n'
  /** @type {[files: Record<string, any>, config: string | null][]} */
  const cases = [
    [{ 'nginx.conf': NGINX_CONF }, './nginx.conf'],
    [{ nginx: site }, './nginx'],
    [{ deploy: { 'nginx.conf': NGINX_CONF } }, './deploy/nginx.conf'],
    [{ 'conf.d': site }, './conf.d'],
    [{ 'compose.yaml': compose, proxy: site }, './compose.yaml'],
    [{ 'nginx.conf': 'no configuration {' }, null],
    [{ deploy: { 'nginx.conf': NGINX_CONF.replace(/listen \d+/, 'listen @PORT@') } }, null],
    [{ 'compose.yaml': 'services:\n  db:\n    image: postgres\n' }, null],
    [{}, null]
  ]
  for (const [files, config] of cases) {
    t.equal((await findOwnFiles(t.testdir(files), {})).own.config, config, JSON.stringify(files))
  }
  const { own } = await findOwnFiles(t.testdir({ 'compose.yaml': compose, proxy: site }), {})
  t.strictSame(own.files.map(({ drops }) => drops), [['the port 8080', 'its other services']])
  const beside = await findOwnFiles(t.testdir({ 'compose.yaml': compose, proxy: site, 'nginx.conf': NGINX_CONF }), {})
  t.match(beside.own.files.map(describeOwnFile), [/^nginx\.conf: /,
    'compose.yaml: leaves out everything, because no configuration is read from it.'])
})

t.test('takes over the names and the limit of a Caddyfile', async t => {
  const text = '{\n  email a@b.example\n}\nshop.example, https://www.shop.example {\n  request_body {\n' +
    '    max_size 30MB\n  }\n  reverse_proxy app:3000\n}\n'
  const { own } = await findOwnFiles(t.testdir({ Caddyfile: text }), {})
  t.strictSame([own.config, own.hosts, own.maxBody], [null, ['shop.example', 'www.shop.example'], 30])
})

t.test('the kit keeps names and limits in nginx, and the advice names those that it does not keep', async t => {
  const dir = inProject(t, { 'package.json': '{"scripts":{"start":"node app.js"}}', 'package-lock.json': '{}' })
  const facts = makeFacts({ platform: { provider: null, target: 'docker', endsTls: false } }, { own: OWN })
  const options = { lab: true, out: './deploy', force: true }
  const request = adviseRequestFrom(options)
  await writeKit(NGINX, { request, options, state: makeState({ facts }), printProgress: () => {} })
  const text = readFileSync(join(dir, 'deploy/nginx.conf'), 'utf8')
  t.ok(text.includes('client_max_body_size 50m;'))
  t.ok(OWN.hosts.every(host => text.includes(`        ${host} 1;\n`)), text)
  t.strictSame(describeLost(NGINX, facts), [])
  t.strictSame(describeLost(NGINX, makeFacts({}, { own: OWN })),
    ['kit: it does not keep the names shop.example and www.shop.example, because the router of the platform has them.'])
  t.strictSame(describeLost('app', facts), ['kit: it does not keep the names shop.example and www.shop.example and ' +
    'the limit of bodies (50 MiB), because it has no nginx.'])
})

t.test('decides about a configuration by the intervals of both, and only where there is one', async t => {
  t.notOk((await loadRules()).some(({ name }) => name === 'own-config'))
  const facts = makeFacts({}, { own: OWN })
  const rule = /** @type {any} */ ((await loadRules(facts)).find(({ name }) => name === 'own-config'))
  t.strictSame(rule.rule.needs(makeState({ facts })), ['app', 'your configuration'])
  const { slower, equal, invalid } = RESULTS
  const much = /** @type {Partial<AdviceContrast>} */ ({ ratio: 0.3, low: 0.28, high: 0.32, verdict: 'slower' })
  /** @type {[own: Partial<AdviceContrast>, kit: Partial<AdviceContrast>, decision: string][]} */
  const cases = [
    [much, slower, 'do'], [slower, much, 'do-not'], [slower, slower, 'no-matter'], [equal, slower, 'do-not'],
    [invalid, slower, 'open'], [{ ...much, low: NaN, high: NaN }, slower, 'open']
  ]
  for (const [own, kit, decision] of cases) {
    const contrasts = [makeContrast('your configuration', 'app', own), makeContrast(NGINX, 'app', kit)]
    const state = makeState({ facts, contrasts })
    t.strictSame(rule.rule.needs(state), [])
    t.equal(applyRule(state, rule).decisions.at(-1)?.decision, decision)
  }
})
