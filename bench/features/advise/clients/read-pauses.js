/**
 * Child that finds the pauses within responses. stdin holds the order: { url, requests }, each request with path and
 * headers. Prints a JSON array: for each request the longest pause between two parts of the body, in milliseconds.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { mergeHeaders } from '../../../shared/http/merge-headers.js'

/** Time for which a response is read, because a stream may have no end. */
const READ_MS = 2000

const { url, requests } = JSON.parse(readFileSync(0, 'utf8'))
const { hostname: host, port } = new URL(url)
const pauses = []
for (const request of requests) pauses.push(await findPause(request))
process.stdout.write(JSON.stringify(pauses), () => process.exit(0))

/**
 * @param {{ path: string, headers: Record<string, string> }} request
 * @returns {Promise<number>} 0: the body has fewer than two parts
 */
function findPause ({ path, headers }) {
  return new Promise(resolve => {
    let [last, longest] = [Infinity, 0]
    const end = () => {
      clearTimeout(limit)
      request.destroy()
      resolve(longest)
    }
    const limit = setTimeout(end, READ_MS)
    const all = mergeHeaders({ 'Accept-Encoding': 'identity' }, headers)
    const request = http.get({ host, port, path, headers: all, agent: false }, response => {
      response.on('data', () => {
        const now = performance.now()
        longest = Math.max(longest, now - last)
        last = now
      })
      response.on('end', end)
    })
    request.on('error', end)
  })
}
