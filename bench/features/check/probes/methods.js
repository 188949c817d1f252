// Methods other than GET and HEAD.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { onNoResponse } from '../client.js'
import { curlCommand, differs, fail, findWorst, pass, probe, safetyProbe } from '../outcome.js'
import { DATA } from '../site.js'

/** @import { CheckResponse, Topic } from '../types.js' */

/** @param {CheckResponse} response */
function refused ({ status, headers, body }) {
  if (body.equals(DATA)) return fail(`${status} with the file, as if it were GET`)
  if (status === 405) return headers.allow === undefined ? fail('405 without Allow') : pass('405')
  if (status === 501) return pass('501')
  return status >= 400 && status < 500 ? differs(`${status}, not 405`) : fail(`status ${status}`)
}

/** Ignores missing responses, which other probes report. */
const ignoreNoResponse = onNoResponse(() => {})

/** @type {Topic} */
export default {
  topic: 'Methods',
  probes: [
    probe('post', 'POST is refused', 'RFC 9110, 15.5.6',
      async ({ request }) => refused(await request('/data.txt', {}, { method: 'POST', body: 'a=1' }))),
    probe('put-delete', 'PUT and DELETE are refused', 'RFC 9110, 15.5.6',
      ({ request }) => findWorst([{ method: 'DELETE' }, { method: 'PUT', body: 'x' }], async more =>
        refused(await request('/data.txt', {}, more)))),
    safetyProbe('read-only', 'no request writes or deletes a file', null, async ({ request, site: { root } }) => {
      const tries = [['PUT', '/written.txt'], ['POST', '/written.txt'], ['DELETE', '/style.css']]
      await Promise.all(tries.map(([method, path]) => request(path, {}, { method, body: 'x' }).catch(ignoreNoResponse)))
      if (existsSync(join(root, 'written.txt'))) {
        return fail('a file was written', curlCommand({ method: 'PUT', path: '/written.txt', body: 'x' }))
      }
      if (existsSync(join(root, 'style.css'))) return pass('nothing changed')
      return fail('a file was deleted', curlCommand({ method: 'DELETE', path: '/style.css' }))
    }),
    probe('options', 'OPTIONS is supported or refused', 'RFC 9110, 9.3.7', async ({ request }) => {
      const { status, body } = await request('/data.txt', {}, { method: 'OPTIONS' })
      if (body.equals(DATA)) return fail(`${status} with the file, as if it were GET`)
      return status < 500 || status === 501 ? pass(`${status}`) : fail(`status ${status}`)
    }),
    probe('trace', 'TRACE does not echo the request', null, async ({ request }) => {
      const response = await request('/data.txt', { 'X-Marker': 'echo-me' }, { method: 'TRACE' })
      if (response.body.includes('echo-me')) return fail(`${response.status} with the request's own headers`)
      if (response.body.equals(DATA)) return fail(`${response.status} with the file, as if it were GET`)
      return pass(`${response.status}`)
    })
  ]
}
