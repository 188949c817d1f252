/** @import { StagedArm } from '../../../bench/measure/types.js' */
import t from '../../support/tap.js'
import { expected, jsonFixture } from '../../../bench/topology/fixtures/fixtures.js'
import { gateRequests, judgeAnswers } from '../../../bench/measure/gate/gate.js'
import { rejectDifferent } from '../../../bench/measure/stage.js'

const expectation = expected(jsonFixture(), 'application/json; charset=utf-8')
const right = {
  status: 200,
  sha256: /** @type {string} */ (expectation.sha256),
  bytes: 1024,
  contentType: 'application/json; charset=utf-8',
  contentLength: '1024',
  contentEncoding: null,
  cache: null
}
/**
 * @param {[object, number][]} groups
 * @param {string[]} failures
 */
const findings = (groups, failures) => ({
  answers: groups.map(([change, times]) => ({ answer: { ...right, ...change }, times })),
  failures,
  body: null
})

const loose = { expected: { ...expectation, sha256: null } }
const page = { expected: { ...expectation, contentType: 'text/html', encodings: ['gzip'] } }
const plainPage = { contentType: 'text/html' }
const packed = {
  ...plainPage, contentEncoding: 'gzip', sha256: 'p', bytes: 400, contentLength: '400', plainSha256: expectation.sha256
}
const [hit, miss, cached] = [{ cache: 'HIT' }, { cache: 'MISS' }, { cached: true }]

/**
 * Responses with their numbers, and the reason of a rejection. null: accepted.
 * @type {[string, [object, number][], RegExp | null, object?][]}
 */
const JUDGED = [
  ['200 correct responses', [[{}, 200]], null],
  ['one wrong body', [[{}, 199], [{ sha256: 'f'.repeat(64) }, 1]],
    /the body differs from the expected one .* in 1 of 200/],
  ['another Content-Type', [[{ contentType: 'text/plain' }, 200]], /Content-Type is text\/plain/],
  ['another Content-Length', [[{ contentLength: '999' }, 200]], /Content-Length is 999/],
  ['another Content-Encoding', [[{ contentEncoding: 'gzip' }, 200]], /Content-Encoding is gzip/],
  ['a few errors', [[{}, 199], [{ status: 500, sha256: 'e' }, 1]], null],
  ['many errors', [[{}, 100], [{ status: 500 }, 100]], /100 of 200 responses were errors \(status 500\)/],
  ['a failed connection', [], /1 of 1 responses were errors \(connect ECONNREFUSED\)/,
    { failures: ['connect ECONNREFUSED'] }],
  ['a cache that is filled by the first round', [[hit, 196], [miss, 4]], null, cached],
  ['a cache that stores a response some time after sending it', [[miss, 8], [hit, 192]], null, cached],
  ['a cache with misses', [[miss, 30], [hit, 170]], /only 170 of 200/, cached],
  ['a cache without hits', [[miss, 200]], /only 0 of 200 responses came from the cache/, cached],
  ['no cache in place of one', [[{}, 200]], /only 0 of 200/, cached],
  ['bodies that are not compared', [[{ sha256: 'a' }, 100], [{ sha256: 'b' }, 100]], null, loose],
  ['another type of bodies that are not compared', [[plainPage, 200]], /Content-Type/, loose],
  ['a compressed body', [[packed, 200]], null, page],
  ['another compressed body', [[{ ...packed, plainSha256: 'other' }, 200]], /the body differs from the expected/, page],
  ['a body that is not compressed as stated', [[{ ...packed, plainSha256: null }, 200]], /the body is not gzip/, page],
  ['an encoding that was not accepted', [[{ ...packed, contentEncoding: 'br' }, 200]],
    /the body differs from the expected one/, page],
  ['an uncompressed body', [[plainPage, 200]], null, page],
  ['an uncompressed body of an arm with compression', [[plainPage, 200]],
    /nothing was compressed, although gzip is accepted/, { ...page, compresses: true }]
]
for (const [name, groups, rejection, options] of JUDGED) {
  t.test(`${rejection ? 'rejects' : 'accepts'} ${name}`, async t => {
    const { expected = expectation, failures = [], ...rest } = /** @type {any} */ (options ?? {})
    const why = judgeAnswers(findings(groups, failures), expected, { cached: false, ...rest })
    return rejection ? t.match(why, rejection) : t.equal(why, null)
  })
}

t.test('sends 200 requests, and fewer only for files of more than a megabyte', async t => {
  t.strictSame([0, 1024, 2 ** 20, 10 * 2 ** 20, 2 ** 30].map(gateRequests), [200, 200, 200, 20, 8])
})

/** @type {(name: string, path: string, sha256: string) => StagedArm} */
const staged = (name, path, sha256) => /** @type {any} */ (
  { arm: { name, load: { path, headers: {} } }, answer: { status: 200, bytes: 10, sha256 } })

/**
 * @param {string} name
 * @param {Record<string, string | null>} hashes by path
 * @param {{ bytes?: number, compare?: string[] }} [options]
 */
const answered = (name, hashes, { bytes = 10, compare } = {}) => /** @type {StagedArm} */ (/** @type {any} */ ({
  arm: { name, load: { path: '/', headers: {}, compare } },
  answers: new Map(Object.entries(hashes).map(([path, sha256]) =>
    [path, { status: 200, bytes, sha256, exactBytes: compare?.includes('length') }]))
}))

t.test('names the path at which two apps differ, and compares decoded bodies', async t => {
  const old = answered('old', { '/': 'one', '/a': 'two', '/time': null })
  const same = answered('new', { '/': 'one', '/a': 'two', '/time': null }, { bytes: 99 })
  t.doesNotThrow(() => rejectDifferent([old, same]))
  t.throws(() => rejectDifferent([old, answered('new', { '/': 'one', '/a': 'other', '/time': null })]),
    { code: 'answers-differ', message: /^old and new .*at \/a, with bodies that are not the same/ })
})

t.test('a body that varies in only one of two apps is a difference, unless --compare excludes bodies', async t => {
  const hashes = { '/': 'one', '/time': null }
  const fixed = { '/': 'one', '/time': 'two' }
  t.throws(() => rejectDifferent([answered('old', fixed), answered('new', hashes)]),
    { code: 'answers-differ', message: /at \/time, with a body that varies .* in only one of them/ })
  const varies = { ...staged('new', '/', ''), answer: { status: 200, bytes: null, sha256: null } }
  t.throws(() => rejectDifferent([staged('old', '/', 'one'), varies]), { code: 'answers-differ' })
  const byStatus = { compare: ['status'] }
  t.doesNotThrow(() => rejectDifferent([answered('old', fixed, byStatus), answered('new', hashes, byStatus)]))
})

t.test('--compare length compares the length of each response of a mix', async t => {
  const compare = ['length']
  const old = answered('old', { '/': null }, { compare })
  t.doesNotThrow(() => rejectDifferent([old, answered('new', { '/': null }, { compare })]))
  t.throws(() => rejectDifferent([old, answered('new', { '/': null }, { bytes: 12, compare })]),
    { code: 'answers-differ', message: /at \/, with 10 and 12 bytes/ })
})

t.test('compares responses of arms within a contrast, not across contrasts', async t => {
  const arms = [staged('a', '/a', 'one'), staged('a behind nginx', '/a', 'one'), staged('b', '/b', 'two')]
  t.doesNotThrow(() => rejectDifferent(arms, [['a behind nginx', 'a']]))
  t.throws(() => rejectDifferent(arms, [['a behind nginx', 'a'], ['b', 'a']]),
    { code: 'answers-differ', message: /^a and b .*\/a.*\/b/ })
  t.throws(() => rejectDifferent(arms), { code: 'answers-differ' }, 'without contrasts each arm and the first')
  t.doesNotThrow(() => rejectDifferent(arms.slice(0, 2)))
  t.doesNotThrow(() => rejectDifferent(arms.slice(0, 1), [['a behind nginx', 'a']]), 'the gate refused the other arm')
})
