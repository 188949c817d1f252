/**
 * Kits of apps that are a command, built and run by a real Docker engine: Node projects in the kit's image, and an app
 * in Perl in an image of its own, alone and beside nginx.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { jsonFixture } from '../../../../bench/topology/fixtures/fixtures.js'
import { composes } from '../../../support/docker-compose.js'
import { openEngine } from '../../../support/docker-engine.js'
import { PUBLIC, buildKits, checkKit, haveNoSecret, writeKit } from '../../../support/docker-kits.js'
import { APP, SERVER } from '../../../support/kit-root.js'
import { skipWithout } from '../../../support/needs.js'

/** @import { WrittenKit } from '../../../support/docker-kits.js' */

const NODE = {
  'app.mjs': APP,
  'server.mjs': SERVER,
  '1kb.json': jsonFixture(),
  'package.json': '{ "name": "shop", "scripts": { "start": "node server.mjs" } }'
}
/** Server in the language that Debian's smallest system has. */
const PERL = `
use IO::Socket::INET;
$SIG{TERM} = sub { exit 0 };
open my $file, '<', '1kb.json';
my $body = do { local $/; <$file> };
my $server = IO::Socket::INET->new(
  LocalAddr => $ENV{HOST}, LocalPort => $ENV{PORT}, Listen => 512, ReuseAddr => 1) or die $!;
while (my $client = $server->accept) {
  while (defined(my $line = <$client>)) { last if $line =~ /^\\r?\\n$/ }
  print $client "HTTP/1.1 200 OK\\r\\nContent-Type: application/json; charset=utf-8\\r\\n",
    'Content-Length: ', length $body, "\\r\\nConnection: close\\r\\n\\r\\n", $body;
  close $client;
}
`
const PERL_FILES = {
  'server.pl': PERL,
  '1kb.json': jsonFixture(),
  Dockerfile: `FROM debian:bookworm-slim
WORKDIR /app
COPY server.pl 1kb.json ./
USER www-data
CMD ["perl", "server.pl"]
`
}
const NODE_IMAGE = `FROM node:22-bookworm-slim
WORKDIR /app
COPY package.json app.mjs server.mjs 1kb.json ./
USER node
CMD ["node", "server.mjs"]
`
const perl = { files: PERL_FILES, ownImage: true, args: ['--app', 'perl server.pl', '--dockerfile', './Dockerfile'] }
const WSGI = `
def app(environ, start_response):
    with open('1kb.json', 'rb') as file:
        body = file.read()
    headers = [('Content-Type', 'application/json; charset=utf-8'), ('Content-Length', str(len(body)))]
    start_response('200 OK', headers)
    return [body]
`
const python = {
  files: {
    'app.py': WSGI,
    '1kb.json': jsonFixture(),
    'requirements.txt': 'gunicorn==23.0.0\n',
    '.python-version': '3.11\n'
  },
  args: ['--app', 'venv/bin/gunicorn --bind "$HOST:$PORT" app:app']
}
/** Port that Render gives to a web service. */
const RENDER_PORT = '10000'
const skip = skipWithout('docker', 'registry')

t.test('a real engine builds kits of commands, runs them, and stops them', { skip }, async t => {
  const engine = await openEngine(t)
  const npm = ['--app', 'npm start', '--listen', '$PORT,$SOCKET']
  const kits = {
    docker: await writeKit(t, 'docker',
      { target: 'docker', spec: 'nginx:uds-keepalive/app', files: NODE, args: npm }),
    render: await writeKit(t, 'render',
      { target: 'render', spec: 'nginx:keepalive/app', files: NODE, args: ['--app', 'node server.mjs'] }),
    fly: await writeKit(t, 'fly', { target: 'fly', spec: 'app', files: NODE, args: ['--app', 'node server.mjs'] }),
    python: await writeKit(t, 'python', { target: 'fly', spec: 'nginx:keepalive/app', ...python }),
    'render-image': await writeKit(t, 'render-image', { target: 'render', spec: 'app', ...perl }),
    'fly-image': await writeKit(t, 'fly-image', { target: 'fly', spec: 'app', ...perl })
  }
  const composed = {
    alone: await writeKit(t, 'alone', { target: 'docker', spec: 'app', ...perl }),
    gunicorn: await writeKit(t, 'gunicorn', { target: 'docker', spec: 'app', ...python }),
    beside: await writeKit(t, 'beside', { target: 'docker', spec: 'nginx:keepalive/app', ...perl }),
    socket: await writeKit(t, 'socket', {
      target: 'docker',
      spec: 'nginx:uds-keepalive+static/app',
      files: { ...NODE, ...PUBLIC, Dockerfile: NODE_IMAGE },
      ownImage: true,
      args: ['--app', 'node server.mjs', '--listen', '$PORT,$SOCKET', '--files', '/assets=./public']
    })
  }
  await buildKits(engine, [...Object.values(kits), ...Object.values(composed)])
  await engine.build(composed.beside.kit, 'beside-nginx')
  // With folders of files the project is the context, as in the kit's compose.yaml.
  await engine.build(composed.socket.project, 'socket-nginx', join(composed.socket.kit, 'Dockerfile'))
  await engine.isolate()

  await t.test('no layer has a secret', t => haveNoSecret(t, engine, Object.values(kits)))
  for (const [name, kit] of Object.entries(kits)) {
    await t.test(name, t => checkKit(t, engine, { ...kit, ...kit.ownImage && { env: variablesOf(kit) } }))
  }
  await t.test('an image of one\'s own', t => composes(t, engine, composed.alone))
  await t.test('Python', t => composes(t, engine, composed.gunicorn))
  await t.test('nginx beside an image of one\'s own, over TCP', t =>
    composes(t, engine, composed.beside, { nginx: 'beside-nginx' }))
  await t.test('nginx beside an image of one\'s own, over a socket', t =>
    composes(t, engine, composed.socket, { nginx: 'socket-nginx', folder: 'socket-nginx' }))
})

/**
 * Returns the variables that Render or Fly.io sets in a container.
 * @param {WrittenKit} kit
 * @returns {Record<string, string>}
 */
function variablesOf ({ target, kit }) {
  const read = (/** @type {string} */ file) => readFileSync(join(kit, file), 'utf8')
  if (target === 'fly') return /** @type {any} */ (parseToml(read('fly.toml'))).env
  const { envVars } = parseYaml(read('render.yaml')).services[0]
  return {
    PORT: RENDER_PORT,
    ...Object.fromEntries(envVars.map((/** @type {{ key: string, value: string }} */ { key, value }) => [key, value]))
  }
}
