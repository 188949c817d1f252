/** Tests what the pages print of each static server: failures, the newest release, throughput, and the badge. */
import t from '../../support/tap.js'
import { choiceSentence, choiceText } from '../../../bench/features/publish/choice.js'
import { withTable } from '../../../bench/features/publish/answers-text.js'
import { listServers, toServerLines } from '../../../bench/features/publish/servers.js'
import { serverPage, toBadge } from '../../../bench/features/publish/server-page.js'
import { recommend } from '../../../bench/judge/recommendation.js'
import { checkForms } from '../../../bench/judge/check-failures.js'
import { parse } from '../../../bench/plan/spec.js'
import { shieldsBadge, svgBadge } from '../../../bench/report/badge.js'
import { makeArm, makeContrast, makePlan, makeRecord } from '../../support/record.js'

const COMMAND = "curl -sS -i --request-target '/a' \"$URL\""
const probe = { topic: 'Others', rfc: null, safety: false }
const probes = [
  { ...probe, name: 'weak', title: 'requires weak' },
  { ...probe, name: 'listed', title: 'requires listed' },
  { name: 'hidden', title: 'requires hidden', topic: 'Hidden files', rfc: null, safety: true }
]

/**
 * Makes a checked server.
 * @param {string} name
 * @param {string[]} failed probes
 * @param {object} [about]
 */
const checked = (name, failed, about = {}) => ({
  name,
  about: { package: name.split('+')[0], ...about },
  version: '1.2.3',
  checkedAt: '2026-11-27T01:02:03.000Z',
  node: '26.10.0',
  chains: [{
    spec: name,
    proxy: null,
    results: probes.map(({ name }) => failed.includes(name)
      ? { probe: name, outcome: 'fail', saw: `GET /secret-of-${name}`, died: false, evidence: { command: COMMAND } }
      : { probe: name, outcome: 'pass', saw: 'as required', died: false })
  }]
})
const settings = { production: { settings: { "dotfiles: 'ignore'": ['hidden'] } } }
const check = /** @type {any} */ ({
  tools: { 'nginx+release=current': '1.30.6 (sid, 1.30.6-2)' },
  probes,
  servers: [
    checked('srvx', []),
    checked('mended', ['hidden', 'weak'], settings),
    checked('mended+production', ['weak'], settings),
    checked('unsafe', ['hidden', 'listed']),
    checked('vite-server', ['weak'], { fixture: true }),
    checked('../evil', []),
    { ...checked('files', []), chains: [{ ...checked('', ['weak']).chains[0], proxy: 'nginx', spec: 'nginx/files' }] }
  ]
})
const pinned = { versions: { srvx: '1.2.3' }, day: '2026-11-28', node: '26.10.0', probes: 3, failed: ['weak'] }
const newest = { ...pinned, versions: { srvx: '2.0.0' }, failed: ['listed', 'hidden'] }
const compared = { packages: {}, servers: { srvx: { pinned, newest } } }

/**
 * Makes a run of nginx and of servers with these ratios to it.
 * @param {Record<string, [ratio: number, low: number, high: number]>} ratios
 */
function makeRun (ratios) {
  const arm = (/** @type {string} */ name, /** @type {string} */ spec, rps = 1000) => makeArm({
    name, spec, topology: parse(spec), rps: { median: rps, low: rps * 0.99, high: rps * 1.01 }, ladder: undefined
  })
  const names = Object.keys(ratios)
  return makeRecord({
    run: '2026-11-28T01-02-03Z-static-html',
    arms: [arm('nginx', 'nginx/files'), ...names.map(name => arm(name, name, 1000 * ratios[name][0]))],
    contrasts: Object.entries(ratios).map(([arm, [ratio, low, high]]) =>
      makeContrast({ arm, baseline: 'nginx', verdict: 'slower', ratio, low, high })),
    plan: makePlan({ answer: undefined })
  })
}
const run = makeRun({ srvx: [0.5, 0.45, 0.55], unsafe: [0.9, 0.85, 0.95] })
const rows = listServers(check, [run], compared)

t.test('lists servers and proxies with their failures in both forms, and no names that are paths', async t => {
  t.strictSame(rows.map(({ name, version, probes, shipped, recommended, hasBoth }) =>
    [name, version, probes, shipped.length, recommended.length, hasBoth]), [
    ['mended', '1.2.3', 3, 2, 1, true],
    ['nginx', '1.30.6', 3, 1, 1, false],
    ['srvx', '1.2.3', 3, 0, 0, false],
    ['unsafe', '1.2.3', 3, 2, 2, false],
    ['vite-server', '1.2.3', 3, 1, 1, false]
  ])
  t.strictSame(listServers(null, [], null), [])
})

t.test('a server that the first run lacks has the throughput of the next one', async t => {
  const other = makeRun({ srvx: [0.1, 0.09, 0.11], 'vite-server': [0.2, 0.19, 0.21] })
  const table = toServerLines(listServers(check, [run, other], compared)).join('\n')
  t.match(table, /^\| srvx .*\| 0\.50 \(0\.45 to 0\.55\) \|$/m)
  t.match(table, /^\| vite-server .*\| 0\.20 \(0\.19 to 0\.21\) \|$/m)
})

t.test('replaces the table of a page, and leaves its other tables', async t => {
  const other = '| other |\n| --- |\n| table |\n'
  const page = `${other}\n<!-- hopbench answers --write -->\n\n| old |\n| --- |\n\nText\n${other}`
  const table = withTable(page, toServerLines(rows))
  t.match(table, /^\| other \|[^]*Text\n\| other \|/)
  t.notMatch(table, '| old |')
  t.match(table, '| version | newest | checked | failures/probes (of safety) | as recommended | throughput ÷ nginx |')
  t.match(table, '| srvx | 1.2.3 | 2.0.0, 1 mended, 2 broken | 2026-11-27 | 0/3 | 0 | 0.50 (0.45 to 0.55) |')
  t.match(table, '| mended | 1.2.3 | – | 2026-11-27 | 2/3 (1) | 1 | – |')
  t.match(table, '| nginx | 1.30.6 | – | 2026-11-27 | 1/3 | 1 | 1 |')
  t.equal(withTable(table, toServerLines(rows)), table, 'the same table again')
})

/** Returns the page of a server without markup. @param {string} name */
const print = name => rows.filter(row => row.name === name)
  .map(row => serverPage({ ...row, check }, { home: 'index.html', stylesheet: 'site.css' })).join('')
  .replace(/<[^>]+>/g, '').replaceAll('&#x27;', "'").replaceAll('&quot;', '"')
  .replace(/\s+/g, ' ')

t.test('the page names a failure of safety by its class only, and others with their command', async t => {
  const page = print('unsafe')
  t.match(page, 'Hidden files: 1 probe. No setting mends it.')
  t.notMatch(page, 'secret-of-hidden')
  t.match(page, `listed: requires listed. Seen: GET /secret-of-listed. No setting mends it. Repeat it: ${COMMAND}`)
  t.match(page, /unsafe fails 2 of 3 probes, 1 of safety\. Checked on 2026-11-27 under Node 26\.10\.0\./)
})

t.test('the page names the settings that mend failures, the newest release and the throughput', async t => {
  t.match(print('mended'), "Hidden files: 1 probe. Mended by dotfiles: 'ignore'.")
  t.match(print('mended'), 'weak: requires weak. Seen: GET /secret-of-weak. No setting mends it.')
  t.match(print('srvx'), 'srvx 2.0.0 are the newest releases of 2026-11-28: without proxies they fail 2 of 3 probes, ' +
    'the pinned ones 1. Mended: weak. Broken: listed, hidden.')
  t.match(print('srvx'), /srvxnginx0\.500\.45 to 0\.55/)
  t.match(print('nginx'), 'nginx fails 1 of 3 probes, none of safety.')
})

t.test('the page of a server of a framework names the command that builds it, and no missing setting', async t => {
  t.match(print('vite-server'), 'weak: requires weak. Seen: GET /secret-of-weak. Seen without further settings.')
  t.match(print('vite-server'), 'npm run compared -- --frameworks vite-server')
  t.notMatch(print('vite-server'), 'check vite-server')
})

t.test('the badge shows the passed probes as recommended, in red with a failure of safety', async t => {
  t.strictSame(rows.map(toBadge), [
    { message: '2 of 3 probes', color: 'yellow' },
    { message: '2 of 3 probes', color: 'yellow' },
    { message: '3 of 3 probes', color: 'brightgreen' },
    { message: '1 of 3 probes', color: 'red' },
    { message: '2 of 3 probes', color: 'yellow' }
  ])
  t.strictSame(JSON.parse(shieldsBadge(toBadge(rows[3]))),
    { schemaVersion: 1, label: 'hopbench', message: '1 of 3 probes', color: 'red' })
  const svg = svgBadge({ message: '1 < 2', color: 'red' })
  t.match(svg, /^<svg [^>]*width="(\d+)"[^]*<title>hopbench: 1 &lt; 2<\/title>[^]*<\/svg>\n$/)
})

/**
 * Returns the advice about a run.
 * @param {Parameters<typeof makeRun>[0]} ratios
 */
const advise = ratios => recommend(makeRun(ratios), {
  failuresOf: (server, proxy) => checkForms(check, server, proxy).recommended
}).advice

t.test('the choice is the safe servers that no verdict shows to be slower, by their failures', async t => {
  t.equal(choiceText(advise({ srvx: [0.5, 0.45, 0.55], mended: [0.2, 0.18, 0.22], unsafe: [0.9, 0.85, 0.95] })),
    'nginx; in Node srvx; not unsafe', 'a faster server that is unsafe is not chosen')
  const alike = advise({ mended: [0.52, 0.47, 0.57], srvx: [0.5, 0.45, 0.55] })
  t.equal(choiceText(alike), 'nginx; in Node srvx or mended')
  t.strictSame(choiceSentence(alike), ['Use nginx; in Node srvx or mended, without a failure of safety.'])
  t.strictSame(choiceSentence([]), [], 'a run without static servers')
})

t.test('the choice names two servers of Node at most, and counts the unsafe ones beyond three', async t => {
  const params = { arm: 'a', perSecond: 9, cpuMicros: 1, memoryMiB: 1, failures: [], others: 4 }
  const alike = ['b', 'c', 'd', 'e'].map((arm, i) => ({ arm, perSecond: i, memoryMiB: 1, failures: 0 }))
  const unsafe = [...'123456'].map(server => ({ code: 'unsafe', params: { server, failures: [] } }))
  t.equal(choiceText(/** @type {any} */ ([{ code: 'node-serves', params: { ...params, alike } }, ...unsafe])),
    'in Node a or e; not 1, 2, 3 or 3 more')
})
