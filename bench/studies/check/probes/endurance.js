// Clients that read slowly or abort: effects on other clients, memory and open files.
import { setTimeout as sleep } from 'node:timers/promises'
import { abortDownload, openSlowly } from '../download.js'
import { fail, pass, probe, safetyProbe, untested } from '../outcome.js'

/** @import { Topic } from '../types.js' */

const SLOW_MS = 700
const OTHERS_MS = 500 // Limit of a response to another client, while one client reads slowly.
/**
 * Between the size of the file, 100 MB, and the garbage of streams: Node 26 had up to 54 MiB that were not collected
 * yet when a proxy fetched the file at once.
 */
const MOST_MIB = 75

/** Fewer downloads behind a proxy, because it fetches much of each file. A leak is still visible. */
const ABORTS = { bare: 1000, proxied: 100 }
const AT_ONCE = 20
const MOST_LEFT = 10 // Descriptors that a server may open for other purposes.
const SETTLE_MS = 1000
const MOST_MS = 8000 // Limit of all downloads on a slow server.

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
          return grown > MOST_MIB ? fail(`its memory grew by ${Math.round(grown)} MiB`) : pass('memory does not grow')
        } finally {
          reader.destroy()
        }
      }),
    safetyProbe('aborted', 'aborted downloads leave no file open', null,
      async ({ address, request, proxied, openFiles }) => {
        await request('/data.txt')
        const before = openFiles()
        if (before === null) return untested('this system does not show the open files of a process')
        const total = proxied ? ABORTS.proxied : ABORTS.bare
        const deadline = performance.now() + MOST_MS
        for (let done = 0; done < total; done += AT_ONCE) {
          if (performance.now() > deadline) {
            const begun = `only ${done} downloads were begun in ${MOST_MS / 1000} s`
            return fail(`${begun}: it still serves those whose clients are gone`)
          }
          await Promise.all(Array.from({ length: AT_ONCE }, () => abortDownload(address, '/big.bin')))
        }
        const settleBy = performance.now() + SETTLE_MS
        const countLeft = () => (openFiles() ?? before) - before
        while (countLeft() > MOST_LEFT && performance.now() < settleBy) await sleep(50)
        const left = countLeft()
        if (left > MOST_LEFT) return fail(`${left} files still open after ${total} aborted downloads`)
        return pass(`none left of ${total}`)
      })
  ]
}
