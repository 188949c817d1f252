import t from 'tap'
import { describeTotals, readResults, sayResults, sumOf } from '../report.js'

/** What a file prints that passes and skips, and one that fails. */
const GOOD = `TAP version 14
# Subtest: a sum
    ok 1 - should be equal
    ok 2 - not here # SKIP no nginx
    1..2
ok 1 - a sum # time=3.75ms

# Subtest: another
    # Subtest: deeper
        ok 1 - yes
        1..1
    ok 1 - deeper # time=1ms
    1..1
ok 2 - another # time=1ms

1..2
# time=20ms
`
const BAD = `TAP version 14
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
`
const NOTHING = 'TAP version 14\n1..0 # no tests found\n'

const good = readResults('test/unit/good.test.js', { stdout: GOOD, exit: 0, seconds: 1.2 })
const bad = readResults('test/unit/bad.test.js', { stdout: BAD, exit: 1, seconds: 0.1 })
const crashed = readResults('test/unit/crashed.test.js', { stdout: NOTHING, exit: 1, seconds: 0.1 })
const killed = readResults('test/unit/killed.test.js', { stdout: GOOD, exit: null, seconds: 200 })
const cut = readResults('test/unit/cut.test.js', { stdout: GOOD.slice(0, 60), exit: 0, seconds: 1 })

/** @param {typeof good} result */
const said = result => {
  /** @type {string[]} */
  const lines = []
  sayResults(line => lines.push(line), result)
  return lines.join('\n')
}

t.test('a line for each file, why it skipped, and the diagnostics of each failure', async t => {
  t.match(said(good), /^ {2}ok {5}test\/unit\/good\.test\.js: 2 passed, 0 failed, 1 skipped \(1\.2 s\)\n/)
  t.match(said(good), /skipped .*not here: no nginx/)
  t.match(said(bad), /FAILED test\/unit\/bad\.test\.js: 0 passed, 1 failed/)
  t.match(said(bad), /not ok: .*objects > same objects\n\s+--- expected\n\s+\+\+\+ actual\n\s+- {4}3,\n\s+\+ {4}2,/)
  t.match(said(bad), /at test\/unit\/bad\.test\.js:4:32/)
  t.match(said(crashed), /FAILED test\/unit\/crashed\.test\.js.*\n.*0 assertions, and it ended with exit code 1/)
  t.match(said(killed), /FAILED .*\n.*\n.*ended by a signal/)
})

t.test('the totals are of assertions, and a file that failed in none of them counts as a failure', async t => {
  t.same(sumOf([good]), { passed: 2, failed: 0, skipped: 1 })
  t.same(sumOf([good, bad, crashed, killed]), { passed: 4, failed: 3, skipped: 2 })
  t.same(sumOf([]), { passed: 0, failed: 0, skipped: 0 })
})

t.test('a file whose output breaks off has failed, whatever its exit code', async t => {
  t.equal(cut.ok, false)
  t.equal(sumOf([cut]).failed, 1)
})

t.test('the last line of npm test', async t => {
  t.equal(describeTotals({ passed: 12, failed: 0, skipped: 0 }), '12 passed, 0 failed, 0 skipped')
  t.equal(describeTotals({ passed: 12, failed: 3, skipped: 1 }), '12 passed, 3 failed, 1 skipped')
})
