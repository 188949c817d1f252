/** Tests the report of a configuration of one's own, and its findings as SARIF. */
import { Ajv } from 'ajv'
import fc from 'fast-check'
import t from '../../support/tap.js'
import { ownKind, toSarif } from '../../../bench/features/own-config/kind.js'
import { printReport } from '../../../bench/report/terminal.js'

/** @import { OwnRecord } from '../../../bench/features/own-config/types.js' */

/** @type {OwnRecord} */
const RECORD = {
  schema: 1,
  path: './nginx.conf',
  root: '/x',
  program: 'nginx',
  version: '1.22.1',
  checkedAt: '2027-01-01T00:00:00.000Z',
  seconds: 9.6,
  notes: [],
  supplied: ['the host app'],
  apps: {},
  gixy: [{ plugin: 'host_spoofing', severity: 'MEDIUM', summary: 'The Host header is passed on.' }],
  rejected: null,
  skipped: [{ why: 'no app responds through it (status 401)', file: 'nginx.conf', line: 20 }],
  blocks: [{
    index: 0,
    host: 'shop.example',
    port: 80,
    tls: false,
    file: 'my conf/nginx.conf',
    line: 9,
    base: '',
    listen: { port: 80, tls: false },
    from: null,
    isOwn: false
  }],
  behaviours: [
    { name: 'large-upload', title: 'an upload of 10 MB arrives whole' }, { name: 'events', title: 'events' }
  ],
  cells: [
    { block: 0, behaviour: 'large-upload', outcome: 'fails', detail: 'status 413' },
    { block: 0, behaviour: 'events', outcome: 'holds', detail: null }
  ],
  findings: [{
    block: 0,
    behaviour: 'large-upload',
    outcome: 'fails',
    detail: 'status 413',
    sees: 'Uploads above 1 MB get 413.',
    advice: 'Set client_max_body_size.',
    places: [{ file: 'my conf/nginx.conf', line: 12 }],
    patch: '--- a/my conf/nginx.conf\n+++ b/my conf/nginx.conf\n@@ -12,1 +12,2 @@\n   a;\n' +
      '+  client_max_body_size 20m;\n'
  }],
  patch: ''
}

t.test('reports what visitors see, the place and the changed lines', async t => {
  t.equal(printReport(RECORD, ownKind, { columns: 80 }), `1 of 2 behaviours of ./nginx.conf fails with nginx 1.22.1.

Uploads above 1 MB get 413.
large-upload at http://shop.example:80: status 413.
my conf/nginx.conf:12
+ client_max_body_size 20m;

What holds
events: events

Findings of gixy
host_spoofing (medium): The Host header is passed on.

Not tried
nginx.conf:20: no app responds through it (status 401)

Tried in 10 s, in a private network and file system
- Server blocks: http://shop.example:80 (my conf/nginx.conf:9).
- Supplied: the host app. The app of the check responds at each host.
`)
})

t.test('states which app responds', async t => {
  const toLast = (/** @type {Record<string, string>} */ apps) =>
    printReport({ ...RECORD, apps }, ownKind, { columns: 200 }).trim().split('\n').at(-1)
  t.equal(toLast({ pages: 'npm start' }),
    '- Supplied: the host app. "npm start" responds at pages. The app of the check responds at each other host.')
  t.equal(toLast({ '': 'npm start' }), '- Supplied: the host app. "npm start" responds at each app.')
})

t.test('reports why a configuration cannot be tried, with its line', async t => {
  const rejected = { why: 'unknown directive "http2"', file: 'nginx.conf', line: 3 }
  const record = { ...RECORD, rejected, blocks: [], cells: [], findings: [] }
  t.equal(ownKind.answer(record).text, './nginx.conf cannot be tried: unknown directive "http2" (nginx.conf:3).')
})

t.test('SARIF has a rule for each result, and places below the root of the source', async t => {
  const sarif = toSarif({ ...RECORD, rejected: { why: 'x', file: 'a.conf', line: 0 } }, '1.2.3')
  t.strictSame(sarif.runs[0].tool.driver.rules.map(({ id }) => id), ['large-upload', 'cannot-be-tried'])
  t.strictSame(sarif.runs[0].results.map(({ ruleId, ruleIndex, level }) => [ruleId, ruleIndex, level]),
    [['large-upload', 0, 'warning'], ['cannot-be-tried', 1, 'error']])
  t.strictSame(sarif.runs[0].results.map(({ locations: [{ physicalLocation }] }) => physicalLocation), [
    { artifactLocation: { uri: 'my%20conf/nginx.conf', uriBaseId: '%SRCROOT%' }, region: { startLine: 12 } },
    { artifactLocation: { uri: 'a.conf', uriBaseId: '%SRCROOT%' }, region: { startLine: 1 } }
  ])
  t.equal(sarif.version, '2.1.0')
})

/**
 * Returns the schema of an object without further members.
 * @param {Record<string, object>} properties
 * @param {...string} required
 */
const toObject = (properties, ...required) => ({ type: 'object', additionalProperties: false, properties, required })
const TEXT = toObject({ text: { type: 'string', minLength: 1 } }, 'text')
const LOCATION = toObject({
  physicalLocation: toObject({
    artifactLocation: toObject({ uri: { type: 'string', pattern: '^[!-~]+$' }, uriBaseId: { type: 'string' } }, 'uri'),
    region: toObject({ startLine: { type: 'integer', minimum: 1 } }, 'startLine')
  }, 'artifactLocation')
}, 'physicalLocation')
const UNIQUE = { type: 'array', uniqueItems: true }
/** Constraints of SARIF 2.1.0 (OASIS, errata 01) on the members that are written. */
const SARIF = toObject({
  $schema: { type: 'string' },
  version: { const: '2.1.0' },
  runs: {
    type: 'array',
    items: toObject({
      tool: toObject({
        driver: toObject({
          name: { type: 'string' },
          version: { type: 'string' },
          rules: { ...UNIQUE, items: toObject({ id: { type: 'string' }, shortDescription: TEXT }, 'id') }
        }, 'name')
      }, 'driver'),
      results: {
        type: 'array',
        items: toObject({
          ruleId: { type: 'string' },
          ruleIndex: { type: 'integer', minimum: 0 },
          level: { enum: ['none', 'note', 'warning', 'error'] },
          message: TEXT,
          // Code scanning of GitHub rejects results without a place.
          locations: { type: 'array', minItems: 1, items: LOCATION },
          relatedLocations: { ...UNIQUE, items: LOCATION }
        }, 'message', 'locations')
      }
    }, 'tool')
  }
}, 'version', 'runs')

t.test('any findings are valid SARIF, and each refers to its rule', async t => {
  const validate = new Ajv().compile(SARIF)
  const line = fc.integer({ min: 1, max: 3 })
  const place = fc.record({ file: fc.constantFrom('a.conf', 'my conf/ü.conf', 'c'), line })
  const finding = fc.record({
    block: fc.nat(2),
    behaviour: fc.constantFrom('large-upload', 'events'),
    outcome: fc.constant(/** @type {const} */ ('fails')),
    detail: fc.string(),
    sees: fc.constant('It fails.'),
    advice: fc.constant('No change mends it.'),
    places: fc.uniqueArray(place, { minLength: 1, selector: ({ file, line }) => `${file}:${line}` }),
    patch: fc.string()
  })
  const file = fc.option(fc.constant('a b.conf'))
  const rejected = fc.option(fc.record({ why: fc.string(), file, line }))
  fc.assert(fc.property(fc.array(finding, { maxLength: 4 }), rejected, (findings, rejected) => {
    const sarif = toSarif({ ...RECORD, findings, rejected }, '1.2.3')
    const [{ tool: { driver: { rules } }, results }] = sarif.runs
    t.equal(validate(sarif), true, { errors: validate.errors })
    t.strictSame(results.map(({ ruleIndex }) => rules[ruleIndex].id), results.map(({ ruleId }) => ruleId))
    t.equal(results.length, findings.length + (rejected?.file ? 1 : 0))
  }), { numRuns: 100 })
})
