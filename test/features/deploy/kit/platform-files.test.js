/** Tests that files of a kit keep what those of the project have. */
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import t from '../../../support/tap.js'
import { makeKitIn } from '../../../support/made-kit.js'

/** @import { Test } from 'tap' */

const APP = {
  'package.json': '{"name":"shop","scripts":{"start":"node a.js"},"dependencies":{"express":"5"}}',
  'package-lock.json': '{}',
  'a.js': ''
}

/**
 * @param {Test} t
 * @param {string} target
 * @param {Record<string, string>} files of the platform
 */
const kit = (t, target, files) =>
  makeKitIn(t, 'app', { files: { ...APP, ...files }, arm: { app: ['npm start'], path: '/' }, target })

t.test('a Procfile keeps workers and releases', async t => {
  const Procfile = '# old\nweb: node a.js\nworker: node worker.js --all\nrelease: node migrate.js\n'
  const { read, notes } = await kit(t, 'heroku', { Procfile })
  t.equal(read('Procfile'),
    'web: sh deploy/start.sh\nworker: node worker.js --all\nrelease: node migrate.js\n')
  t.equal(notes[0], 'The Procfile of the kit keeps these settings of the project: worker, release.')
})

t.test('app.json keeps its variables and other formations', async t => {
  const formation = { web: { size: 'x' }, worker: { quantity: 2 } }
  const own = { env: { KEY: 'a' }, formation, buildpacks: [{ url: 'b' }] }
  const { read } = await kit(t, 'heroku', { 'app.json': JSON.stringify(own) })
  t.strictSame(JSON.parse(read('app.json')), {
    name: 'shop',
    description: 'app on heroku',
    env: { KEY: 'a' },
    formation,
    buildpacks: [{ url: 'heroku/nodejs' }]
  })
})

t.test('fly.toml keeps name, region, variables and process groups', async t => {
  const { read, next } = await kit(t, 'fly', {
    'fly.toml': `app = 'my-shop'
primary_region = 'fra'
[build]
  builder = 'heroku/builder:24'
[env]
  KEY = 'a'
  PORT = '9'
[processes]
  web = 'node a.js'
  worker = 'node worker.js'
[http_service]
  internal_port = 9
  auto_stop_machines = 'stop'
  processes = ['web']
[[mounts]]
  source = 'data'
  destination = '/data'
`
  })
  const { http_service: service, ...settings } = JSON.parse(JSON.stringify(parseToml(read('fly.toml'))))
  t.strictSame(settings, {
    app: 'my-shop',
    kill_signal: 'SIGTERM',
    kill_timeout: 30,
    build: { dockerfile: 'Dockerfile', ignorefile: 'Dockerfile.dockerignore' },
    env: { PORT: '8080', KEY: 'a' },
    primary_region: 'fra',
    processes: { web: 'sh deploy/start.sh', worker: 'node worker.js' },
    mounts: [{ source: 'data', destination: '/data' }]
  })
  t.match(service, { internal_port: 8080, auto_stop_machines: 'stop', processes: ['web'], force_https: true })
  t.equal(next[0], 'fly deploy . --config deploy/fly.toml --dockerfile deploy/Dockerfile')
  const hostile = await kit(t, 'fly', { 'fly.toml': 'app = "x; rm -rf /"\n' })
  t.equal(hostile.next[0], 'fly apps create shop', 'no name from a file becomes a part of a command')
})

t.test('render.yaml keeps other services, and variables of its own', async t => {
  const { read } = await kit(t, 'render', {
    'render.yaml': `databases: [{ name: db }]
services:
  - { type: worker, name: jobs, runtime: node }
  - type: web
    name: front
    env: node
    region: frankfurt
    buildCommand: npm ci
    startCommand: node a.js
    envVars: [{ key: KEY, value: a }]
`
  })
  const { databases, services: [worker, web] } = parseYaml(read('render.yaml'))
  t.strictSame([databases, worker], [[{ name: 'db' }], { type: 'worker', name: 'jobs', runtime: 'node' }])
  t.strictSame(web, {
    type: 'web',
    name: 'front',
    region: 'frankfurt',
    envVars: [{ key: 'KEY', value: 'a' }],
    runtime: 'docker',
    dockerfilePath: './deploy/Dockerfile',
    dockerContext: '.',
    healthCheckPath: '/',
    maxShutdownDelaySeconds: 30
  })
})

t.test('a file that cannot be read is named, and the kit has its own', async t => {
  for (const text of ['app = ', '[[[', '']) {
    const { read, notes } = await kit(t, 'fly', { 'fly.toml': text })
    t.match(read('fly.toml'), 'app = "shop"')
    t.ok(text === '' || notes.includes('Note: fly.toml of the project cannot be read.'), text)
  }
})
