/**
 * The gate of an arm whose proxy serves the files of an app (+static). Compares each file with the response of the app,
 * and pauses the app while it requests the files of the proxy, so that no response can come from the app.
 */
import { HopbenchError } from '../../errors.js'
import { getServedPrefixes } from '../../plan/file-prefixes.js'
import { isCached, isOn } from '../../plan/predicates.js'
import { isSameType } from '../../shared/http/media-types.js'
import { listPrefixFiles } from './file-list.js'
import { createUnservedError, findUnserved, PROTECTED, requestEach } from './served-files.js'

/** @import { CheckedResponse } from '../../load/types.js' */
/** @import { FileDifferences, MixedRequest, Target } from '../../types.js' */
/** @import { StagedArm } from '../types.js' */
/** @import { ListedFile } from './file-list.js' */

/** Compared headers that may differ: for caches and browsers the file is another one, but its content is the same. */
const NOTED_HEADERS = ['cache-control', 'expires', 'etag', 'last-modified', 'vary']
/** Validators differ from server to server, so only their presence is compared. */
const VALIDATORS = ['etag', 'last-modified']
/** Largest share of files whose media types differ and are warned of, as of endings that a proxy does not know. */
const MAX_TYPE_SHARE = 0.1
/** Name of a file that no folder has. */
const NO_FILE = 'hopbench-finds-no-such-file'

/** Findings of the gate: the watched files, and how the proxy's responses differ without being wrong.
 * @typedef {{ files: ListedFile[], differences: FileDifferences | null }} FilesPassed */

/**
 * @param {StagedArm} staged
 * @param {string} root of the files that are served
 * @returns {Promise<FilesPassed | string>} a string: why the arm is refused
 * @throws {HopbenchError} file-published
 */
export async function passFilesGate (staged, root) {
  const { arm: { topology, name } } = staged
  const { files, watched, others, navigations, total } = listPrefixFiles(topology.files ?? [], root)
  const prefixes = getServedPrefixes(topology)
  if (prefixes.length === 0) return await findUnpassed(staged, files) ?? { files: watched, differences: null }
  const proxy = topology.proxy?.name ?? ''
  const fromApp = await requestApp(staged, files)
  if (typeof fromApp === 'string') return fromApp
  const { network, running: { originTarget }, arm: { load: { headers } } } = staged
  const unserved = await findUnserved({ target: originTarget, network, headers }, { others, navigations })
  if (unserved?.status === null) return `${unserved.path}: ${unserved.why}`
  if (unserved) throw createUnservedError(unserved, { name, proxy })
  const fromProxy = await requestProxy(staged, files)
  if (typeof fromProxy === 'string') return fromProxy
  const { plain, packed } = fromProxy
  for (const [i, { path }] of files.entries()) {
    const { status, location } = fromApp[i]
    if (PROTECTED.includes(status) && plain[i].status === 200) {
      throw new HopbenchError('file-published', { name, path, proxy, status, location: location ?? null })
    }
    const why = findDifference(fromApp[i], plain[i]) ?? findDifference(fromApp[i], packed[i])
    if (why) return `${path}: ${why}`
  }
  const otherTypes = files.flatMap(({ path }, i) => {
    const other = [plain[i], packed[i]].find(({ contentType }) => !isSameType(fromApp[i].contentType, contentType))
    return other ? [`${path}: ${printTypes(fromApp[i], other)}`] : []
  })
  if (otherTypes.length > MAX_TYPE_SHARE * files.length) return otherTypes[0]
  const absent = prefixes.map(({ prefix }) => ({ path: `${prefix}/${NO_FILE}` }))
  // With +spa the proxy responds to them.
  const hidden = isOn(topology.proxy?.options.spa) ? null : await findHiddenPath(staged, absent)
  if (hidden !== null) return hidden
  return { files: watched, differences: describeDifferences(name, files, { total, fromApp, ...fromProxy }) }
}

/**
 * Requests each file of a proxy that passes all requests on.
 * @param {StagedArm} staged
 * @param {ListedFile[]} files
 * @returns {Promise<string | null>} why the arm is refused; null also without counters of the server
 */
async function findUnpassed (staged, files) {
  const { arm: { topology: { proxy, server } }, running } = staged
  if (!proxy || !server || server.command || isCached({ proxy })) return null
  const before = await running.origin()
  const all = await request(staged, running.target, files)
  if (typeof all === 'string') return all
  const after = await running.origin()
  const passed = before && after ? after.requests - before.requests : files.length
  return passed >= files.length ? null : `its server counted ${passed} of ${files.length} requests for files`
}

/**
 * Requests paths without a file, which are those of the app.
 * @param {StagedArm} staged
 * @param {MixedRequest[]} requests
 * @returns {Promise<string | null>} why the arm is refused
 */
async function findHiddenPath (staged, requests) {
  const { originTarget, target } = staged.running
  const [app, proxy] = await Promise.all([originTarget, target].map(to => request(staged, to, requests)))
  if (typeof app === 'string') return `its own server: ${app}`
  if (typeof proxy === 'string') return proxy
  const i = app.findIndex(({ status }, i) => status !== proxy[i].status)
  return i === -1 ? null : `${requests[i].path}: ${findDifference(app[i], proxy[i])}`
}

/**
 * Requests each file twice of the app itself, without credentials, as any client can.
 * @param {StagedArm} staged
 * @param {ListedFile[]} files
 * @returns {Promise<CheckedResponse[] | string>} a string: why there is nothing to compare with
 */
async function requestApp (staged, files) {
  const twice = await request(staged, staged.running.originTarget, [...files, ...files])
  if (typeof twice === 'string') return `its own server: ${twice}`
  const [first, second] = [twice.slice(0, files.length), twice.slice(files.length)]
  for (const [i, { path }] of files.entries()) {
    const { status, plainSha256 } = first[i]
    if (status >= 500) return `its own server responds to ${path} with status ${status}`
    if (status !== second[i].status || plainSha256 !== second[i].plainSha256) {
      return `its own server responds differently to each request for ${path}, so it is no file`
    }
  }
  return first
}

/**
 * Requests each file of the proxy, plain and compressed, while the app is paused.
 * @param {StagedArm} staged
 * @param {ListedFile[]} files
 */
async function requestProxy (staged, files) {
  const { running } = staged
  const accepting = files.map(({ path }) => ({ path, headers: { 'Accept-Encoding': 'br, gzip' } }))
  const isLaunched = staged.arm.topology.server?.command === undefined
  const before = isLaunched ? await running.origin() : null
  running.pauseServer?.()
  const all = await request(staged, running.target, [...files, ...accepting])
    .finally(() => running.resumeServer?.())
  if (typeof all === 'string') return `while the app was paused, its proxy did not serve all files: ${all}`
  const after = isLaunched ? await running.origin() : null
  const passed = before && after ? after.requests - before.requests : 0
  if (passed > 0) return `its server counted ${passed} requests for files that the proxy serves`
  return { plain: all.slice(0, files.length), packed: all.slice(files.length) }
}

/**
 * @param {StagedArm} staged
 * @param {Pick<Target, 'url' | 'socketPath'>} target
 * @param {MixedRequest[]} requests
 * @returns {Promise<CheckedResponse[] | string>} by request; a string: the first one without a response
 */
async function request ({ arm, network }, target, requests) {
  const app = { target, network, headers: arm.load.headers }
  const { responses, failure } = await requestEach(app, requests, { headerNames: NOTED_HEADERS })
  const received = responses.filter(response => response !== undefined)
  if (received.length === requests.length) return received
  return `no response to ${requests[responses.indexOf(undefined)].path} (${failure})`
}

/**
 * Compares statuses and decoded bodies.
 * @param {CheckedResponse} app
 * @param {CheckedResponse} proxy
 * @returns {string | null}
 */
function findDifference (app, proxy) {
  if (proxy.status !== app.status) return `the app responds with status ${app.status}, the proxy with ${proxy.status}`
  if (proxy.plainSha256 === null) return `the body of the proxy is not ${proxy.contentEncoding}, its Content-Encoding`
  if (proxy.plainSha256 !== app.plainSha256) {
    const encoded = proxy.contentEncoding === null ? '' : ` with Content-Encoding: ${proxy.contentEncoding}`
    return `the body of the proxy differs from that of the app${encoded}`
  }
  return null
}

/**
 * @param {CheckedResponse} app
 * @param {CheckedResponse} proxy
 */
const printTypes = (app, proxy) =>
  `the Content-Type of the app is ${app.contentType ?? 'missing'}, that of the proxy ${proxy.contentType}`

/**
 * Lists the headers that differ, each with the first file that shows it.
 * @param {string} arm
 * @param {ListedFile[]} files
 * @param {{ total: number, fromApp: CheckedResponse[], plain: CheckedResponse[], packed: CheckedResponse[] }} found
 *   total: number of files, compared or not
 * @returns {FileDifferences | null} null: all files were compared, and none differs
 */
function describeDifferences (arm, files, { total, fromApp, plain, packed }) {
  const headers = ['content-type', ...NOTED_HEADERS].flatMap(name => {
    const pairs = files.map(({ path }, i) => {
      const app = readHeader(fromApp[i], name)
      const type = readHeader(packed[i], name)
      // The other headers of a packed response need not be those of the file.
      return { path, app, proxy: name === 'content-type' && type !== app ? type : readHeader(plain[i], name) }
    })
    const differing = pairs.filter(({ app, proxy }) => VALIDATORS.includes(name) ? !app !== !proxy : app !== proxy)
    return differing.length > 0 ? [{ name, files: differing.length, ...differing[0] }] : []
  })
  return headers.length > 0 || files.length < total ? { arm, compared: files.length, total, headers } : null
}

/**
 * @param {CheckedResponse} response
 * @param {string} name
 */
const readHeader = ({ contentType, headers = {} }, name) =>
  name === 'content-type' ? contentType?.toLowerCase() ?? null : headers[name] ?? null
