/**
 * Requests every file below the prefixes of an app from the app itself, without credentials, because a proxy or a kit
 * publishes all of them.
 */
import { HopbenchError } from '../../errors.js'
import { decoded, MAX_BYTES } from '../../machine/content-encoding.js'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { attempt } from '../../shared/attempt.js'
import { isSecret } from '../../shared/secrets.js'
import { sha256 } from '../../shared/sha256.js'
import { fetchResponses } from './gate.js'

/** @import { CheckedResponse } from '../../load/types.js' */
/** @import { Network } from '../../machine/types.js' */
/** @import { MixedRequest, Target } from '../../types.js' */
/** @import { ListedFile, PrefixFiles } from './file-list.js' */

/** Statuses with which an app protects a file, or sends a client elsewhere. */
export const PROTECTED = [301, 302, 303, 307, 308, 401, 403, 404, 410]
/** Files that one client requests, so that a slow app fails within a minute. */
const BATCH_FILES = 400
/** Bytes of the files whose bodies one client requests. */
const BATCH_BYTES = 64 * 2 ** 20
/** Address of a client of the proxy, from a range for documentation. Apps can send files to their own machine alone. */
const STRANGER = '203.0.113.1'
/** Limit of the requests for all files. An app that sends 400 files a second sends 100,000 within it. */
const MAX_MS = 300_000

/**
 * An app that is requested. headers: of the load; those with a secret are not sent.
 * @typedef {object} RequestedApp
 * @property {Pick<Target, 'url' | 'socketPath'>} target
 * @property {Pick<Network, 'enter'>} network
 * @property {Record<string, string>} [headers]
 */
/**
 * A file that an app does not send to a stranger. status: with which the app protects the file; null: the app fails, or
 * sends another content.
 * @typedef {{ path: string, why: string, status: number | null, location: string | null }} Unserved
 */

/**
 * Sends requests of a stranger behind a proxy, with the headers of the load, such as Host, on which responses of an app
 * may depend. Leaves out those with a secret, and those that the requests have themselves.
 * @param {RequestedApp} app
 * @param {Pick<MixedRequest, 'path' | 'method' | 'headers'>[]} requests at least one
 * @param {{ headerNames?: string[], seconds?: number }} [options] of fetchResponses()
 * @returns {Promise<{ responses: (CheckedResponse | undefined)[], failure: string }>} responses: by request; failure:
 * why the first missing one is missing
 */
export async function requestEach ({ target, network, headers = {} }, requests, options = {}) {
  const kept = Object.fromEntries(Object.entries(headers)
    .filter(([name]) => !isSecret(name) && !['accept-encoding', 'x-forwarded-for'].includes(name.toLowerCase())))
  const sent = requests.map(({ path, method, headers }) => ({ path, method, ...headers && { headers } }))
  const load = { path: '/', headers: { ...kept, 'X-Forwarded-For': STRANGER }, requests: sent }
  const { answers, failures: [failure = 'it was not requested'] } = await fetchResponses({
    target, load, network, times: sent.length, ...options
  })
  /** @type {(CheckedResponse | undefined)[]} */
  const responses = sent.map(() => undefined)
  for (const { answer } of answers) responses[answer.request ?? 0] = answer
  return { responses, failure }
}

/**
 * Returns the first file that an app does not send to a stranger. HEAD, with the length of the file, is enough for a
 * file whose body is not compared. GET decides where the response to HEAD differs.
 * @param {RequestedApp} app
 * @param {Pick<PrefixFiles, 'others'> & Partial<PrefixFiles>} listed files and navigations: whose bodies are compared
 * @param {number} [deadline] by performance.now()
 * @returns {Promise<Unserved | null>} null: the app sends all files
 */
export async function findUnserved (app, listed, deadline = performance.now() + MAX_MS) {
  const { files = [], navigations = [], others } = listed
  const unserved = await findOtherBody(app, [...files, ...navigations], deadline)
  if (unserved !== null) return unserved
  for (const batch of split(others, Infinity)) {
    const seconds = getSeconds(deadline)
    if (seconds <= 0) return createLate(batch[0])
    const { responses } = await requestEach(app, batch.map(({ path }) => ({ path, method: 'HEAD' })), { seconds })
    const other = await findOtherBody(app, batch.filter((file, i) => !hasLength(responses[i], file)), deadline)
    if (other !== null) return other
  }
  return null
}

/**
 * Returns the first file whose body an app does not send.
 * @param {RequestedApp} app
 * @param {ListedFile[]} files
 * @param {number} deadline
 * @returns {Promise<Unserved | null>}
 */
async function findOtherBody (app, files, deadline) {
  for (const batch of split(files, BATCH_BYTES)) {
    const seconds = getSeconds(deadline)
    if (seconds <= 0) return createLate(batch[0])
    const requests = batch.map(({ path, headers }) => ({ path, headers }))
    const { responses, failure } = await requestEach(app, requests, { seconds })
    for (const [i, file] of batch.entries()) {
      const unserved = compare(file, responses[i], failure)
      if (unserved !== null && !isPackedCopy(file)) return unserved
    }
  }
  return null
}

/**
 * @param {CheckedResponse | undefined} response to HEAD
 * @param {ListedFile} file
 */
const hasLength = (response, { bytes }) => response?.status === 200 && response.contentLength === String(bytes)

/** @param {number} deadline */
const getSeconds = deadline => Math.ceil((deadline - performance.now()) / 1000)

/** @param {ListedFile} file that was not requested in time */
const createLate = ({ path }) =>
  ({ path, why: 'the time for the requests of all files was over before this one', status: null, location: null })

/**
 * Divides files into batches.
 * @param {ListedFile[]} files
 * @param {number} maxBytes of a batch with several files
 */
function * split (files, maxBytes) {
  /** @type {ListedFile[]} */
  let batch = []
  let bytes = 0
  for (const file of files) {
    if (batch.length === BATCH_FILES || (batch.length > 0 && bytes + file.bytes > maxBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(file)
    bytes += file.bytes
  }
  if (batch.length > 0) yield batch
}

/**
 * Compares a response with its file.
 * @param {ListedFile} listed
 * @param {CheckedResponse | undefined} response
 * @param {string} failure why a missing response is missing
 * @returns {Unserved | null}
 */
function compare ({ path, file }, response, failure) {
  const differs = { path, status: null, location: null }
  if (response === undefined) return { ...differs, why: `the app does not respond (${failure})` }
  const { status, location = null, plainSha256 } = response
  if (status !== 200) {
    const why = `the app responds with status ${status}`
    return PROTECTED.includes(status) ? { path, status, location, why } : { ...differs, why }
  }
  const expected = attempt(() => sha256(readPlainFile(file, { maxBytes: MAX_BYTES })), () => 'unreadable')
  return plainSha256 === expected ? null : { ...differs, why: 'the app sends another content than that of the file' }
}

/**
 * Returns whether a file is the compressed form of a file beside it, which adds nothing to what is published.
 * @param {ListedFile} listed
 */
const isPackedCopy = ({ file, original = '' }) => attempt(() => {
  const [packed, plain] = [file, original].map(path => readPlainFile(path, { maxBytes: MAX_BYTES }))
  return decoded(packed, file.endsWith('.br') ? 'br' : 'gzip')?.equals(plain) === true
}, () => false)

/**
 * Creates the error of a file that an app does not send to a stranger.
 * @param {Unserved} unserved
 * @param {{ name: string, proxy: string }} topology
 */
export const createUnservedError = ({ path, why, status, location }, { name, proxy }) => status === null
  ? new HopbenchError('gate-refused', { name, why: `${path}: ${why}` })
  : new HopbenchError('file-published', { name, path, proxy, status, location })
