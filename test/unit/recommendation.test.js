import t from 'tap'
import { recommend } from '../../bench/analysis/recommendation.js'
import { parse } from '../../bench/plan/word.js'

/** @import { CheckFailure } from '../../bench/types.js' */

/** @param {string} word @param {number} rps */
const arm = (word, rps, mib = 50) => /** @type {any} */ ({
  name: word,
  topology: parse(word),
  invalid: null,
  rps: { median: rps, low: rps, high: rps },
  cpuMicrosPerRequest: { load: 10, proxy: 0, server: 1e6 / rps },
  memoryMiB: { proxy: 0, server: mib }
})
/** @param {string} title @param {boolean} safety @returns {CheckFailure} */
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
  sirv: [failure('suffix range', false)],
  st: [failure('no Range', false), failure('no Vary', false)],
  'node-static': [failure('dies on HEAD', true), failure('serves .env', true)]
}
const failuresOf = (/** @type {string} */ server) => check[server] ?? null
/** @param {any[]} arms */
const sentences = arms =>
  recommend(/** @type {any} */ ({ arms, plan: { twin: { arm: 'twin', of: 'sirv' } } }), failuresOf)

t.test('the fastest that fails a safety probe is never recommended, and named as one to avoid', async t => {
  const text = sentences([arm('sirv', 9000), arm('node-static', 20000)])
  t.match(text[0], /From Node itself take sirv: 9,000 req\/s .* 111 µs of CPU per request/)
  t.match(text[0], /1 failure, none of them of safety: suffix range\./)
  t.match(text[1], /Do not take node-static as it is: it fails 2 safety probes \(dies on HEAD and serves \.env\)/)
  t.notMatch(text.join(' '), /take node-static:/)
})

t.test('of servers about as fast the one with fewer failures is taken', async t => {
  t.match(sentences([arm('st', 9100), arm('sirv', 9000)])[0], /take sirv/)
  t.match(sentences([arm('st', 12000), arm('sirv', 9000)])[0], /take st/)
})

t.test('a proxy that serves the files itself is set against the best of Node', async t => {
  t.match(sentences([arm('nginx/files', 27000), arm('sirv', 9000)])[0],
    /Where a proxy may serve the files, take nginx\/files: .* 3\.0 times the fastest safe Node server/)
})

t.test('what was not checked is not recommended', async t => {
  const text = sentences([arm('sirv', 9000), arm('http-fs', 99000)])
  t.match(text[0], /take sirv/)
  t.match(text.at(-1),
    /Not checked yet, and so not recommended: http-fs\. Check with: npm run hopbench -- check http-fs/)
})

t.test('more processes are recommended only where they are faster', async t => {
  t.match(sentences([arm('sirv', 9000), arm('sirv@cluster:4', 30000)])[1],
    /With more processes sirv@cluster:4 reaches 30,000 req\/s .* 3\.3 times sirv/)
  t.notMatch(sentences([arm('sirv', 9000), arm('sirv@cluster:4', 8000)]).join(' '), /more processes/)
})

t.test('an experiment without servers of files has no recommendation', async t => {
  t.strictSame(sentences([arm('express-json', 9000), arm('http-json', 20000)]), [])
})

t.test('one that holds its files in memory has one from the disk named beside it', async t => {
  const arms = [arm('st', 30000), arm('sirv', 9000)]
  const text = recommend(/** @type {any} */ ({ arms, plan: { twin: null } }), failuresOf,
    server => server === 'st' ? 'memory' : 'disk')
  t.match(text[0], /take st:/)
  t.match(text[1], /st holds every file in memory .* where files are many or change, take sirv: 9,000 req\/s/)
})
