/** Runs deploy kits by their compose.yaml, as `docker compose up` does. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { jsonFixture } from '../../bench/topology/fixtures/fixtures.js'
import { composeCommand } from './docker-engine.js'
import { getByTls, servesItsFolder } from './docker-kits.js'
import { get, within } from './kit-checks.js'
import { relayTo } from './kit-root.js'

/**
 * @import { Test } from 'tap'
 * @import { Engine } from './docker-engine.js'
 * @import { WrittenKit } from './docker-kits.js'
 */

/** Time until a service responds, far above the usual seconds. */
const HEALTHY_SECONDS = 90

/**
 * Starts the services of a kit, whose images exist, waits until the engine calls them healthy, and stops them.
 * @param {Test} t
 * @param {Engine} engine
 * @param {WrittenKit} kit
 * @param {Record<string, string>} [images] of services; default: that of the kit
 */
export async function composes (t, engine, kit, images = {}) {
  const file = join(kit.kit, 'compose.yaml')
  const { services } = parse(readFileSync(file, 'utf8'))
  const override = join(kit.dir, 'override.yaml')
  writeFileSync(override, JSON.stringify({ services: overridesOf(services, kit.name, images) }))
  const compose = async (/** @type {string[]} */ ...args) => {
    const argv = [...await composeCommand(), '-p', kit.name, '-f', file, '-f', override, ...args]
    const { exit, stdout, stderr } = await engine.call(argv)
    if (exit !== 0) throw new Error(`docker-compose ${args.join(' ')}: ${stdout}\n${stderr}`)
    return stdout.trim()
  }
  await compose('up', '--detach', '--no-build')
  t.teardown(() => compose('kill').catch(() => {}))
  const running = await Promise.all(Object.keys(services).filter(name => services[name].restart).map(async name =>
    ({ name, id: await compose('ps', '--quiet', name) })))
  const stateOf = (/** @type {string} */ id) => engine.docker('inspect', '--format', '{{json .State}}', id)
    .then(JSON.parse)
  for (const { name, id } of running) {
    if (services[name].healthcheck) {
      await within(HEALTHY_SECONDS, `${name} is healthy`, async () => isHealthy(await stateOf(id)))
    }
    const { Memory, ReadonlyRootfs, CapDrop, SecurityOpt } = JSON.parse(
      await engine.docker('inspect', '--format', '{{json .HostConfig}}', id))
    const { mem_limit: memory = '0', read_only: isReadOnly = false, cap_drop: dropped = null, security_opt: options } =
      services[name]
    t.strictSame({ Memory, ReadonlyRootfs, CapDrop, SecurityOpt }, {
      Memory: parseInt(memory) * 2 ** 20, ReadonlyRootfs: isReadOnly, CapDrop: dropped, SecurityOpt: options
    }, `limits of ${name}`)
  }
  await answers(t, engine, kit, services.nginx ?? services.web)
  await compose('stop')
  for (const { name, id } of running) {
    t.match(await stateOf(id), { ExitCode: 0, OOMKilled: false, Running: false }, `${name} ends with exit code 0`)
  }
  await compose('down', '--volumes')
}

/**
 * Returns the changes that make services start from existing images. Checks of their health need not wait for the usual
 * interval.
 * @param {Record<string, any>} services
 * @param {string} image
 * @param {Record<string, string>} images
 */
const overridesOf = (services, image, images) => Object.fromEntries(Object.entries(services).map(([name, service]) =>
  [name, { image: images[name] ?? image, ...service.healthcheck && { healthcheck: { interval: '1s' } } }]))

/**
 * @param {Test} t
 * @param {Engine} engine
 * @param {WrittenKit} kit
 * @param {{ ports: string[] }} service
 */
async function answers (t, engine, { dir, spec }, { ports }) {
  const [outer] = ports[0].split(':')
  const folder = join(dir, 'composed')
  mkdirSync(folder)
  const network = { enterBeside: engine.enter() }
  const client = await relayTo(t, { host: '127.0.0.1', port: Number(outer), dir: folder, network })
  const send = spec.includes('+tls') ? getByTls : get
  await within(HEALTHY_SECONDS, `port ${outer} responds`, () =>
    send(client, '/').then(({ status }) => status === 200, () => false))
  t.match(await send(client, '/'), { status: 200, body: jsonFixture() }, `port ${outer} responds`)
  if (spec.includes('+static')) await servesItsFolder(t, client)
}

/** @param {any} state of a container */
function isHealthy ({ Status, Health }) {
  if (Status !== 'running' || Health.Status === 'unhealthy') throw new Error(JSON.stringify({ Status, Health }))
  return Health.Status === 'healthy'
}
