import t from '../support/tap.js'
import { recommend } from '../../bench/judge/recommendation.js'
import { inOneLine, printAdvice } from '../../bench/report/facts/facts.js'
import { parse } from '../../bench/plan/spec.js'

/** @import { Advice, CheckFailure } from '../../bench/types.js' */

/**
 * Makes an arm with this rate.
 * @param {string} spec
 * @param {number} rps
 */
const arm = (spec, rps, mib = 50, load = { path: '/page.html', headers: {} }) => /** @type {any} */ ({
  name: spec,
  spec,
  load,
  topology: parse(spec),
  invalid: null,
  rps: { median: rps, low: rps, high: rps },
  cpuMicrosPerRequest: { load: 10, proxy: 0, server: 1e6 / rps },
  memoryMiB: { proxy: 0, server: mib }
})
/**
 * Makes a failed probe.
 * @param {string} title
 * @param {boolean} safety
 * @returns {CheckFailure}
 */
const failure = (title, safety) => ({
  name: title,
  title,
  topic: 'x',
  rfc: null,
  safety,
  saw: '',
  died: false,
  chains: []
})

/** @type {Record<string, CheckFailure[]>} */
const check = {
  files: [],
  'connect-static': [],
  'express-static': [],
  sirv: [failure('suffix range', false)],
  st: [failure('no Range', false), failure('no Vary', false)],
  'node-static': [failure('dies on HEAD', true), failure('serves .env', true)]
}
const failuresOf = (/** @type {string} */ server) => check[server] ?? null
/**
 * Computes the recommendation of a run.
 * @param {any[]} arms
 * @param {any[]} [contrasts]
 * @param {any} [aboutOf]
 * @param {any} [checked]
 */
const recommended = (arms, contrasts = [], aboutOf = undefined, checked = undefined) =>
  recommend(/** @type {any} */ ({
    arms, contrasts, plan: { twin: { arm: 'twin', of: 'sirv' } }, startedAt: '2026-11-23T04:00:00Z'
  }), { failuresOf, aboutOf, checked })
/** @param {Advice[]} advice */
const print = advice => advice.map(printAdvice).map(inOneLine)
/** @param {any[]} arms */
const sentences = arms => print(recommended(arms).advice)
/**
 * Makes a contrast with this interval.
 * @param {string} arm
 * @param {string} baseline
 * @param {[number, number]} interval
 * @param {string} [verdict]
 */
const contrast = (arm, baseline, [low, high], verdict = 'inconclusive') => ({ arm, baseline, low, high, verdict })

t.test('never recommends a server that fails a safety probe, and warns of it', async t => {
  const text = sentences([arm('sirv', 9000), arm('node-static', 20000)])
  t.match(text[0], /From Node itself use sirv: 9,000 req\/s .* 111 µs of CPU per request/)
  t.match(text[0], /1 failure, none of them of safety: suffix range\./)
  t.match(text[1],
    /node-static is not recommended: it fails 2 safety probes \(dies on HEAD and serves \.env\)/)
  t.notMatch(text.join(' '), /take node-static:/)
})

t.test('recommends by the failures with recommended settings, and warns of those as shipped', async t => {
  const settings = { "dotfiles: 'ignore'": ['serves .env'], 'setHeaders with Vary': ['no Vary'] }
  /** @type {Record<string, CheckFailure[]>} */
  const shipped = {
    'fastify-static': [failure('serves .env', true), failure('no Vary', false)],
    'node-static': [failure('dies on HEAD', true)]
  }
  const facts = {
    failuresOf: (/** @type {string} */ server) => server === 'fastify-static' ? [] : failuresOf(server),
    shippedFailuresOf: (/** @type {string} */ server) => shipped[server] ?? null,
    aboutOf: (/** @type {string} */ server) => server === 'fastify-static' ? { production: { settings } } : null
  }
  const arms = [arm('sirv', 5000), arm('fastify-static', 9000), arm('node-static', 20000)]
  const record = { arms, contrasts: [], plan: {}, startedAt: '2026-11-23T04:00:00Z' }
  const { advice, arms: names } = recommend(/** @type {any} */ (record), facts)
  t.strictSame(names, ['fastify-static'])
  const text = print(advice)
  t.match(text[0], /use fastify-static: 9,000 req\/s .* The check found no failure\. Set dotfiles: 'ignore' and setHea/)
  t.match(text[0], /Vary: the check is of that form, and the rate was measured without\.$/)
  t.match(text.join('\n'), /^node-static is not recommended: with its recommended settings, too, it fails 2 safety/m)
  const withoutSettings = recommend(/** @type {any} */ (record), {
    ...facts, shippedFailuresOf: () => null, aboutOf: () => ({ production: { none: 'there is none' } })
  })
  t.match(print(withoutSettings.advice).join('\n'),
    /^node-static .* serves \.env\), and no setting of it removes all\.$/m)
  t.ok(text.includes("As shipped fastify-static fails 1 safety probe (serves .env); with dotfiles: 'ignore' it does " +
    'not.'))

  const measured = { ...record, arms: [arm('sirv', 5000), arm('fastify-static+production', 9000)] }
  const { advice: [first] } = recommend(/** @type {any} */ (measured), facts)
  t.match(print([first])[0], /use fastify-static\+production: .*: the check is of that form\.$/)
})

t.test('names the servers that no verdict shows to be slower than the recommended one', async t => {
  const arms = [arm('connect-static', 9000), arm('express-static', 9500), arm('sirv', 9400), arm('st', 4000)]
  const ratio = (/** @type {string} */ name, /** @type {[number, number]} */ interval) =>
    contrast(name, 'nginx/files', interval, 'slower')
  const contrasts = [ratio('connect-static', [0.2, 0.3]), ratio('express-static', [0.2, 0.3]),
    ratio('sirv', [0.2, 0.3]), ratio('st', [0.1, 0.15])]
  const { advice } = recommended([...arms, arm('nginx/files', 30000)], contrasts)
  t.match(print(advice)[1], /From Node itself use express-static: .* Not shown to be slower: connect-static \(9,000/)
  t.match(print(advice)[1], / and sirv \(9,400 req\/s, 50 MiB, 1 failure\)\./)
  t.notMatch(sentences([arm('sirv', 9000), arm('st', 8000)]).join(' '), 'Not shown to be slower')
})

t.test('recommends the server with fewer failures among those that no verdict separates', async t => {
  const arms = [arm('st', 12000), arm('sirv', 9000)]
  t.match(recommended(arms, [contrast('st', 'sirv', [0.9, 1.8])]).arms, ['sirv'])
  t.match(recommended(arms, [contrast('st', 'sirv', [1.2, 1.5], 'faster')]).arms, ['st'])
  const overNginx = (/** @type {number} */ least) =>
    [contrast('st', 'nginx/files', [least, 0.6], 'slower'), contrast('sirv', 'nginx/files', [0.3, 0.4], 'slower')]
  t.match(recommended([...arms, arm('nginx/files', 30000)], overNginx(0.5)).arms, ['nginx/files', 'st'])
  t.match(recommended([...arms, arm('nginx/files', 30000)], overNginx(0.39)).arms, ['nginx/files', 'sirv'])
})

t.test('recommends no server that a verdict puts behind another, even with the highest rate', async t => {
  const wide = { ...arm('connect-static', 11000), rps: { median: 11000, low: 5000, high: 15000 } }
  const arms = [arm('sirv', 9000), arm('express-static', 10000, 20), wide]
  t.strictSame(recommended(arms, [contrast('sirv', 'express-static', [1.1, 1.4], 'faster')]).arms, ['connect-static'])
  const circle = [contrast('sirv', 'connect-static', [1.1, 1.4], 'faster'),
    contrast('connect-static', 'express-static', [1.1, 1.4], 'faster'),
    contrast('express-static', 'sirv', [1.1, 1.4], 'faster')]
  t.strictSame(recommended(arms, circle).arms, ['express-static'],
    'the server with the fewest failures and the least memory')
})

t.test('never recommends a demonstration server', async t => {
  const aboutOf = (/** @type {string} */ server) => ({ demonstration: server === 'st' })
  t.strictSame(recommended([arm('st', 90000), arm('sirv', 9000)], [], aboutOf).arms, ['sirv'])
})

t.test('compares only arms with the same requests', async t => {
  const plain = { path: '/page.html', headers: {} }
  const gzip = { path: '/page.html', headers: { 'Accept-Encoding': 'gzip' } }
  const nginx = [['nginx+gzip/files', 5000, gzip], ['nginx+gzip_static/files', 20000, gzip],
    ['nginx/files', 30000, plain]]
  const arms = nginx.map(([spec, rps, load]) => arm(String(spec), Number(rps), 50, /** @type {any} */ (load)))
  t.strictSame(recommended([...arms, arm('sirv', 9000, 50, gzip)]).arms, ['nginx+gzip_static/files', 'sirv'])
})

t.test('makes one recommendation over files of several sizes with equal weights', async t => {
  const sizes = [['0 B', '/0.bin', 1], ['1 KB', '/1k.bin', 0.5]]
  const arms = sizes.flatMap(([size, path, share]) => [['nginx/files', 30000], ['sirv', 9000]].map(([spec, rps]) => ({
    ...arm(String(spec), Number(rps) * Number(share), 50, { path: String(path), headers: {} }), name: `${spec} ${size}`
  })))
  const { advice, arms: names } = recommended(arms)
  t.strictSame(names, ['nginx/files', 'sirv'])
  // The two requests take 1/30,000 s and 1/15,000 s, a mean of 1/20,000 s.
  t.match(print(advice).slice(0, 2), [
    'The rates below are over 2 files, each requested as often as the others.', /use nginx\/files: 20,000 req\/s/
  ])
})

t.test('compares a proxy that serves the files with the best Node server', async t => {
  t.match(sentences([arm('nginx/files', 27000), arm('sirv', 9000)])[0],
    /Where a proxy may serve the files, use nginx\/files: .* 3\.0 times the recommended Node server in .* medians/)
  const [nginx, sirv] = [arm('nginx/files', 27000), arm('sirv', 9000)]
  const ratio = { ...contrast('sirv', 'nginx/files', [0.3, 0.349], 'slower'), ratio: 0.32 }
  const bounded = { ...ratio, oneSided: 'at-most' }
  t.match(print(recommended([nginx, sirv], [bounded]).advice)[0], /, at least 2\.8 times the recommended Node server/,
    'a bound of the ratio in the same blocks')
  t.match(print(recommended([nginx, sirv], [ratio]).advice)[0], /, 3\.1 times the recommended/)
})

t.test('does not recommend a server that was not checked', async t => {
  const text = sentences([arm('sirv', 9000), arm('http-fs', 99000)])
  t.match(text[0], /use sirv/)
  t.match(text.at(-1),
    /Not checked yet, and so not recommended: http-fs\. Check with: npm run hopbench -- check http-fs/)
})

t.test('recommends more processes only where they are faster', async t => {
  t.match(sentences([arm('sirv', 9000), arm('sirv@cluster:4', 30000)])[1],
    /With more processes sirv@cluster:4 reaches 30,000 req\/s .* 3\.3 times sirv/)
  t.notMatch(sentences([arm('sirv', 9000), arm('sirv@cluster:4', 8000)]).join(' '), /more processes/)
})

t.test('does not prefer a slower server for slightly less memory', async t => {
  const pair = (/** @type {number} */ mib) =>
    recommended([arm('connect-static', 5815, 152), arm('express-static', 5485, mib)],
      [contrast('connect-static', 'express-static', [0.95, 1.2])])
  t.strictSame(pair(151).arms, ['connect-static'])
  t.strictSame(pair(130).arms, ['express-static'])
})

t.test('recommends no server without static files, nothing to one server, and no runtime past its end of life', t => {
  const node = [arm('sirv+runtime=node-20', 20000), arm('sirv+runtime=node-24', 9000)]
  t.strictSame(recommended([arm('express-json', 9000), arm('http-json', 20000)]).advice, [])
  t.strictSame(recommended([arm('sirv', 9000), node[1]]).advice, [])
  t.strictSame(recommended([...node, arm('st', 5000)]).arms, ['sirv+runtime=node-24'])
  t.end()
})

t.test('does not recommend an arm under Bun, because the check runs under Node', async t => {
  const arms = [arm('sirv+runtime=bun', 20000), arm('sirv+runtime=node-24', 9000), arm('st', 5000)]
  t.strictSame(recommended(arms).arms, ['sirv+runtime=node-24'])
  const { advice } = recommended(arms, [], undefined, { day: '2026-11-23', node: '26.10.0' })
  t.match(advice.at(-1), { code: 'checked-under', params: { node: '26.10.0', otherRuntimes: ['Bun'] } })
})

t.test('names a second server that reads from disk when the recommended one keeps files in memory', async t => {
  const arms = [arm('st', 30000), arm('sirv', 9000)]
  const { advice } = recommended(arms, [], (/** @type {string} */ server) =>
    ({ bytesFrom: server === 'st' ? 'memory' : 'disk' }))
  const text = print(advice)
  t.match(text[0], /use st:/)
  t.match(text[1], /st holds every file in memory .* where files are many or change, use sirv: 9,000 req\/s/)
})
