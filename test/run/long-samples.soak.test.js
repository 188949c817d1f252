/** The samples of a long run are longer than the longest string. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { readRun } from '../../bench/store/store.js'
import { makePlan, makeRecord, makeSample } from '../support/record.js'

const LINES = 1_000_000
const AT_ONCE = 1000
/** First block. Its digits occur once in a line, so that other lines are made without another JSON.stringify. */
const FIRST = 7_654_321
/** Makes all lines together longer than the longest string of V8, which has 2^29 - 24 characters. */
const NOTE = 'x'.repeat(200)

t.test('reads a million samples', async t => {
  const dir = t.testdir({ 'plan.json': JSON.stringify(makePlan()), 'run.json': JSON.stringify(makeRecord()) })
  const file = openSync(join(dir, 'samples.jsonl'), 'w')
  const [before, after] = JSON.stringify(makeSample({ block: FIRST, notes: [NOTE] })).split(String(FIRST))
  for (let block = FIRST; block < FIRST + LINES; block += AT_ONCE) {
    writeSync(file, Array.from({ length: AT_ONCE }, (_, i) => `${before}${block + i}${after}\n`).join(''))
  }
  closeSync(file)
  const { samples } = await readRun(dir)
  t.equal(samples.length, LINES)
  t.equal(samples.at(-1)?.block, FIRST + LINES - 1)
})
