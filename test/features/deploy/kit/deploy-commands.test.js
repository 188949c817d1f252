/** Tests the contents of deploy kits whose app is a command, without running them. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import t from '../../../support/tap.js'
import { parse as parseYaml } from 'yaml'
import { toProductionLine } from '../../../../bench/plan/runtimes.js'
import { parse, withCommands } from '../../../../bench/plan/spec.js'
import { settingsOf } from '../../../../bench/features/deploy/kit/sized.js'
import { findHealthPath, withStoredApp } from '../../../../bench/features/deploy/kit/stored-app.js'
import { withExec } from '../../../../bench/features/deploy/kit/kit-view.js'
import { makeKitIn } from '../../../support/made-kit.js'
import { makePlan, makeRecord } from '../../../support/record.js'

/** @import { AppCommand, RunRecord } from '../../../../bench/types.js' */
/** @import { Test } from 'tap' */

const MANIFEST = { name: 'shop', scripts: { start: 'node a.js', build: 'tsc' } }
const node = { 'package.json': JSON.stringify(MANIFEST), 'package-lock.json': '{}' }

/**
 * Makes a kit of a command in a temporary project.
 * @param {Test} t
 * @param {{ spec?: string, target?: string, app?: string, listen?: string, readyWithin?: number,
 *   files?: Parameters<Test['testdir']>[0], [option: string]: any }} options files: those of the project
 */
function kit (t, { spec = 'nginx:keepalive/app', files = node, ...options }) {
  const { app = 'npm start', listen, readyWithin, ...rest } = options
  const apps = /\/app(@|$)|^app$/.test(spec) ? { app: [app] } : {}
  return makeKitIn(t, spec, { files, arm: { ...apps, listen, readyWithin }, ...rest })
}

/**
 * Returns the command that the start script passes to sh.
 * @param {string} script
 */
function readCommand (script) {
  const line = /^set -- setsid .*$/m.exec(script)?.[0] ?? ''
  return spawnSync('sh', ['-c', `${line}\nprintf %s "$4"`], { encoding: 'utf8' }).stdout
}

t.test('the start script passes any command to sh unchanged, except for exec', async t => {
  const commands =
    ['npm start', 'node a.js --name "it\'s"', 'A=\'b c\' ./run "$PORT" \\$HOME `date` {{x}}', 'a | b']
  for (const app of commands) {
    const { read } = await kit(t, { app })
    t.equal(readCommand(read('start.sh')), withExec(app), app)
    t.equal(spawnSync('sh', ['-n'], { input: read('start.sh') }).status, 0, 'the script is valid')
  }
  await t.rejects(kit(t, { app: 'a\nb' }), { code: 'config-value' })
})

t.test('a shell replaces itself by the last program, if there is one', async t => {
  const commands = {
    'npm start': 'exec npm start',
    'X=1 node a.js': 'X=1 exec node a.js',
    'cd api && node a.js': 'cd api && exec node a.js',
    '. ./env; node "a;b.js"': '. ./env; exec node "a;b.js"',
    'a | b': 'a | b',
    'a &': 'a &',
    'exec a': 'exec a',
    'while true; do a; done': 'while true; do a; done',
    'if a; then b; fi': 'if a; then b; fi',
    '(a; b)': '(a; b)',
    'echo "': 'echo "'
  }
  for (const [command, wanted] of Object.entries(commands)) t.equal(withExec(command), wanted)
})

t.test('the app listens where nginx reaches it, and idle connections end before those of the app', async t => {
  const { read, files } = await kit(t, {})
  t.notOk(files.includes('serve.mjs'))
  t.match(read('nginx.conf'), /server 127\.0\.0\.1:3000;[^]*\n +keepalive_timeout 4s;/)
  t.match(read('start.sh'), /env HOST=127\.0\.0\.1 HOSTNAME=127\.0\.0\.1 PORT=3000 "\$@"/)
  const fixed = await kit(t, { listen: '5001', readyWithin: 5 })
  t.match(fixed.read('nginx.conf'), 'server 127.0.0.1:5001;')
  t.match(fixed.read('start.sh'), /:1389:0A[^]*PORT=5001 [^]*tries=50\n/)
  const socket = await kit(t, { spec: 'nginx:uds/app', listen: '$PORT,$SOCKET' })
  t.match(socket.read('nginx.conf'), 'server "unix:@RUN@/app.sock";')
  t.match(socket.read('start.sh'), /env -u PORT SOCKET="\$RUN\/app\.sock" "\$@"/)
  const alone = await kit(t, { spec: 'app' })
  t.match(alone.read('start.sh'), /PORT="\$PORT" "\$@"/)
})

t.test('processes and the heap are variables that programs read', async t => {
  const { read } = await kit(t, { processes: 2, memory: 512 })
  t.match(read('start.sh'), /NODE_OPTIONS=--max-old-space-size=176\n[^]*WEB_CONCURRENCY=2\n/)
  t.match(parseYaml(read('compose.yaml')), { services: { web: { mem_limit: '512m' } } })
})

t.test('refuses a command that cannot be reached, that does not exist, or that contains a secret', async t => {
  const refused = [
    { spec: 'app', listen: '$SOCKET' }, { spec: 'app', listen: '5001' }, { listen: '8080' }, { app: 'npm run serve' },
    { build: 'npm run compile' }, { spec: 'nginx:keepalive+balance=round-robin/app@node:2' }, { files: {} },
    { files: {}, target: 'heroku' }
  ]
  for (const options of refused) await t.rejects(kit(t, options), { code: 'cannot-deploy' }, JSON.stringify(options))
  for (const options of [{ app: 'API_TOKEN=abcdef npm start' }, { path: '/?token=abcdef' },
    { build: 'npm run build', target: 'heroku' },
    { build: 'npm run build', spec: 'nginx/files', root: './web', files: { ...node, web: {} } }]) {
    await t.rejects(kit(t, options), { code: 'bad-option' }, JSON.stringify(options))
  }
  await t.rejects(kit(t, { spec: 'nginx:uds/app' }), { code: 'bad-topology' })
  await t.rejects(withStoredApp('nginx:uds/app', {}), { code: 'bad-option' }, 'app without --app')
})

t.test('installs packages by the manager of the lock file, in a stage of its own for a build', async t => {
  const manifest = (/** @type {object} */ more) => JSON.stringify({ ...MANIFEST, ...more })
  const pnpm = { 'package.json': manifest({}), 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" }
  const berry = '# x\n__metadata:\n  version: 8\n'
  /** @type {[files: Record<string, string>, lines: RegExp][]} */
  const projects = [
    [node, /^COPY package\.json package-lock\.json \.\/\nRUN npm ci --omit=dev$/m],
    [pnpm, /^RUN npm install --global --force pnpm@10\n[^]*^RUN pnpm install --frozen-lockfile --prod$/m],
    [{ ...pnpm, 'package.json': manifest({ packageManager: 'pnpm@9.15.4' }) }, /--force pnpm@9\.15\.4$/m],
    [{ 'package.json': manifest({}), 'yarn.lock': '# yarn lockfile v1\n' },
      /yarn@1\.22\.22\n[^]*^RUN yarn install --frozen-lockfile --production$/m],
    [{ 'package.json': manifest({}), 'yarn.lock': berry, '.yarnrc.yml': 'a: b\n' },
      /cli-dist@4\n[^]*^COPY package\.json yarn\.lock \.yarnrc\.yml \.\/\nRUN .*yarn workspaces focus --all --prod/m],
    [{ 'package.json': manifest({}), 'bun.lock': '{}' },
      /^RUN npm install --global --force bun@1\n[^]*package\.json bun\.lock[^]*bun install --frozen-lockfile --prod/m],
    [{ 'package.json': manifest({ packageManager: 'bun@1.3.2' }), 'bun.lockb': '' }, /--force bun@1\.3\.2$/m],
    // Scripts of the project need its files, and packages for development.
    [{ ...node, 'package.json': manifest({ scripts: { start: 'a', prepare: 'husky' } }) },
      /AS build\nCOPY \. \.\nRUN npm ci\nRUN npm prune --omit=dev\n/]
  ]
  for (const [files, lines] of projects) t.match((await kit(t, { files })).read('Dockerfile'), lines)

  const { read, next } = await kit(t, { build: 'npm run build' })
  t.match(read('Dockerfile'),
    /AS build\n[^]*RUN npm ci\nCOPY \. \.\nRUN npm run build\nRUN npm prune --omit=dev\n\nFROM/)
  t.match(read('Dockerfile'), /^COPY --from=build \/app \.$/m)
  t.notMatch(next.join('\n'), '--build')
  t.match((await kit(t, {})).next[0], '--build', 'names the script build')
  t.match((await kit(t, { build: 'echo <<EOF' })).read('Dockerfile'), 'RUN ["sh","-c","echo <<EOF"]')

  for (const files of [{ ...node, 'yarn.lock': '' }, { ...node, 'bun.lock': '' },
    { 'package.json': manifest({ packageManager: 'pnpm@9.1.0' }) }]) {
    const present = Object.fromEntries(Object.entries(files).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, text]]))
    await t.rejects(kit(t, { files: present }), { code: 'cannot-deploy' }, Object.keys(present).join())
  }
  const module = { ...node, 'a.js': 'module.exports = 1', 'package-lock.json': '', 'yarn.lock': berry }
  const plugAndPlay = { ...module, 'package.json': manifest({ packageManager: 'yarn@4.5.0' }) }
  await t.rejects(kit(t, { files: plugAndPlay, spec: './a.js' }), { code: 'cannot-deploy' })
})

t.test('checks the hash of packageManager before the manager is used', async t => {
  const digest = '0123456789abcdef'.repeat(8)
  const withManager = (/** @type {string} */ packageManager, /** @type {Record<string, string>} */ files) =>
    ({ ...files, 'package.json': JSON.stringify({ ...MANIFEST, packageManager }) })
  const pnpm = { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" }
  const archive = '/tmp/pnpm-9.1.0.tgz'
  const { read } = await kit(t, { files: withManager(`pnpm@9.1.0+sha512.${digest}`, pnpm) })
  const lines = read('Dockerfile').split('\n')
  const line = 'RUN npm pack --pack-destination /tmp pnpm@9.1.0 && ' +
    `test "$(sha512sum < ${archive})" = "${digest}  -" && ` +
    `npm install --global --force ${archive} && rm ${archive}`
  t.ok(lines.includes(line), lines.join('\n'))
  const yarn = withManager(`yarn@4.5.0+sha224.${digest.slice(0, 56)}`,
    { 'yarn.lock': '# x\n__metadata:\n  version: 8\n' })
  t.match((await kit(t, { files: yarn })).read('Dockerfile'), new RegExp('^RUN npm install --global --force ' +
    '--ignore-scripts @yarnpkg/cli-dist@4\\.5\\.0 && test "\\$\\(sha224sum < "\\$\\(npm root --global\\)/' +
    `@yarnpkg/cli-dist/bin/yarn\\.js"\\)" = "${digest.slice(0, 56)} {2}-"$`, 'm'))
  for (const hash of ['sha512.abc', 'md5.0123', `sha512.${digest};id`]) {
    await t.rejects(kit(t, { files: withManager(`pnpm@9.1.0+${hash}`, pnpm) }), { code: 'cannot-deploy' }, hash)
  }
})

t.test('a file of settings with a token is not copied before the installation', async t => {
  const lines = { 'registry=https://r.example/': true, '//r.example/:_authToken=abcdefgh': false }
  for (const [line, isCopied] of Object.entries(lines)) {
    const { read } = await kit(t, { files: { ...node, '.npmrc': `${line}\n` } })
    t.equal(/^COPY .*\.npmrc/m.test(read('Dockerfile')), isCopied, line)
  }
})

t.test('images have a version of Node with long-term support', async t => {
  const lines = { '20.20.2': 26, '22.12.0': 22, '24.1.0': 24, '25.3.0': 26, '26.10.0': 26 }
  for (const [version, line] of Object.entries(lines)) t.equal(toProductionLine(version, '2026-11-24'), line, version)
  t.equal(toProductionLine('26.1.0', '2026-06-01'), 24, 'not before its first day')
  t.match((await kit(t, {})).read('Dockerfile'), /^FROM node:2[2468]-bookworm-slim$/m)
})

t.test('docker builds the app from its own Dockerfile, and starts nginx when the app is healthy', async t => {
  const files = { Dockerfile: 'FROM python:3-slim\nCOPY . .\nCMD ["python3", "app.py"]\n' }
  const { read, next, files: written } = await kit(t, { files, app: 'python3 app.py', path: '/a$b' })
  t.strictSame(written, ['Dockerfile', 'compose.yaml', 'health.sh', 'nginx.conf', 'start.sh'])
  const { services } = parseYaml(read('compose.yaml'))
  t.match(services.app, {
    build: { context: '..', dockerfile: 'Dockerfile' },
    environment: { PORT: '3000', HOST: '0.0.0.0', HOSTNAME: '0.0.0.0' },
    command: undefined
  })
  t.match(services.nginx, { build: '.', depends_on: { app: { condition: 'service_healthy' } } })
  t.match(read('nginx.conf'), 'server app:3000 max_fails=0;')
  t.match(read('health.sh'), "'/a$b'")
  t.equal(spawnSync('sh', ['-n'], { input: read('health.sh') }).status, 0)
  t.match(next, [/docker compose -p \S+ -f .* up --build/])
  t.match((await kit(t, { files, app: 'python3 app.py' })).read('start.sh'), 'getent')

  const socket = await kit(t, { files, app: 'python3 app.py "$X"', spec: 'nginx:uds/app', listen: '$SOCKET' })
  const composed = parseYaml(socket.read('compose.yaml'))
  t.strictSame(composed.services.app.command.at(-1), 'rm -f "$$SOCKET"; umask 0; exec python3 app.py "$$X"')
  t.match(composed.services.app, {
    volumes: ['./health.sh:/health.sh:ro', 'socket:/run/app'],
    depends_on: { folder: { condition: 'service_completed_successfully' } }
  })
  t.match(socket.read('nginx.conf'), 'server unix:/run/app/app.sock;')

  const checked = { Dockerfile: 'FROM x\nHEALTHCHECK CMD true\n' }
  const own = await kit(t, { files: checked, app: 'a $b' })
  t.notOk(own.files.includes('health.sh'))
  t.match(parseYaml(own.read('compose.yaml')).services.app, { command: ['sh', '-c', 'exec a $$b'] })
  const built = await kit(t, { files: { ...node, ...files }, dockerfile: false })
  t.match(built.read('Dockerfile'), /^FROM node:/m)
})

t.test('render and fly deploy an image of one\'s own without nginx, and other uses are refused', async t => {
  const files = { Dockerfile: 'FROM x\nCMD ["a"]\n' }
  const dockerfile = './Dockerfile'
  const alone = { spec: 'app', app: 'a', files, dockerfile }
  const fly = await kit(t, { ...alone, target: 'fly', listen: '8000' })
  t.strictSame(fly.files, ['fly.toml'])
  t.match(parseToml(fly.read('fly.toml')),
    {
      build: { dockerfile: '../Dockerfile' },
      env: { HOST: '0.0.0.0', HOSTNAME: '0.0.0.0' },
      http_service: { internal_port: 8000 }
    })
  t.match(parseYaml((await kit(t, { ...alone, target: 'render' })).read('render.yaml')).services[0],
    { dockerfilePath: './Dockerfile', envVars: ['HOST', 'HOSTNAME'].map(key => ({ key, value: '0.0.0.0' })) })
  for (const options of [{ ...alone, spec: 'nginx:keepalive/app', target: 'fly' }, { ...alone, target: 'heroku' },
    { ...alone, target: 'systemd' }]) {
    await t.rejects(kit(t, options), { code: 'cannot-deploy' }, options.target)
  }
  for (const options of [{ ...alone, out: '.', spec: 'nginx:keepalive/app', force: true },
    { ...alone, dockerfile: './none' }, { ...alone, build: 'a' }]) {
    await t.rejects(kit(t, options), { code: 'bad-option' })
  }
})

t.test('Heroku gets the buildpack of the language', async t => {
  const { next, read } = await kit(t, { files: { 'requirements.txt': '' }, app: 'python3 a.py', target: 'heroku' })
  t.match(next.join('\n'), 'heroku buildpacks:add heroku/python')
  t.match(JSON.parse(read('app.json')).buildpacks[0], { url: 'heroku/python' })
})

/**
 * Returns a record of a run of a command.
 * @param {Partial<AppCommand>} command
 * @param {object} [load]
 * @returns {RunRecord}
 */
function measured (command, load = {}) {
  const spec = 'nginx:uds-keepalive/app'
  const topology = withCommands(parse(spec),
    { app: { run: 'npm start', listen: ['tcp', 'unix'], cwd: '/x', readySeconds: 9, ...command } })
  const plan = makePlan()
  const record = makeRecord({ run: '2026-11-25T00-00-00Z-run' })
  const arm = { ...plan.arms[0], spec, topology, load: { ...plan.arms[0].load, path: '/items', ...load } }
  return {
    ...record,
    plan: { ...plan, arms: [arm], contrasts: [], twin: null },
    contrasts: [],
    arms: [{ ...record.arms[0], spec, topology, memoryMiB: { proxy: 6.5, server: 300 } }]
  }
}

t.test('takes the app, the path and the memory from a run', async t => {
  const dir = t.testdir({ run: {} })
  const from = join(dir, 'run')
  const store = (/** @type {RunRecord} */ record) => writeFileSync(join(from, 'run.json'), JSON.stringify(record))
  store(measured({}))
  const spec = 'nginx:uds-keepalive/app'
  await t.rejects(withStoredApp(spec, { from }), { code: 'untrusted-run', message: /started "npm start"/ })
  const trusted = { from, trustRun: true }
  t.match(await withStoredApp(spec, trusted), {
    app: ['app=npm start'], listen: '$PORT,$SOCKET', readyWithin: 9, statement: 'states that it started "npm start"'
  })
  t.match(await withStoredApp(spec, { ...trusted, app: ['b'] }), { app: ['b'] }, 'what is typed takes precedence')
  await t.rejects(withStoredApp('nginx:uds/new', { from: 'none' }), { code: 'unknown-run' })
  store(measured({ run: 'TOKEN=[redacted] npm start' }))
  await t.rejects(withStoredApp(spec, trusted), { code: 'bad-option' })

  t.equal(findHealthPath(measured({}), spec), '/items')
  t.equal(findHealthPath(measured({}, { method: 'POST' }), spec), null)
  t.equal(findHealthPath(measured({}, { headers: { Authorization: '[redacted]' } }), spec), null)

  const settings = (/** @type {string} */ spec, typed = {}) => settingsOf(
    { spec, target: 'docker', processes: 1, hasProxy: true, server: 'app' }, typed, measured({}))
  // 306.5 MiB and a quarter more, in steps of 256.
  t.match(settings(spec), { settings: { memoryMiB: 512, heapMiB: 512 * 0.75 - 7 }, sized: [/307 MiB/] })
  t.match(settings(spec, { memory: 1024, processes: 2 }).settings, { memoryMiB: 1024, processes: 2 })
  t.match(settings('nginx:keepalive/app'), { settings: { memoryMiB: null } }, 'another topology of the app')
  t.throws(() => settings(spec, { plan: 'x' }), { code: 'not-sized' })
})
