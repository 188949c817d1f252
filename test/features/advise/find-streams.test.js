/** Tests which responses count as streams, with a real server. */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../../support/tap.js'
import { findStreams } from '../../../bench/features/advise/inspect-app.js'
import { listening } from '../../support/listening.js'

/** Far above the pause that counts, so that a busy machine changes nothing. */
const PAUSE_MS = 400

t.test('a stream sends its parts with pauses, each time', async t => {
  const counts = new Map()
  const server = createServer(async ({ url = '', headers }, res) => {
    counts.set(url, (counts.get(url) ?? 0) + 1)
    if (url === '/private' && headers.authorization === undefined) {
      res.end('no')
      return
    }
    if (url === '/whole') {
      await sleep(PAUSE_MS)
      res.end('late, but in one part')
      return
    }
    res.write('a')
    if (url === '/endless') {
      setInterval(() => res.write('a'), PAUSE_MS).unref()
    } else if (url === '/parts' || url === '/private' || (url === '/once' && counts.get(url) === 1)) {
      await sleep(PAUSE_MS)
      res.end('b')
    } else {
      res.end()
    }
  })
  const app = { url: `http://127.0.0.1:${await listening(t, server)}/`, enter: [] }
  const requests = ['/whole', '/parts', '/once', '/endless', '/short'].map(path => ({ path, headers: {} }))
  t.same(await findStreams(app, requests), new Set(['/parts', '/endless']))
  t.same(await findStreams(app, []), new Set())
  t.same(await findStreams(app, [{ path: '/private', headers: { Authorization: 'x' } }]), new Set(['/private']),
    'each request has headers of its own')
  t.equal(counts.get('/short'), 1)
})
