// Clients that read slowly or abort: effects on other clients, memory and open files.
import { setTimeout as sleep } from 'node:timers/promises'
import { abortDownload, openSlowly } from '../client.js'
import { differs, fail, leakCommand, pass, probe, safetyProbe, untested } from '../outcome.js'

/** @import { Context, Finding, Topic } from '../types.js' */

const SLOW_MS = 700
const OTHERS_MS = 500 // Limit of a response to another client, while one client reads slowly.
/**
 * Between the size of the file, 100 MB, and the garbage of streams: Node 26 had up to 54 MiB that were not collected
 * yet when a proxy fetched the file at once.
 */
const MAX_MIB = 75

/** Fewer downloads behind a proxy, because it fetches much of each file. Both are a multiple of MAX_LEFT. */
const ABORTS = { bare: 200, proxied: 20 }
const UNREAD = 20 // Responses without a body: a multiple of MAX_LEFT.
const AT_ONCE = 20
const MAX_LEFT = 10 // Descriptors that a server may open for other purposes.
const SETTLE_MS = 5000 // Limit of the time in which a server closes its files.
const UNCHANGED_MS = 2000 // Time without a closed file after which the others count as left open.
const FILL_MS = 100 // Until a server waits for a slow reader, because the buffers between them are full.
const MAX_MS = 8000 // Limit of all downloads on a slow machine or server. A leak is visible after a few of them.

/**
 * Creates a probe that counts the open files of the server. A leak is a matter of safety, because a client can use up
 * all descriptors.
 *
 * @param {string} name
 * @param {string} title
 * @param {(context: Context) => Promise<{ done: number, deed: string, command: string } | Finding>} act
 */
const leakProbe = (name, title, act) => safetyProbe(name, title, null, async context => {
  await context.request('/data.txt')
  const before = context.openFiles()
  if (before === null) return untested('this system does not show the open files of a process')
  const acted = await act(context)
  if ('outcome' in acted) return acted
  const left = await settle(context, before)
  if (left > MAX_LEFT) return fail(`${left} files still open after ${acted.done} ${acted.deed}`, acted.command)
  return pass(`none left of ${acted.done}`)
})

/**
 * Waits while the server closes files.
 *
 * @param {Context} context
 * @param {number} before open files
 * @returns {Promise<number>} files that are still open
 */
async function settle ({ openFiles }, before) {
  const countLeft = () => (openFiles() ?? before) - before
  const started = performance.now()
  let changed = started
  let left = countLeft()
  while (left > MAX_LEFT && performance.now() < Math.min(changed + UNCHANGED_MS, started + SETTLE_MS)) {
    await sleep(50)
    const now = countLeft()
    if (now < left) changed = performance.now()
    left = now
  }
  return left
}

/**
 * Repeats a request for a file whose response has no body.
 *
 * @param {Context['request']} request
 * @param {{ method?: string, headers?: Record<string, string> }} options
 */
async function repeat (request, { method = 'GET', headers }) {
  // Sends requests one after the other, so that a proxy needs one connection.
  for (let i = 0; i < UNREAD; i++) await request('/data.txt', headers, { method })
  return {
    done: UNREAD,
    deed: method === 'HEAD' ? 'HEAD requests' : 'responses with 304',
    command: leakCommand('/data.txt', { method, headers }, 'm.resume().on("end",r)')
  }
}

/** @type {Topic} */
export default {
  topic: 'Slow and vanishing clients',
  probes: [
    probe('slow-reader', 'a slow reader of 100 MB delays no other client and fills no memory', null,
      async ({ address, request, memoryMiB }) => {
        const before = memoryMiB()
        const reader = await openSlowly(address, '/big.bin')
        try {
          await sleep(SLOW_MS)
          const { ms } = await request('/data.txt')
          if (ms > OTHERS_MS) return fail(`another client waited ${Math.round(ms)} ms`)
          const grown = (memoryMiB() ?? NaN) - (before ?? NaN)
          if (Number.isNaN(grown)) return untested('this system does not show the memory of a process')
          return grown > MAX_MIB ? fail(`its memory grew by ${Math.round(grown)} MiB`) : pass('memory does not grow')
        } finally {
          reader.destroy()
        }
      }),
    leakProbe('aborted', 'aborted downloads leave no file open', async ({ address, proxied }) => {
      const total = proxied ? ABORTS.proxied : ABORTS.bare
      const deadline = performance.now() + MAX_MS
      let done = 0
      for (; done < total && performance.now() < deadline; done += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => abortDownload(address, '/big.bin')))
      }
      return { done, deed: 'aborted downloads', command: leakCommand('/big.bin', {}, 'm.destroy();r()') }
    }),
    leakProbe('slow-closed', 'a slow reader that leaves lets its file be closed', async ({ address, proxied }) => {
      if (proxied) return untested('a proxy reads for its clients: tested without one')
      const readers = await Promise.all(Array.from({ length: AT_ONCE }, () => openSlowly(address, '/big.bin')))
      await sleep(FILL_MS)
      for (const reader of readers) reader.destroy()
      return {
        done: AT_ONCE,
        deed: 'slow readers left',
        command: leakCommand('/big.bin', {}, `setTimeout(()=>{m.destroy();r()},${FILL_MS})`)
      }
    }),
    leakProbe('head-open', 'HEAD leaves no file open', ({ request }) => repeat(request, { method: 'HEAD' })),
    leakProbe('not-modified-open', '304 leaves no file open', async ({ request }) => {
      const { etag, 'last-modified': modified } = (await request('/data.txt')).headers
      const headers = { ...etag && { 'If-None-Match': etag }, ...modified && { 'If-Modified-Since': modified } }
      const { status } = await request('/data.txt', headers)
      return status === 304 ? repeat(request, { headers }) : differs('there is no 304')
    })
  ]
}
