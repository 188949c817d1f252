import t from '../support/tap.js'
import scenario from '../../bench/scenarios/streaming.js'
import { behaviourApp, getCounts, listen, play, toAddress } from '../support/plays.js'

/** @import { RequestListener } from 'node:http' */
/** @import { Test } from 'tap' */

/** Events so far apart that only a stream that is held back is late. */
const OPTIONS = { streams: 2, events: 2, every: 2000, bytes: 100, accept: 'gzip' }

/**
 * Plays the scenario against an app in this process, or a front of it.
 * @param {Test} t
 * @param {RequestListener} app
 * @param {RequestListener} [front]
 */
async function playStreams (t, app, front) {
  const origin = await listen(t, app)
  const server = front ? await listen(t, front) : origin
  const played = await play(t, 'streaming', { server, origin, options: OPTIONS })
  return { ...played, counts: getCounts(played) }
}

t.test('counts a stream as ok whose events arrive before the app sends the next ones', async t => {
  const { counts, groups, evidence } = await playStreams(t, await behaviourApp(t))
  t.same(counts, { SSE: { ok: 2 }, text: { ok: 2 } })
  t.same(evidence, [])
  for (const { delays } of groups) {
    t.match(delays, { event: { count: 4 }, 'first event': { count: 2 }, 'between events': { count: 2 } })
  }
})

t.test('finds compression in the app that is not flushed', async t => {
  const { counts, evidence } = await playStreams(t, await behaviourApp(t, { gzip: true }))
  t.same(counts, { SSE: { 'late-event': 2 }, text: { 'late-event': 2 } })
  t.match(evidence?.toSorted(),
    [/^first fault of SSE: event 1 arrived \d+ ms after the app sent it$/, /^first fault of text: event 1 arrived/])
})

t.test('finds a proxy that collects a response before it sends it on', async t => {
  const app = await behaviourApp(t)
  const { url } = toAddress(await listen(t, app))
  const { counts } = await playStreams(t, app, async (req, res) => {
    const response = await fetch(url + req.url, { headers: { 'accept-encoding': 'identity' } })
    res.end(await response.text())
  })
  t.same(counts, { SSE: { 'late-event': 2 }, text: { 'late-event': 2 } })
})

t.test('counts streams that end early', async t => {
  const app = await behaviourApp(t)
  const { counts, evidence } = await playStreams(t, (req, res) => {
    app(req, res)
    if (!req.url?.includes('count=1&')) setTimeout(() => req.socket.destroy(), 100)
  })
  t.same(counts, { SSE: { truncated: 2 }, text: { truncated: 2 } })
  t.strictSame(evidence?.toSorted(),
    ['first fault of SSE: truncated after 1 of 2 events', 'first fault of text: truncated after 1 of 2 events'])
})

t.test('names an app without streams, and one whose events hold no time', async t => {
  await t.rejects(playStreams(t, (req, res) => { res.writeHead(404).end() }), /no path \/events.*: status-404/)
  await t.rejects(playStreams(t, (req, res) => { res.end('data: hello\n\n') }), /the time is missing/)
})

t.test('states a time within which a play ends although its streams do not', async t => {
  t.equal(scenario.needs(OPTIONS).seconds, Math.ceil(4 + 4 * 0.023 + 10))
})
