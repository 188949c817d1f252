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
const MAX_MIB = 75

/** Fewer downloads behind a proxy, because it fetches much of each file. A leak is still visible. */
const ABORTS = { bare: 1000, proxied: 100 }
const AT_ONCE = 20
const MAX_LEFT = 10 // Descriptors that a server may open for other purposes.
const SETTLE_MS = 5000 // Only a server that fails waits for its end.
const MAX_MS = 8000 // Limit of all downloads on a slow machine or server. A leak is visible after a few of them.

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
    safetyProbe('aborted', 'aborted downloads leave no file open', null,
      async ({ address, request, proxied, openFiles }) => {
        await request('/data.txt')
        const before = openFiles()
        if (before === null) return untested('this system does not show the open files of a process')
        const total = proxied ? ABORTS.proxied : ABORTS.bare
        const deadline = performance.now() + MAX_MS
        let done = 0
        for (; done < total && performance.now() < deadline; done += AT_ONCE) {
          await Promise.all(Array.from({ length: AT_ONCE }, () => abortDownload(address, '/big.bin')))
        }
        const settleBy = performance.now() + SETTLE_MS
        const countLeft = () => (openFiles() ?? before) - before
        while (countLeft() > MAX_LEFT && performance.now() < settleBy) await sleep(50)
        const left = countLeft()
        if (left > MAX_LEFT) return fail(`${left} files still open after ${done} aborted downloads`)
        return pass(`none left of ${done}`)
      })
  ]
}
