/** Tests which files of a project get into the build context of a kit. */
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { parse as parseYaml } from 'yaml'
import { makeKit } from '../../../../bench/features/deploy/kit/deploy-kit.js'
import { describeLeftOut } from '../../../../bench/features/deploy/kit/context.js'
import { armFrom } from '../../../../bench/request/request.js'
import {
  SECRET_FILES, SECRET_TEXTS, findWholeContext, testContexts, toIgnoreFile
} from '../../../support/context-property.js'
import { filesInContext } from '../../../support/docker-context.js'
import { makeKitIn } from '../../../support/made-kit.js'
import { tempFolder } from '../../../support/temp.js'

/** @import { Test } from 'tap' */

const APP = { 'package.json': '{"name":"shop","scripts":{"start":"node a.js"}}', 'package-lock.json': '{}' }
const WITH_TOKEN = { ...APP, '.npmrc': '//r.example/:_authToken=abcdefgh\n' }

/**
 * Makes a kit of a command in a temporary project.
 * @param {Test} t
 * @param {{ target?: string, files?: Record<string, any>, spec?: string, build?: string }} [options]
 */
async function kit (t, { spec = 'nginx:keepalive/app', files = APP, ...options } = {}) {
  const { notes, ...made } = await makeKitIn(t, spec, { files, arm: { app: ['npm start'], path: '/' }, ...options })
  // Each kit has a note about the end of TLS (targets.js), too.
  return { ...made, notes: notes.filter(note => !/\bterminates?\b/.test(note)) }
}

t.test('generated projects keep their secrets out of the context', t => testContexts(t, 12))

t.test('each kind of secret is left out and reported', async t => {
  const dir = tempFolder(t)
  for (const [name, text] of [...SECRET_FILES.map(name => [name, 'x']), ...SECRET_TEXTS]) {
    mkdirSync(join(dir, name, '..'), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  const context = await findWholeContext(dir)
  t.strictSame(context.allowed, [])
  const names = [...new Set([...SECRET_FILES, ...SECRET_TEXTS.map(([name]) => name)])]
  t.strictSame(filesInContext(names, toIgnoreFile(context)), [])
  t.strictSame(names.filter(name => !context.secrets.some(path => name === path || name.startsWith(`${path}/`))), [])
})

t.test('a kit prints which files its image does not get', async t => {
  const { notes, read } = await kit(t, { files: { ...WITH_TOKEN, 'a.js': '', '.env': 'A=b', lib: { 'b.js': '' } } })
  t.strictSame(notes, ['Not in the image, as they can hold secrets: .env, .npmrc.'])
  t.strictSame(filesInContext(['a.js', 'lib/b.js', '.env', '.npmrc', 'deploy/start.sh', 'deploy/nginx.conf',
    'node_modules/a/b.js', 'lib/node_modules/a.js', '.git/config'], read('Dockerfile.dockerignore')),
  ['a.js', 'lib/b.js', 'deploy/start.sh', 'deploy/nginx.conf'])
})

t.test('a folder that ignores itself stays out of the image, as results do, unless a build made it', async t => {
  const results = () => ({ '.gitignore': '*\n', run: { 'run.json': '{}' } })
  const files = { ...APP, 'a.js': '', results: results(), lib: { results: results() }, dist: results() }
  const { notes, read } = await kit(t, { files })
  t.strictSame(notes, [])
  t.strictSame(filesInContext(['a.js', 'results/run/run.json', 'lib/results/run/run.json', 'dist/run/run.json'],
    read('Dockerfile.dockerignore')), ['a.js', 'dist/run/run.json'])
})

t.test('names that no pattern can have are left out, and printed without control characters', async t => {
  const dir = tempFolder(t)
  for (const name of ['a\nb', 'c\u001b[8m', ' d', 'e\\f', 'g']) writeFileSync(join(dir, name), '')
  const context = await findWholeContext(dir)
  t.strictSame(context.allowed, ['!g'])
  t.equal(describeLeftOut(context).length, 1)
  for (const sign of ['\n', '\u001b']) t.notMatch(describeLeftOut(context)[0], sign)
})

t.test('links are not followed', async t => {
  const dir = tempFolder(t)
  mkdirSync(join(dir, 'src'))
  symlinkSync('/etc/passwd', join(dir, 'src/link'))
  symlinkSync('/etc', join(dir, 'folder'))
  const { allowed } = await findWholeContext(dir)
  t.strictSame(allowed, ['!folder', '!src'])
})

t.test('only the folders that nginx serves are in the context of nginx alone', async t => {
  const files = { 'a.js': '', public: { 'index.html': '', '.env': '', 'a.key': '' } }
  const { read, notes } = await makeKitIn(t, 'nginx/files', { files, arm: { path: '/' }, root: './public' })
  t.strictSame(filesInContext(['a.js', 'public/index.html', 'public/.env', 'public/a.key', 'deploy/start.sh'],
    read('Dockerfile.dockerignore')), ['public/index.html', 'deploy/start.sh'])
  t.strictSame(notes, ['Not in the image, as they can hold secrets: public/.env, public/a.key.'])
})

t.test('a kit prints which secrets a build of the project\'s own Dockerfile, and a copy, would get', async t => {
  const files = { ...APP, Dockerfile: 'FROM x\nCMD ["a"]\n', '.env': '', 'a.js': '', lib: { 'b.key': '' } }
  t.strictSame((await kit(t, { files })).notes,
    ['The build of Dockerfile gets files that can hold secrets, unless .dockerignore names them: .env, lib/b.key.'])
  t.strictSame((await kit(t, { files: { ...files, '.dockerignore': '.env\n**/*.key\n' } })).notes, [])
  t.strictSame((await kit(t, { files: { ...files, 'Dockerfile.dockerignore': '*\n!a.js\n' } })).notes, [])
  t.strictSame((await kit(t, { files: { ...files, '.dockerignore': '.env\n' }, target: 'systemd' })).notes,
    ['Leave out of the copy, as they can hold secrets: .env, lib/b.key.'])
})

t.test('the build gets settings with a token as a secret, and the image does not', async t => {
  const id = 'type=secret,id=npmrc,target=/app/.npmrc'
  const { read, next } = await kit(t, { files: WITH_TOKEN })
  t.match(read('Dockerfile'), `\nCOPY package.json package-lock.json ./\nRUN --mount=${id} npm ci --omit=dev\n`)
  t.equal(next[0], 'DOCKER_BUILDKIT=1 docker build --secret id=npmrc,src=.npmrc -f deploy/Dockerfile -t shop .')
  const { services: { web }, secrets } = parseYaml(read('compose.yaml'))
  t.strictSame([web.build.secrets, secrets], [['npmrc'], { npmrc: { file: '../.npmrc' } }])
  const withScript = { ...WITH_TOKEN, 'package.json': '{"name":"shop","scripts":{"start":"a","build":"b"}}' }
  const built = (await kit(t, { files: withScript, build: 'npm run build' })).read('Dockerfile')
  t.strictSame(built.match(/^RUN .*npm (?:ci|run|prune).*$/gm),
    ['npm ci', 'npm run build', 'npm prune --omit=dev'].map(command => `RUN --mount=${id} ${command}`))
  t.equal((await kit(t, { files: WITH_TOKEN, target: 'fly' })).next[1],
    'fly deploy . --config deploy/fly.toml --dockerfile deploy/Dockerfile --build-secret npmrc="$(cat .npmrc)"')
  t.equal((await kit(t, { files: WITH_TOKEN, target: 'render' })).next.at(-1),
    'add the text of .npmrc to the service as a secret file with the name npmrc')
  t.notMatch((await kit(t)).read('Dockerfile'), '--mount')
})

t.test('the build gets a token that settings take from the environment', async t => {
  const setting = '@acme:registry=https://npm.example/\n//npm.example/:_authToken=$' + '{NPM_TOKEN}\n'
  const files = { ...APP, '.npmrc': setting }
  const { read, next } = await kit(t, { files, build: "sh -c 'a > b'" })
  const id = 'type=secret,id=NPM_TOKEN'
  const before = `RUN --mount=${id} export NPM_TOKEN="$(cat /run/secrets/NPM_TOKEN)" && `
  t.strictSame(read('Dockerfile').match(/^RUN --mount.*$/gm),
    ['npm ci', String.raw`sh -c 'sh -c '\''a > b'\'''`, 'npm prune --omit=dev'].map(command => before + command))
  t.match(read('Dockerfile'), '\nCOPY package.json package-lock.json .npmrc ./\n')
  t.match(next[0], 'docker build --secret id=NPM_TOKEN,env=NPM_TOKEN -f')
  t.strictSame(parseYaml(read('compose.yaml')).secrets, { NPM_TOKEN: { environment: 'NPM_TOKEN' } })
  t.match((await kit(t, { files, target: 'fly' })).next[1], /--build-secret NPM_TOKEN="\$NPM_TOKEN"$/)
  t.equal((await kit(t, { files, target: 'render' })).next.at(-1),
    'add the value to the service as a secret file with the name NPM_TOKEN')
  t.match((await kit(t, { files, target: 'heroku' })).next.join('\n'), 'heroku config:set NPM_TOKEN="$NPM_TOKEN"')
})

t.test('containers have no capabilities, a file system that is read-only, and no new privileges', async t => {
  const hardened = {
    cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], read_only: true, volumes: ['/var/cache/app']
  }
  const { services: { web } } = parseYaml((await kit(t)).read('compose.yaml'))
  t.match(web, { ...hardened, tmpfs: ['/run/app:uid=1000,gid=1000,mode=0700', '/tmp'] })
  t.equal(web.environment.CACHE_DIRECTORY, '/var/cache/app')
  const own = await kit(t, { files: { ...APP, Dockerfile: 'FROM x\nCMD ["a"]\n' } })
  const { services } = parseYaml(own.read('compose.yaml'))
  t.match(services.nginx, { ...hardened, tmpfs: ['/run/nginx:uid=33,gid=33,mode=0700', '/tmp'] })
  t.strictSame(services.app.security_opt, ['no-new-privileges:true'])
  t.match(own.read('Dockerfile'), /^RUN install -d .* \/run\/nginx \/var\/cache\/app$/m)
})

t.test('a kit that is written again has the same context', async t => {
  const { project, read } = await kit(t, { files: { ...APP, 'a.js': '' } })
  const first = read('Dockerfile.dockerignore')
  writeFileSync(join(project, 'deploy/old.sh'), '')
  await makeKit(await armFrom('nginx:keepalive/app', { connections: 100, app: ['npm start'], path: '/' }),
    { target: 'docker', out: './deploy', force: true })
  t.equal(read('Dockerfile.dockerignore'), first)
  t.strictSame(filesInContext(['a.js', 'deploy/start.sh', 'deploy/old.sh', 'deploy/Dockerfile'], first),
    ['a.js', 'deploy/start.sh'])
})

t.test('a kit is not written through links, also with --force', async t => {
  const { project } = await kit(t)
  const outside = tempFolder(t)
  writeFileSync(join(outside, 'start.sh'), 'mine')
  symlinkSync(outside, join(project, 'linked'))
  mkdirSync(join(project, 'plain'))
  symlinkSync(join(outside, 'start.sh'), join(project, 'plain/start.sh'))
  mkdirSync(join(project, 'hard'))
  linkSync(join(outside, 'start.sh'), join(project, 'hard/start.sh'))
  const write = async (/** @type {string} */ out) =>
    makeKit(await armFrom('app', { connections: 1, app: ['npm start'] }), { target: 'docker', out, force: true })
  await t.rejects(write('./linked'), { code: 'kit-not-writable', message: /linked is a symbolic link/ })
  await t.rejects(write('./linked/deep'), { code: 'kit-not-writable', message: /linked is a symbolic link/ })
  await t.rejects(write('./plain'), { code: 'kit-not-writable', message: /plain\/start\.sh is a symbolic link/ })
  await write('./hard')
  t.equal(readFileSync(join(outside, 'start.sh'), 'utf8'), 'mine')
  t.match(readFileSync(join(project, 'hard/start.sh'), 'utf8'), /^#!\/bin\/sh\n/)
})
