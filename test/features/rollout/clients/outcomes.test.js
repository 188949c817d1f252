/** Tests how responses are assigned to builds. */
import t from '../../../support/tap.js'
import { isRight, judgeFile, judgePage } from '../../../../bench/features/rollout/clients/outcomes.js'
import { makeFiles, makeSite, makeSites } from '../../../support/rollout-sites.js'

/** @import { Result } from '../../../../bench/load/scenario-client.js' */

/**
 * @param {string} body
 * @param {string} [type]
 * @returns {Result}
 */
const toResponse = (body, type = 'text/javascript') => ({
  outcome: 'ok',
  ms: 1,
  status: 200,
  headers: { 'content-type': type },
  body: Buffer.from(body),
  isKept: false,
  isSilent: false
})

const sites = makeSites()
const [oldFiles, newFiles] = [makeFiles('old'), makeFiles('new')]
const html = (/** @type {string} */ text) => toResponse(text, 'text/html')

t.test('assigns a page to the build that sends its bytes', async t => {
  t.strictSame(judgePage(sites, html(oldFiles['/'][1])), { outcome: 'ok', builds: ['old'] })
  t.strictSame(judgePage(sites, html(newFiles['/'][1])), { outcome: 'ok', builds: ['new'] })
  const same = { old: sites.old, new: { ...sites.new, pageDigest: sites.old.pageDigest } }
  t.strictSame(judgePage(same, html(oldFiles['/'][1])), { outcome: 'ok', builds: ['old', 'new'] })
})

t.test('assigns a page that differs by request to the build whose files it names', async t => {
  const varying = { old: { ...sites.old, pageDigest: null }, new: { ...sites.new, pageDigest: null } }
  const page = html(`<p>12:00</p>${newFiles['/'][1]}<script src="/assets/vendor-Cc3dEfGh.js">`)
  t.strictSame(judgePage(varying, page), { outcome: 'ok', builds: ['new'] })
  t.strictSame(judgePage(sites, page), { outcome: 'ok', builds: ['new'] })
  t.strictSame(judgePage(varying, html('12:00')), { outcome: 'ok', builds: ['old', 'new'] })
})

t.test('reports a page that neither build sends', async t => {
  t.strictSame(judgePage(sites, html('<h1>We are back soon</h1>')), { outcome: 'unknown', builds: [] })
  const plain = { old: { ...sites.old, files: [] }, new: { ...sites.new, files: [] } }
  t.strictSame(judgePage(plain, html('12:00')).outcome, 'ok', 'without files nothing shows the build')
  t.strictSame(judgePage(sites, { ...html(''), outcome: 'status-503' }), { outcome: 'status-503', builds: [] })
})

t.test('reports a file that is gone, also if a page is in its place', async t => {
  const [path] = sites.old.lateFiles.map(file => file.path)
  const judge = (/** @type {Result} */ response) => judgeFile(sites, ['old'], path, response).outcome
  t.equal(judge({ ...html('missing'), outcome: 'status-404' }), 'gone')
  t.equal(judge({ ...html('missing'), outcome: 'status-410' }), 'gone')
  t.equal(judge({ ...html('missing'), outcome: 'status-500' }), 'status-500')
  t.equal(judge(html('<p>any page</p>')), 'gone')
  t.equal(judge(toResponse(newFiles['/'][1])), 'gone', 'the page with a wrong type')
  t.equal(judge(toResponse('neither')), 'unknown')
  t.equal(judge(toResponse(oldFiles[path][1])), 'ok')
})

t.test('reports the content of the other build', async t => {
  const judge = (/** @type {('old' | 'new')[]} */ builds, /** @type {string} */ body) =>
    judgeFile(sites, builds, '/icon.svg', toResponse(body))
  const [older, newer] = [oldFiles['/icon.svg'][1], newFiles['/icon.svg'][1]]
  t.strictSame(judge(['old'], newer), { outcome: 'mixed', builds: ['old'] })
  t.strictSame(judge(['new'], older), { outcome: 'mixed', builds: ['new'] })
  t.strictSame(judge(['old', 'new'], newer), { outcome: 'ok', builds: ['new'] }, 'the file shows the build')
  const vendor = '/assets/vendor-Cc3dEfGh.js'
  t.strictSame(judgeFile(sites, ['old', 'new'], vendor, toResponse(oldFiles[vendor][1])),
    { outcome: 'ok', builds: ['old', 'new'] }, 'both builds have it')
})

t.test('counts as lost all but right, repeated and closed', async t => {
  t.strictSame(['ok', 'repeated', 'closed', 'gone-recovered', 'mixed', 'reset'].filter(isRight),
    ['ok', 'repeated', 'closed'])
  t.equal(makeSite('old').files.length, 5)
})
