/**
 * The context of probes for servers in the process of a test.
 * @import { RequestListener } from 'node:http'
 * @import { Test } from 'tap'
 * @import { Site } from '../../bench/features/check/types.js'
 */
import { closeSync, readdirSync, readlinkSync } from 'node:fs'
import http from 'node:http'
import { createContext } from '../../bench/features/check/chain.js'
import { listening } from './listening.js'

/** Probes that are about servers without a proxy. */
const BARE = ['idle', 'recompress', 'slow-closed', 'truncated', 'grown']

/** @param {string} probe */
export const isBare = probe => BARE.includes(probe)

/**
 * Returns the context of probes for a server in this process.
 *
 * The server counts as proxied, because the probes abort fewer downloads then, except where a probe is about servers
 * alone.
 * @param {Test} t
 * @param {RequestListener} handler
 * @param {Site} site
 * @param {number} [idleMs] limit of idle connections
 */
export async function contextFor (t, handler, site, proxied = true, idleMs) {
  const server = http.createServer({ ...idleMs !== undefined && { keepAliveTimeout: idleMs } }, handler)
  t.teardown(() => {
    for (const fd of filesBelow(site.root)) {
      try {
        closeSync(fd)
      } catch {
        // A stream's own close in a worker thread was faster.
      }
    }
  })
  // Teardowns run in reverse: the server is closed first.
  const port = await listening(t, server)
  return createContext({ address: { host: '127.0.0.1', port }, site, proxied, pids: () => [process.pid] })
}

/**
 * Returns the file descriptors that a wrong server has left open.
 * @param {string} root
 */
function filesBelow (root) {
  return readdirSync('/proc/self/fd').map(Number).filter(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(root)
    } catch {
      return false
    }
  })
}
