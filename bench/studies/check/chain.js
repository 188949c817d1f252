/** One topology for the probes: started, and started anew when a probe has ended it. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../../errors.js'
import { tailOf } from '../../machine/process.js'
import { startArm } from '../../measure/stage.js'
import { makeTempDir } from '../../machine/temp.js'
import { NoAnswer } from './client.js'
import { contextOf } from './context.js'
import { restoreSite } from './site.js'

/** @import { Running } from '../../types.js' */
/** @import { Arm } from '../../types.js' */
/** @import { Chain, Context, Rig, Site } from './types.js' */

const DEATH_MS = 500 // A process that dies takes this long to be known to be dead.
/** How often a chain is started whose port was taken meanwhile. */
const STARTS = 3
const LOG_LINES = 40 // An uncaught error and its stack.

/**
 * @param {Arm} arm
 * @param {Site} site
 * @param {Rig} rig
 * @returns {Chain}
 */
export function chainOf (arm, site, { temp, cwd, proxies, next, turn }) {
  /** @type {(() => Promise<void>)[]} */
  const closers = []
  /** @type {Running | null} */
  let running = null
  let dir = ''

  async function stop () {
    running = null
    for (const close of closers.splice(0).reverse()) await close()
  }

  async function startOnce () {
    dir = makeTempDir(temp, String(next()))
    const { root, outside: reach } = site
    const options = { root, reach, dir, proxies, closers, lab: false, cores: null, cwd, temp }
    running = (await turn(() => startArm(arm, options))).running
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
      return endOf() ?? 'the server no longer answers'
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

/** @param {Context} context */
async function answers ({ ask }) {
  try {
    return String((await ask('/alive.txt')).body) === 'alive'
  } catch (error) {
    if (error instanceof NoAnswer) return false
    throw error
  }
}

/**
 * Describes how the process ended, with the line of its log that names the error.
 *
 * @param {Pick<HopbenchError, 'details'>} failure
 * @param {string} log
 */
function inWords ({ details }, log) {
  const errors = log.split('\n').filter(line => /^\w*Error\b.*: /.test(line))
  return `the server ${details.how}${errors.length > 0 ? `: ${errors[errors.length - 1].slice(0, 100)}` : ''}`
}
