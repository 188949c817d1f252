/** Deploy kits in which nginx serves the files of an app: where the folder is on each platform. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from '../../../support/tap.js'
import { withStoredApp } from '../../../../bench/features/deploy/kit/stored-app.js'
import { writeSealed } from '../../../../bench/store/run-seal.js'
import { TARGETS } from '../../../../bench/features/deploy/kit/targets.js'
import { makeKitIn } from '../../../support/made-kit.js'
import { inEnvironment } from '../../../support/provoke.js'
import { makePlan, makeRecord } from '../../../support/record.js'

/** @import { Test } from 'tap' */

const PROJECT = {
  'package.json': '{"name":"shop","scripts":{"start":"node a.js"}}',
  'package-lock.json': '{}',
  'app.mjs': 'export default () => {}',
  web: { public: { 'app.js': '1' } }
}

/**
 * Makes a kit of a project with a folder of files.
 * @param {Test} t
 * @param {object} [options]
 * @param {string} [options.target]
 * @param {string} [options.app] command; left out: the module
 * @param {string} [options.module]
 * @param {string} [options.folder]
 * @param {string} [options.out]
 * @param {string} [options.proxy]
 * @param {object} [options.project]
 */
function kit (t, options = {}) {
  const { app, module = './app.mjs', project = {}, folder = './web/public', proxy = 'nginx:keepalive+static' } = options
  const { target = 'docker', out = './deploy' } = options
  const arm = { ...app && { app: [app] }, files: [`/assets=${folder}`], filesHidden: 'ignore' }
  return makeKitIn(t, `${proxy}/${app ? 'app' : module}`, { files: { ...PROJECT, ...project }, arm, target, out })
}

t.test('nginx serves the folder of the project from its place on every platform', async t => {
  for (const target of Object.keys(TARGETS)) {
    const { read } = await kit(t, { target })
    t.match(read('nginx.conf'), /location \^~ \/assets\/ \{\n +alias "@HERE@\/web\/public\/";/, target)
    t.match(read('nginx.conf'), 'disable_symlinks on "from=@HERE@/web/public";')
    t.match(read('start.sh'), /cd "\$\(dirname "\$0"\)\/\.\."\n[^]*\|@HERE@\|\$PWD\|/)
  }
})

t.test('a kit compresses the files when it is built, if the topology sends compressed ones', async t => {
  const text = 'a sentence of text. '.repeat(100)
  const web = {
    public: { 'app.js': text, 'small.css': 'a{}', 'photo.png': text, '.env': text, deep: { 'a b.SVG': text } }
  }
  const options = { proxy: 'nginx:keepalive+static+gzip_static', project: { web } }
  const { read, project } = await kit(t, options)
  t.match(read('Dockerfile'), /COPY \. \.\nRUN sh deploy\/compress\.sh\nRUN install/)
  execFileSync('sh', [join(project, 'deploy/compress.sh')])
  const written = readdirSync(join(project, 'web/public'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.gz'))
  t.same(written.sort(), ['app.js.gz', 'deep/a b.SVG.gz'])
  t.equal(gunzipSync(readFileSync(join(project, 'web/public/app.js.gz'))).toString(), text)
  writeFileSync(join(project, 'web/public/app.js'), text.toUpperCase())
  execFileSync('sh', [join(project, 'deploy/compress.sh')])
  t.equal(gunzipSync(readFileSync(join(project, 'web/public/app.js.gz'))).toString(), text.toUpperCase(), 'anew')
  t.match((await kit(t, { ...options, target: 'systemd' })).next.join('\n'), 'sudo sh /srv/shop/deploy/compress.sh')
  t.match((await kit(t, { ...options, target: 'heroku' })).next.join('\n'), /heroku-postbuild.*deploy\/compress\.sh/)
  const built = { '.next': { static: { 'app.js': text, '.hidden': { 'b.js': text } } } }
  const next = await kit(t, { ...options, project: built, folder: './.next/static' })
  execFileSync('sh', [join(next.project, 'deploy/compress.sh')])
  t.same(readdirSync(join(next.project, '.next/static')).sort(), ['.hidden', 'app.js', 'app.js.gz'])
  t.same(readdirSync(join(next.project, '.next/static/.hidden')), ['b.js'])
  const Dockerfile = 'FROM node\nCMD ["node", "a.js"]\n'
  const own = await kit(t, { ...options, app: 'npm start', project: { web, Dockerfile } })
  t.match(own.read('Dockerfile'),
    /nginx\.conf deploy\/compress\.sh \.[^]*COPY web\/public .*\nRUN sh deploy\/compress\.sh/)
  const plain = await kit(t, { project: { web } })
  t.notOk(plain.files.includes('compress.sh'))
})

t.test('the image of nginx beside an image of your own contains the folder and no more of the project', async t => {
  const project = { Dockerfile: 'FROM node\nCMD ["node", "a.js"]\n' }
  const { read, files } = await kit(t, { app: 'npm start', project })
  t.match(read('Dockerfile'),
    /^COPY deploy\/start\.sh deploy\/nginx\.conf \.\/deploy\/\n#.*\nCOPY web\/public \.\/web\/public$/m)
  t.match(read('compose.yaml'), /nginx:\n {4}build:\n {6}context: \.\.\n {6}dockerfile: deploy\/Dockerfile\n/)
  t.match(read('start.sh'), 'cd "$(dirname "$0")/.."')
  t.ok(files.includes('Dockerfile.dockerignore'))
})

t.test('refuses a folder outside the project, and the whole project', async t => {
  await t.rejects(kit(t, { folder: '.' }), { code: 'bad-option', message: /whole project/ })
  await t.rejects(kit(t, { folder: import.meta.dirname }), { code: 'bad-option', message: /it is outside / })
})

t.test('refuses a folder that holds code of the app or files of the kit', async t => {
  /** @type {[options: object, message: RegExp][]} */
  const cases = [
    [{ module: './src/app.mjs', folder: './src', project: { src: { 'app.mjs': '' } } }, /module of the app, src\/app/],
    [{ folder: './lib', project: { lib: { 'package.json': '{}' } } }, /contains package\.json/],
    [{ folder: './lib', project: { lib: { Dockerfile: '' } } }, /contains Dockerfile/],
    [{ folder: './deploy', project: { deploy: { 'a.css': '' } } }, /files of the kit/]
  ]
  for (const [options, message] of cases) await t.rejects(kit(t, options), { code: 'bad-option', message })
  for (const out of ['./deploy', '.']) {
    t.same((await kit(t, { out })).published, [{ prefix: '/assets', folder: 'web/public' }], out)
  }
})

t.test('takes the folders that the proxy of a stored run has served', async t => {
  const from = t.testdir({})
  const plan = makePlan()
  const record = makeRecord({ run: '2026-11-25T00-00-00Z-run' })
  const topology = {
    proxy: null,
    server: {
      name: 'app',
      manager: 'node',
      instances: 1,
      options: {},
      command: { run: 'npm start', listen: ['tcp'], cwd: '/', readySeconds: 9 }
    },
    files: [{ prefix: '/assets', folder: '/srv/public' }]
  }
  const spec = 'nginx:keepalive+static/app'
  const stored = { ...plan, arms: [{ ...plan.arms[0], topology }], contrasts: [], twin: null }
  const text = JSON.stringify({ ...record, plan: stored, contrasts: [], arms: [{ ...record.arms[0], topology }] })
  writeFileSync(join(from, 'run.json'), text)
  await t.rejects(withStoredApp(spec, { from }),
    { code: 'untrusted-run', message: /started "npm start" and served the files in "\/srv\/public"/ },
    'a run of another account')
  const all = { from, files: ['/a=./b'], app: ['npm start'] }
  await t.rejects(withStoredApp(spec, all), { code: 'untrusted-run' }, 'its settings would be in the kit')
  t.match(await withStoredApp(spec, { ...all, trustRun: true }), { app: all.app, files: all.files })
  inEnvironment(t, { XDG_CACHE_HOME: join(from, 'cache') })
  await writeSealed(from, 'plan.json', JSON.stringify(stored))
  await t.rejects(withStoredApp(spec, { from }), { code: 'untrusted-run' }, 'a record of another account')
  await writeSealed(from, 'run.json', text)
  t.match(await withStoredApp(spec, { from }),
    { app: ['app=npm start'], files: ['/assets=/srv/public'], statement: null })
  const typed = { from, files: ['/a=./b'] }
  t.match(await withStoredApp(spec, typed), { files: typed.files }, 'a typed folder takes precedence')
  const alone = await withStoredApp('nginx:keepalive/app', { from, files: undefined })
  t.equal(alone.files, undefined, 'the app serves them itself')
})
