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
const uncached = { cached: false }
/**
 * @param {[object, number][]} groups
 * @param {string[]} [failures]
 */
const findings = (groups, failures = []) => ({
  answers: groups.map(([change, times]) => ({ answer: { ...right, ...change }, times })),
  failures,
  body: null
})

t.test('accepts 200 correct responses', async t => {
  t.equal(judgeAnswers(findings([[{}, 200]]), expectation, uncached), null)
})

t.test('rejects one wrong body in 200 responses', async t => {
  t.match(judgeAnswers(findings([[{}, 199], [{ sha256: 'f'.repeat(64) }, 1]]), expectation, uncached),
    /the body differs from the expected one .* in 1 of 200/)
})

t.test('rejects another Content-Type, Content-Length or Content-Encoding', async t => {
  t.match(judgeAnswers(findings([[{ contentType: 'text/plain' }, 200]]), expectation, uncached),
    /Content-Type is text\/plain/)
  t.match(judgeAnswers(findings([[{ contentLength: '999' }, 200]]), expectation, uncached), /Content-Length is 999/)
  t.match(judgeAnswers(findings([[{ contentEncoding: 'gzip' }, 200]]), expectation, uncached),
    /Content-Encoding is gzip/)
})

t.test('tolerates a few error responses and rejects many', async t => {
  t.equal(judgeAnswers(findings([[{}, 199], [{ status: 500, sha256: 'e' }, 1]]), expectation, uncached), null)
  t.match(judgeAnswers(findings([[{}, 100], [{ status: 500 }, 100]]), expectation, uncached),
    /100 of 200 responses were errors \(status 500\)/)
  t.match(judgeAnswers(findings([], ['connect ECONNREFUSED']), expectation, uncached),
    /1 of 1 responses were errors \(connect ECONNREFUSED\)/)
})

t.test('requires responses from the cache after the first round', async t => {
  const cached = { cached: true }
  t.equal(judgeAnswers(findings([[{ cache: 'HIT' }, 196], [{ cache: 'MISS' }, 4]]), expectation, cached), null)
  t.equal(judgeAnswers(findings([[{ cache: 'MISS' }, 8], [{ cache: 'HIT' }, 192]]), expectation, cached), null,
    'a cache that stores a response some time after sending it')
  t.match(judgeAnswers(findings([[{ cache: 'MISS' }, 30], [{ cache: 'HIT' }, 170]]), expectation, cached),
    /only 170 of 200/)
  t.match(judgeAnswers(findings([[{ cache: 'MISS' }, 200]]), expectation, cached),
    /only 0 of 200 responses came from the cache/)
  t.match(judgeAnswers(findings([[{}, 200]]), expectation, cached), /only 0 of 200/)
})

t.test('checks status and type even if bodies are not compared', async t => {
  const loose = { ...expectation, sha256: null }
  t.equal(judgeAnswers(findings([[{ sha256: 'a' }, 100], [{ sha256: 'b' }, 100]]), loose, uncached), null)
  t.match(judgeAnswers(findings([[{ contentType: 'text/html' }, 200]]), loose, uncached), /Content-Type/)
})

t.test('decompresses bodies in an accepted encoding before comparing them', async t => {
  const page = { ...expectation, contentType: 'text/html', encodings: ['gzip'] }
  const packed = {
    contentType: 'text/html',
    contentEncoding: 'gzip',
    sha256: 'p',
    bytes: 400,
    contentLength: '400',
    plainSha256: expectation.sha256
  }
  t.equal(judgeAnswers(findings([[packed, 200]]), page, uncached), null)
  t.match(judgeAnswers(findings([[{ ...packed, plainSha256: 'other' }, 200]]), page, uncached),
    /the body differs from the expected one/)
  t.match(judgeAnswers(findings([[{ ...packed, plainSha256: null }, 200]]), page, uncached), /the body is not gzip/)
  t.match(judgeAnswers(findings([[{ ...packed, contentEncoding: 'br' }, 200]]), page, uncached),
    /the body differs from the expected one/, 'br was not accepted')
})

t.test('rejects uncompressed responses of an arm with compression', async t => {
  const page = { ...expectation, contentType: 'text/html', encodings: ['gzip'] }
  const plain = { contentType: 'text/html' }
  t.equal(judgeAnswers(findings([[plain, 200]]), page, uncached), null)
  t.match(judgeAnswers(findings([[plain, 200]]), page, { cached: false, compresses: true }),
    /nothing was compressed, although gzip is accepted/)
})

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
