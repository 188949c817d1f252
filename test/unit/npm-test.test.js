import t from 'tap'
import { describeTotals, reportTap } from '../report.js'

/** What tap prints for one file that passes and skips, and one that fails. */
const OUTPUT = `TAP version 14
1..3
# Subtest: test/unit/good.test.js
    # Subtest: a sum
        ok 1 - should be equal
        ok 2 - not here # SKIP no nginx
        1..2
    ok 1 - a sum # time=3.75ms
    1..1
ok 1 - test/unit/good.test.js # time=1200ms

# Subtest: test/unit/bad.test.js
    # Subtest: objects
        not ok 1 - same objects
          ---
          diff: |
            --- expected
            +++ actual
            -    3,
            +    2,
          at:
            fileName: test/unit/bad.test.js
            lineNumber: 4
            columnNumber: 32
          ...
        1..1
    not ok 1 - objects # time=12ms
    1..1
not ok 2 - test/unit/bad.test.js # time=23ms

# Subtest: test/unit/crashed.test.js
    1..0 # no tests found
not ok 3 - test/unit/crashed.test.js # time=9ms
  ---
  command: /usr/bin/node
  exitCode: 1
  ...

`
const SUMMARY = '# { total: 4, pass: 1, fail: 2, skip: 1 }\n'

const read = (/** @type {string} */ output) => {
  /** @type {string[]} */
  const lines = []
  const { parser, totals } = reportTap(line => lines.push(line))
  parser.end(output)
  return { lines, text: lines.join('\n'), totals: totals() }
}

t.test('a line for each file, and the diagnostics of each failure', async t => {
  const { lines, text } = read(OUTPUT + SUMMARY)
  t.equal(lines[0], '  ok     test/unit/good.test.js: 1 passed, 0 failed, 1 skipped (1.2 s)')
  t.match(text, /skipped .*not here: no nginx/)
  t.match(text, /FAILED test\/unit\/bad\.test\.js: 0 passed, 1 failed/)
  t.match(text, /not ok: .*objects > same objects\n\s+--- expected\n\s+\+\+\+ actual\n\s+- {4}3,\n\s+\+ {4}2,\n\s+at test\/unit\/bad\.test\.js:4:32/)
  t.match(text, /FAILED test\/unit\/crashed\.test\.js[^]*"exitCode": 1/)
  t.notMatch(text, /usr\/bin\/node/)
})

t.test('the totals are tap\'s own', async t => {
  t.same(read(OUTPUT + SUMMARY).totals, { passed: 1, failed: 2, skipped: 1 })
  t.same(read('TAP version 14\n1..0\n# { total: 0 }\n').totals, { passed: 0, failed: 0, skipped: 0 })
})

t.test('a tap that was killed has no totals', async t => {
  t.equal(read(OUTPUT).totals, null)
})

t.test('the last line of npm test', async t => {
  t.equal(describeTotals({ passed: 12, failed: 0, skipped: 0 }), '12 passed, 0 failed')
  t.equal(describeTotals({ passed: 12, failed: 3, skipped: 1 }), '12 passed, 3 failed, 1 skipped')
})
