/** The samples of a long run are longer than the longest string. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readRun } from '../../bench/store/store.js'
import { makePlan, makeRecord, makeSample } from '../support/record.js'

const LINES = 1_000_000
const AT_ONCE = 1000
/** Makes all lines together longer than the longest string of V8, which has 2^29 - 24 characters. */
const NOTE = 'x'.repeat(200)

t.test('reads a million samples', async t => {
  const dir = t.testdir({ 'plan.json': JSON.stringify(makePlan()), 'run.json': JSON.stringify(makeRecord()) })
  const file = openSync(join(dir, 'samples.jsonl'), 'w')
  for (let block = 0; block < LINES; block += AT_ONCE) {
    const lines = Array.from({ length: AT_ONCE }, (_, i) =>
      `${JSON.stringify(makeSample({ block: block + i, notes: [NOTE] }))}\n`)
    writeSync(file, lines.join(''))
  }
  closeSync(file)
  const { samples } = await readRun(dir)
  t.equal(samples.length, LINES)
  t.equal(samples.at(-1)?.block, LINES - 1)
})
