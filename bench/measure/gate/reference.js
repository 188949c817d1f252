/** What the answers of an arm that serves files are compared with. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectedOf } from '../../topology/fixtures/fixtures.js'
import { hasProxyOrigin } from '../../topology/proxy-origin.js'
import { loadPlugin, pluginNames } from '../../plugins.js'
import { isOwn } from '../../plan/word.js'

/** @import { Expected } from '../../types.js' @import { Arm, ServerAbout, Target, Topology } from '../../types.js'
 * @import { Findings } from './gate.js' */

/** What is packed already: nobody packs it once more. */
const INCOMPRESSIBLE = /\.(avif|bin|br|gif|gz|ico|jpe?g|mp4|png|webp|woff2?|zip)$/i

/** Options that say so. */
const COMPRESSES = ['gzip', 'gzip_static', 'brotli', 'brotli_static']

/** Does the arm serve files, rather than one JSON or a person's own app? @param {Arm} arm */
export async function servesFiles ({ topology }) {
  const { server, url } = topology
  if (url !== undefined || (server && isOwn(server))) return false
  if (!server || hasProxyOrigin(topology)) return true
  /** @type {{ about: ServerAbout }} */
  const { about } = await loadPlugin('server', server.name)
  return about.serves.includes('static')
}

/** Does the arm answer what nobody else knows: a person's own app, or a server that makes its own pages? Then the
 * server itself is queried for what is right, without a proxy between. @param {Arm} arm */
export async function answersItsOwn ({ topology: { server, url } }) {
  if (url !== undefined || (server && isOwn(server))) return true
  if (!server) return false
  // A proxy may serve files in the server's place.
  if (!pluginNames('server').includes(server.name)) return false
  /** @type {{ about: ServerAbout }} */
  const { about } = await loadPlugin('server', server.name)
  return about.serves.includes('pages')
}

/** The file that an arm must answer with, and whether it must come compressed. @param {Arm} arm
 * @param {string} root the folder that is served
 * @returns {Promise<{ expected: Expected, file: string, compresses: boolean } | string>} a string says why there is
 * nothing to compare with */
export async function fileReference ({ load, topology }, root) {
  const accept = Object.entries(load.headers).find(([name]) => name.toLowerCase() === 'accept-encoding')?.[1] ?? null
  const found = expectedOf(root, load.path, { acceptEncoding: accept })
  if (!found) return `there is no file for ${load.path} in the folder that it serves`
  const { file, ...expected } = found
  const packable = expected.encodings?.length !== 0 && !INCOMPRESSIBLE.test(file)
  return { expected, file, compresses: packable && await compressionOf(topology) }
}

/** What engines that check bodies compare with: what comes over the wire, when that is always the same.
 * @param {{ file: string, expected: Expected }} reference @param {Findings} findings with the body kept
 * @param {string} dir takes the body where it comes encoded @returns {Target['expectBody']} */
export function wireBody ({ file, expected }, { answers, body }, dir) {
  const [hash, ...others] = new Set(
    answers.filter(({ answer }) => answer.status === expected.status).map(({ answer }) => answer.sha256)
  )
  if (expected.sha256 === null || hash === undefined || others.length > 0 || body === null) return null
  const bytes = Buffer.from(body, 'base64')
  const plain = hash === expected.sha256
  if (!plain) writeFileSync(join(dir, 'reference.packed'), bytes)
  return { file: plain ? file : join(dir, 'reference.packed'), sha256: hash, bytes: bytes.length }
}

/** Does one of the hops say that it compresses? @param {Topology} topology */
async function compressionOf (topology) {
  const { proxy, server } = topology
  if (COMPRESSES.some(name => proxy?.options[name] === true || server?.options[name] === true)) return true
  if (!server || hasProxyOrigin(topology)) return false
  const { about } = await loadPlugin('server', server.name)
  return about.compression !== 'none'
}
