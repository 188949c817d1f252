// Files that are empty, large, replaced or deleted, and many requests on one connection.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onNoResponse, send } from '../client.js'
import { download } from '../download.js'
import { differs, fail, pass, probe } from '../outcome.js'
import { BIG_BYTES, DATA } from '../site.js'

/** @import { Context, Topic } from '../types.js' */

const STALE_MS = 3000 // Limit and interval of the requests for a replaced file.
const EVERY_MS = 25
const OLD = 'o'.repeat(2000)
const NEW = 'n'.repeat(3000) // Longer than the old file, so that cached headers are wrong.

/** @type {Topic} */
export default {
  topic: 'Files',
  probes: [
    probe('empty', 'an empty file is 200 with an empty body', 'RFC 9110, 8.6', async ({ request }) => {
      const { status, body } = await request('/empty.txt')
      return status === 200 && body.length === 0 ? pass('200') : fail(`status ${status} with ${body.length} bytes`)
    }),
    probe('big', 'a file of 100 MB is sent completely', 'RFC 9110, 8.6', async ({ address }) => {
      const { status, bytes, ms } = await download(address, '/big.bin')
      if (status !== 200) return fail(`status ${status}`)
      if (bytes !== BIG_BYTES) return fail(`${bytes} of ${BIG_BYTES} bytes came`)
      return pass(`100 MB in ${Math.round(ms)} ms`, ms)
    }),
    probe('pipelined', 'requests sent at once on one connection get their responses in order', 'RFC 9112, 9.3.2',
      async ({ address }) => {
        const paths = ['/alive.txt', '/data.txt', '/alive.txt']
        const responses = await send(address, paths.map(path => ({ path })))
        const bodies = responses.map(({ body }) => String(body))
        if (bodies.join() === `alive,${DATA},alive`) return pass('three of three')
        return fail(`got ${responses.map(({ status, body }) => `${status} with ${body.length} bytes`).join(', ')}`)
      }),
    probe('replaced', 'a replaced file is sent completely: the old one or the new one', 'RFC 9110, 8.6', replaced),
    probe('deleted', 'a file that was deleted is 404, or still sent', 'RFC 9110, 15.5.5',
      async ({ request, site: { root } }) => {
        await request('/deleted.txt')
        rmSync(join(root, 'deleted.txt'))
        const { status, body } = await request('/deleted.txt')
        if ([404, 410].includes(status)) return pass(`${status}`)
        return String(body) === 'to be deleted' ? differs('200 with the old bytes') : fail(`status ${status}`)
      })
  ]
}

/**
 * Replaces a file by renaming another one, as a deployment does.
 *
 * @param {Context} context
 */
async function replaced ({ request, site: { root } }) {
  for (let i = 0; i < 2; i++) await request('/replaced.txt') // fills a cache
  // Exclusive, because the checked server can write to the folder and create a link of this name.
  writeFileSync(join(root, 'replaced.new'), NEW, { flag: 'wx' })
  renameSync(join(root, 'replaced.new'), join(root, 'replaced.txt'))
  const started = performance.now()
  for (let ms = 0; ms < STALE_MS; ms = performance.now() - started) {
    const asked = performance.now() - started
    const response = await request('/replaced.txt').catch(onNoResponse(({ message }) => message))
    if (typeof response === 'string') return fail(`after ${Math.round(asked)} ms: ${response}`)
    const body = String(response.body)
    if (body === NEW) return pass(`the new bytes after ${Math.round(asked)} ms`, asked)
    if (body !== OLD) {
      return fail(`neither the old nor the new bytes: ${body.length} bytes, new ones under the old Content-Length`)
    }
    await sleep(EVERY_MS)
  }
  return differs(`the old bytes for more than ${STALE_MS} ms`, STALE_MS)
}
