/** Requests a page with all files that it and its scripts need, and computes their hashes. */
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { KeepingAgent } from '../../../load/scenario-client.js'
import { hasHashedName } from '../../../shared/http/hashed-names.js'
import { listImports, listLateLinks, listLinks, listStyleLinks } from '../../../shared/http/page-links.js'
import { sha256 } from '../../../shared/sha256.js'
import { isHtml } from './outcomes.js'
import { CONNECTIONS, MAX_BYTES, sendAsBrowser } from './send.js'

/** @import { ClientType, Site, SiteFile } from '../types.js' */
/** @import { Answer } from '../../../shared/first-response.js' */
/** @import { Result } from '../../../load/scenario-client.js' */
/** @import { BuiltFolder, PlayAddress } from '../../../types.js' */

/** Paths that a browser requests with a file, and later. @typedef {{ now: string[], late: string[] }} Links */
/**
 * The site with the first response, as findFault takes it. site: null: the page is an error
 * @typedef {{ site: Site | null, answer?: Answer, failure?: string }} Found
 */

/** Most files, because each new browser requests those of the page. */
const MAX_FILES = 100
/** Most requests. Names in scripts may be no files. */
const MAX_REQUESTS = 400
const MAX_PATH = 1000 // Length of a path. Those of builders have 100.
/** Time in which files are looked for, and limit of a response. */
const SEARCH_MS = 10_000
const RESPONSE_MS = 3000

/**
 * @param {PlayAddress} address
 * @param {{ page: string, api: string[] }} paths
 * @returns {Promise<Found>} site: with the paths of the API that have a successful response; without files whose
 *   content differs by request
 */
export async function findSite (address, { page, api }) {
  const finder = new SiteFinder(address)
  try {
    const first = await finder.send('page', page)
    const look = toLook(first)
    if (first.outcome !== 'ok') return { site: null, ...look }
    const html = first.body.toString()
    const again = await finder.send('page', page)
    await finder.follow(listLinks(html, page))
    const count = finder.files.size
    await finder.follow([...listLateLinks(html, page), ...finder.late], ({ now, late }) => [...now, ...late])
    const stable = await inTurns([...finder.files.values()], async file =>
      sha256((await finder.send('file', file.path)).body) === file.digest ? [file] : [])
    const built = listBuiltFolders(stable.flat())
    const responses = await inTurns(api, async path => (await finder.send('api', path)).outcome)
    // After the files, so that a time in the page has changed.
    const last = await finder.send('page', page)
    const isStable = [again, last].every(({ body }) => body.equals(first.body))
    return {
      site: {
        page,
        pageDigest: isStable ? sha256(first.body) : null,
        files: markHashed(stable.slice(0, count).flat(), built),
        lateFiles: markHashed(stable.slice(count).flat(), built),
        api: api.filter((_, i) => responses[i] === 'ok')
      },
      ...look
    }
  } finally {
    finder.agent.destroy()
  }
}

/**
 * Returns the folders with a name that surely has a hash. Builders alone write there, so that names may be recognised
 * that look less like one.
 * @param {SiteFile[]} files
 * @returns {BuiltFolder[]}
 */
const listBuiltFolders = files => files.filter(({ isHashed }) => isHashed).map(({ path }) => dirname(path))
  .filter(path => /^[\w./-]+$/.test(path)).map(path => ({ path, hash: 'base64' }))

/**
 * @param {SiteFile[]} files
 * @param {BuiltFolder[]} built
 */
const markHashed = (files, built) =>
  files.map(file => ({ ...file, isHashed: hasHashedName(file.path.split('?')[0], built) }))

/**
 * @param {Result} response
 * @returns {Omit<Found, 'site'>} as findFault takes it
 */
const toLook = ({ outcome, status, headers }) => status === null
  ? { failure: outcome }
  : { answer: { status, location: headers?.location, headers: /** @type {Answer['headers']} */ (headers) } }

/**
 * Does work for each item, for as many at once as a browser has connections.
 * @template T, R
 * @param {T[]} items
 * @param {(item: T) => Promise<R>} work
 * @returns {Promise<R[]>} in the order of the items
 */
const inTurns = (items, work) => Readable.from(items).map(work, { concurrency: CONNECTIONS }).toArray()

class SiteFinder {
  /** By path, in the order in which they were found. @type {Map<string, SiteFile>} */
  files = new Map()
  /** Paths that scripts request later. @type {string[]} */
  late = []
  agent = new KeepingAgent({ maxSockets: CONNECTIONS })
  #deadline = performance.now() + SEARCH_MS
  /** @type {Set<string>} */
  #requested = new Set()
  #bytes = 0

  /** @param {PlayAddress} address */
  constructor (address) {
    this.address = address
  }

  /**
   * @param {ClientType} client
   * @param {string} path
   */
  send (client, path) {
    return sendAsBrowser(this.address, { client, path, agent: this.agent, timeoutMs: RESPONSE_MS })
  }

  /**
   * Requests files, and those to which they link.
   * @param {string[]} paths
   * @param {(links: Links) => string[]} [select] default: those that a browser requests with the file
   */
  async follow (paths, select = ({ now }) => now) {
    let wave = paths
    while (wave.length > 0) {
      const found = await inTurns(wave, path => this.#findFile(path))
      wave = []
      for (const { file, links } of found.flat()) {
        if (this.files.size >= MAX_FILES) return
        this.files.set(file.path, file)
        this.late.push(...links.late)
        wave.push(...select(links))
      }
    }
  }

  /**
   * @param {string} path
   * @returns {Promise<{ file: SiteFile, links: Links }[]>} empty: there is no such file, or a limit is reached
   */
  async #findFile (path) {
    const isOver = this.#requested.size >= MAX_REQUESTS || this.#bytes > MAX_BYTES || performance.now() > this.#deadline
    if (isOver || this.#requested.has(path) || path.length > MAX_PATH) return []
    this.#requested.add(path)
    const response = await this.send('file', path)
    const { outcome, body, headers } = response
    this.#bytes += body.length
    if (outcome !== 'ok' || isHtml(response)) return []
    const file = { path, digest: sha256(body), isHashed: hasHashedName(path.split('?')[0]) }
    return [{ file, links: readLinks(path, body, String(headers?.['content-type'])) }]
  }
}

/**
 * @param {string} path
 * @param {Buffer} body
 * @param {string} type
 * @returns {Links}
 */
function readLinks (path, body, type) {
  if (/^text\/css\b/i.test(type)) return { now: listStyleLinks(body.toString(), path), late: [] }
  if (!/\bjavascript\b/i.test(type)) return { now: [], late: [] }
  const script = body.toString()
  return { now: listImports(script, path), late: listLateLinks(script, path) }
}
