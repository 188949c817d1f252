/** Tests that a page with figures of Node from before the measured warm-up has the notice, and no other page has it. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { beforeWarmUpSentence, isBeforeWarmUp } from '../../bench/features/publish/before-warm-up-text.js'
import { PROJECT } from '../../bench/plan/plugins.js'
import { makePlan, makeRecord } from '../support/record.js'
import { readReferenceRuns } from '../support/reference-runs.js'

/** @import { RunRecord } from '../../bench/types.js' */

/** Experiments of which a page quotes the last stored run, other than by its name or by a ratio with its interval. */
const QUOTED = new Map([
  ['docs/behaviour.md', 'app-weight'],
  ['docs/deploy.md', 'recommended'],
  ['docs/sizing.md', 'size'],
  ['docs/sizing-method.md', 'size']
])
/** Describes the warm-up itself. */
const METHOD = 'docs/method.md'

/** @type {RunRecord[]} */
const runs = []
for await (const { record } of readReferenceRuns()) runs.push(record)
const pages = ['README.md', ...readdirSync(join(PROJECT, 'docs')).filter(name => name.endsWith('.md'))
  .map(name => `docs/${name}`)].filter(page => page !== METHOD)

/** A ratio with its interval, as in "serves 1.14 (1.07 to 1.22) times as much". */
const RATIO = /(\d+\.\d\d)[^()]{0,30}\((\d+\.\d\d) to (\d+\.\d\d)\)/g
const printRatios = (/** @type {RunRecord} */ { contrasts }) => contrasts.map(({ ratio, low, high }) =>
  [ratio, low, high].map(value => value?.toFixed(2)).join())

/** Ratios of runs with a measured warm-up. An older run with the same ratio is not the one that a page quotes. */
const warm = new Set(runs.filter(record => !isBeforeWarmUp(record)).flatMap(printRatios))

/**
 * @param {string} page
 * @param {string} text
 */
function findQuotedRuns (page, text) {
  const ratios = [...text.matchAll(RATIO)].map(([, ...figures]) => figures.join()).filter(ratio => !warm.has(ratio))
  const last = runs.findLast(({ experiment }) => experiment === QUOTED.get(page))
  return runs.filter(record => record === last || text.includes(record.run) ||
    printRatios(record).some(ratio => ratios.includes(ratio)))
}

for (const page of pages) {
  t.test(`${page} says whether its figures of Node are older than the measured warm-up`, async t => {
    const text = readFileSync(join(PROJECT, page), 'utf8')
    const method = page === 'README.md' ? METHOD : 'method.md'
    const sentence = String(beforeWarmUpSentence([makeRecord()], { method }))
    const old = findQuotedRuns(page, text).filter(isBeforeWarmUp).map(({ run }) => run)
    t.equal(text.replace(/\s+/g, ' ').includes(sentence), old.length > 0, old.join(', '))
  })
}

t.test('the quoted experiments have stored runs', async t => {
  for (const [page, name] of QUOTED) t.ok(runs.some(({ experiment }) => experiment === name), `${page}: ${name}`)
})

t.test('a run is older than the measured warm-up if its plan has none, and a server of hopbench', async t => {
  const isOld = (/** @type {Parameters<typeof makePlan>[0]} */ plan, tools = {}) =>
    isBeforeWarmUp(makeRecord({ plan: makePlan(plan), tools }))
  const [arm] = makePlan().arms
  const { topology } = arm
  const server = /** @type {NonNullable<typeof topology.server>} */ (topology.server)
  const withServer = (/** @type {typeof topology.server} */ server) =>
    ({ arms: [{ ...arm, topology: { ...topology, server } }] })
  t.equal(isOld({}), true)
  t.equal(isOld({ warmUp: { limitSeconds: 60 } }), false)
  t.equal(isOld({ protocol: 'plays' }), false, 'a protocol without a warm-up')
  t.equal(isOld({ protocol: 'series' }), false)
  t.equal(isOld(withServer(null)), false, 'a proxy that serves files')
  t.equal(isOld(withServer({ ...server, name: 'nginx' }), { nginx: '1.30.6' }), false, 'a server that is a program')
  t.equal(isOld(withServer({
    ...server, command: { run: 'node a.js', listen: ['tcp'], cwd: '/', readySeconds: 60 }
  })), false, 'an app of an unknown runtime')
})
