/** Tests the contents of deploy kits without running them. */
import { spawnSync } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import t from '../../../support/tap.js'
import { parse as parseYaml } from 'yaml'
import { makeKit } from '../../../../bench/features/deploy/kit/deploy-kit.js'
import { settingsOf } from '../../../../bench/features/deploy/kit/sized.js'
import { armFrom } from '../../../../bench/request/request.js'
import { TARGETS } from '../../../../bench/features/deploy/kit/targets.js'
import { makeKitIn } from '../../../support/made-kit.js'
import { makeRecord } from '../../../support/record.js'
import { sizing } from '../../../support/sizing.js'

/** @import { RunRecord, Emulated } from '../../../../bench/types.js' */
/** @import { Test } from 'tap' */

/**
 * Returns a record of a sizing with a row for each provider.
 * @returns {RunRecord}
 */
function sized () {
  const [row] = sizing.table
  const offerings = [
    { provider: 'Render', name: 'Pro Plus', memoryMiB: 8192 },
    { provider: 'Fly.io', name: 'performance-2x 4GB', memoryMiB: 4096 },
    { provider: 'Heroku', name: 'Standard-2X', memoryMiB: 1024 }
  ]
  const table = offerings.map(offering => ({
    ...row,
    topology: 'nginx:uds/./my-app.js',
    offering: { ...row.offering, ...offering },
    instances: 3,
    workers: { workers: 2, limit: /** @type {const} */ ('cpu'), rule: 1 }
  }))
  const topologies = [{ ...sizing.topologies[0], spec: 'nginx:uds/./my-app.js' }]
  return makeRecord({ run: '2026-11-25T00-00-00Z-size', sizing: { ...sizing, table, topologies } })
}

const project = {
  'my-app.js': 'module.exports = (req, res) => res.end()',
  'listens.js': 'require("node:http").createServer().listen(3000)',
  'package.json': '{ "name": "@acme/My Shop" }',
  'package-lock.json': '{}',
  public: { 'index.html': '' },
  run: { 'run.json': JSON.stringify(sized()) }
}

/**
 * Makes a kit in a temporary project.
 * @param {Test} t
 * @param {string} spec
 * @param {string} target
 * @param {{ sizedBy?: boolean, [option: string]: any }} [options]
 */
const kit = (t, spec, target, { sizedBy = false, ...options } = {}) =>
  makeKitIn(t, spec, { files: project, arm: { path: '/' }, target, ...options, ...sizedBy && { from: 'run' } })

t.test('writes the files of each platform in its format, with the app, its name and its port', async t => {
  const image = ['Dockerfile', 'Dockerfile.dockerignore', 'nginx.conf', 'serve.mjs', 'start.sh']
  const options = { processes: 2, memory: 512, instances: 3 }
  const spec = 'nginx:uds-keepalive/./my-app.js'

  const docker = await kit(t, spec, 'docker', options)
  t.strictSame(docker.files, [...image, 'compose.yaml'].sort())
  t.match(parseYaml(docker.read('compose.yaml')).services.web,
    { build: { context: '..', dockerfile: 'deploy/Dockerfile' }, mem_limit: '512m', ports: ['8080:8080'] })
  t.match(docker.read('Dockerfile'), /^COPY package\.json package-lock\.json \.\/\nRUN npm ci --omit=dev$/m)
  t.ok(statSync(join(docker.dir, 'start.sh')).mode & 0o100, 'the script is executable')
  t.match(docker.read('start.sh'), /APP='my-app\.js' PROCESSES=2 [^]*\nset -- node --max-old-space-size=176 /)

  const render = await kit(t, spec, 'render', options)
  t.strictSame(render.files, [...image, 'render.yaml'].sort())
  t.match(parseYaml(render.read('render.yaml')).services, [{
    type: 'web', name: 'my-shop', runtime: 'docker', dockerfilePath: './deploy/Dockerfile', numInstances: 3
  }])

  const fly = await kit(t, spec, 'fly', options)
  t.strictSame(fly.files, [...image, 'fly.toml'].sort())
  t.match(parseToml(fly.read('fly.toml')), {
    app: 'my-shop',
    kill_signal: 'SIGTERM',
    env: { PORT: '8080' },
    http_service: {
      internal_port: 8080,
      min_machines_running: 3,
      concurrency: { soft_limit: 200, hard_limit: 1000 },
      checks: [{ path: '/' }]
    },
    vm: [{ memory: '512mb' }]
  })

  const heroku = await kit(t, spec, 'heroku', options)
  t.strictSame(heroku.files, ['Procfile', 'app.json', 'nginx.conf', 'serve.mjs', 'start.sh'])
  t.equal(heroku.read('Procfile'), 'web: NGINX_PROGRAM=bin/nginx sh deploy/start.sh\n')
  t.match(JSON.parse(heroku.read('app.json')), { name: 'my-shop', formation: { web: { quantity: 3 } } })

  const systemd = await kit(t, spec, 'systemd', options)
  t.strictSame(systemd.files,
    ['my-shop-nginx.service', 'my-shop-nginx.socket', 'my-shop.service', 'nginx.conf', 'serve.mjs', 'start.sh'])
  t.match(systemd.read('my-shop.service'), /^MemoryMax=512M$/m)
})

t.test('takes the offering, the instances and the processes from a sizing', async t => {
  const settings = (/** @type {string} */ target, typed = {}) => settingsOf(
    { spec: 'nginx:uds/./my-app.js', target, processes: 1, hasProxy: true }, typed, sized())
  t.match(settings('render'), {
    settings: { plan: 'Pro Plus', instances: 3, processes: 2, memoryMiB: 8192, heapMiB: (8192 * 0.75 - 20) / 2 },
    sized: [/^By \S+Z-size: 3 of Render Pro Plus \(8192 MiB\), 2 processes each,$/, /2000 .* holds 2800\.$/]
  })
  t.match(settings('fly'), { settings: { plan: 'performance-2x 4GB', inFlight: 140 } }, '2,800 a second × 50 ms')
  t.match(settings('docker'), { settings: { plan: null, memoryMiB: 8192 } }, 'docker has no offerings')
  t.match(settings('docker', { plan: 'heroku standard-2x' }), { settings: { memoryMiB: 1024 } })
  t.match(settings('render', { processes: 8, memory: 2048 }).settings,
    { processes: 8, memoryMiB: 2048, instances: 3 }, 'typed options override the sizing')
  t.throws(() => settings('render', { plan: 'Starter' }), { code: 'not-sized', message: /Render Pro Plus/ })
})

t.test('a kit limits requests in flight to the fewest that an emulation tried, even if they missed', async t => {
  const spec = 'nginx:uds/./my-app.js'
  const emulated = { ...sizing.emulated?.[0], offering: 'Fly.io performance-2x 4GB', topology: spec, holds: false }
  const atLimit = { limit: 140, inFlight: 25, p99Ms: 55, holds: false }
  const record = sized()
  const found = /** @type {Emulated} */ ({ ...emulated, atLimit })
  const missed = { ...record, sizing: record.sizing && { ...record.sizing, emulated: [found] } }
  t.equal(settingsOf({ spec, target: 'fly', processes: 1, hasProxy: true }, {}, missed).settings.inFlight, 25)
})

t.test('a kit for any platform is for the recommended offering, unless another one is typed', async t => {
  const record = sized()
  const { sizing: found } = record
  const [first, ...others] = found?.table ?? []
  const old = { provider: 'Acme', name: 'Old', memoryMiB: 256, closed: '2026-04-30' }
  const closed = { ...first, offering: { ...first.offering, ...old } }
  const cheaper = { ...record, ...found && { sizing: { ...found, table: [closed, first, ...others] } } }
  const kit = { spec: 'nginx:uds/./my-app.js', target: 'docker', processes: 1, hasProxy: true }
  t.match(settingsOf(kit, {}, cheaper), { settings: { memoryMiB: 8192 } })
  t.match(settingsOf(kit, { plan: 'Acme Old' }, cheaper), { settings: { memoryMiB: 256 } })
})

t.test('a docker kit for an offering of Cloud Run sets its concurrency from the sizing', async t => {
  const record = sized()
  const table = (record.sizing?.table ?? []).map(row =>
    ({ ...row, offering: { ...row.offering, provider: 'Google Cloud Run', name: '1 vCPU 512 MiB', vcpu: 1 } }))
  const run = (/** @type {number} */ perInstance, target = 'docker') => settingsOf(
    { spec: 'nginx:uds/./my-app.js', target, processes: 1, hasProxy: true }, {},
    { ...record, sizing: record.sizing && { ...record.sizing, table: table.map(row => ({ ...row, perInstance })) } })
  t.match(run(2800), { cloudRun: { concurrency: 140, vcpu: 1 } })
  t.match(run(90_000), { cloudRun: { concurrency: 1000 } }, 'the limit of Cloud Run')
  const facts = /** @type {any} */ ({
    kit: 'deploy/', name: 'shop', instances: 4, dockerfile: 'deploy/Dockerfile', secrets: []
  })
  const next = (/** @type {object} */ more = {}) => TARGETS.docker.next({
    ...facts, cloudRun: { concurrency: 140, vcpu: 1, memoryMiB: 512 }, ...more
  })
  t.equal(next().at(-1), 'gcloud run deploy shop --image "$IMAGE" --port 8080 --concurrency 140 --cpu 1 ' +
    '--memory 512Mi --no-cpu-throttling --max-instances 4')
  t.match(next({ cloudRun: null }).at(-1), /^docker run /)
  t.match(next({ tls: true }).at(-1), /^docker run /)
})

t.test('writes the name of an offering in the spelling of each platform', async t => {
  const sizedBy = true
  const spec = 'nginx:uds/./my-app.js'
  t.match(parseYaml((await kit(t, spec, 'render', { sizedBy })).read('render.yaml')).services[0], { plan: 'pro plus' })
  t.match(parseToml((await kit(t, spec, 'fly', { sizedBy })).read('fly.toml')), {
    http_service: { concurrency: { type: 'requests', soft_limit: 140, hard_limit: 700 } },
    vm: [{ size: 'performance-2x', memory: '4096mb' }]
  })
  const heroku = await kit(t, spec, 'heroku', { sizedBy })
  t.match(JSON.parse(heroku.read('app.json')).formation.web, { quantity: 3, size: 'standard-2x' })
  t.equal(heroku.next.at(-1), 'heroku ps:scale web=3:standard-2x')
})

t.test('rejects topologies and options that cannot be deployed', async t => {
  /** @type {[spec: string, target: string, why: RegExp][]} */
  const refused = [
    ['apache:tcp/./my-app.js', 'docker', /apache/],
    ['nginx:uds/./my-app.js@pm2:2', 'docker', /PM2/],
    ['nginx:uds+balance=round-robin/./my-app.js@node:2', 'docker', /share one address/],
    ['nginx:keepalive/nginx', 'docker', /behind another proxy/],
    ['nginx:uds/sirv', 'docker', /for measurements/],
    ['nginx:uds+tls=rsa2048/./my-app.js', 'heroku', /ends TLS/],
    ['nginx:uds+brotli/./my-app.js', 'heroku', /no Brotli/],
    ['./listens.js', 'docker', /listens\.js has no default export/]
  ]
  for (const [spec, target, message] of refused) {
    await t.rejects(kit(t, spec, target), { code: 'cannot-deploy', message }, spec)
  }
  await t.rejects(kit(t, './my-app.js@cluster:max', 'docker'), { code: 'bad-option' })
  await t.rejects(kit(t, 'nginx/files', 'docker', { root: './none' }), { code: 'root-missing' })
  await t.rejects(kit(t, 'nginx/files', 'docker', { root: '.' }), { code: 'bad-option', message: /the whole project/ })
  await t.rejects(kit(t, './my-app.js', 'docker', { out: '../elsewhere' }), { code: 'bad-option' })
  await t.rejects(kit(t, './my-app.js', 'docker', { out: './a b' }), { code: 'bad-option' })
  await t.rejects(kit(t, 'nginx:uds/./my-app.js', 'docker', { trust: ['10.0.0.0/8; }'] }), { code: 'bad-option' })
  await t.rejects(kit(t, './my-app.js', 'docker', { trust: ['10.0.0.0/8'] }), { code: 'bad-option' })
})

t.test('installs the modules of Brotli, and mounts the certificate on the port of HTTPS', async t => {
  const spec = 'nginx:uds+brotli+tls=rsa2048/./my-app.js'
  const { read, next } = await kit(t, spec, 'docker')
  const modules = [...read('nginx.conf').matchAll(/^load_module .*ngx_http_brotli_(\w+)_module\.so;$/gm)]
  t.strictSame(modules.map(([, name]) => name), ['filter', 'static'])
  for (const [, name] of modules) t.match(read('Dockerfile'), `libnginx-mod-http-brotli-${name}`)
  const { services: { web }, secrets } = parseYaml(read('compose.yaml'))
  t.match(web, { ports: ['443:8080', '80:8081'], secrets: ['site.pem', 'site.key'] })
  t.match(web.healthcheck.test, ['CMD', 'env', 'NODE_TLS_REJECT_UNAUTHORIZED=0', 'node', '-e', /https:/])
  t.strictSame(secrets, { 'site.pem': { file: '../site.pem' }, 'site.key': { file: '../site.key' } })
  for (const name of web.secrets) t.match(read('nginx.conf'), `/run/secrets/${name}`)
  t.match(next[1], '-p 443:8080 -p 80:8081 -v "$PWD/site.pem:/run/secrets/site.pem:ro"')
  const server = (await kit(t, spec, 'systemd')).next.join('\n')
  t.match(server, 'and nginx with libnginx-mod-http-brotli-filter ')
  t.match(server, /\n.* disable --now nginx\n.* enable --now my-shop my-shop-nginx$/)
})

t.test('keeps idle connections for longer than the router of each platform, and states its cores', async t => {
  const spec = 'nginx:uds/./my-app.js'
  const leastSeconds = { heroku: 90, render: 120, fly: 60, docker: 60, systemd: 60 }
  for (const [target, least] of Object.entries(leastSeconds)) {
    const { read } = await kit(t, spec, target)
    const [, seconds] = /^ {4}keepalive_timeout (\d+)s;$/m.exec(read('nginx.conf')) ?? []
    t.ok(Number(seconds) > least, `${target}: ${seconds} s`)
    t.match(read('nginx.conf'), `worker_processes ${['fly', 'systemd'].includes(target) ? 'auto' : '1'};`, target)
    t.match((await kit(t, './my-app.js', target)).read('start.sh'), `KEEP_ALIVE_SECONDS=${seconds}`)
  }
})

t.test('prints the commands for the number of instances, and checks the health at the measured path', async t => {
  const spec = 'nginx:uds/./my-app.js'
  t.match((await kit(t, spec, 'fly', { instances: 25 })).next, [/create/, /deploy/, 'fly scale count 25 --app my-shop'])
  const { next } = await kit(t, './my-app.js', 'heroku', { instances: 3 })
  t.match(next.join('\n'),
    /heroku create my-shop\n.*heroku\/nodejs\n.* git commit .*\n.* push .*\nheroku ps:scale web=3$/)
  t.notMatch(next.join('\n'), 'nginx', 'no buildpack that the kit does not need')
  const measured = sized().plan.arms[0].load.path
  t.match(parseYaml((await kit(t, spec, 'render', { sizedBy: true })).read('render.yaml')).services[0],
    { healthCheckPath: measured })
  const typed = await kit(t, spec, 'docker', { path: '/health' })
  t.match(parseYaml(typed.read('compose.yaml')).services.web.healthcheck.test[3], 'http://127.0.0.1:8080/health')
})

/**
 * Reads the settings of a unit, the last of each name.
 * @param {string} text
 * @returns {Record<string, string>}
 */
const readUnit = text =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))

t.test('under systemd nginx and the app have accounts of one group, and only nginx gets the key', async t => {
  const { read } = await kit(t, 'nginx:uds-keepalive+tls=rsa2048/./my-app.js', 'systemd')
  const [app, nginx] = ['my-shop.service', 'my-shop-nginx.service'].map(name => readUnit(read(name)))
  t.match(app, {
    ExecStart: '/bin/sh /srv/my-shop/deploy/start.sh app',
    User: 'kit-my-shop-app',
    Group: 'kit-my-shop',
    RuntimeDirectory: 'my-shop',
    RuntimeDirectoryMode: '0750',
    UMask: '0007',
    LoadCredential: undefined,
    AmbientCapabilities: undefined
  })
  t.match(nginx, {
    ExecStart: '/bin/sh /srv/my-shop/deploy/start.sh nginx',
    Environment: 'PORT=443 RUN=/run/my-shop-nginx APP_RUN=/run/my-shop',
    BindsTo: 'my-shop.service',
    NonBlocking: 'yes',
    User: 'kit-my-shop-nginx',
    Group: 'kit-my-shop',
    LoadCredential: 'site.key:/etc/ssl/private/site.key'
  })
  for (const unit of [app, nginx]) {
    t.match(unit, {
      CapabilityBoundingSet: '',
      NoNewPrivileges: 'yes',
      PrivateTmp: 'yes',
      ProtectSystem: 'strict',
      RestrictAddressFamilies: /^AF_UNIX AF_INET AF_INET6/,
      SystemCallFilter: '@system-service'
    })
  }
  t.match(read('nginx.conf'), '/run/credentials/my-shop-nginx.service/site.key')
  t.match(read('serve.mjs'), 'chmodSync(SOCKET, 0o660)')
  const alone = readUnit((await kit(t, './my-app.js', 'systemd')).read('my-shop.service'))
  t.match(alone, { CapabilityBoundingSet: 'CAP_NET_BIND_SERVICE', ExecStart: /start\.sh$/, User: undefined })
  const files = await kit(t, 'nginx/files', 'systemd')
  t.strictSame(files.files, ['my-shop.service', 'my-shop.socket', 'nginx.conf', 'start.sh'])
  t.match(readUnit(files.read('my-shop.service')), { CapabilityBoundingSet: '', Also: 'my-shop.socket' })
})

t.test('the start script is valid, with and without the parts of systemd', async t => {
  for (const target of Object.keys(TARGETS)) {
    for (const spec of ['nginx:uds-keepalive/./my-app.js', 'nginx:keepalive/./my-app.js', './my-app.js']) {
      const { read } = await kit(t, spec, target)
      t.equal(spawnSync('sh', ['-n'], { input: read('start.sh') }).status, 0, `${spec} on ${target}`)
      t.equal(/^part=/m.test(read('start.sh')), target === 'systemd' && spec.startsWith('nginx'))
    }
  }
})

t.test('overwrites existing files only with --force, and writes nothing without it', async t => {
  const { dir, read } = await kit(t, './my-app.js', 'docker')
  writeFileSync(join(dir, 'Dockerfile'), 'mine')
  const arm = await armFrom('nginx:uds/./my-app.js', { connections: 100 })
  const again = { target: 'docker', out: './deploy' }
  await t.rejects(makeKit(arm, again), { code: 'kit-in-the-way', message: /Dockerfile/ })
  t.equal(read('Dockerfile'), 'mine')
  t.notOk(existsSync(join(dir, 'nginx.conf')), 'new files are not written either')
  await makeKit(arm, { ...again, force: true })
  t.match(read('Dockerfile'), /^FROM node:/m)
})

t.test('trusts the addresses of load balancers given by --trust', async t => {
  const { read } = await kit(t, 'nginx:uds/./my-app.js', 'docker', { trust: ['10.1.0.0/16'] })
  t.match(read('nginx.conf'), /set_real_ip_from 10\.1\.0\.0\/16;\n.*real_ip_header X-Forwarded-For;/)
})

t.test('drains connections within the time that each platform waits', async t => {
  for (const [name, { drainSeconds }] of Object.entries(TARGETS)) {
    t.ok(drainSeconds < (name === 'docker' ? 10 : 30), name)
  }
})
