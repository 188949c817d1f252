import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { parseHTML } from 'linkedom'
import t from '../../support/tap.js'
import { printRecord } from '../../../bench/report/facts/facts.js'
import { toChain } from '../../../bench/report/page/view.js'
import { parse } from '../../../bench/plan/spec.js'
import { makeChain, makeServer } from '../../support/checked.js'
import { atRates, sizing } from '../../support/sizing.js'
import {
  makeArm, makeClaim, makeContrast, makeEnvironment, makePlan, makeRecord, makeSample
} from '../../support/record.js'
import { toAnswer } from '../../support/rendered.js'
import { renderPage, renderSvg } from '../../support/rendered-page.js'

/** @import { CheckRecord, RunRecord, Sample } from '../../../bench/types.js' */

/** Results of arms that are compared with nothing. */
const ALONE = { contrasts: [], claims: [], noiseFloor: null }
const samples = ['keepalive', 'tcp', 'uds', 'uds-keepalive', 'keepalive again']
  .flatMap(arm => Array.from({ length: 12 }, (_, block) => makeSample({ arm, block, rps: 10_000 + block * 10 })))

/**
 * Renders a page of the usual run with these parts replaced.
 * @param {{ record?: RunRecord, samples?: Sample[], configs?: { name: string, file: string, text: string }[], check?:
 *   CheckRecord | null }} [stored]
 */
const pageOf = stored => {
  const html = renderPage({ record: makeRecord(), samples, configs: [], check: null, ...stored })
  return { html, document: parseHTML(html).document }
}

/**
 * Returns the uncompressed text of a file embedded in the page.
 * @param {ReturnType<typeof parseHTML>['document']} document
 * @param {string} id
 */
const carried = (document, id) =>
  gunzipSync(Buffer.from(document.querySelector(`#data-${id}`)?.textContent ?? '', 'base64')).toString()

t.test('begins with the question and the answer', async t => {
  const { document } = pageOf()
  t.equal(document.querySelector('h1')?.textContent, makeRecord().question)
  t.equal(document.querySelector('.answer')?.textContent, toAnswer(makeRecord()))
})

t.test('every section has a chart and a table', async t => {
  const { document } = pageOf()
  for (const id of ['ratios', 'rates', 'costs']) {
    t.equal(document.querySelectorAll(`#${id} figure svg[role=img]`).length, 2,
      `${id} is drawn for wide and for narrow`)
    t.ok(document.querySelectorAll(`#${id} table tbody tr`).length >= 3, `${id} has a table`)
  }
  t.equal(document.querySelectorAll('#ratios table tbody tr').length, 3)
  t.equal(document.querySelectorAll('#topologies .chain').length, 4, 'the twin has no separate topology')
  t.match(document.querySelector('#claims')?.textContent, /published 1\.19 .* measured 1\.12/)
  t.match(document.querySelector('#environment')?.textContent, /Example CPU/)
})

t.test('loads nothing from other addresses and allows only its own script', async t => {
  const { html, document } = pageOf()
  const outside = [...document.querySelectorAll('[src],[href]')].map(node =>
    node.getAttribute('src') ?? node.getAttribute('href') ?? ''
  ).filter(address => !/^(#|data:)/.test(address))
  t.strictSame(outside, [])
  t.notMatch(html, /@import|url\(/)
  const script = [...document.querySelectorAll('script[type=module]')]
  t.equal(script.length, 1)
  const allowed = /script-src 'sha256-([^']+)'/.exec(
    document.querySelector('meta[http-equiv]')?.getAttribute('content') ?? ''
  )?.[1]
  const code = /<script type="module">([^]*?)<\/script>/.exec(html)?.[1] ?? ''
  t.equal(allowed, createHash('sha256').update(code).digest('base64'))
})

t.test('escapes external text', async t => {
  const evil = '<script>alert(1)</script>'
  const refused = /** @type {const} */ ({ code: 'gate-refused', params: { why: evil } })
  const record = makeRecord({
    question: evil,
    arms: [makeArm({ name: evil, spec: 'http-json' }),
      makeArm({ name: 'other', invalid: refused, rps: null })],
    contrasts: [makeContrast({
      arm: evil,
      baseline: 'other',
      verdict: 'invalid',
      why: { code: 'arm-invalid', params: { arm: evil, reason: refused } }
    })],
    warnings: [{ code: 'shared-loopback', params: { why: evil } }],
    claims: [makeClaim({
      id: evil, statement: evil, why: [{ code: 'arm-not-run', params: { arm: evil } }]
    })],
    plan: makePlan({ command: ['run', evil] }),
    environment: makeEnvironment({ kernel: evil })
  })
  const { html } = pageOf({
    record,
    samples: [makeSample({ arm: evil })],
    configs: [{ name: evil, file: evil, text: evil }]
  })
  t.notMatch(html, evil)
  t.ok(html.split('&lt;script&gt;').length > 10, 'the text is visible')
})

t.test('embeds the record, the table, the trials and the chart', async t => {
  const record = makeRecord()
  const { document } = pageOf({ record })
  const { answer, ...carriedRecord } = JSON.parse(carried(document, 'record'))
  t.equal(answer.text, toAnswer(record))
  t.equal(document.querySelector('.facts code')?.textContent, 'hopbench run uds')
  t.strictSame(carriedRecord, JSON.parse(JSON.stringify(printRecord(record))))
  t.equal(carried(document, 'table').trim().split('\n').length, 1 + record.arms.length)
  t.equal(carried(document, 'samples').trim().split('\n').length, 1 + samples.length)
  t.match(carried(document, 'svg'), /^<\?xml[^]*<svg xmlns=/)
  t.equal(document.querySelectorAll('[data-download]').length, 4)
})

t.test('a page with 100,000 trials is smaller than 3 MB', async t => {
  const many = Array.from({ length: 100_000 },
    (_, i) =>
      makeSample({
        arm: ['keepalive', 'tcp', 'uds', 'uds-keepalive'][i % 4],
        block: i >> 2,
        rps: 9000 + (i * 7919 % 3001) * 1.001,
        seconds: 0.5 + (i % 97) / 1e5
      }))
  const { html, document } = pageOf({ samples: many })
  t.ok(html.length < 3_000_000, `${html.length} bytes`)
  t.equal(document.querySelector('#data-samples'), null)
  t.match(document.querySelector('#downloads')?.textContent, /--export-samples/, 'names the command that exports them')
  t.ok(document.querySelector('#rates svg'), 'all trials are drawn')
  const most = pageOf({ samples: many.slice(0, 15_000) })
  t.ok(most.html.length < 3_000_000 && most.document.querySelector('#data-samples'),
    `${most.html.length} bytes with 15,000 trials in it`)
})

t.test('renders an interrupted run without a valid trial', async t => {
  const arms = [makeArm({ rps: null, cpuMicrosPerRequest: null, memoryMiB: null, trials: 0 })]
  const { document } = pageOf({
    record: makeRecord({ ...ALONE, arms, endedAt: null, complete: false, ended: null }),
    samples: []
  })
  t.equal(document.querySelector('.answer')?.textContent, 'There is no valid measurement.')
  t.equal(document.querySelector('#rates svg'), null)
  t.equal(renderSvg(makeRecord({ contrasts: [] })), null)
})

t.test('shows the first errors of a ladder', async t => {
  const steps = [100, 500].flatMap((connections, step) =>
    ['nginx', 'apache'].map(of =>
      makeArm({
        name: `${of} c${connections}`,
        ladder: { of, step },
        load: { engine: 'wrk', connections, path: '/', headers: {} },
        errors: { non2xx: 0, timeouts: of === 'apache' && step === 1 ? 20 : 0, resets: 0, mismatches: 0 }
      })
    )
  )
  const ladder =
    pageOf({ record: makeRecord({ protocol: 'ladder', arms: steps, contrasts: [] }), samples: [] }).document
  t.equal(ladder.querySelector('.answer')?.textContent,
    'nginx held 500 connections without an error; the first errors came with apache at 500.')
  t.match(ladder.querySelector('#ladder table')?.textContent, /20 without a response in time/)
  t.ok(ladder.querySelector('#ladder svg'))
  t.equal(ladder.querySelectorAll('#topologies .chain').length, 2, 'the steps of a ladder have one topology')
})

t.test('the check matrix shows the probes that some server fails, with the observations', async t => {
  const probes = ['one', 'two'].map(name =>
    ({ name, title: `title of ${name}`, topic: 'x', rfc: null, safety: name === 'two' }))
  const servers = ['st', 'sirv'].map(name => makeServer(name,
    [makeChain(name, probes, [['pass', ''], [name === 'st' ? 'fail' : 'pass', 'the secret']])]))
  const check = /** @type {CheckRecord} */ ({ schema: 1, tools: {}, seconds: 1, probes, servers })
  const arms = ['st', 'sirv'].map(name => makeArm({ name, spec: name, topology: parse(name) }))
  const { document } = pageOf({ record: makeRecord({ arms, contrasts: [] }), check })
  t.equal(document.querySelectorAll('#check tbody tr').length, 1)
  t.match(document.querySelector('#check tbody tr')?.textContent, /SAFETY title of two✕ fails✓/)
  t.match(document.querySelector('#check .words')?.textContent, /st: title of two: the secret/)
})

t.test('shows the proofs of a topology on the edges of its chain', async t => {
  const spec = 'nginx:uds+cache=5s/express-json@cluster:2'
  const { hops } = toChain(
    makeArm({
      spec,
      topology: parse(spec),
      proof: { upstreamConnectionsPerRequest: 0.9999, cacheHitRatio: 0.987, socketType: 'unix' }
    }),
    makeRecord()
  )
  t.strictSame(hops.map(({ title }) => title), ['autocannon 9.0.0', 'nginx 1.22.1', 'express-json'])
  t.match(hops[2], {
    details: ['cluster, 2 processes'],
    edge: {
      title: /^Unix socket, a new connection/,
      proofs: ['1.00 connections a request', 'cache: 98.7 % hits', 'socket: unix']
    }
  })
  t.match(hops[1], { details: ['cache=5s'] })
})

t.test('shows that no request for a file reached an app whose files the proxy serves', async t => {
  const spec = 'nginx:keepalive+static/./app.js'
  const topology = { ...parse(spec), files: [{ prefix: '/assets', folder: '/srv' }] }
  const proof = { ...makeArm().proof, filesAtServer: 0 }
  const { hops } = toChain(makeArm({ spec, topology, proof }), makeRecord())
  t.ok(hops.at(-1)?.edge?.proofs.includes('0 requests for files'))
})

t.test('shows the curve of a sizing, and no rates', async t => {
  const record = makeRecord({ ...ALONE, experiment: 'size', protocol: 'rates', arms: atRates, sizing })
  const { document } = pageOf({ record, samples: [] })
  t.equal(document.querySelectorAll('#load figure svg[role=img]').length, 2)
  t.match(document.querySelector('#load figure svg')?.textContent, /the goal/)
  t.equal(document.querySelector('#rates'), null, 'offered rates are not a result')
  t.match(renderSvg(record), /the goal/, 'the curve can be downloaded')
})

t.test('shows the curve of latency by load without a sizing, with the definition of its times', async t => {
  const { document } = pageOf({
    record: makeRecord({ ...ALONE, protocol: 'rates', arms: atRates }),
    samples: []
  })
  t.match(document.querySelector('.answer')?.textContent,
    'The 99th percentile of response time is 36.0 ms with app, each at 90 % of the lowest peak.')
  t.match(document.querySelector('#load')?.textContent, /scheduled send time/)
  t.notMatch(document.querySelector('#latency')?.textContent, /closed loop/)
})
