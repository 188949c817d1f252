/** Task of a worker: starts an app, reads the headers of its responses, and ends it by SIGTERM. */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getParent } from '../../machine/process-facts.js'
import { listPrefixFiles } from '../../measure/gate/file-list.js'
import { fetchResponses } from '../../measure/gate/gate.js'
import { createUnservedError, findUnserved } from '../../measure/gate/served-files.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { run } from '../../machine/process.js'
import { readText } from '../../machine/files/system-files.js'
import { isWholeSite, parsePrefixes } from '../../plan/file-prefixes.js'
import { toMixLoad } from '../../plan/request-mix.js'
import { mergeHeaders } from '../../shared/http/merge-headers.js'
import { listPackages } from '../../machine/files/app-packages.js'
import { LOOK_HEADERS, findFault } from '../../shared/first-response.js'
import { pathWithoutSecrets } from '../../shared/secrets.js'
import { armFrom } from '../../request/request.js'
import { withRunningArm } from '../../run/running-arm.js'
import { SIMPLEST } from './decide.js'
import { endBySignal } from './end-by-signal.js'
import { findServed } from './find-prefixes.js'
import { attempt } from '../../shared/attempt.js'

/** @import { RunFlags } from '../../request/types.js' */
/** @import { RequestedApp } from '../../measure/gate/served-files.js' */
/** @import { WorkerWorld } from '../../run/types.js' */
/** @import { Candidate } from './find-prefixes.js' */
/** @import { CheckedResponse } from '../../load/types.js' */
/** @import { HopbenchError } from '../../errors.js' */
/** @import { AdviceFacts, FilePrefix, MixedRequest, PageFacts, RunningFacts } from '../../types.js' */

const CLIENT = fileURLToPath(new URL('clients/read-pauses.js', import.meta.url))
/** Longest pause within a response that is no stream. Garbage collection and a busy machine cause shorter ones. */
const PAUSE_MS = 50
/** Most paths, because a stream without an end takes two seconds. */
const MAX_PATHS = 5
const LIMIT_SECONDS = 15 // MAX_PATHS streams without an end, and the start of the client.
const SHELLS = /^(?:sh|ash|bash|dash|zsh)$/
/** Package managers, also as files that Node runs. */
const MANAGERS = /^(?:npm|npx|pnpm|yarn|corepack)(?:-cli)?(?:\.[cm]?js)?$/
/** Limit of the requests for all files of all folders, half of the time that the inspection has beyond the start. */
const FILES_MS = 60_000
/** Responses to each path, from which varying bodies are recognised. */
const TIMES = 3
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
    const { enter } = network
    const up = { url: running.target.url, enter }
    const responses = await readResponses(up, requests)
    const app = { target: running.originTarget, network, headers: arm.load.headers }
    const deadline = performance.now() + FILES_MS
    await rejectProtected(app, arm.topology.files ?? [], deadline)
    const hashes = await readFiles(up, candidates)
    const below = candidates.filter(candidate => !isWholeSite(candidate))
    const folders = await divideServed(app, [candidates, below].map(tried => findServed(tried, hashes)), deadline)
    const headers = mergeHeaders(requests.mixed?.[0].headers, requests.headers)
    const held = { ...up, path: requests.paths[0], headers, dir: session.temp }
    return { running: { ...responses, ...await endBySignal(findPrograms(running.pids().server), held) }, ...folders }
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
 * Divides folders into those of which the app sends every file to a stranger, and others.
 * @param {RequestedApp} app
 * @param {string[][]} folders as --files takes them: all, and those below the whole site, which remain if one of its
 *   files would hide a path of the app
 * @param {number} deadline
 * @returns {Promise<{ served: string[], leftOut: string[] }>}
 */
async function divideServed (app, [folders, below], deadline) {
  const served = []
  const leftOut = []
  for (const text of folders) {
    const prefixes = parsePrefixes([text])
    const unserved = await findUnserved(app, listPrefixFiles(prefixes, callerCwd()), deadline)
    if (unserved === null) served.push(text)
    else leftOut.push(`--files ${text}: ${unserved.path}: ${unserved.why}`)
    if (unserved === null || !prefixes.some(isWholeSite)) continue
    // The prefix of the whole site is the only one.
    const rest = await divideServed(app, [below, []], deadline)
    return { served: rest.served, leftOut: [...leftOut, ...rest.leftOut] }
  }
  return { served, leftOut }
}

/**
 * Requests each path, without and with compression.
 * @param {Up} up
 * @param {{ paths: string[], mixed?: MixedRequest[], headers: Record<string, string> }} requests
 */
async function readResponses ({ url, enter }, { paths, mixed = paths.map(path => ({ path })), headers }) {
  const isMix = mixed.length > 1
  const get = (/** @type {string} */ accepted) => fetchResponses({
    target: { url, socketPath: null },
    load: toMixLoad(mixed, { 'Accept-Encoding': accepted, ...headers }),
    network: { enter },
    times: TIMES * paths.length,
    headerNames: [...HEADERS, ...LOOK_HEADERS]
  })
  const plain = (await get('identity')).answers.map(({ answer }) => answer)
  const packed = (await get('gzip')).answers.map(({ answer }) => answer)
  const first = plain[0]?.headers ?? {}
  // A response of known length is whole when it is sent.
  const maybeStreams = mixed.filter(({ method = 'GET' }, i) => method === 'GET' &&
    plain.some(({ request, contentLength }) => request === i && contentLength === null))
  const streams = await findStreams({ url, enter }, maybeStreams.map(({ path, headers: own }) =>
    ({ path, headers: mergeHeaders(own, headers) })))
  const pages = paths.map((path, i) => toPage(path, {
    plain: plain.filter(({ request }) => request === i),
    packed: packed.find(({ request }) => request === i),
    streams: streams.has(path),
    isPrivate: enter.length > 0,
    isMix
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
 * Requests the files of candidates.
 * @param {Up} up
 * @param {Candidate[]} candidates
 * @returns {Promise<Map<string, string>>} SHA-256 of successful responses, by path
 */
async function readFiles ({ url, enter }, candidates) {
  const paths = candidates.flatMap(({ probes }) => probes.map(({ path }) => path))
  if (paths.length === 0) return new Map()
  const { answers } = await fetchResponses({
    target: { url, socketPath: null },
    load: { path: paths[0], paths, headers: { 'Accept-Encoding': 'identity' } },
    network: { enter },
    times: new Set(paths).size
  })
  const unique = [...new Set(paths)]
  return new Map(answers.filter(({ answer }) => answer.status === 200)
    .map(({ answer }) => [unique[answer.request ?? 0], answer.sha256]))
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

/** @param {string | null | undefined} keepAlive value of the header, as in "timeout=5" */
const parseKeepAlive = keepAlive => {
  const [, seconds] = /timeout=(\d+)/i.exec(keepAlive ?? '') ?? []
  return seconds === undefined ? null : Number(seconds)
}

/**
 * Returns the processes that a platform signals: the first ones below shells and package managers. They end their own
 * children, as the primary process of a cluster does.
 * @param {number[]} pids of a command
 */
function findPrograms (pids) {
  const isWrapper = new Map(pids.map(pid => [pid, isWrapperCommand(readText(`/proc/${pid}/cmdline`))]))
  return pids.filter(pid => !isWrapper.get(pid) && (isWrapper.get(Number(getParent(pid))) ?? true))
}

/**
 * Returns whether a process is a shell or a package manager.
 * @param {string} cmdline of /proc: arguments that NUL ends, or a title, as in "npm start"
 */
export function isWrapperCommand (cmdline) {
  const [program = '', script = ''] = cmdline.split(/[\0 ]/).map(part => basename(part))
  return SHELLS.test(program) || MANAGERS.test(program) || (/^node(?:js)?$/.test(program) && MANAGERS.test(script))
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
