/** Tests the risks of an advice, and its texts for the terminal, as Markdown and as a page. */
import t from '../../support/tap.js'
import { findRisks } from '../../../bench/features/advise/risks.js'
import { reportMarkdown } from '../../../bench/report/markdown.js'
import { renderSvg, sectionsPage } from '../../../bench/report/page/page.js'
import { printReport } from '../../../bench/report/terminal.js'
import { loadRules } from '../../../bench/features/advise/decide.js'
import kind, { dearerNote, toHops } from '../../../bench/features/advise/kind.js'
import {
  decideAll, FOLDER, makeAdvice, makeContrast, makeFacts, makeState, PACKED, PAGE, SIZING, STATIC
} from '../../support/advice.js'

const rules = await loadRules()

/** @import { AdviceCheck, AdviceFacts, AdviceRecord, PageFacts } from '../../../bench/types.js' */

/**
 * Prints an advice for a terminal.
 * @param {AdviceRecord} record
 * @param {number} [columns]
 */
const toText = (record, columns) => printReport(record, kind, { columns })
/** @param {AdviceRecord} record */
const toMarkdown = record => reportMarkdown(record, kind)
/** @param {AdviceRecord} record */
const toPage = record => sectionsPage(record, kind, `Advice for ${record.facts.project.name}`)

/** @param {{ facts: AdviceFacts, topology: string, checks?: AdviceCheck[] }} found */
const codes = ({ checks = [], ...found }) => findRisks({ ...found, checks }).map(({ code }) => code)

t.test('finds the risks of an app, the most serious first', async t => {
  const facts = makeFacts({ app: { drains: false, poweredBy: 'Express' }, project: { lock: null } })
  t.same(codes({ facts, topology: 'app' }), ['no-sigterm', 'trust-proxy', 'powered-by', 'no-lock'])
  t.same(codes({ facts, topology: STATIC }), ['trust-proxy', 'no-lock'], 'nginx waits, and removes the header')
  const fails = [{ title: 'it ends', holds: false, fault: 'it hangs' }]
  t.equal(codes({ facts, topology: 'app', checks: fails })[0], 'check-failed')
  const two = [
    { title: 'a connection that was idle for 6 s is used again', holds: false, fault: 'it was closed' },
    { title: 'a request in flight gets its response after SIGTERM', holds: false, fault: 'it was cut' }
  ]
  t.match(findRisks({ facts, topology: 'app', checks: two }).slice(0, 2), [
    { code: 'check-failed', line: 'server.keepAliveTimeout = 125_000' }, { code: 'check-failed', line: /SIGTERM/ }
  ])
  t.notOk(codes({ facts, topology: 'app', checks: two }).includes('no-sigterm'), 'the check has stated it')
  t.match(findRisks({ facts, topology: STATIC, checks: two })[0], { line: 'server.keepAliveTimeout = 9_000' },
    'longer than the connections of nginx')
  const run = makeFacts({ platform: { provider: 'Google Cloud Run', target: 'docker', trustsRouter: false } })
  t.same(codes({ facts: run, topology: STATIC }), ['trust-router', 'trust-proxy'])
  const cookie = makeFacts({ app: { pages: [{ ...PAGE, setsCookie: true }] } })
  const found = codes({ facts: cookie, topology: 'app' })
  t.equal(found[0], 'cookie-public')
  t.ok(found.includes('sessions'))
  t.notOk(codes({ facts, topology: 'app' }).includes('sessions'))
})

/** A platform without a router of its own. */
const OWN = { provider: null, target: 'docker', endsTls: false }
const stream = { ...PAGE, streams: true }
const events = { ...stream, type: 'text/event-stream' }
const folders = [FOLDER]

/**
 * Facts and topologies by whether they have a risk.
 * @type {[risk: string, facts: Parameters<typeof makeFacts>, has: string[], lacks: string[]][]}
 */
const RISKS = [
  ['trust-proxy', [{ platform: OWN }], [], ['app']],
  ['no-tls', [{ platform: OWN }], ['app'], []],
  ['no-tls', [], [], ['app']],
  // Kits that have a health check, which requests the page.
  ['health-private', [{ platform: { ...OWN, target: 'fly' } }, { isPrivate: true }], ['app'], []],
  ['health-private', [{ platform: { ...OWN, target: 'heroku' } }, { isPrivate: true }], [], ['app']],
  ['health-private', [{ platform: { ...OWN, target: 'fly' } }, { isPrivate: false }], [], ['app']],
  // The nginx of a kit waits for an app that SIGTERM ends at once, except on Heroku.
  ['no-sigterm', [{ app: { drains: false }, platform: OWN }], ['app'], [STATIC]],
  ['no-sigterm', [{ app: { drains: false }, platform: { ...OWN, target: 'heroku' } }], [STATIC], []],
  // nginx holds text back where it compresses, and any stream where it ends TLS.
  ['stream-held', [{ app: { pages: [stream] } }], ['nginx:keepalive+gzip/app'], ['nginx:keepalive/app', 'app']],
  ['stream-held', [{ app: { pages: [{ ...stream, isUnbuffered: true }] } }], [], ['nginx:keepalive+gzip/app']],
  ['stream-held', [{ app: { pages: [PAGE] } }], [], ['nginx:keepalive+gzip/app']],
  ['stream-held', [{ app: { pages: [events] } }], ['nginx:keepalive+tls/app'], ['nginx:keepalive+gzip/app']],
  // nginx sends files uncompressed in place of an app that compresses.
  ['files-plain', [{ app: { pages: [{ ...PAGE, encoding: 'gzip' }] } }, { folders }], [STATIC], [PACKED, 'app']],
  ['files-plain', [{}, { folders }], [], [STATIC]]
]

t.test('finds each risk where the facts and the topology have it, and nowhere else', async t => {
  for (const [risk, facts, has, lacks] of RISKS) {
    const isFound = (/** @type {string} */ topology) => codes({ facts: makeFacts(...facts), topology }).includes(risk)
    t.strictSame([...has, ...lacks].filter(isFound), has, `${risk}: ${JSON.stringify(facts)}`)
  }
  const own = makeFacts({ platform: OWN })
  t.equal(toHops(makeAdvice(makeState({ facts: own }))).length, 2, 'clients and the app, without a router')
})

t.test('notes that a second sizing costs more than the one that has led to its topology', async t => {
  const first = { ...SIZING, spec: 'app', total: 12 }
  const spec = STATIC
  t.match(dearerNote({ ...first, spec, total: 20 }, first),
    /^sizing: nginx:.* costs \$20 a month, .* size 'app' 'nginx:/)
  const others = [[first, null], [{ ...first, spec }, first], [{ ...first, total: null }, first],
    [{ ...first, total: 20, currency: 'EUR' }, first]]
  for (const [sizing, before] of /** @type {[typeof first, typeof first | null][]} */ (others)) {
    t.equal(dearerNote(sizing, before), null)
  }
})

t.test('advises on the end and the headers of an app by what it can change', t => {
  const lineOf = (/** @type {string} */ name, /** @type {string} */ poweredBy, platform = OWN) => {
    const facts = makeFacts({
      app: { drains: false, poweredBy }, project: { framework: { name, version: null } }, platform
    })
    const found = findRisks({ facts, topology: 'app', checks: [] })
    return ['no-sigterm', 'powered-by'].map(risk => found.find(({ code }) => code === risk)?.line)
  }
  t.match(lineOf('next', 'Next.js'), [/^Put nginx in front/, 'poweredByHeader: false'])
  t.match(lineOf('next', 'Next.js', { ...OWN, target: 'heroku' })[0], /SIGTERM/)
  t.match(lineOf('@nestjs/core', 'Express'), ['app.enableShutdownHooks()', "app.disable('x-powered-by')"])
  t.end()
})

t.test('reports source maps, files with hashes, an app that does not end, and WebSockets behind nginx', async t => {
  const facts = makeFacts({ app: { endSeconds: null }, project: { upgrades: ['ws'] } },
    { folders: [{ ...FOLDER, maps: 2, hashed: 3 }] })
  t.same(codes({ facts, topology: 'app' }), ['no-end', 'trust-proxy', 'source-maps', 'not-immutable'])
  t.equal(codes({ facts, topology: 'nginx:keepalive+cache=5s/app' })[0], 'cache-all')
  t.same(codes({ facts, topology: STATIC }), ['no-end', 'trust-proxy', 'source-maps', 'upgrades'])
})

t.test('begins with the first measured decision and the price, before topology, decisions and risks', async t => {
  const facts = makeFacts({ app: { drains: true, endSeconds: null } }, { folders: [FOLDER] })
  const state = decideAll(makeState({ facts, sizing: SIZING, contrasts: [makeContrast(STATIC, 'app')] }), rules)
  const record = makeAdvice(state, {
    notes: ['compression: it was refused.'],
    checks: [{ title: 'it responds', holds: true, fault: null }, { title: 'it ends', holds: false, fault: 'it hangs' }]
  })
  const text = toText(record, 100)
  const words = text.replace(/\s+/g, ' ')
  t.match(words, /^Let nginx send the files: 2\.00 \(1\.80 to 2\.20\) times the throughput of the app alone\. 4 × Fly/)
  t.match(words, /4 × Fly\.io shared-1x 256MB, \$20 a month/)
  t.match(text, /\nclients → router of Fly\.io \(terminates TLS\) → nginx \(sends the files/)
  t.match(text, /Risks\n- A behaviour of the kit fails: it ends \(it hangs\)/)
  t.match(text, /10 s after SIGTERM/)
  t.match(text, /it was refused/)
  t.match(text, /holds: it responds\.\n- fails: it ends \(it hangs\)\./)
  for (const line of text.split('\n')) t.ok(line.length <= 100, line)
  const page = toPage(record)
  t.match(page, /<text[^>]*>nginx<\/text>/)
  t.notMatch(page, /<script/)
  for (const printed of [text, page, toMarkdown(record)]) t.notMatch(printed, /undefined|NaN|\[object/)
  for (const { text: decision } of record.decisions) {
    t.ok(words.includes(decision), decision)
  }
})

t.test('names what open decisions take, and once which figures carry over, in 80 columns', async t => {
  const facts = makeFacts({ app: { pages: [{ ...PAGE, cacheControl: null }] } })
  const record = makeAdvice(decideAll(makeState({ facts }), rules))
  const text = toText(record)
  for (const line of text.split('\n')) t.ok(line.length <= 80, line)
  const words = text.replace(/\s+/g, ' ')
  t.match(words, /let nginx cache responses: the response to \/ states no .* in Cache-Control\. It takes a statement/)
  t.equal(words.match(/carry over to Fly\.io/g)?.length, 1)
  t.notMatch(words, /Keep Node 24, which has long-term support\. It takes/)
  const open = record.decisions.filter(({ decision }) => decision === 'open')
  t.ok(open.length > 2)
  t.equal(words.match(/ It takes /g)?.length, open.length)
})

t.test('asserts nothing about settings of the app that were not looked at, and counts one file', async t => {
  const facts = makeFacts({}, { folders: [{ ...FOLDER, hashed: 1 }] })
  const texts = findRisks({ facts, topology: 'app', checks: [] }).map(({ text }) => text)
  t.match(texts, [/TLS\. No setting was found with which Express takes/, /^1 file of \/assets with a hash/])
})

t.test('names the price of traffic, and a price without it', async t => {
  const priced = (/** @type {object} */ sizing) =>
    toText(makeAdvice(makeState({ sizing: { ...SIZING, ...sizing } })), 200)
  t.match(priced({ total: 120, traffic: 100 }), /\$120 a month, \$100 of it for traffic,/)
  t.match(priced({ total: null, traffic: null }), /\$20 a month without traffic,/)
  t.match(priced({ monthly: null, total: null }), /at an unknown price,/)
})

t.test('escapes names that come from the project', async t => {
  const facts = makeFacts({ app: { poweredBy: '<b>x</b>', drains: true } })
  const record = makeAdvice(makeState({ facts }), { kit: null })
  t.notMatch(toPage(record), /<b>x/)
  t.notMatch(toMarkdown(record), /<b>x/)
  const named = makeFacts({ project: { name: '<b>&"', framework: { name: '\u001b[2J', version: null } } })
  const picture = renderSvg(makeAdvice(makeState({ facts: named })), kind) ?? ''
  t.notMatch(picture, /<b>|<script/)
  t.notOk(picture.includes('\u001b'))
  t.match(picture, /&lt;b&gt;&amp;/)
  t.match(toText(record).replace(/\s+/g, ' '), /Without --rps and --p99 no instances are counted/)
})
