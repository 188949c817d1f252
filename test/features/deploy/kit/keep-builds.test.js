/** Kits that send files of earlier builds: what the script keeps, and what the files of each platform contain. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { parse as parseToml } from 'smol-toml'
import t from '../../../support/tap.js'
import { parse as parseYaml } from 'yaml'
import { hasHashedName } from '../../../../bench/shared/http/hashed-names.js'
import { TARGETS } from '../../../../bench/features/deploy/kit/targets.js'
import { mergeFiles } from '../../../../bench/features/deploy/kit/platform-files.js'
import { makeKitIn } from '../../../support/made-kit.js'

/** @import { Test } from 'tap' */

const PROJECT = {
  'package.json': '{"name":"shop","scripts":{"start":"node a.js"}}',
  'package-lock.json': '{}',
  'app.mjs': 'export default () => {}',
  web: { 'app.3f2a91bc.js': 'one', 'logo.svg': '<svg/>' }
}

/**
 * @param {Test} t
 * @param {object} [options]
 * @param {string} [options.target]
 * @param {string} [options.spec]
 * @param {string[]} [options.files] as typed
 * @param {number} [options.keepBuilds]
 * @param {object} [options.project]
 * @param {string[]} [options.app]
 */
const kit = (t, {
  target = 'docker', spec = 'nginx:keepalive+static/./app.mjs', files = ['/v1.2=./web'], keepBuilds = 2,
  project = {}, app
} = {}) => makeKitIn(t, spec, {
  files: { ...PROJECT, ...project },
  arm: {
    ...files.length > 0 && { files, filesHidden: 'ignore' },
    ...app && { app, listen: spec.includes(':uds') ? '$SOCKET' : '$PORT' }
  },
  target,
  ...keepBuilds > 0 && { keepBuilds }
})

/**
 * Writes files in place of those of a folder.
 * @param {string} folder
 * @param {Record<string, string>} files
 */
function replaceFiles (folder, files) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Lists the plain files of a folder. @param {string} folder */
const listFiles = folder => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name).slice(folder.length)).sort()

/** @param {{ dir: string, project: string }} kit */
function keep ({ dir, project }) {
  const attic = join(project, 'attic')
  execFileSync('sh', [join(dir, 'keep-builds.sh'), attic], { stdio: 'pipe' })
  return { attic, files: listFiles(join(attic, 'files')) }
}

t.test('a page finds its files after two further rollouts, and not after a third one', async t => {
  const made = await kit(t)
  const web = join(made.project, 'web')
  t.same(keep(made).files, ['/v1.2/app.3f2a91bc.js'])
  replaceFiles(web, { 'app.4f2a91bc.js': 'two', 'chunks/[slug] b-5f2a91bc.js': 'lazy' })
  t.same(keep(made).files, ['/v1.2/app.3f2a91bc.js', '/v1.2/app.4f2a91bc.js', '/v1.2/chunks/[slug] b-5f2a91bc.js'])
  replaceFiles(web, { 'app.6f2a91bc.js': 'three', 'app.4f2a91bc.js': 'two' })
  const third = keep(made)
  t.same(third.files, ['/v1.2/app.3f2a91bc.js', '/v1.2/app.4f2a91bc.js', '/v1.2/app.6f2a91bc.js',
    '/v1.2/chunks/[slug] b-5f2a91bc.js'])
  t.equal(readFileSync(join(third.attic, 'files/v1.2/app.3f2a91bc.js'), 'utf8'), 'one')
  t.same(keep(made).files, third.files, 'a restart is no build')
  replaceFiles(web, { 'app.7f2a91bc.js': 'four' })
  t.same(keep(made).files, ['/v1.2/app.4f2a91bc.js', '/v1.2/app.6f2a91bc.js', '/v1.2/app.7f2a91bc.js',
    '/v1.2/chunks/[slug] b-5f2a91bc.js'], 'a file of a build that is kept stays')
  t.same(readdirSync(third.attic).sort(), ['builds', 'files'], 'no temporary folder')
})

t.test('the build before comes back as the newest one, as after a rollback', async t => {
  const made = await kit(t, { keepBuilds: 1 })
  const web = join(made.project, 'web')
  /** @type {Record<string, string>[]} */
  const states = [{ 'a.3f2a91bc.js': '1' }, { 'b.3f2a91bc.js': '2' }, { 'a.3f2a91bc.js': '1' },
    { 'c.3f2a91bc.js': '3' }]
  for (const state of states) {
    replaceFiles(web, state)
    keep(made)
  }
  t.same(listFiles(join(made.project, 'attic/files')), ['/v1.2/a.3f2a91bc.js', '/v1.2/c.3f2a91bc.js'])
})

t.test('keeps exactly the plain files with hashes in their names, and their compressed forms', async t => {
  const made = await kit(t, { files: ['/assets=./web'], keepBuilds: 1 })
  const web = join(made.project, 'web')
  const word = fc.constantFrom('app', 'App', 'index', 'logo', '..b', 'a b', "it's", '$x', '[id]', 'é')
  const hash = fc.constantFrom('.3f2a91bc', '-BxGz3s2_', '-ABCDEFGH', '.20240101', '', '-3F2A91BC', '-overview')
  const end = fc.constantFrom('.js', '.css', '.html', '.js.map', '.svg', '')
  const packed = fc.constantFrom('', '.gz', '.br')
  const name = fc.tuple(word, hash, end, packed).map(parts => parts.join(''))
  const folder = fc.constantFrom('', 'chunks/', '.hidden/', '_astro/', 'deep/er/')
  const path = fc.tuple(folder, name).map(([folder, name]) => `${folder}${name}`)
  fc.assert(fc.property(fc.uniqueArray(path, { minLength: 20, maxLength: 60 }), paths => {
    replaceFiles(web, Object.fromEntries(paths.map(path => [path, path])))
    symlinkSync('/etc/hostname', join(web, 'link.3f2a91bc.js'))
    writeFileSync(join(web, 'line\n.3f2a91bc.js'), '')
    rmSync(join(made.project, 'attic'), { recursive: true, force: true })
    const urls = paths.map(path => `/assets/${path}`)
    const isPublic = (/** @type {string} */ url) => !/\/\./.test(url)
    const expected = urls.filter(isPublic).filter(url => {
      const plain = url.replace(/\.(?:gz|br)$/, '')
      return hasHashedName(url) || (plain !== url && hasHashedName(plain) && urls.includes(plain))
    })
    t.same(keep(made).files, expected.sort())
  }), { numRuns: 6, seed: 1 })
})

t.test('nginx sends a file of an earlier build where the folder of this one lacks it', async t => {
  const { read } = await kit(t)
  t.match(read('nginx.conf'), /location \^~ \/v1\.2\/ \{[^]*?error_page 404 = @earlier_0;/)
  t.match(read('nginx.conf'), /location @earlier_0 \{\n +root "@ATTIC@\/files";\n +try_files \$earlier_file @app;/)
  t.match(read('nginx.conf'),
    /map \$uri \$earlier_file \{\n +default "";\n +"~\/\\\.\|[^\n]+" "";\n/, 'hashed names only')
  const spa = await kit(t, { spec: 'nginx:keepalive+static+spa/./app.mjs' })
  t.match(spa.read('nginx.conf'), /try_files \$earlier_file @page_0;/)
  const site = await kit(t, { files: ['/=./web'], project: { web: { 'index.html': '', 'app.3f2a91bc.js': '' } } })
  t.match(site.read('nginx.conf'), 'map $site_file $earlier_file {', 'GET and HEAD only')
  t.match(site.read('nginx.conf'), /try_files \$site_file @earlier;[^]*try_files \$earlier_file @app;/)
  const files = await makeKitIn(t, 'nginx+spa/files',
    { files: { public: { 'index.html': '' } }, keepBuilds: 1 })
  t.match(files.read('nginx.conf'),
    /error_page 404 = @earlier;[^]*try_files \$earlier_file @page;[^]*location @page \{/)
  const plain = await kit(t, { keepBuilds: 0 })
  t.notMatch(plain.read('nginx.conf'), /earlier|ATTIC/)
  t.notMatch(plain.read('start.sh'), /builds|ATTIC/)
  t.notOk(plain.files.includes('keep-builds.sh'))
})

t.test('the files are in a folder that outlives a build: a volume, or the state of the unit', async t => {
  const docker = await kit(t)
  t.match(parseYaml(docker.read('compose.yaml')),
    { services: { web: { volumes: ['/var/cache/app', 'builds:/var/lib/app'] } }, volumes: { builds: null } })
  t.match(docker.read('Dockerfile'), /install -d -o node -g node \/run\/app \/var\/cache\/app \/var\/lib\/app\n/)
  t.match(docker.read('Dockerfile'), /^ENV STATE_DIRECTORY=\/var\/lib\/app$/m)
  t.match(docker.next.join('\n'), '-p 8080:8080 -v shop-builds:/var/lib/app shop')
  const Dockerfile = 'FROM node\nCMD ["node", "a.js"]\n'
  const own = await kit(t, { spec: 'nginx:uds-keepalive+static/app', app: ['npm start'], project: { Dockerfile } })
  t.match(parseYaml(own.read('compose.yaml')), {
    services: { nginx: { volumes: ['/var/cache/app', 'builds:/var/lib/app', 'socket:/run/app'] } },
    volumes: { builds: null, socket: null }
  })
  t.match(own.read('Dockerfile'), /^COPY deploy\/start\.sh deploy\/nginx\.conf deploy\/keep-builds\.sh \.\/deploy\/$/m)
  const systemd = await kit(t, { target: 'systemd' })
  t.match(systemd.read('shop-nginx.service'), /^StateDirectory=shop-nginx$/m)
  t.notMatch(systemd.read('shop.service'), 'StateDirectory')
  const files = await makeKitIn(t, 'nginx/files',
    { files: { public: { 'index.html': '' } }, target: 'systemd', keepBuilds: 1 })
  t.match(files.read(`${files.files.find(name => name.endsWith('.service'))}`), /^StateDirectory=/m)
})

t.test('refuses to keep builds where the platform has no folder for them, and where nginx sends no files', async t => {
  for (const target of ['heroku', 'render', 'fly']) {
    await t.rejects(kit(t, { target }), { code: 'bad-option', message: /^--keep-builds /, remedy: /CDN/ }, target)
  }
  for (const spec of ['nginx:keepalive/./app.mjs', './app.mjs']) {
    await t.rejects(kit(t, { spec, files: [] }), { code: 'bad-option', message: /sends no files/, remedy: /--files/ },
      spec)
  }
})

t.test('a kit for each platform states the commands of a later rollout', async t => {
  for (const target of Object.keys(TARGETS)) {
    const { rollout } = await kit(t, { target, keepBuilds: 0 })
    t.ok(rollout.length > 0 && rollout.every(line => line !== '' && !line.includes('undefined')), target)
  }
  t.match((await kit(t, { target: 'systemd' })).rollout,
    [/^copy /, /^# Connections wait/, 'sudo systemctl restart shop'])
  const Dockerfile = 'FROM node\nCMD ["node", "a.js"]\n'
  const options = { app: ['npm start'], files: [], keepBuilds: 0, project: { Dockerfile } }
  const beside = await kit(t, { ...options, spec: 'nginx:keepalive/app' })
  t.match(beside.rollout.join('\n'), /ps -q app\)\n.*build app\n.*--scale app=2 app\n[^]*docker stop \$old/)
  t.match(beside.read('nginx.conf'), 'server app:3000 max_fails=0;', 'nginx tries a container that starts again')
  for (const spec of ['nginx:uds-keepalive/app', 'app']) {
    t.notMatch((await kit(t, { ...options, spec })).rollout.join('\n'), '--scale', `${spec}: nginx cannot follow`)
  }
})

t.test('Fly.io starts new machines first, unless the project has volumes', async t => {
  const { read } = await kit(t, { target: 'fly', keepBuilds: 0 })
  t.match(parseToml(read('fly.toml')), { deploy: { strategy: 'bluegreen' } })
  const files = { 'fly.toml': read('fly.toml') }
  const merge = (/** @type {string} */ own) =>
    parseToml(mergeFiles(t.testdir({ 'fly.toml': own }), files, null).files['fly.toml'])
  t.notOk(Object.hasOwn(merge('[mounts]\nsource = "data"\ndestination = "/data"\n'), 'deploy'))
  t.match(merge('[mounts]\nsource = "data"\n[deploy]\nstrategy = "rolling"\n'), { deploy: { strategy: 'rolling' } })
  t.match(merge('primary_region = "fra"\n'), { deploy: { strategy: 'bluegreen' } })
})

t.test('a start that was killed leaves nothing for good', async t => {
  const made = await kit(t)
  const left = join(made.project, 'attic/new.abcdef')
  mkdirSync(left, { recursive: true })
  execFileSync('touch', ['-d', '2 hours ago', left])
  keep(made)
  t.notOk(existsSync(left))
})
