import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { toReportPages } from '../../../bench/features/check/report-pages.js'
import { writeReports } from '../../../bench/store/check-results.js'

/** @import { CheckRecord } from '../../../bench/types.js' */

const evidence = {
  request: 'GET /../`` HTTP/1.1\r\nHost: localhost\r\n\r\n',
  response: 'HTTP/1.1 200\n\n(5 bytes of body)',
  command: 'curl x'
}
/** @type {CheckRecord} */
const record = {
  schema: 1,
  tools: { nginx: '1.30.6', caddy: '2.11.4' },
  seconds: 1,
  probes: [
    { name: 'etag', title: 'a title', topic: 'T', rfc: 'RFC 9110, 13.1.2', safety: false },
    { name: 'dotfiles', title: 'none is served', topic: 'T', rfc: null, safety: true },
    { name: 'head', title: 'passes', topic: 'T', rfc: null, safety: false }
  ],
  servers: [{
    name: 'st+production',
    about: /** @type {any} */ ({ package: 'st' }),
    version: '4.0.13',
    checkedAt: '2026-01-01',
    node: '26.10.0',
    chains: [{
      spec: 'nginx:uds/st+production',
      proxy: 'nginx',
      transport: 'uds',
      error: null,
      results: [
        { probe: 'etag', outcome: 'fail', saw: '200 <b>\n# heading', evidence, died: false },
        { probe: 'dotfiles', outcome: 'fail', saw: '/.env is served', died: false },
        { probe: 'head', outcome: 'pass', saw: '200', died: false }
      ]
    }]
  }]
}

t.test('writes a page for each failure, that of safety marked for a private report', async t => {
  const pages = toReportPages(record)
  t.strictSame(pages.map(({ file }) => file), ['st+production-dotfiles.md', 'st+production-etag.md'])
  const [unsafe, other] = pages.map(({ text }) => text)
  t.match(unsafe, /^# st\+production: dotfiles fails\n\n\*\*Report privately first\*\*/)
  t.notMatch(other, /privately/)
  t.match(other, /- Versions: st 4\.0\.13, Node 26\.10\.0, nginx 1\.30\.6\n/)
  t.notMatch(other, /caddy/)
  t.match(other, /section 13\.1\.2\]\(https:\/\/www\.rfc-editor\.org\/rfc\/rfc9110#section-13\.1\.2\)/)
  t.match(other, /## Request\n\n {4}GET \/\.\.\/`` HTTP\/1\.1\n {4}Host: localhost\n\n## Response\n\n {4}HTTP/)
  t.match(other, /\n {4}curl x\n$/)
  t.match(other, /- Seen: 200 &lt;b> # heading\n/, 'a response makes neither HTML nor a heading')
})

t.test('stores the pages in the folder reports, without control characters', async t => {
  const results = t.testdir()
  const dir = await writeReports([{ file: 'a.md', text: 'a\u001b[31mb\n' }], results)
  t.equal(dir, join(results, 'reports'))
  t.equal(readFileSync(join(dir, 'a.md'), 'utf8'), 'a[31mb\n')
})
