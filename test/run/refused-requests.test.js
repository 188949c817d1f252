/** Requests of a log that an app refuses: left out of every arm up to a tenth of the traffic, and rejected beyond. */
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import t from '../support/tap.js'
import { isHopbenchError } from '../../bench/errors.js'
import { createArm } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { createPlan } from '../../bench/features/size/record.js'
import { findWarnings } from '../../bench/judge/warnings.js'
import { printWarning } from '../../bench/report/facts/facts.js'
import { printBrief } from '../../bench/report/facts/warning-texts.js'
import { leaveOutRefused } from '../../bench/run/refused-requests.js'
import { makePlan, makeRecord } from '../support/record.js'
import { listening } from '../support/listening.js'

/** @import { Test } from 'tap' */
/** @import { Plan } from '../../bench/types.js' */

/**
 * @param {Test} t
 * @param {Record<string, number>} statuses of paths; others get 200
 */
const start = async (t, statuses) => listening(t, createServer(({ url = '' }, response) => {
  if (url !== '/big') return response.writeHead(statuses[url] ?? 200).end('body')
  for (let i = 0; i < 11; i++) response.write(Buffer.alloc(2 ** 20))
  response.end()
}))

/**
 * @param {Test} t
 * @param {number[]} ports of apps
 * @param {string[]} paths
 * @returns {Promise<{ paths: (string[] | undefined)[], notes: string[], refused: Plan['refused'] }>}
 */
async function leaveOut (t, ports, paths) {
  const dir = t.testdir({})
  let folders = 0
  /** @type {string[]} */
  const notes = []
  const arms = ports.map((port, i) => ({
    ...createArm(parse(`http://127.0.0.1:${port}`),
      { engine: 'paced', connections: 1, path: paths[0], paths, headers: {} }),
    name: `app ${i}`
  }))
  const { arms: left, refused } = await leaveOutRefused(arms, {
    lab: false,
    cores: null,
    cwd: dir,
    temp: dir,
    printProgress: text => notes.push(text),
    folder (name) {
      const path = join(dir, `${name}${folders++}`)
      mkdirSync(path)
      return path
    }
  })
  return { paths: left.map(({ load }) => load.paths), notes, refused }
}

t.test('leaves a path that one app refuses out of all arms, and prints its share', async t => {
  const ports = await Promise.all([start(t, { '/gone': 404 }), start(t, { '/login': 302 })])
  const good = Array.from({ length: 37 }, (_, i) => `/p${i % 5}`)
  const { paths, notes, refused } = await leaveOut(t, ports, ['/gone', ...good, '/login', '/big'])
  t.strictSame(paths, [good, good])
  t.equal(notes.at(-1), 'left out: 7.5 % of the requests (/gone gets status 404, /big gets no response of up to ' +
    '10 MiB, /login gets status 302)')
  t.strictSame(refused, {
    share: 0.075,
    requests: ['/gone gets status 404', '/big gets no response of up to 10 MiB', '/login gets status 302'],
    more: 0
  })
})

t.test('the plan of a sizing, its record and the report contain the share of the refused requests', async t => {
  const refused = { share: 0.05, requests: ['/gone gets status 404'], more: 2 }
  const arms = [createArm(parse('http-json'), { engine: 'paced', connections: 1, path: '/', headers: {} })]
  const plan = createPlan({ arms, refused, rate: 1, p99Ms: 9, seed: 1, quick: true, argv: ['size'] }, [0.5])
  t.strictSame(plan.refused, refused)
  const [{ command, ...warning }] = findWarnings(makeRecord({ plan: makePlan({ refused: plan.refused }) }))
  t.strictSame(warning, { code: 'requests-refused', params: refused })
  t.match(printWarning(warning).text, 'app refuses them: 5 % of the requests (/gone gets status 404, 2 others).')
  t.match(printBrief(warning, 80), /^5 % of the requests were left out/)
})

t.test('changes nothing if the apps refuse nothing', async t => {
  const { paths, notes } = await leaveOut(t, [await start(t, {})], ['/a', '/b', '/a'])
  t.strictSame(paths, [['/a', '/b', '/a']])
  t.equal(notes.filter(note => note.startsWith('left out')).length, 0)
})

t.test('the weight of the refused requests decides, not the number of their paths', async t => {
  const port = await start(t, { '/gone': 410, '/no': 500 })
  await fc.assert(fc.asyncProperty(fc.nat(6), fc.nat(6), fc.integer({ min: 1, max: 60 }), async (gone, no, good) => {
    const kept = Array.from({ length: good }, (_, i) => `/${i % 3}`)
    const all = [...kept, ...Array(gone).fill('/gone'), ...Array(no).fill('/no')]
    const result = await leaveOut(t, [port], all).catch(error => error)
    const isFew = gone + no <= 0.1 * all.length
    if (isFew) t.strictSame(result.paths, [kept])
    else t.ok(isHopbenchError(result, 'bad-option'), `${gone} and ${no} of ${all.length}`)
  }), { numRuns: 10 })
})
