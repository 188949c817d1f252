/** Describes what an arm starts: command lines and configuration files, with the ports, certificates and confinement
 * that they need. */
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../errors.js'
import { findModule, findRuntimes } from './find-programs.js'
import { LOOPBACK } from '../machine/network/lab.js'
import { memoryDir } from '../machine/files/temp.js'
import { getTlsSettings } from '../plan/tls.js'
import { isOwn, isPath } from '../plan/spec.js'
import { isSpread, countWorkers } from '../plan/workers.js'
import { loadPlugin } from '../plan/plugins.js'
import { getProgramKey } from '../shared/releases.js'
import { findCertificate } from '../topology/certificates.js'
import { confine } from '../topology/confinement/confinement.js'
import { describe } from '../topology/describe/describe.js'
import { getListenWay } from '../topology/describe/describe-command.js'
import { loadOriginPlugin } from '../topology/proxy-origin.js'
import { pm2Folder, serverFile } from '../topology/server-packages.js'

/** @import { Network } from '../machine/types.js' */
/** @import { Arm, Confinement, ServerAbout } from '../types.js' */
/** @import { ArmOptions } from './types.js' */

const LAUNCHER = fileURLToPath(new URL('../topology/launch.js', import.meta.url))
/** Wanted ports. In a network of its own every topology has the same ones. */
const PORTS = { front: 8080, origin: 3000 }

/**
 * @param {Arm} arm
 * @param {Network} network
 * @param {ArmOptions} options
 */
export async function describeArm (arm, network, options) {
  const { root, dir, proxies, cores } = options
  const { topology } = arm
  const { proxy, server } = topology
  const proxyProgram = proxy ? proxies.get(getProgramKey(proxy)) ?? null : null
  const origin = server && await loadOriginPlugin(topology) ? proxies.get(getProgramKey(server)) ?? null : null
  const module = server && !origin && !server.command ? await findLaunchedModule(server.name, options.cwd) : null
  const about = module && server && !isPath(server.name) ? (await loadPlugin('server', server.name)).about : null
  const pm2 = server?.manager === 'pm2' ? await pm2Folder() : null
  const servedCores = cores?.length ?? availableParallelism()
  const originCount = server && isSpread(topology) ? countWorkers(topology, servedCores) : 1
  const ports = {
    front: options.frontPort ?? await network.port(getFrontPort(topology)),
    ...await findOriginPorts(network, originCount)
  }
  const { address } = network
  const tls = getTlsSettings(topology)
  const certificate = tls && await findCertificate(tls.kind, options.certificates ?? join(options.temp, 'tls'), address)
  const [runtime] = (await findRuntimes([arm])).values()
  const node = runtime?.program ?? process.execPath
  const code = [...module ? findCode(module, pm2) : [], ...certificate && !proxy ? Object.values(certificate) : []]
  const enterBeside = [...options.limit ?? [], ...network.enterBeside]
  const confinement = module
    ? await findConfinement(arm, address, { dir, root, reach: options.reach, code, enterBeside, node })
    : null
  const description = describe(topology, {
    dir,
    memory: (proxyProgram?.plugin.folders && memoryDir(dir)) ?? undefined,
    root,
    address,
    ports,
    cores: servedCores,
    clients: arm.load.connections,
    launcher: LAUNCHER,
    node,
    nodeVersion: runtime?.runtime.kind === 'node' ? runtime.runtime.version : process.versions.node,
    module,
    about,
    pm2,
    confinement,
    proxy: proxyProgram,
    origin,
    pinned: cores,
    certificate
  })
  return { description, confinement }
}

/**
 * Returns the preferred port of clients, which differs from a fixed port of the app.
 * @param {Arm['topology']} topology
 */
const getFrontPort = topology => getListenWay(topology) === PORTS.front ? PORTS.front + 1 : PORTS.front

/**
 * Confines a plug-in's server that is marked as vulnerable. You judge your own modules yourself.
 * @param {Arm} arm
 * @param {string} address
 * @param {Parameters<typeof confine>[0]} order
 * @returns {Promise<Confinement | null>} null: the server needs none
 * @throws {HopbenchError} host-unfit
 */
async function findConfinement ({ name, topology: { server } }, address, order) {
  if (!server || isOwn(server)) return null
  /** @type {{ about: ServerAbout }} */
  const { about } = await loadPlugin('server', server.name)
  if (about.vulnerable === undefined) return null
  const confinement = await confine(order)
  if (confinement.by === 'nothing' && address !== LOOPBACK) {
    throw new HopbenchError('host-unfit', {
      host: address,
      why:
        `${name} has known vulnerabilities, other machines can reach it there, and nothing can confine it ` +
        `(${confinement.why})`,
      remedy: 'Leave it out, or measure it on one machine.'
    })
  }
  return confinement
}

/**
 * Returns the files of a server and its packages, and of PM2 with its own. Both may be in the cache.
 * @param {string} module
 * @param {string | null} pm2
 */
const findCode = (module, pm2) => [module, join(dirname(module), '../node_modules'), ...pm2 ? [dirname(pm2)] : []]

/**
 * @param {Network} network
 * @param {number} count of processes, with a port each
 */
async function findOriginPorts (network, count) {
  const origins = []
  for (let i = 0; i < count; i++) origins.push(await network.port(PORTS.origin + i))
  return { origin: origins[0], origins }
}

/**
 * Returns the file of a server, where its packages are installed.
 * @param {string} name
 * @param {string} cwd
 */
const findLaunchedModule = async (name, cwd) => isPath(name) ? findModule(name, cwd) : serverFile(name)
