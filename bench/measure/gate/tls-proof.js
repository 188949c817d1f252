/** The gate of an arm with TLS. It compares the negotiated settings with those of the arm, because another cipher,
 * key or session would be measured under its name. */
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { run } from '../../machine/process.js'
import { KEY_KINDS, getCipherName, getTlsSettings } from '../../plan/tls.js'

/** @import { Handshakes } from '../../load/types.js' */
/** @import { TlsSettings } from '../../types.js' */
/** @import { StagedArm } from '../types.js' */

const HANDSHAKER = fileURLToPath(new URL('../../load/generators/handshake.js', import.meta.url))

/**
 * @param {StagedArm} staged
 * @returns {Promise<string | null>} why the arm is refused; null also without TLS
 */
export async function passTlsGate ({ arm, running, network }) {
  const { url, caFile } = running.target
  const wanted = getTlsSettings(arm.topology)
  if (!wanted || !caFile) return null
  const result = await run([...network.enter, process.execPath, HANDSHAKER], {
    env: { HOPBENCH_HANDSHAKE: JSON.stringify({ url, caFile, path: arm.load.path }) }, timeoutSeconds: 60
  })
  /** @type {Handshakes} */
  let findings
  try {
    findings = JSON.parse(result.stdout)
  } catch {
    throw new HopbenchError('gate-refused', {
      name: url,
      why: 'the TLS client that checks it failed',
      output: result.stderr
    })
  }
  return judgeTls(findings, wanted)
}

/**
 * Compares the negotiated settings with those of the arm (pure).
 * @param {Handshakes} findings
 * @param {TlsSettings} expected
 * @returns {string | null} why the arm is refused
 */
function judgeTls ({ first, reused, otherVersion, chosen, error }, { kind, version, sessions, http2 }) {
  if (error !== null || first === null) return `there was no TLS handshake (${error})`
  const { keyType, bits, curve } = KEY_KINDS[kind]
  const protocol = `TLSv${version}`
  const cipher = getCipherName({ kind, version })
  if (first.protocol !== protocol) return `it speaks ${first.protocol}, not ${protocol}`
  if (otherVersion !== null) return `it speaks ${otherVersion} too, and ${protocol} is all it should`
  if (first.cipher !== cipher) return `the cipher is ${first.cipher}, not ${cipher}`
  if (first.keyType !== keyType || first.bits !== bits || first.curve !== curve) {
    return `its certificate has ${printKey(first)}, not ${printKey({ keyType, bits, curve })}`
  }
  if (reused !== sessions) {
    return sessions
      ? 'it does not resume a session, as it should'
      : 'it resumes a session, and every handshake should be a full one'
  }
  if ((chosen === 'h2') !== http2) {
    return `of HTTP/2 and HTTP/1.1 it chooses ${chosen === 'h2' ? 'HTTP/2' : 'HTTP/1.1'} (ALPN ${chosen ?? 'none'})`
  }
  return null
}

/** @param {{ keyType?: string, bits?: number, curve?: string }} key */
function printKey ({ keyType = 'no', bits, curve }) {
  const kind = `an ${keyType.toUpperCase()} key`
  if (bits) return `${kind} of ${bits} bits`
  return curve ? `${kind} on ${curve}` : kind
}
