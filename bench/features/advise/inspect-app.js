/** Task of a worker: starts an app, reads the headers of its responses, and ends it by SIGTERM. */
import { fileURLToPath } from 'node:url'
import { endBySignal } from '../../load/end-by-signal.js'
import { findPrograms } from '../../machine/end-programs.js'
import { listPrefixFiles } from '../../measure/gate/file-list.js'
import { fetchResponses } from '../../measure/gate/gate.js'
import { createUnservedError, findUnserved } from '../../measure/gate/served-files.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { run } from '../../machine/process.js'
import { parsePrefixes } from '../../plan/file-prefixes.js'
import { toMixLoad } from '../../plan/request-mix.js'
import { mergeHeaders } from '../../shared/http/merge-headers.js'
import { listLinks } from '../../shared/http/page-links.js'
import { parseKeepAlive } from '../../shared/http/parse-keep-alive.js'
import { listPackages } from '../../machine/files/app-packages.js'
import { LOOK_HEADERS, findFault } from '../../shared/first-response.js'
import { pathWithoutSecrets } from '../../shared/secrets.js'
import { armFrom } from '../../request/request.js'
import { withRunningArm } from '../../run/running-arm.js'
import { SIMPLEST } from './advice.js'
import { divideServed, findServed, findSources, listCandidates, listServedPrefixes } from './find-folders.js'
import { attempt } from '../../shared/attempt.js'
import { sum } from '../../shared/group-by.js'

/** @import { RunFlags } from '../../request/types.js' */
/** @import { RequestedApp } from '../../measure/gate/served-files.js' */
/** @import { WorkerWorld } from '../../run/types.js' */
/** @import { Asset, Candidate } from './find-folders.js' */
/** @import { CheckedResponse } from '../../load/types.js' */
/** @import { HopbenchError } from '../../errors.js' */
/** @import { AdviceFacts, FilePrefix, MixedRequest, PageFacts, RunningFacts, ServedFiles } from '../../types.js' */

const CLIENT = fileURLToPath(new URL('clients/read-pauses.js', import.meta.url))
/** Longest pause within a response that is no stream. Garbage collection and a busy machine cause shorter ones. */
const PAUSE_MS = 50
/** Most paths, because a stream without an end takes two seconds. */
const MAX_PATHS = 5
/** Most files of pages that are requested. Pages of large apps have some hundred. */
const MAX_LINKS = 200
const LIMIT_SECONDS = 15 // MAX_PATHS streams without an end, and the start of the client.
/** Limit of the requests for all files of all folders, half of the time that the inspection has beyond the start. */
const FILES_MS = 60_000
/** Responses to each path, from which varying bodies are recognised. */
const TIMES = 3
/** The end of an app without a process. */
const UNKNOWN_END = { drains: null, arrived: null, endSeconds: null }
/** Headers that rules and risks look at. */
const HEADERS = [
  'cache-control', 'set-cookie', 'vary', 'etag', 'x-powered-by', 'keep-alive', 'connection', 'x-accel-buffering'
]
/**
 * Request of the task. options: of the app; paths: at least one; mixed: requests of these paths with headers of their
 * own; candidates: prefixes of folders that the app may serve.
 *
 * @typedef {{ options: RunFlags, paths: string[], mixed?: MixedRequest[], headers: Record<string, string>,
 *   candidates?: Candidate[] }} InspectRequest
 */
/** A running app. @typedef {{ url: string, enter: string[] }} Up */

/**
 * Starts an app in a PID namespace, reads its responses, and ends it.
 *
 * @param {InspectRequest} request
 * @param {Pick<WorkerWorld, 'enclose'>} world
 * @returns {Promise<{ running: RunningFacts, served: string[], leftOut: string[] } | { exit: number }>} served: as
 *   --files takes them; leftOut: folders with a file that the app does not send; exit: exit code of the process in the
 *   namespace
 * @throws {HopbenchError} file-published
 */
export async function inspectApp ({ options, candidates = [], ...requests }, { enclose }) {
  const arm = await armFrom(SIMPLEST, { connections: 100, ...options })
  // Handlers of 'exit' end the app.
  const interrupt = () => process.exit(1)
  const world = { lab: options.lab, enclose, interrupt }
  return withRunningArm(arm, world, async ({ running, network, session }) => {
    const up = { url: running.target.url, enter: network.enter }
    const responses = await readResponses(up, requests)
    const app = { target: running.originTarget, network, headers: arm.load.headers }
    const deadline = performance.now() + FILES_MS
    await rejectProtected(app, arm.topology.files ?? [], deadline)
    const isTyped = (options.files?.length ?? 0) > 0
    const { files, found: foundPrefixes } = await readPageFiles(up, responses.pages, requests.headers)
    const all = [...isTyped ? [] : listCandidates(callerCwd(), foundPrefixes), ...candidates]
    const paths = all.flatMap(({ probes }) => probes.map(({ path }) => path))
    const sent = await readFiles(up, paths)
    const found = findServed(all, new Map(sent.map(({ path, sha256 }) => [path, sha256])))
    const folders = await divideServed(found, async text => {
      const unserved = await findUnserved(app, listPrefixFiles(parsePrefixes([text]), callerCwd()), deadline)
      return unserved && `${unserved.path}: ${unserved.why}`
    })
    const headers = mergeHeaders(requests.mixed?.[0].headers, requests.headers)
    const held = { ...up, path: requests.paths[0], headers, dir: session.temp }
    const members = running.pids().server
    const programs = findPrograms(members)
    const end = programs.length > 0 ? await endBySignal(programs, held, { members }) : UNKNOWN_END
    const drains = end.drains === false && end.arrived ? /** @type {const} */ ('arrived') : end.drains
    return { running: { ...responses, files, drains, endSeconds: end.endSeconds }, ...folders }
  })
}

/**
 * Rejects folders of --files with a file that the app protects. Another difference is left to the gate of a comparison.
 * @param {RequestedApp} app
 * @param {FilePrefix[]} prefixes
 * @param {number} deadline
 */
async function rejectProtected (app, prefixes, deadline) {
  if (prefixes.length === 0) return
  const unserved = await findUnserved(app, listPrefixFiles(prefixes, '/'), deadline)
  if (unserved && unserved.status !== null) throw createUnservedError(unserved, { name: '--files', proxy: 'a proxy' })
}

/**
 * @param {Up} up
 * @param {Omit<Parameters<typeof fetchResponses>[0], 'target' | 'network'>} options
 */
const fetchFrom = ({ url, enter }, options) =>
  fetchResponses({ ...options, target: { url, socketPath: null }, network: { enter } })

/**
 * Requests each path, without and with compression.
 * @param {Up} up
 * @param {{ paths: string[], mixed?: MixedRequest[], headers: Record<string, string> }} requests
 */
async function readResponses (up, { paths, mixed = paths.map(path => ({ path })), headers }) {
  const get = async (/** @type {string} */ accepted) => {
    const { answers } = await fetchFrom(up, {
      load: toMixLoad(mixed, { 'Accept-Encoding': accepted, ...headers }),
      times: TIMES * paths.length,
      headerNames: [...HEADERS, ...LOOK_HEADERS]
    })
    return answers.map(({ answer }) => answer)
  }
  const [plain, packed] = [await get('identity'), await get('gzip')]
  const first = plain[0]?.headers ?? {}
  // A response of known length is whole when it is sent.
  const maybeStreams = mixed.filter(({ method = 'GET' }, i) => method === 'GET' &&
    plain.some(({ request, contentLength }) => request === i && contentLength === null))
  const streams = await findStreams(up, maybeStreams.map(({ path, headers: own }) =>
    ({ path, headers: mergeHeaders(own, headers) })))
  const pages = paths.map((path, i) => toPage(path, {
    plain: plain.filter(({ request }) => request === i),
    packed: packed.find(({ request }) => request === i),
    streams: streams.has(path),
    isPrivate: up.enter.length > 0,
    isMix: mixed.length > 1
  }))
  return {
    pages: pages.filter(page => 'type' in page),
    refused: pages.flatMap(page => 'why' in page ? [page] : []),
    keepAliveSeconds: parseKeepAlive(first['keep-alive']),
    closesConnections: /^close$/i.test(first.connection ?? ''),
    poweredBy: first['x-powered-by'] ?? null
  }
}

/**
 * Requests files, without compression.
 * @param {Up} up
 * @param {string[]} paths
 * @param {Record<string, string>} [headers]
 * @returns {Promise<(Asset & { type: string | null })[]>} of successful responses
 */
async function readFiles (up, paths, headers = {}) {
  const unique = [...new Set(paths)]
  if (unique.length === 0) return []
  const load = { path: unique[0], paths: unique, headers: { ...headers, 'Accept-Encoding': 'identity' } }
  const { answers } = await fetchFrom(up, { load, times: unique.length })
  return answers.filter(({ answer }) => answer.status === 200).map(({ answer }) => ({
    path: unique[answer.request ?? 0], bytes: answer.bytes, sha256: answer.sha256, type: answer.contentType
  }))
}

/**
 * Requests the files to which pages link, and finds the folders from which the app sends them.
 * @param {Up} up
 * @param {PageFacts[]} pages
 * @param {Record<string, string>} headers
 * @returns {Promise<{ files: ServedFiles, found: FilePrefix[] }>}
 */
async function readPageFiles (up, pages, headers) {
  const isHtml = (/** @type {string | null} */ type) => /^text\/html\b/i.test(type ?? '')
  const html = pages.filter(({ type, status, streams }) => isHtml(type) && status === 200 && !streams)
  const links = []
  for (const { path } of html.slice(0, MAX_PATHS)) {
    const load = { path, headers: { ...headers, 'Accept-Encoding': 'identity' } }
    const { body } = await fetchFrom(up, { load, times: 1, keepBody: true })
    links.push(...listLinks(Buffer.from(body ?? '', 'base64').toString(), path))
  }
  const paths = [...new Set(links)].slice(0, MAX_LINKS)
  // A link to a page names no file.
  const assets = (await readFiles(up, paths, headers)).filter(({ type }) => !isHtml(type))
  const files = findSources(callerCwd(), assets, sum(html.slice(0, MAX_PATHS).map(({ bytes }) => bytes)))
  return { files, found: listServedPrefixes(files, assets) }
}

/**
 * @param {string} path
 * @param {{ plain: CheckedResponse[], packed?: CheckedResponse, streams: boolean, isPrivate: boolean, isMix: boolean
 *   }} responses
 * @returns {PageFacts | AdviceFacts['app']['refused'][number]}
 */
function toPage (path, { plain: [answer, ...others], packed, streams, ...app }) {
  const shown = pathWithoutSecrets(path)
  const fault = findFault({
    ...app, request: `GET ${shown}`, answer, failure: 'no response', packages: listPackages()
  })
  if (fault) return { path: shown, ...fault.params }
  const { status } = answer
  const headers = answer.headers ?? {}
  return {
    path: shown,
    status,
    type: answer.contentType?.split(';')[0].trim().toLowerCase() ?? null,
    bytes: answer.bytes,
    encoding: packed?.contentEncoding ?? null,
    cacheControl: headers['cache-control'] ?? null,
    setsCookie: [answer, ...others, ...packed ? [packed] : []].some(other => Boolean(other.headers?.['set-cookie'])),
    vary: headers.vary ?? null,
    hasEtag: Boolean(headers.etag),
    varies: others.some(({ sha256 }) => sha256 !== answer.sha256),
    streams,
    isUnbuffered: headers['x-accel-buffering']?.trim() === 'no'
  }
}

/** @typedef {{ path: string, headers: Record<string, string> }} GetRequest */

/**
 * @param {Up} app
 * @param {GetRequest[]} requests
 * @returns {Promise<Set<string>>} paths whose responses had a pause each of two times
 */
export async function findStreams (app, requests) {
  const maybe = await findPaused(app, requests.slice(0, MAX_PATHS))
  const streams = await findPaused(app, maybe)
  return new Set(streams.map(({ path }) => path))
}

/**
 * Sends each request once.
 * @param {Up} app
 * @param {GetRequest[]} requests
 * @returns {Promise<GetRequest[]>} those whose responses had a pause
 */
async function findPaused ({ url, enter }, requests) {
  if (requests.length === 0) return []
  const { stdout } = await run([...enter, process.execPath, CLIENT], {
    input: JSON.stringify({ url, requests }), timeoutSeconds: LIMIT_SECONDS
  })
  /** @type {number[]} */
  const pauses = attempt(() => JSON.parse(stdout), () => [])
  return requests.filter((_, i) => pauses[i] >= PAUSE_MS)
}
