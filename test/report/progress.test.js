import t from '../support/tap.js'
import { ProgressText } from '../../bench/report/progress.js'
import { makeContrast, makePlan } from '../support/record.js'

const contrasts = [
  makeContrast({ arm: 'tcp', ratio: 0.52, low: 0.51, high: 0.53 }),
  makeContrast({ arm: 'uds', ratio: NaN, low: NaN, high: NaN }),
  makeContrast({ ratio: 1.12, low: 1.09, high: 1.15 })
]

/** @param {{ isTTY?: boolean, columns?: number }} options */
function watched (options) {
  /** @type {string[]} */
  const written = []
  const stream = { ...options, write: (/** @type {string} */ text) => written.push(text) }
  const progress = new ProgressText(stream)
  const block = (/** @type {number} */ number, elapsed = number * 3) =>
    progress.block({ block: number, elapsed, budget: 200, summary: { contrasts } })
  return { progress, block, written, stream }
}

t.test('rewrites one line in a terminal', async t => {
  const { progress, block, written } = watched({ isTTY: true, columns: 100 })
  progress.stage('starting 4 topologies')
  block(0)
  block(1)
  t.strictSame(written, [
    '\r\x1b[2Kstarting 4 topologies',
    '\r\x1b[2Kblock 1, 0 s of 3 min 20 s: tcp 0.52 ±1.9 %; uds –; uds-keepalive 1.12 ±2.7 %',
    '\r\x1b[2Kblock 2, 3 s of 3 min 20 s: tcp 0.52 ±1.9 %; uds –; uds-keepalive 1.12 ±2.7 %'
  ])
})

t.test('shortens the line to the width of the terminal and counts omitted contrasts', async t => {
  const { block, written, stream } = watched({ isTTY: true, columns: 60 })
  block(0)
  t.match(written.at(-1), /: tcp 0\.52 ±1\.9 %; uds – \+1$/)
  stream.columns = 20
  block(1)
  t.equal(written.at(-1), '\r\x1b[2Kblock 2, 3 s of 3 m', 'after the terminal became narrower')
})

t.test('names the decided contrasts after the open ones', async t => {
  const { progress, written } = watched({ isTTY: true, columns: 120 })
  const [tcp, ...others] = contrasts
  const decided = { ...tcp, decidedAtBlock: 2 }
  progress.block({ block: 3, elapsed: 12, budget: 200, summary: { contrasts: [decided, ...others] } })
  t.match(written.at(-1), /, 1 of 3 decided: uds –; uds-keepalive 1\.12 ±2\.7 %; tcp 0\.52 ✓$/)
  const all = contrasts.map(contrast => ({ ...contrast, decidedAtBlock: 3 }))
  progress.block({ block: 4, elapsed: 15, budget: 200, summary: { contrasts: all } })
  t.match(written.at(-1), /, 3 of 3 decided: tcp 0\.52 ✓; /)
})

t.test('prints a note above the rewritten line', async t => {
  const { progress, written } = watched({ isTTY: true, columns: 80 })
  progress.stage('warming up')
  progress.note('wrk makes the load')
  t.equal(written.at(-1), '\r\x1b[2Kwrk makes the load\nwarming up')
})

t.test('clears the line at the end', async t => {
  const { progress, written } = watched({ isTTY: true, columns: 80 })
  progress.stage('ending')
  progress.end()
  t.equal(written.at(-1), '\r\x1b[2K')
})

t.test('prints the size of the experiment and its time limit at the start', async t => {
  const { progress, written } = watched({})
  progress.start(makePlan(), 300)
  t.strictSame(written, ['uds: 5 arms, 3 contrasts, 5 min at most\n'])
})

t.test('writes at most one line per 30 seconds to a log, without control characters', async t => {
  const { progress, block, written } = watched({})
  progress.stage('warming up \x1b[31mtcp')
  for (let number = 0; number < 21; number++) block(number)
  progress.end()
  t.strictSame(written.map(line => line.slice(0, 17)), ['warming up tcp\n', 'block 1, 0 s of 3', 'block 11, 30 s of',
    'block 21, 1 min o'])
  t.ok(written.every(line => line.endsWith('\n')))
  // eslint-disable-next-line no-control-regex
  t.notMatch(written.join('').replaceAll('\n', ''), /[\x00-\x1f]/)
})

t.test('a log names a stage once, not for each arm and start', async t => {
  const { progress, written } = watched({})
  for (let start = 0; start < 3; start++) {
    for (const stage of ['starting 2 topologies', 'warming up tcp', 'warming up uds']) progress.stage(stage)
  }
  t.strictSame(written, ['starting 2 topologies\n', 'warming up tcp\n'])
})

t.test('names both arms of contrasts with different baselines', async t => {
  const { progress, written } = watched({})
  progress.block({
    block: 0,
    elapsed: 0,
    budget: 60,
    summary: { contrasts: [contrasts[0], makeContrast({ baseline: 'tcp' })] }
  })
  t.match(written[0], /: tcp\/keepalive 0\.52 .*; uds-keepalive\/tcp 1\.12/)
})
