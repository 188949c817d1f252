/**
 * Tests each rule of bench/features/advise/rules/: what it measures, and what it decides by the facts and the
 * contrasts.
 */
import t from '../../../support/tap.js'
import { applyRule, loadRules } from '../../../../bench/features/advise/decide.js'
import { withInstances } from '../../../../bench/features/advise/compare.js'
import { countKeptBuilds } from '../../../../bench/features/advise/advice.js'
import { TARGETS } from '../../../../bench/features/deploy/index.js'
import {
  decideAll, FOLDER, makeContrast, makeFacts, makeState, NGINX, PACKED, PAGE, RESULTS, SIZING, STATIC
} from '../../../support/advice.js'

/** @import { AdviceContrast, AdviceState, DecisionKind } from '../../../../bench/types.js' */

const rules = await loadRules()

/** @param {string} name */
function getRule (name) {
  const found = rules.find(rule => rule.name === name)
  if (!found) throw new Error(`no rule ${name}`)
  return found
}

/**
 * @param {string} name
 * @param {Partial<AdviceState>} changes
 */
const decide = (name, changes) => getRule(name).rule.decide(makeState(changes))

/**
 * @param {string} name
 * @param {Partial<AdviceState>} changes
 */
const needs = (name, changes) => getRule(name).rule.needs(makeState(changes))

const folders = [FOLDER]
const { slower, equal, open, invalid } = RESULTS

t.test('there are ten rules with different orders', async t => {
  t.same(rules.map(({ name }) => name),
    ['files', 'cache', 'compressed-files', 'compression', 'proxy', 'transport', 'node-line', 'processes', 'keep-alive',
      'rollout'])
  t.equal(new Set(rules.map(({ rule }) => rule.order)).size, rules.length)
})

t.test('files: compares the app with nginx, and follows the verdict', async t => {
  const facts = makeFacts({}, { folders })
  t.same(needs('files', { facts }), ['app', NGINX, STATIC])
  t.same(needs('files', {}), [])
  /** @type {[Partial<AdviceContrast>, DecisionKind][]} */
  const cases = [[{}, 'do'], [slower, 'do-not'], [equal, 'no-matter'], [open, 'open'], [invalid, 'open']]
  for (const [changes, expected] of cases) {
    const ruling = decide('files', { facts, contrasts: [makeContrast(STATIC, 'app', changes)] })
    t.equal(ruling.decision, expected)
    t.notMatch(JSON.stringify(ruling.text), /NaN|undefined/)
  }
  t.equal(decide('files', { facts }).decision, 'open', 'not measured')
  t.equal(decide('files', {}).decision, 'no-matter', 'no folder')
  const unnamed = decide('files', { facts: makeFacts({ project: { unnamedFolders: ['client/dist'] } }) })
  t.match(unnamed, { decision: 'open', changes: /--files \/assets=\.\/client\/dist\/assets/ })
  const unknown = decide('files', { facts: makeFacts({ project: { unnamedFolders: ['public'] } }) })
  t.equal(unknown.decision, 'open')
  t.notMatch(unknown.changes, '--files /public=', 'a prefix that was tried')
})

t.test('a gain that saves no instance at the load does not matter, and one that saves some does', async t => {
  const facts = makeFacts({}, { folders })
  const contrasts = [makeContrast(STATIC, 'app')]
  const at = (/** @type {number} */ rps) => {
    const load = { rps, p99Ms: 100 }
    return decide('files', { facts, load, sizing: SIZING, contrasts: withInstances(contrasts, SIZING, load) })
  }
  t.equal(at(20).decision, 'no-matter')
  t.match(at(20).text, /saves no instance: 2 instances/)
  t.equal(at(2000).decision, 'do')
})

t.test('files from nginx matter without saving an instance, if compressed files save more in traffic', async t => {
  const facts = makeFacts({}, { folders })
  const load = { rps: 20, p99Ms: 100 }
  const packed = makeContrast(PACKED, STATIC, { bytes: { arm: 1000, baseline: 1e6 } })
  const decideBy = (perGb = SIZING.perGb, ofApp = 1e6) => {
    const sizing = { ...SIZING, perGb }
    const files = makeContrast(STATIC, 'app', { bytes: { arm: 1e6, baseline: ofApp } })
    return decide('files', { facts, load, sizing, contrasts: withInstances([files, packed], sizing, load) })
  }
  // 20 responses a second of which each saves 999 kB are 52,543 GB a month. An instance costs $5.
  t.match(decideBy(0.001), { decision: 'do', text: /compressed files save traffic that costs more/ })
  t.match(decideBy(), { decision: 'do', changes: /Traffic that costs less/ })
  t.equal(decideBy(0.00005).decision, 'no-matter')
  t.equal(decideBy(SIZING.perGb, 1100).decision, 'no-matter', 'the app compresses them itself')
})

t.test('instances follow from the CPU time per request, which page views divide by their requests', async t => {
  const load = { rps: 600, p99Ms: 100 }
  const [single] = withInstances([makeContrast(STATIC, 'app')], SIZING, load)
  // An instance of the sized app serves 100 requests a second, of which 60 are planned: 600 / 60 = 10.
  t.same(single.instances, { low: 6, high: 5, baseline: 10 })
  const page = makeContrast('nginx:tcp/app', NGINX, { requests: 2, cpuMicros: { arm: 8000, baseline: 4000 } })
  const [, pages] = withInstances([makeContrast(STATIC, 'app'), page], SIZING, load)
  t.equal(pages.instances?.baseline, 20, 'half of the rate of the sized topology')
  t.equal(withInstances([page], SIZING, load)[0].instances, undefined, 'the sized topology was not compared')
  t.equal(withInstances([makeContrast(STATIC, 'app')], null, load)[0].instances, undefined)
})

t.test('cache: never with cookies, credentials or private responses', async t => {
  t.same(needs('cache', {}), ['app', 'nginx:keepalive+cache=5s/app'])
  const withPage = (/** @type {Partial<typeof PAGE>} */ page) => makeFacts({ app: { pages: [{ ...PAGE, ...page }] } })
  for (const facts of [
    withPage({ setsCookie: true }), withPage({ cacheControl: 'private, max-age=10' }), withPage({ vary: 'Cookie' }),
    withPage({ varies: true }), withPage({ cacheControl: 'no-store' }), makeFacts({}, { isPrivate: true })
  ]) {
    t.same(needs('cache', { facts }), [])
    t.equal(decide('cache', { facts }).decision, 'do-not')
  }
  t.same(needs('cache', { facts: withPage({ vary: 'Accept-Encoding' }) }).length, 2)
  const silent = withPage({ cacheControl: null })
  t.same(needs('cache', { facts: silent }), [])
  t.match(decide('cache', { facts: silent }), { decision: 'open', line: /max-age/ })
  const lifetimes = {
    'public, max-age=0': 0, 'public, max-age=0, s-maxage=60': 2, 'max-age=60, s-maxage=0': 0, 'max-age=60': 2, public: 2
  }
  for (const [cacheControl, words] of Object.entries(lifetimes)) {
    t.equal(needs('cache', { facts: withPage({ cacheControl }) }).length, words, cacheControl)
  }
  const contrasts = [makeContrast('nginx:keepalive+cache=5s/app', 'app')]
  t.equal(decide('cache', { contrasts }).decision, 'do')
  const state = applyRule(makeState({ contrasts }), getRule('cache'))
  t.equal(state.chosen, 'nginx:keepalive+cache=5s/app')
})

t.test('cache: ignores a pair with other files', async t => {
  const facts = makeFacts({}, { folders })
  const pair = makeContrast('nginx:keepalive+static+cache=5s/app', STATIC)
  t.equal(decide('cache', { facts, chosen: STATIC, contrasts: [pair] }).decision, 'do')
  t.match(decide('cache', { facts, contrasts: [pair] }), { decision: 'open', text: /responses: it was not measured/ })
})

t.test('compressed files: ahead of time where nginx sends files of text', async t => {
  const facts = makeFacts({}, { folders })
  t.same(needs('compressed-files', { facts, chosen: STATIC }), [STATIC, PACKED])
  t.same(needs('compressed-files', { facts }), [], 'the app sends the files')
  t.equal(decide('compressed-files', { facts }).decision, 'no-matter')
  const images = makeFacts({}, { folders: [{ ...FOLDER, compressible: 0 }] })
  t.same(needs('compressed-files', { facts: images, chosen: STATIC }), [])
  t.equal(decide('compressed-files', { facts: images, chosen: STATIC }).decision, 'no-matter')
  const large = makeFacts({}, { folders: [{ ...FOLDER, bytes: 2e9, compressible: 1e9 }] })
  t.same(needs('compressed-files', { facts: large, chosen: STATIC }), [])
  t.match(decide('compressed-files', { facts: large, chosen: STATIC }), { decision: 'open', text: /2000 MB/ })
  const bytes = { arm: 1000, baseline: 10_000 }
  const by = (/** @type {Partial<AdviceContrast>} */ changes) => decide('compressed-files', {
    facts, chosen: STATIC, contrasts: [makeContrast(PACKED, STATIC, { bytes, ...changes })]
  }).decision
  t.equal(by({}), 'do')
  t.equal(by(equal), 'do', 'it saves traffic')
  t.equal(by(slower), 'open', 'the prices are unknown')
  t.equal(by({ bytes: { arm: 9990, baseline: 10_000 } }), 'do-not', 'nothing is saved')
  t.equal(by(invalid), 'open')
  t.equal(decide('compressed-files', { facts, chosen: STATIC }).decision, 'open', 'not measured')
})

t.test('compression: a pair counts with any cache, and not with other files', async t => {
  const facts = makeFacts({}, { folders })
  const bytes = { arm: 1000, baseline: 10_000 }
  const pair = makeContrast('nginx:keepalive+static+gzip/app', STATIC, { bytes })
  const chosen = 'nginx:keepalive+static+cache=5s/app'
  t.equal(decide('compression', { facts, chosen, contrasts: [pair] }).decision, 'do')
  t.equal(decide('compression', { facts, contrasts: [pair] }).decision, 'open', 'the app alone was not compared')
})

t.test('compression: leaves files alone that are compressed ahead of time', async t => {
  const facts = makeFacts({ app: { pages: [{ ...PAGE, bytes: 300 }] } }, { folders })
  t.equal(needs('compression', { facts, chosen: STATIC }).length, 2)
  t.same(needs('compression', { facts, chosen: PACKED }), [])
})

t.test('compression: weighs the saved traffic against instances', async t => {
  const arm = 'nginx:keepalive+gzip/app'
  t.same(needs('compression', {}), ['app', arm])
  const packed = makeFacts({ app: { pages: [{ ...PAGE, encoding: 'gzip' }] } })
  t.same(needs('compression', { facts: packed }), [])
  t.equal(decide('compression', { facts: packed }).decision, 'do-not')
  const small = makeFacts({ app: { pages: [{ ...PAGE, bytes: 300 }] } })
  t.equal(decide('compression', { facts: small }).decision, 'no-matter')
  const bytes = { arm: 1000, baseline: 10_000 }
  const by = (/** @type {Partial<AdviceContrast>} */ changes, /** @type {Partial<AdviceState>} */ state = {}) =>
    decide('compression', {
      contrasts: [makeContrast(arm, 'app', { ...slower, bytes, ...changes })], ...state
    }).decision
  t.equal(by({}), 'open', 'the prices are unknown')
  t.equal(by(open), 'do', 'no loss is shown')
  t.equal(by({ ...open, low: 0.7 }), 'open')
  t.equal(by({ instances: { low: 4, high: 4, baseline: 4 } }), 'do', 'no further instance')
  t.equal(by({ instances: { low: 5, high: 4, baseline: 4 } }, { sizing: SIZING }), 'do', 'traffic costs more')
  const cheap = { ...open, instances: { low: 5, high: 4, baseline: 4 } }
  t.equal(by(cheap, { sizing: { ...SIZING, perGb: 0 } }), 'do-not', 'a further instance, and the traffic is free')
  t.equal(by(cheap), 'open', 'a further instance, and the prices are unknown')
  t.equal(by({ instances: { low: 9, high: 8, baseline: 4 } }, { sizing: { ...SIZING, monthly: 20_000 } }), 'do-not')
  t.equal(by({ instances: { low: 5, high: 4, baseline: 4 } }, { sizing: { ...SIZING, freeGb: 1e6 } }), 'do-not',
    'the traffic is included')
  t.equal(by({ bytes: { arm: 9990, baseline: 10_000 } }), 'do-not', 'nothing is saved')
  t.equal(by(invalid), 'open')
  // 200 requests a second of which each saves 4.5 kB are 2,367 GB a month, or $47. An instance costs $5.
  const traffic = { ...SIZING, monthly: 20, total: 1020, traffic: 1000 }
  const more = { low: 13, high: 8, baseline: 4 }
  t.equal(by({ instances: more, requests: 2 }, { sizing: traffic }), 'do', 'nine instances cost $45')
  t.equal(by({ instances: { ...more, low: 14 }, requests: 2 }, { sizing: traffic }), 'do-not', 'ten cost $50')
})

t.test('proxy: only for a reason, and its cost is measured otherwise', async t => {
  t.same(needs('proxy', {}), ['app', NGINX])
  t.same(needs('proxy', { chosen: STATIC }), [])
  t.same(needs('proxy', { contrasts: [makeContrast(NGINX, 'app', slower)] }), [])
  t.equal(decide('proxy', { contrasts: [makeContrast(NGINX, 'app', slower)] }).decision, 'do-not')
  t.match(decide('proxy', { contrasts: [makeContrast(NGINX, 'app', open)] }), { text: /no gain is certain/ })
  t.equal(decide('proxy', {}).decision, 'open')
  const facts = makeFacts({}, { folders })
  const state = decideAll(makeState({ facts, contrasts: [makeContrast(STATIC, 'app')] }), rules)
  t.equal(state.chosen, STATIC)
  t.match(state.decisions.find(({ rule }) => rule === 'proxy'),
    { decision: 'do', text: 'Put nginx in front of the app for files.' })
})

t.test('prints no ratio of a comparison that ended before it had one', async t => {
  const short = { ratio: NaN, low: NaN, high: NaN, verdict: /** @type {const} */ ('inconclusive') }
  const facts = makeFacts({}, { folders })
  const decisions = [
    decide('files', { facts, contrasts: [makeContrast(STATIC, 'app', short)] }),
    decide('proxy', { contrasts: [makeContrast(NGINX, 'app', short)] })
  ]
  for (const { decision, text } of decisions) {
    t.equal(decision, 'open')
    t.notMatch(text, '–')
  }
})

t.test('transport: a socket is measured where there is a proxy and the app listens on it', async t => {
  t.same(needs('transport', {}), [])
  t.equal(decide('transport', {}).decision, 'no-matter')
  t.same(needs('transport', { chosen: STATIC }), [], 'nothing could be chosen')
  t.match(decide('transport', { chosen: STATIC }), { decision: 'do-not', changes: /--listen '\$PORT,\$SOCKET'/ })
  const facts = makeFacts({}, { hasSocket: true })
  const socket = 'nginx:uds-keepalive+static/app'
  t.same(needs('transport', { chosen: STATIC, facts }), [STATIC, socket])
  t.equal(decide('transport', { chosen: STATIC, facts }).decision, 'open')
  /** @type {(changes: Partial<AdviceContrast>, chosen?: string) => AdviceState} */
  const decideBy = (changes, chosen = STATIC) =>
    applyRule(makeState({ chosen, facts, contrasts: [makeContrast(socket, STATIC, changes)] }), getRule('transport'))
  t.equal(decideBy({}).chosen, socket)
  t.equal(decideBy(slower).decisions[0].decision, 'do-not')
  t.match(decideBy(equal), { chosen: STATIC, decisions: [{ decision: 'no-matter' }] })
  t.equal(decideBy({}, PACKED).decisions[0].decision, 'do', 'measured before compression was chosen')
})

t.test('Node line: a line with long-term support stays, and others are replaced', async t => {
  const at = (/** @type {string} */ node) => decide('node-line', { facts: makeFacts({ machine: { node } }) })
  t.equal(at('24.1.0').decision, 'do-not')
  t.match(at('20.20.2'), { decision: 'open', text: /no releases since 2026-04-30: it was not tried here/ })
  const facts = makeFacts({ machine: { node: '20.20.2' } })
  t.same(needs('node-line', { facts }), ['app', 'lts'])
  t.same(needs('node-line', { facts, quick: true }), [])
  t.same(needs('node-line', {}), [], 'it has long-term support')
  t.match(decide('node-line', { facts, contrasts: [makeContrast('lts', 'app')] }),
    { decision: 'do', text: /2\.00 \(1\.80 to 2\.20\) times/, line: /engines.*26\.x/ })
  const by = (/** @type {Partial<AdviceContrast>} */ changes) =>
    decide('node-line', { facts, contrasts: [makeContrast('lts', 'app', changes)] })
  t.match(by(slower), { decision: 'open', text: /no releases since 2026-04-30: only 0\.80 .* keeps its line/ })
  t.equal(by(equal).decision, 'do')
  t.equal(by({ programs: { arm: 'node 26.1.0', baseline: 'node 20.20.2' } }).decision, 'do')
  t.match(by({ programs: { arm: 'bun 1.3.0', baseline: 'bun 1.3.0' } }),
    { decision: 'open', text: /the command runs bun 1\.3\.0, even if another Node/ })
  t.match(by({ programs: { arm: null, baseline: null } }), { decision: 'open', text: /it is unknown under which/ })
  t.match(by(invalid), { decision: 'open', text: /is invalid\. Until both/, changes: /runs under Node 26/ })
  t.match(by({ ...invalid, run: null }), { decision: 'open', text: /the comparison failed\. Until both/ })
  t.match(decide('node-line', { facts, quick: true }), { decision: 'open', changes: 'A measurement without --quick.' })
  t.match(decide('node-line', { facts }), { text: /the time was over\. Until both/, changes: /two --app/ })
  const supported = makeFacts({ machine: { node: '25.3.0' } }, { today: '2026-05-01T00:00:00Z' })
  t.match(decide('node-line', { facts: supported, contrasts: [makeContrast('lts', 'app', slower)] }),
    { decision: 'do-not', text: /^Do not run the app under Node 24 in place of 25, which has no .* support: only/ })
  t.equal(decide('node-line', { facts: makeFacts({ project: { hasManifest: false } }) }).decision, 'no-matter')
})

t.test('keep-alive: the app must outlast the program in front of it', async t => {
  const withTimeout = (/** @type {number | null} */ keepAliveSeconds) =>
    makeFacts({ app: { keepAliveSeconds } })
  const raised = { decision: 'do', line: 'server.keepAliveTimeout = 125_000' }
  t.match(decide('keep-alive', { facts: withTimeout(5) }), raised)
  t.equal(decide('keep-alive', { facts: withTimeout(130) }).decision, 'do-not')
  t.equal(decide('keep-alive', { facts: withTimeout(null) }).decision, 'open')
  t.equal(decide('keep-alive', { facts: withTimeout(5), chosen: STATIC }).decision, 'do-not', 'nginx closes after 4 s')
  t.equal(decide('keep-alive', { facts: makeFacts({ app: { closesConnections: true } }) }).decision, 'do')
  const own = makeFacts({ platform: { endsTls: false, target: 'docker', idleSeconds: 75 } })
  t.equal(decide('keep-alive', { facts: own }).decision, 'no-matter', 'no router')
})

t.test('rollout: names the way of the platform that starts the next build first, or lets connections wait', async t => {
  const on = (/** @type {string} */ target, chosen = NGINX) =>
    decide('rollout', { facts: makeFacts({ platform: { target } }), chosen })
  const ways =
    { docker: /load balancer/, heroku: /preboot/, render: /Render/, fly: /bluegreen/, systemd: /socket unit/ }
  t.same(Object.keys(ways), Object.keys(TARGETS), 'each platform has a way')
  for (const [target, text] of Object.entries(ways)) t.match(on(target), { decision: 'do', text })
  t.match(on('systemd').text, /^Restart the app/)
  t.match(on('systemd', 'app').text, /^Put nginx in front/)
})

t.test('rollout: states how the app ends, and that nginx of a kit finishes requests before', async t => {
  const by = (/** @type {Partial<AdviceState['facts']['app']>} */ app, chosen = 'app', target = 'fly') =>
    decide('rollout', { facts: makeFacts({ app, platform: { target } }), chosen })
  t.match(by({}).text, 'finishes its requests and ends 0.2 s after SIGTERM')
  t.match(by({ endSeconds: null }).text, 'still runs 10 s after SIGTERM')
  const short = by({ drains: 'arrived', endSeconds: 0.1 }).text
  t.match(short, /responds to a short request .* and ends 0\.1 s after SIGTERM/)
  t.match(by({ drains: false }).text, 'so that each rollout cuts some')
  t.match(by({ drains: false }, NGINX).text, 'which nginx of the kit has finished before')
  t.match(by({ drains: false }, NGINX, 'heroku').text, 'so that each rollout cuts some')
  t.match(by({ drains: null, endSeconds: null }), { decision: 'open', text: /is unknown/, changes: /longer/ })
  t.equal(by({ drains: null, endSeconds: null }, NGINX).decision, 'do')
})

t.test('rollout: keeps files of earlier builds where nginx sends files with hashes, and the kit can', async t => {
  const by = (/** @type {string} */ target, chosen = STATIC, hashed = 3) => {
    const facts = makeFacts({ platform: { target } }, { folders: [{ ...FOLDER, hashed }] })
    return { text: decide('rollout', { facts, chosen }).text, builds: countKeptBuilds(chosen, facts) }
  }
  t.match(by('docker'), { builds: 2, text: /request 3 files .* the kit keeps those of 2 earlier builds\.$/ })
  t.match(by('fly'), { builds: undefined, text: /let a CDN in front keep files/ })
  t.match(by('docker', NGINX), { builds: undefined, text: /let a CDN in front keep files/ }, 'the app sends the files')
  const plain = by('docker', STATIC, 0)
  t.equal(plain.builds, undefined)
  t.notMatch(plain.text, /Open pages/)
})
