/** The gate of an arm that answers over TLS: what is negotiated, is it what the arm says? A cipher, a key or a resumed
 * session other than that would be measured under its name. */
import { fileURLToPath } from 'node:url'
import { KEY_KINDS } from '../../topology/certificates.js'
import { HopbenchError } from '../../errors.js'
import { loadPlugin } from '../../plugins.js'
import { run } from '../../machine/process.js'
import { resolveOptions } from '../../plan/topology-options.js'

/** @import { Handshakes } from '../../load/shapes.js' @import { StagedArm } from '../stage.js' */

const visitor = fileURLToPath(new URL('../../load/generators/handshake.js', import.meta.url))

/** @typedef {object} WantedTls
 * @property {string} tls a key of KEY_KINDS
 * @property {number} version 1.2 or 1.3
 * @property {boolean} session whether a session is resumed */

/** @param {StagedArm} staged
 * @returns {Promise<string | null>} why it is refused; null: it is what it says, or answers in plain HTTP */
export async function passTlsGate ({ arm, running, network }) {
  const { proxy } = arm.topology
  const { url, caFile } = running.target
  if (!proxy || !caFile) return null
  const { default: plugin } = await loadPlugin('proxy', proxy.name)
  const options = resolveOptions(proxy.name, plugin.about.options, proxy.options)
  const result = await run([...network.enter, process.execPath, visitor], {
    env: { HOPBENCH_HANDSHAKE: JSON.stringify({ url, caFile, path: arm.load.path }) }, timeoutSeconds: 60
  })
  /** @type {Handshakes} */
  let findings
  try {
    findings = JSON.parse(result.stdout)
  } catch {
    throw new HopbenchError('gate-refused', {
      name: url,
      why: 'the program that shakes hands with it has failed',
      output: result.stderr
    })
  }
  return judgeTls(findings, {
    tls: String(options.tls),
    version: Number(options.tls_version),
    session: Boolean(options.tls_session)
  })
}

/** Compares what was negotiated with what the arm says (pure). @param {Handshakes} findings @param {WantedTls} wanted
 * @returns {string | null} why the arm is refused */
export function judgeTls ({ first, reused, otherVersion, error }, { tls, version, session }) {
  if (error !== null || first === null) return `there was no TLS handshake (${error})`
  const { keyType, bits, curve } = KEY_KINDS[tls]
  const protocol = `TLSv${version}`
  const cipher = cipherOf(version, keyType)
  if (first.protocol !== protocol) return `it speaks ${first.protocol}, not ${protocol}`
  if (otherVersion !== null) return `it speaks ${otherVersion} too, and ${protocol} is all it should`
  if (first.cipher !== cipher) return `the cipher is ${first.cipher}, not ${cipher}`
  if (first.keyType !== keyType || first.bits !== bits || first.curve !== curve) {
    return `its certificate has ${named(first)}, not ${named({ keyType, bits, curve })}`
  }
  if (reused !== session) {
    return session
      ? 'it does not resume a session, as it should'
      : 'it resumes a session, and every handshake should be a full one'
  }
  return null
}

/** The strongest that both versions have in common, and the one of the published figures. @param {number} version
 * @param {'rsa' | 'ec'} keyType */
const cipherOf = (version, keyType) => version === 1.3
  ? 'TLS_AES_256_GCM_SHA384'
  : `ECDHE-${keyType === 'rsa' ? 'RSA' : 'ECDSA'}-AES256-GCM-SHA384`

/** @param {{ keyType?: string, bits?: number, curve?: string }} key */
const named = ({ keyType = 'no', bits, curve }) =>
  `an ${keyType.toUpperCase()} key${bits ? ` of ${bits} bits` : curve ? ` on ${curve}` : ''}`
