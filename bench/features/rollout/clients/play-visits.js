/** Plays the visits of simulated browsers, and counts how their requests end. */
import { setMaxListeners } from 'node:events'
import { clock, KeepingAgent, Timetable } from '../../../load/scenario-client.js'
import { holdConnections } from './hold-connections.js'
import { isRight, judgeFile, judgePage, nameOutcome } from './outcomes.js'
import { CONNECTIONS, sendAsBrowser } from './send.js'
import { VisitLog } from './visit-log.js'

/** @import { ClientType, Loss, SiteFile, Visits } from '../types.js' */
/** @import { BuildName, Judged, Sites } from './outcomes.js' */
/** @import { Visit } from './plan-visits.js' */
/** @import { Result } from '../../../load/scenario-client.js' */
/** @import { PlayAddress } from '../../../types.js' */

/**
 * Order of the clients. retries: whether a browser requests a page again when one of its late files is gone; idle:
 * connections without requests; stream, websocket: paths; null: none.
 * @typedef {{ address: PlayAddress, sites: Sites, retries: boolean, idle: number, stream: string | null,
 *   websocket: string | null }} ClientOrder
 */
/** An open page. builds: to which the page may belong @typedef {{ builds: BuildName[], isMixed: boolean }} Page */

/** Most browsers that wait for another visit with kept connections. */
const MAX_RESTING = 20
/** Most browsers at a time, because each takes descriptors. */
const MAX_BROWSERS = 2000

class Browser {
  agent = new KeepingAgent({ maxSockets: CONNECTIONS })
  /** Paths of files with hashes, which a browser does not request again. @type {Set<string>} */
  cache = new Set()
}

/**
 * Plays visits until the signal, and then completes the requests in flight.
 * @param {ClientOrder} order
 * @param {Iterable<Visit> | AsyncIterable<Visit>} visits
 * @param {AbortSignal} signal
 * @returns {Promise<Visits>}
 */
export async function playVisits (order, visits, signal) {
  // Each browser waits for its next request.
  setMaxListeners(0, signal)
  const player = new Player(order, signal)
  const held = holdConnections(order, { log: player.log, signal })
  await player.play(visits)
  await held.end()
  return player.toVisits()
}

class Player {
  log = new VisitLog()
  #timetable = new Timetable()
  #pages = 0
  #mixedPages = 0
  /** @type {Browser[]} */
  #resting = []
  /** @type {Set<Promise<void>>} */
  #running = new Set()

  /**
   * @param {ClientOrder} order
   * @param {AbortSignal} signal
   */
  constructor (order, signal) {
    this.order = order
    this.signal = signal
  }

  /** @param {Iterable<Visit> | AsyncIterable<Visit>} visits */
  async play (visits) {
    const { page: path } = this.order.sites.old
    for await (const visit of visits) {
      if (!await this.#wait(visit.atMs)) break
      if (this.#running.size >= MAX_BROWSERS) {
        this.log.add({ client: 'page', path, outcome: 'not-sent', atMs: clock() })
        continue
      }
      const running = this.#visit(visit).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
    this.log.notePause(clock())
    await Promise.all(this.#running)
    for (const { agent } of this.#resting) agent.destroy()
  }

  /** @returns {Visits} */
  toVisits () {
    return {
      clients: this.log.listCounts(),
      losses: this.log.losses,
      mixedPages: this.#mixedPages,
      pages: this.#pages,
      longestPauseMs: this.log.longestPauseMs,
      lagMs: this.#timetable.lag.count === 0 ? 0 : this.#timetable.lag.milliseconds().p99
    }
  }

  /**
   * Waits for a moment of the timetable.
   * @param {number} ms
   * @returns {Promise<boolean>} false: the visits end before it
   */
  async #wait (ms) {
    await this.#timetable.at(ms, this.signal).catch(() => {})
    return !this.signal.aborted
  }

  /** @param {Visit} visit */
  async #visit ({ isNew, late }) {
    const browser = (isNew ? undefined : this.#resting.shift()) ?? new Browser()
    let page = await this.#openPage(browser)
    const openedMs = this.#timetable.now()
    await Promise.all(late.map(async ({ afterMs, file, api }) => {
      if (page === null || !await this.#wait(openedMs + afterMs)) return
      const called = this.#requestApi(browser, page, api)
      page = await this.#requestLateFile(browser, page, file)
      await called
    }))
    this.#resting.push(browser)
    if (this.#resting.length > MAX_RESTING) this.#resting.shift()?.agent.destroy()
  }

  /**
   * Requests the page and its files.
   * @param {Browser} browser
   * @returns {Promise<Page | null>} null: the browser shows an error
   */
  async #openPage (browser) {
    const { sites } = this.order
    /** @type {Page} */
    const page = { builds: [], isMixed: false }
    const loss = await this.#send(browser, { client: 'page', path: sites.old.page, page }, response =>
      judgePage(sites, response))
    this.log.add({ ...loss, build: null })
    if (!isRight(loss.outcome)) return null
    this.#pages++
    const missing = sites[page.builds[0]].files.filter(({ path }) => !browser.cache.has(path))
    await Promise.all(missing.map(async file => this.log.add(await this.#requestFile(browser, page, file, 'file'))))
    return page
  }

  /**
   * Requests a late file. If it is gone and browsers retry, opens the page again, as Vite documents for
   * vite:preloadError, and requests the late file of that page.
   * @param {Browser} browser
   * @param {Page} page
   * @param {number} position
   * @returns {Promise<Page | null>} the page that is open then
   */
  async #requestLateFile (browser, page, position) {
    const file = this.#pickLateFile(browser, page, position)
    if (!file) return page
    const loss = await this.#requestFile(browser, page, file, 'late-file')
    if (loss.outcome !== 'gone' || !this.order.retries) {
      this.log.add(loss)
      return page
    }
    const next = await this.#openPage(browser)
    const other = next && this.#pickLateFile(browser, next, position)
    const again = next && other ? await this.#requestFile(browser, next, other, 'late-file') : null
    if (again) this.log.add(again)
    const isRecovered = next !== null && isRight(again?.outcome ?? 'ok')
    this.log.add({ ...loss, outcome: isRecovered ? 'gone-recovered' : 'gone' })
    return next
  }

  /**
   * @param {Browser} browser
   * @param {Page} page
   * @param {number} position
   */
  #pickLateFile ({ cache }, { builds }, position) {
    const files = this.order.sites[builds[0]].lateFiles.filter(({ path }) => !cache.has(path))
    return files[Math.floor(position * files.length)]
  }

  /**
   * @param {Browser} browser
   * @param {Page} page
   * @param {SiteFile} file
   * @param {'file' | 'late-file'} client
   */
  async #requestFile (browser, page, { path, isHashed }, client) {
    const loss = await this.#send(browser, { client, path, page }, response =>
      judgeFile(this.order.sites, page.builds, path, response))
    if (isHashed && isRight(loss.outcome)) browser.cache.add(path)
    if (loss.outcome === 'mixed' && !page.isMixed) {
      page.isMixed = true
      this.#mixedPages++
    }
    return loss
  }

  /**
   * @param {Browser} browser
   * @param {Page} page
   * @param {number} position
   */
  async #requestApi (browser, page, position) {
    const { api } = this.order.sites[page.builds[0]]
    const path = api[Math.floor(position * api.length)]
    if (path === undefined) return
    this.log.add(await this.#send(browser, { client: 'api', path, page }, ({ outcome }) =>
      ({ outcome, builds: page.builds })))
  }

  /**
   * Sends a request, and assigns its page to the build of the response.
   * @param {Browser} browser
   * @param {{ client: ClientType, path: string, page: Page }} order
   * @param {(response: Result) => Judged} judge
   * @returns {Promise<Loss>} also of a right response
   */
  async #send ({ agent }, { client, path, page }, judge) {
    const atMs = clock()
    const response = await sendAsBrowser(this.order.address, { client, path, agent })
    const { outcome, builds } = judge(response)
    page.builds = builds
    const build = builds.length === 1 ? builds[0] : null
    const { isKept, isRepeated } = response
    return { client, path, outcome: nameOutcome(outcome, isRepeated), build, atMs, ms: clock() - atMs, isKept }
  }
}
