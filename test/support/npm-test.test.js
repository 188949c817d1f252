import t from './tap.js'
import {
  describeRetried, describeTotals, findRetried, printResults, readBatch, readResults, sumTotals
} from '../report.js'

/** Output of a file with a passed and a skipped assertion. */
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
/** Output of a file with a failed assertion. */
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
const printed = result => {
  /** @type {string[]} */
  const lines = []
  printResults(line => lines.push(line), result)
  return lines.join('\n')
}

t.test('prints a line for each file, the reason of each skip, and the diagnostics of each failure', async t => {
  t.match(printed(good), /^ {2}ok {5}test\/unit\/good\.test\.js: 2 passed, 0 failed, 1 skipped \(1\.2 s\)\n/)
  t.match(printed(good), /skipped .*not here: no nginx/)
  t.match(printed(bad), /FAILED test\/unit\/bad\.test\.js: 0 passed, 1 failed/)
  t.match(printed(bad), /not ok: .*objects > same objects\n\s+--- expected\n\s+\+\+\+ actual\n\s+- {4}3,\n\s+\+ {4}2,/)
  t.match(printed(bad), /at test\/unit\/bad\.test\.js:4:32/)
  t.match(printed(crashed), /FAILED test\/unit\/crashed\.test\.js.*\n.*0 assertions, and it ended with exit code 1/)
  t.match(printed(killed), /FAILED .*\n.*\n.*ended by a signal/)
})

t.test('counts assertions, and counts a file that failed without a failed assertion as one failure', async t => {
  t.same(sumTotals([good]), { passed: 2, failed: 0, skipped: 1 })
  t.same(sumTotals([good, bad, crashed, killed]), { passed: 4, failed: 3, skipped: 2 })
  t.same(sumTotals([]), { passed: 0, failed: 0, skipped: 0 })
})

t.test('treats a file with truncated output as failed, even with exit code 0', async t => {
  t.equal(cut.ok, false)
  t.equal(sumTotals([cut]).failed, 1)
})

t.test('reads the results of each file that shares a process with others', async t => {
  const batch = `TAP version 14
# Subtest: test/a.test.js
${GOOD.split('\n').slice(1).map(line => `    ${line}`).join('\n')}
ok 1 - test/a.test.js # time=20ms
# Subtest: test/b.test.js
${BAD.split('\n').slice(1).map(line => `    ${line}`).join('\n')}
not ok 2 - test/b.test.js # time=12ms
1..2
`
  const [first, second] = readBatch(batch)
  t.match(first, { file: 'test/a.test.js', ok: true, exit: 0 })
  t.same(sumTotals([first]), { passed: 2, failed: 0, skipped: 1 })
  t.match(second, { file: 'test/b.test.js', ok: false, exit: 1 })
  const cut = readBatch(batch.slice(0, batch.indexOf('not ok 1')))
  t.same(cut.map(({ file }) => file), ['test/a.test.js'], 'the last file has not ended')
})

t.test('names and counts the files that passed only when run again', async t => {
  const retried = { ...good, isRetry: true }
  t.same(findRetried([good, bad, retried, { ...bad, isRetry: true }]), ['test/unit/good.test.js'])
  t.same(describeRetried([]), [])
  t.same(describeRetried(['a.test.js']), ['1 file passed only when run again, alone:', '  a.test.js'])
  t.equal(describeRetried(['a.test.js', 'b.test.js'])[0], '2 files passed only when run again, alone:')
})

t.test('prints passed, failed and skipped assertions as the last line', async t => {
  t.equal(describeTotals({ passed: 12, failed: 0, skipped: 0 }), '12 passed, 0 failed, 0 skipped')
  t.equal(describeTotals({ passed: 12, failed: 3, skipped: 1 }), '12 passed, 3 failed, 1 skipped')
})
