/** Finds what the responses of an arm that serves files are compared with. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compresses } from '../../plan/predicates.js'
import { isUnknown } from '../../plan/spec.js'
import { loadPlugin, pluginNames } from '../../plan/plugins.js'
import { getExpectedResponse } from '../../topology/fixtures/fixtures.js'
import { hasProxyOrigin } from '../../topology/proxy-origin.js'

/** @import { Arm, Expected, Load, ServerAbout, Target, Topology } from '../../types.js' */
/** @import { Findings } from './gate.js' */

/** File types that are compressed already. */
const INCOMPRESSIBLE = /\.(avif|bin|br|gif|gz|ico|jpe?g|mp4|png|webp|woff2?|zip)$/i

/** @typedef {{ expected: Expected, file: string, compresses: boolean }} Reference compresses: must have an encoding */

/** Whether an arm serves files, and neither the JSON fixture nor your own app. @param {Pick<Arm, 'topology'>} arm */
export async function servesFiles ({ topology }) {
  const { server } = topology
  if (isUnknown(topology)) return false
  if (!server || hasProxyOrigin(topology)) return true
  return (await loadServerAbout(server.name)).serves.includes('static')
}

/** Whether only the server itself can show the expected response: your own app, or a server that makes its own pages.
 * @param {Arm} arm */
export async function makesOwnContent ({ topology }) {
  const { server } = topology
  if (isUnknown(topology)) return true
  // A proxy in the server's place serves files.
  if (!server || !pluginNames('server').includes(server.name)) return false
  return (await loadServerAbout(server.name)).serves.some(kind => kind === 'pages' || kind === 'site')
}

/** Returns the Accept-Encoding header of a load. @param {Pick<Load, 'headers'>} load */
export const getAcceptEncoding = ({ headers }) =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === 'accept-encoding')?.[1] ?? null

/**
 * Finds the file that an arm must respond with.
 * @param {Arm} arm
 * @param {string} root of the files that are served
 * @returns {Promise<Reference | string>} a string: why there is nothing to compare with
 */
export async function findFileReference ({ load, topology }, root) {
  const found = getExpectedResponse(root, load.path, { acceptEncoding: getAcceptEncoding(load) })
  if (!found) return `there is no file for ${load.path} in the folder that it serves`
  const { file, ...expected } = found
  const isCompressible = expected.encodings?.length !== 0 && !INCOMPRESSIBLE.test(file)
  return { expected, file, compresses: isCompressible && await hasCompression(topology) }
}

/**
 * Returns the body on the wire, which engines that check bodies compare with.
 * @param {Pick<Reference, 'file' | 'expected'>} reference
 * @param {Findings} findings with the body kept
 * @param {string} dir takes the body if it has an encoding
 * @returns {Target['expectBody']} null: the body differs from response to response
 */
export function getWireBody ({ file, expected }, { answers, body }, dir) {
  const good = answers.filter(({ answer }) => answer.status === expected.status)
  const [hash, ...others] = new Set(good.map(({ answer }) => answer.sha256))
  if (expected.sha256 === null || hash === undefined || others.length > 0 || body === null) return null
  const bytes = Buffer.from(body, 'base64')
  if (hash === expected.sha256) return { file, sha256: hash, bytes: bytes.length }
  const packed = join(dir, 'reference.packed')
  writeFileSync(packed, bytes)
  return { file: packed, sha256: hash, bytes: bytes.length }
}

/** Whether one of the hops compresses. @param {Topology} topology */
async function hasCompression (topology) {
  const { proxy, server } = topology
  if (compresses(proxy) || compresses(server)) return true
  if (!server || hasProxyOrigin(topology)) return false
  return (await loadServerAbout(server.name)).compression !== 'none'
}

/**
 * @param {string} name
 * @returns {Promise<ServerAbout>}
 */
const loadServerAbout = async name => (await loadPlugin('server', name)).about
