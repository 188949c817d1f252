/** Renders the recommended configuration of a topology's proxies, for a server with Debian's paths. */
import { availableParallelism } from 'node:os'
import { hasTls } from '../../plan/predicates.js'
import { getProgramKey } from '../../shared/releases.js'
import { describe } from './describe.js'

/** @import { ProxyProgram, Topology } from '../../types.js' */

const HOME = { dir: '/run/app', root: '/srv/www', ports: { front: 80, origin: 3000 } }
const HOME_TLS = {
  ports: { ...HOME.ports, front: 443 },
  certificate: { certFile: '/etc/ssl/certs/site.pem', keyFile: '/etc/ssl/private/site.key' }
}

/**
 * @param {Topology} topology
 * @param {{ clients: number, programs: Map<string, ProxyProgram> }} options
 * @returns {{ file: string, text: string, behind: boolean }[]} behind: belongs to the proxy in the server's place
 * @throws {HopbenchError} bad-option
 */
export function recommendedConfig (topology, options) {
  const { proxy, origin } = describeAtHome(topology, options, 'home')
  return [proxy, origin].flatMap(program =>
    Object.entries(program?.files ?? {}).map(([file, text]) => ({ file, text, behind: program === origin })))
}

/**
 * Describes a topology on a server with Debian's paths.
 * @param {Topology} topology
 * @param {{ clients: number, programs: Map<string, ProxyProgram> }} options
 * @param {'measure' | 'home'} purpose
 * @throws {HopbenchError} bad-option
 */
export function describeAtHome (topology, { clients, programs }, purpose) {
  const { proxy: front, server } = topology
  return describe(topology, {
    ...HOME,
    ...hasTls(topology) && HOME_TLS,
    clients,
    cores: availableParallelism(),
    proxy: front && (programs.get(getProgramKey(front)) ?? null),
    origin: server && programs.get(getProgramKey(server))
  }, purpose)
}
