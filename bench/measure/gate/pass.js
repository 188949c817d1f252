/** The gate: compares what an arm answers before any load with what it is expected to answer. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchResponses, gateRequests, judgeAnswers, parseFindings } from './gate.js'
import { passFilesGate } from './files-gate.js'
import { findUncompressed, passMixGate, toReference } from './path-mix.js'
import { findFileReference, getAcceptEncoding, getWireBody, makesOwnContent, servesFiles } from './reference.js'
import { isCached, isOn, mustHit } from '../../plan/predicates.js'
import { listPackages } from '../../machine/files/app-packages.js'
import { LOOK_HEADERS, findFault } from '../../shared/first-response.js'
import { pathWithoutSecrets } from '../../shared/secrets.js'
import { acceptedEncodings, expected, jsonFixture } from '../../topology/fixtures/fixtures.js'
import { hasNodeServer } from '../../topology/proxy-origin.js'
import { ACCESS_LOG } from '../../topology/option-specs.js'
import { fileURLToPath } from 'node:url'
import { readLastLines, run } from '../../machine/process.js'
import { KEY_KINDS, getCipherName, getTlsSettings } from '../../plan/tls.js'

/** @import { Arm, GateRefusal, Load, ServerCounts, Target, TlsSettings } from '../../types.js' */
/** @import { Findings } from './gate.js' */
/** @import { Look } from '../../shared/first-response.js' */
/** @import { Reference } from './reference.js' */
/** @import { Passed, StagedArm } from '../types.js' */
/** @import { Handshakes } from '../../load/types.js' */

/** Longer than the 5 s for which nginx keeps lines of its log. */
const LOG_MS = 10_000
const POLL_MS = 50
const LOG_LINES = 20 // Last lines of the app, which can name a missing service.
const REFERENCE_REQUESTS = 8 // Enough to see whether a body differs from response to response.

/**
 * Compares the responses of an arm with the expected ones.
 * @param {StagedArm} staged
 * @param {string} root of the files that are served
 * @returns {Promise<{ passed: Passed } | { refused: GateRefusal['params'] }>} refused: why the arm is refused
 */
export async function passGate (staged, root) {
  const why = await passTlsGate(staged)
  if (why) return { refused: { why } }
  const files = staged.arm.topology.files ? await passFilesGate(staged, root) : null
  if (typeof files === 'string') return { refused: { why: files } }
  const passed = await compareResponses(staged, root)
  if (typeof passed === 'string') return { refused: { why: passed } }
  if ('why' in passed) return { refused: passed }
  const missingLog = await findMissingLog(staged)
  return missingLog === null ? { passed: { ...passed, ...files && { files } } } : { refused: { why: missingLog } }
}

/**
 * @param {StagedArm} staged
 * @param {string} root of the files that are served
 * @returns {Promise<Passed | GateRefusal['params'] | string>} a string: why the arm is refused
 */
async function compareResponses (staged, root) {
  if (staged.arm.load.paths ?? staged.arm.load.requests) return passMixGate(staged, root)
  const { arm, network, running } = staged
  const reference = await findReference(staged, root)
  if (typeof reference === 'string' || 'why' in reference) return reference
  const before = hasNodeServer(arm.topology) ? await running.origin() : null
  const findings = await fetchResponses({
    target: running.target,
    load: toGateLoad(arm),
    network,
    times: gateRequests(reference.expected.bytes),
    keepBody: true
  })
  const cached = isCached(arm.topology)
  const why = judgeAnswers(findings, reference.expected,
    { cached: mustHit(arm.topology), compresses: reference.compresses })
  const wrong = findings.answers.find(({ answer }) => answer.status !== reference.expected.status)?.answer
  if (why) return wrong ? { ...findFault(toLook(staged, { answer: wrong }))?.params, why } : why
  const uncompressed = findUncompressed(arm, findings.answers)
  if (uncompressed !== null) return uncompressed
  // With a cache few requests reach the server.
  if (!cached && before) {
    const answered = findings.answers.reduce((sum, { times }) => sum + times, 0)
    const uncounted = findUncounted(before, await running.origin() ?? before, answered)
    if (uncounted) return uncounted
  }
  return toPassed(staged, reference, findings)
}

/**
 * Returns what a server did not count of the gate's requests (pure).
 * @param {ServerCounts} before
 * @param {ServerCounts} after
 * @param {number} answered requests that the server itself answered in between
 * @returns {string | null}
 */
function findUncounted (before, after, answered) {
  const requests = after.requests - before.requests
  if (requests < answered) return `its server counted ${requests} of ${answered} requests`
  return after.connections === 0 ? `its server counted no connection for ${answered} requests` : null
}

/**
 * Returns what responses are compared with under load.
 * @param {StagedArm} staged
 * @param {Reference} reference
 * @param {Findings} findings
 * @returns {Passed}
 */
function toPassed ({ arm: { load, topology }, dir }, reference, findings) {
  const { status, bytes, sha256, exactBytes } = reference.expected
  /** @type {Partial<Target>} */
  const body = load.ignoreBody === undefined
    ? { expectBody: getWireBody(reference, findings, dir) }
    : { ...sha256 !== null && { expectMasked: sha256 } }
  const isOwnProgram = topology.url !== undefined || topology.server?.command !== undefined
  const answer = { status, bytes: sha256 !== null || exactBytes ? bytes : null, sha256 }
  return {
    target: { ...body, ...status !== 200 && { expectStatus: status } },
    bytesPerResponse: findings.bytesByRequest?.[0] ?? null,
    ...isOwnProgram && { answer }
  }
}

/**
 * Requests another name of the same file, where the cache must be empty when the load begins.
 * @param {Arm} arm
 * @returns {Load}
 */
const toGateLoad = ({ load }) =>
  load.cold ? { ...load, path: `${load.path}${load.path.includes('?') ? '&' : '?'}gate` } : load

/**
 * Finds what the responses of an arm are compared with.
 * @param {StagedArm} staged
 * @param {string} root
 * @returns {Promise<Reference | GateRefusal['params'] | string>} a string: why there is nothing to compare with
 */
async function findReference (staged, root) {
  if (await makesOwnContent(staged.arm)) return fetchReference(staged)
  if (await servesFiles(staged.arm)) return findFileReference(staged.arm, root)
  return {
    expected: {
      ...expected(jsonFixture(), 'application/json; charset=utf-8'),
      encodings: acceptedEncodings(getAcceptEncoding(staged.arm.load))
    },
    file: join(root, '1kb.json'),
    compresses: false
  }
}

/**
 * Returns a response of the load's request for the table of first responses.
 * @param {StagedArm} staged
 * @param {Pick<Look, 'answer' | 'failure'>} response
 * @returns {Look}
 */
const toLook = ({ arm: { load }, network, running }, response) => ({
  ...response,
  request: `${load.method ?? 'GET'} ${pathWithoutSecrets(load.path)}`,
  output: readLastLines(running.serverLog ?? '', LOG_LINES),
  isPrivate: network.enter.length > 0,
  packages: listPackages()
})

/**
 * Requests the server itself, without the proxy.
 * @param {StagedArm} staged
 * @returns {Promise<Reference | GateRefusal['params']>} params: why there is nothing to compare with
 */
async function fetchReference (staged) {
  const { arm: { load }, dir, network, running } = staged
  const { answers, failures, body } = await fetchResponses({
    target: running.originTarget,
    load,
    network,
    times: REFERENCE_REQUESTS,
    keepBody: true,
    headerNames: LOOK_HEADERS
  })
  const fault = findFault(toLook(staged, { answer: answers[0]?.answer, failure: failures[0] }))
  if (fault) return fault.params
  const file = join(dir, 'reference.body')
  writeFileSync(file, Buffer.from(body ?? '', 'base64'))
  return {
    file,
    // A body that differs each time, for example by the time of day, is compared only by its type.
    expected: toReference(answers.map(({ answer }) => answer), load),
    compresses: false
  }
}

/**
 * Waits until the access log has the requests of the gate.
 * @param {Pick<StagedArm, 'arm' | 'dir'>} staged
 * @param {number} [limitMs] longest wait
 * @returns {Promise<string | null>} why the arm is refused
 */
export async function findMissingLog ({ arm, dir }, limitMs = LOG_MS) {
  const option = ['production', 'access_log'].find(name => isOn(arm.topology.proxy?.options[name]))
  if (option === undefined) return null
  const end = performance.now() + limitMs
  while (performance.now() < end) {
    if ((statSync(join(dir, ACCESS_LOG), { throwIfNoEntry: false })?.size ?? 0) > 0) return null
    await sleep(POLL_MS)
  }
  return `its access log is empty ${limitMs / 1000} s after the requests of the gate, so ${option} has no effect`
}

const HANDSHAKER = fileURLToPath(new URL('../../load/generators/handshake.js', import.meta.url))

/**
 * @param {StagedArm} staged
 * @returns {Promise<string | null>} why the arm is refused; null also without TLS
 */
export async function passTlsGate ({ arm, running, network }) {
  const { url, caFile } = running.target
  const wanted = getTlsSettings(arm.topology)
  // A configuration of your own decides which versions and ciphers it accepts.
  if (!wanted || !caFile || arm.topology.proxy?.config) return null
  const result = await run([...network.enter, process.execPath, HANDSHAKER], {
    env: { HOPBENCH_HANDSHAKE: JSON.stringify({ url, caFile, path: arm.load.path }) }, timeoutSeconds: 60
  })
  return judgeTls(parseFindings(url, 'TLS client', result), wanted)
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
