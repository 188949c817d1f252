/** Tests the contents of deploy kits for Python projects, without running them. */
import t from '../../../support/tap.js'
import { parse as parseYaml } from 'yaml'
import { makeKitIn } from '../../../support/made-kit.js'

/** @import { Test } from 'tap' */

const FILES = { 'requirements.txt': 'flask==3.1.3\ngunicorn==23.0.0\n', 'app.py': '' }

/**
 * Makes a kit of a command in a temporary project.
 * @param {Test} t
 * @param {string} app command
 * @param {{ spec?: string, target?: string, files?: Record<string, any>, build?: string }} [options]
 */
const kit = (t, app, { spec = 'app', files = FILES, ...options } = {}) =>
  makeKitIn(t, spec, { files, arm: { app: [app], path: '/' }, ...options })

t.test('the image has Python, and the packages where the command looks for them', async t => {
  const { read, nodeLine } = await kit(t, 'gunicorn app:app')
  t.match(read('Dockerfile'), /^FROM python:3\.13-slim-bookworm$/m)
  t.match(read('Dockerfile'),
    /^COPY requirements\.txt \.\/\nRUN pip install --no-cache-dir -r requirements\.txt\nCOPY \. \.$/m)
  t.match(read('Dockerfile'), /^USER www-data$/m)
  t.notMatch(read('Dockerfile.dockerignore'), /^venv$/m)
  t.match(read('Dockerfile.dockerignore'), /^\*\*\/__pycache__$/m)
  t.equal(nodeLine, null)
  const environment = await kit(t, '.venv/bin/gunicorn app:app', { spec: 'nginx:keepalive/app' })
  t.match(environment.read('Dockerfile'),
    /^RUN python3 -m venv \.venv && \.venv\/bin\/pip install --no-cache-dir -r requirements\.txt$/m)
  t.match(environment.read('Dockerfile.dockerignore'), /^\.venv$/m, "not the machine's own")
  t.match(environment.read('Dockerfile'), / nginx-light /)
})

t.test('requirements.txt that refers to other files is read after they are copied', async t => {
  const lines = ['-r base.txt', '-e .', './wheels/a.whl', 'wheels/a.whl', '--constraint limits.txt', '-f ./wheels',
    'a @ file:./libs/a']
  for (const line of lines) {
    const { read } = await kit(t, 'uvicorn app:app', { files: { ...FILES, 'requirements.txt': `a==1\n${line}\n` } })
    t.match(read('Dockerfile'), 'WORKDIR /app\nCOPY . .\nRUN pip install --no-cache-dir -r requirements.txt\n', line)
  }
})

t.test('the version is that of .python-version, else of the virtual environment', async t => {
  const venv = { 'pyvenv.cfg': 'home = /usr/bin\nversion = 3.11.2\n' }
  /** @type {[string, Record<string, any>][]} */
  const cases = [
    ['3.12', { '.python-version': '3.12.4\n', venv }],
    ['3.11', { venv }],
    ['3.11', { '.python-version': 'pypy3.10\n', '.venv': venv }],
    ['3.13', {}]
  ]
  for (const [version, more] of cases) {
    const { read } = await kit(t, 'venv/bin/python app.py', { files: { ...FILES, ...more } })
    t.match(read('Dockerfile'), `FROM python:${version}-slim-bookworm\n`)
  }
})

t.test('Docker checks the health with Python', async t => {
  const toTest = (/** @type {string} */ text) => parseYaml(text).services.web.healthcheck.test
  const plain = await kit(t, 'gunicorn app:app', { spec: 'nginx:keepalive/app' })
  t.strictSame(toTest(plain.read('compose.yaml')),
    ['CMD', 'python3', '-c', 'import urllib.request as r; ' +
      'r.build_opener(r.ProxyHandler({})).open("http://127.0.0.1:8080/", timeout=4)'])
  const tls = await kit(t, 'gunicorn app:app', { spec: 'nginx:keepalive+tls=ecdsa-p256/app' })
  t.match(toTest(tls.read('compose.yaml')).at(-1), /^import ssl, .*_create_unverified_context\(\)\)\)\.open\("https:/)
})

t.test('commands of Python are found behind variables, and paths that the image lacks are refused', async t => {
  for (const app of ['A=b gunicorn app:app', "exec env B='c d' uvicorn app:app", 'fastapi run app.py']) {
    t.match((await kit(t, app)).read('Dockerfile'), /^RUN pip install/m, app)
  }
  t.match((await kit(t, 'python3.12 -m uvicorn app:app')).read('Dockerfile'), /^FROM python:3\.12-/m)
  for (const app of ['/usr/bin/python3 a.py', './bin/gunicorn a', '../v/bin/gunicorn a', 'a/.venv/bin/gunicorn a',
    '$HOME/venv/bin/gunicorn a']) {
    await t.rejects(kit(t, app), { code: 'cannot-deploy', message: /path that the image does not have/ }, app)
  }
})

t.test('reads a command with many quotes, for which a pattern that tries all ways would need years', async t => {
  await t.rejects(kit(t, `A=${"'a'".repeat(40)}"`), { code: 'cannot-deploy' })
})

t.test('a build of a Python app is refused with what to do', async t => {
  const files = { ...FILES, 'package.json': '{}' }
  await t.rejects(kit(t, 'gunicorn app:app', { files, build: 'make' }),
    { code: 'bad-option', message: /a Python app installs the packages of requirements\.txt only/ })
})

t.test('requirements with a secret are refused, and those that need git or a compiler get a larger image', async t => {
  const withLine = (/** @type {string} */ line) =>
    kit(t, 'gunicorn app:app', { files: { ...FILES, 'requirements.txt': `${line}\nauthlib==1.3\n` } })
  const addresses = ['me:secret@pypi.example', '$' + '{TOKEN}@pypi.example']
  for (const line of addresses.map(address => `--index-url https://${address}/simple`)) {
    await t.rejects(withLine(line), { code: 'cannot-deploy', message: /password or a variable/ }, line)
  }
  for (const line of ['a @ git+https://git.example/a', 'psycopg2==2.9', 'uWSGI==2.0']) {
    t.match((await withLine(line)).read('Dockerfile'), /^FROM python:3\.13-bookworm$/m, line)
  }
  t.match((await withLine('psycopg2-binary==2.9')).read('Dockerfile'), /^FROM python:3\.13-slim-/m)
})

t.test('a command of Node keeps its image, and Python without requirements.txt has none', async t => {
  const both = { ...FILES, 'package.json': '{"name":"shop","scripts":{"start":"node a.js"}}' }
  t.match((await kit(t, 'npm start', { files: both })).read('Dockerfile'), /^FROM node:/m)
  t.match((await kit(t, 'gunicorn app:app', { files: both })).read('Dockerfile'), /^FROM python:/m)
  for (const files of [{ 'app.py': '' }, { 'app.py': '', 'package.json': '{}' }]) {
    await t.rejects(kit(t, 'python3 app.py', { files }), { code: 'cannot-deploy' })
  }
})

t.test('on Heroku the packages are in no virtual environment', async t => {
  await t.rejects(kit(t, 'venv/bin/gunicorn app:app', { target: 'heroku' }),
    { code: 'cannot-deploy', message: /in venv/ })
  t.match((await kit(t, 'gunicorn app:app', { target: 'heroku' })).files, ['Procfile', 'app.json', 'start.sh'])
})
