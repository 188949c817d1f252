/** Builds the images of deploy kits with a real engine, runs them as their platforms do, and checks them. */
import { X509Certificate } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import { join } from 'node:path'
import { run } from '../../bench/machine/process.js'
import { findCertificate } from '../../bench/topology/certificates.js'
import { jsonFixture } from '../../bench/topology/fixtures/fixtures.js'
import { SECRET_FILES, SECRET_TEXTS } from './context-property.js'
import { baseOf, makeBase } from './docker-base.js'
import { drains, files as appFiles, get, passesTheGate, until } from './kit-checks.js'
import { projectWithKit, readStartCommand, relayTo } from './kit-root.js'

/**
 * @import { Test } from 'tap'
 * @import { Engine } from './docker-engine.js'
 */

/** Text of each file that must not reach an image. */
const PLANTED = 'planted-in-a-secret-file'
/** Start of a file that each image contains. */
const CONTENT = jsonFixture().slice(0, 40)
/** A secret of each kind, and a package that was installed on another system. */
const PRIVATE = {
  ...Object.fromEntries(SECRET_FILES.map(name => [name, PLANTED])),
  // Managers of packages would read their settings.
  ...Object.fromEntries(SECRET_TEXTS.filter(([name]) => !/^\.(npm|yarn)rc/.test(name))
    .map(([name, text]) => [name, `${text}${PLANTED}`])),
  'node_modules/elsewhere/package.json': `{ "name": "${PLANTED}" }`
}
/** A folder of files that the app of the tests sends, and which nginx serves in its place. */
export const PUBLIC = { 'public/app.3f2a91bc.js': jsonFixture() }
/** Time that each platform gives a container to end. Sources: docs/deploy.md. */
const GRACE_SECONDS = { docker: 10, render: 30, fly: 30 }

/**
 * @typedef {object} Kit
 * @property {'docker' | 'render' | 'fly'} target
 * @property {string} spec topology
 * @property {string[]} [args] further ones of hopbench config
 * @property {Record<string, string>} [files] of the project; default: an app
 * @property {boolean} [ownImage] whether the image of the app is built from a Dockerfile of the project
 * @property {Record<string, string>} [env] variables that the platform sets; default: the port of the kit's Dockerfile
 */

/**
 * @typedef {Kit & { name: string, project: string, kit: string, dir: string, dockerfile: string,
 *   hasApp: boolean }} WrittenKit
 * kit: its folder; hasApp: whether it serves the app of the tests, which holds requests
 */

/**
 * Writes a kit.
 * @param {Test} t
 * @param {string} name of its image
 * @param {Kit} kit
 * @returns {Promise<WrittenKit>}
 */
export async function writeKit (t, name, kit) {
  const isExample = !/[./]files$|\/\.\/|^\.\//.test(kit.spec) && kit.files === undefined
  const args = [...kit.args ?? [], ...isExample ? ['--out', '.'] : []]
  const files = isExample ? PRIVATE : { ...kit.files ?? appFiles, ...PRIVATE }
  const { project, dir } = await projectWithKit(t, kit.spec, kit.target, { args, files })
  const folder = isExample ? project : join(project, 'deploy')
  const dockerfile = join(kit.ownImage ? project : folder, 'Dockerfile')
  return { ...kit, name, project, dir, kit: folder, dockerfile, hasApp: 'app.mjs' in files }
}

/**
 * Builds the images of kits on shared base images.
 * @param {Engine} engine
 * @param {WrittenKit[]} kits
 */
export async function buildKits (engine, kits) {
  for (const base of new Set(kits.map(({ dockerfile }) => baseOf(dockerfile)))) await makeBase(engine, base)
  for (const { project, name, dockerfile } of kits) await engine.build(project, name, dockerfile)
}

/**
 * Starts a container of a kit.
 * @param {Test} t
 * @param {Engine} engine
 * @param {WrittenKit} kit
 * @param {string[]} [options] further ones of docker run
 */
export async function startContainer (t, engine, kit, options = []) {
  const env = kit.env ?? { PORT: readStartCommand(kit.target, kit.kit).env.PORT }
  const port = Number(env.PORT)
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const shared = join(kit.dir, 'shared')
  mkdirSync(shared)
  chmodSync(shared, 0o777)
  await engine.docker('run', '--detach', '--name', kit.name, ...variables, '--volume', `${shared}:/shared`,
    '--env', 'HELD_IN=/shared', ...options, kit.name)
  t.teardown(() => engine.docker('rm', '--force', kit.name).catch(() => {}))
  return { ...await connect(t, engine, kit, port), shared }
}

/**
 * Opens a socket to a container, and waits for its first response.
 * @param {Test} t
 * @param {Engine} engine
 * @param {WrittenKit} kit
 * @param {number} port
 */
async function connect (t, engine, { name, dir, spec }, port) {
  const pid = await engine.docker('inspect', '--format', '{{.State.Pid}}', name)
  const enter = [...engine.enter(), 'nsenter', '-t', pid, '-n', '--']
  const network = { enter, enterBeside: enter }
  const client = await relayTo(t, { host: '127.0.0.1', port, dir, network })
  const send = spec.includes('+tls') ? getByTls : get
  await until(async () => {
    const state = await engine.docker('inspect', '--format', '{{.State.Status}}', name)
    if (state !== 'running') throw new Error(`${name} is ${state}: ${(await logs(engine, name)).slice(-2000)}`)
    return (await send(client, '/').catch(() => null))?.status === 200
  })
  return { name, client, network, port }
}

/** @typedef {Awaited<ReturnType<typeof startContainer>>} RunningKit */

/**
 * @param {Engine} engine
 * @param {string} name
 */
async function logs (engine, name) {
  const { stdout, stderr } = await engine.call([engine.programs.docker, 'logs', name])
  return stdout + stderr
}

/**
 * @param {string} socketPath
 * @param {string} path
 */
export const getByTls = (socketPath, path) => new Promise((
  /** @type {(answer: { status: number, body: string, headers: object, certificate: string }) => void} */ resolve,
  reject
) => {
  https.get({ socketPath, path, headers: { host: 'shop.example' }, agent: false, rejectUnauthorized: false },
    response => {
      const socket = /** @type {import('node:tls').TLSSocket} */ (response.socket)
      const certificate = socket.getPeerCertificate().fingerprint256
      let body = ''
      response.setEncoding('utf8').on('data', data => { body += data }).on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, headers: response.headers, certificate })).on('error', reject)
    }).on('error', reject)
})

/**
 * Checks an image, and a container of it from its first response to its end.
 * @param {Test} t
 * @param {Engine} engine
 * @param {WrittenKit} kit
 */
export async function checkKit (t, engine, kit) {
  const running = await startContainer(t, engine, kit)
  const inside = (/** @type {string} */ script) => engine.docker('exec', kit.name, 'sh', '-c', script)
  t.not(await inside('id -u'), '0', 'the account is not root')
  if (kit.spec.endsWith('/files')) t.match(await get(running.client, '/'), { status: 200, body: jsonFixture() })
  else await passesTheGate(t, /** @type {any} */ (running))
  if (kit.spec.includes('+static')) await servesItsFolder(t, running.client)
  if (kit.hasApp) {
    await drains(t, /** @type {any} */ ({ ...running, kit: { ended: () => null } }), () => endsWell(t, engine, kit))
    await stopped.get(kit.name)
    return
  }
  await endsWell(t, engine, kit)
}

/**
 * Checks that no layer of the images has a secret. Layers that images share are read once.
 * @param {Test} t
 * @param {Engine} engine
 * @param {WrittenKit[]} kits
 */
export async function haveNoSecret (t, engine, kits) {
  const file = join(engine.dir, 'images.tar')
  await engine.docker('save', '--output', file, ...kits.map(({ name }) => name))
  const { stdout } = await run(['grep', '-aoF', '-e', CONTENT, '-e', PLANTED, file])
  rmSync(file)
  t.strictSame([...new Set(stdout.trim().split('\n'))], [CONTENT])
}

/**
 * Checks that nginx serves the folder public of a project, which has one file, in production.
 * @param {Test} t
 * @param {string} client socket
 */
export async function servesItsFolder (t, client) {
  t.match(await get(client, '/assets/app.3f2a91bc.js'),
    { status: 200, body: jsonFixture(), headers: { 'cache-control': /immutable/ } }, 'nginx serves the folder')
}

/** Ends of containers that began before they were awaited. @type {Map<string, Promise<void>>} */
const stopped = new Map()

/**
 * Stops a container as its platform does.
 * @param {Test} t
 * @param {Engine} engine
 * @param {WrittenKit} kit
 */
export function endsWell (t, engine, { name, target }) {
  const end = async () => {
    const at = performance.now()
    await engine.docker('stop', '--time', String(GRACE_SECONDS[target]), name)
    t.ok(performance.now() - at < GRACE_SECONDS[target] * 1000, 'it ended in time')
    t.equal(await engine.docker('inspect', '--format', '{{.State.ExitCode}} {{.State.OOMKilled}}', name), '0 false')
  }
  const promise = end()
  stopped.set(name, promise)
  return promise
}

/**
 * Writes a certificate and its key beside the kit's project, readable for the account of the container.
 * @param {WrittenKit} kit
 * @param {string} name of its folder
 * @returns {Promise<string>} text of the certificate
 */
export async function writeCertificate ({ project, dir }, name) {
  const folder = join(dir, name)
  mkdirSync(folder)
  const { certFile, keyFile } = await findCertificate('ecdsa-p256', folder)
  // The container has the files mounted, so that a new file under the same name would not be seen.
  for (const [file, end] of [[certFile, 'pem'], [keyFile, 'key']]) {
    copyFileSync(file, join(project, `site.${end}`))
    chmodSync(join(project, `site.${end}`), 0o644)
  }
  return readFileSync(certFile, 'utf8')
}

/** Mounts of the certificate, as the printed command has them. */
export const secretsOf = (/** @type {WrittenKit} */ { project }) => ['pem', 'key'].flatMap(end =>
  ['--volume', `${join(project, `site.${end}`)}:/run/secrets/site.${end}:ro`])

/**
 * Replaces the certificate of a kit while requests arrive, and sends SIGHUP to its container.
 * @param {Test} t
 * @param {Engine} engine
 * @param {WrittenKit} kit
 */
export async function renewsItsCertificate (t, engine, kit) {
  const first = await writeCertificate(kit, 'first')
  const { client, name } = await startContainer(t, engine, kit, secretsOf(kit))
  t.match(await getByTls(client, '/'), { status: 200, body: jsonFixture(), certificate: fingerprintOf(first) })
  const second = await writeCertificate(kit, 'second')
  const wanted = fingerprintOf(second)
  await engine.docker('kill', '--signal', 'HUP', name)
  let requests = 0
  for (let seen = ''; seen !== wanted; requests++) {
    const { status, certificate } = await getByTls(client, '/')
    t.equal(status, 200)
    seen = certificate
  }
  t.not(wanted, fingerprintOf(first))
  for (let i = 0; i < requests + 20; i++) t.equal((await getByTls(client, '/')).status, 200)
  await endsWell(t, engine, kit)
  await engine.docker('rm', name)
}

/** @param {string} text of a certificate */
const fingerprintOf = text => new X509Certificate(text).fingerprint256
