/** One topology for the probes: started, and started anew when a probe has ended it. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../errors.js'
import { tailOf } from '../process.js'
import { startArm } from '../measure/stage.js'
import { makeTempDir } from '../temp.js'
import { NoAnswer } from './client.js'
import { contextOf } from './context.js'
import { restoreSite } from './site.js'

/** A process that dies takes this long to be known to be dead. */
const DEATH_MS = 500
/** How often a chain is started whose port was taken meanwhile. */
const STARTS = 3
/** An uncaught error and its stack. */
const LOG_LINES = 40

/**
 * @typedef {object} Rig what all chains of a check share
 * @property {string} temp
 * @property {string} cwd
 * @property {Awaited<ReturnType<typeof import('../measure/stage.js').findProxies>>} proxies
 * @property {() => number} next a number for a folder of its own
 * @property {<T>(start: () => Promise<T>) => Promise<T>} turn starts come one after the other: they look for free ports
 */

/**
 * @typedef {object} Chain
 * @property {() => Promise<void>} start ends what was there before, and puts the files back
 * @property {() => import('./context.js').Context} context
 * @property {(patienceMs: number) => Promise<string | null>} death how it ended, in words; null: it lives,
 *   answers, and still lives so much later
 * @property {() => Promise<void>} stop
 */

/**
 * @param {import('../types.d.ts').Arm} arm
 * @param {import('./site.js').Site} site
 * @param {Rig} rig
 * @returns {Chain}
 */
export function chainOf (arm, site, { temp, cwd, proxies, next, turn }) {
  /** @type {(() => Promise<void>)[]} */
  const closers = []
  /** @type {import('../topology/start.js').Running | null} */
  let running = null
  let dir = ''

  async function stop () {
    running = null
    for (const close of closers.splice(0).reverse()) await close()
  }

  async function startOnce () {
    dir = makeTempDir(temp, String(next()))
    const started = await turn(() => startArm(arm, { root: site.root, reach: site.outside, dir, proxies, closers, lab: false, cores: null, cwd, temp }))
    running = started.running
  }

  const chain = {
    async start () {
      await stop()
      restoreSite(site)
      for (let left = STARTS; ; left--) {
        try {
          return await startOnce()
        } catch (error) {
          await stop()
          if (left === 1 || !isTaken(error)) throw error
        }
      }
    },
    context () {
      const up = /** @type {NonNullable<typeof running>} */ (running)
      const { hostname, port } = new URL(up.target.url)
      return contextOf({
        place: { host: hostname, port: Number(port) },
        site,
        proxied: up.proxied && arm.topology.server !== null,
        pids: () => arm.topology.server ? up.pids().server : up.pids().proxy
      })
    },
    async death (/** @type {number} */ patienceMs) {
      if (await answers(chain.context())) {
        await sleep(patienceMs)
        return endOf()
      }
      for (let ms = 0; ms < DEATH_MS && !endOf(); ms += 20) await sleep(20)
      return endOf() ?? 'the server answers nobody any more'
    },
    stop
  }
  return chain

  function endOf () {
    const failure = running?.failure()
    return failure ? inWords(failure, tailOf(join(dir, 'server.log'), LOG_LINES).replaceAll(site.root, '')) : null
  }
}

/** On the shared loopback a port that was free a moment ago may be another program's now. @param {unknown} error */
const isTaken = error => error instanceof HopbenchError && error.code === 'port-in-use'

/** @param {import('./context.js').Context} context */
async function answers ({ ask }) {
  try {
    return String((await ask('/alive.txt')).body) === 'alive'
  } catch (error) {
    if (error instanceof NoAnswer) return false
    throw error
  }
}

/**
 * How the process ended, with the line of its log that names the error.
 * @param {import('../errors.js').HopbenchError} failure
 * @param {string} log
 */
function inWords ({ details }, log) {
  const errors = log.split('\n').filter(line => /^\w*Error\b.*: /.test(line))
  return `the server ${details.how}${errors.length > 0 ? `: ${errors[errors.length - 1].slice(0, 100)}` : ''}`
}
