/** Stored runs with damage of every kind: read, or refused with the file's name; and nothing but what a run may hold gets through. */
import fc from 'fast-check'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { HopbenchError } from '../../../bench/errors.js'
import { recordFromSamples } from '../../../bench/pipeline.js'
import { readRun } from '../../../bench/store.js'
import { faultOf } from '../../../bench/store/format.js'
import { makePlan, makeRecord, makeSample } from '../../support/record.js'
import { CASES, SEED } from '../../support/fuzz-cases.js'

const files = {
  'run.json': JSON.stringify(makeRecord()),
  'plan.json': JSON.stringify(makePlan()),
  'samples.jsonl': [0, 1, 2].flatMap(block => ['keepalive', 'tcp'].map(arm => `${JSON.stringify(makeSample({ arm, block }))}\n`)).join('')
}
const damage = fc.oneof(
  fc.tuple(fc.nat(), fc.constant(null)),
  fc.tuple(fc.nat(), fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('null', '{}', '[]', '-1', '\n', '}', '"', 'Infinity', '\0', '\ufeff')))
)

t.test('a damaged run is read, or refused in a sentence', async t => {
  const dir = join(t.testdir({}), '2024-05-06T07-08-09Z-uds')
  mkdirSync(dir)
  const name = fc.constantFrom(...Object.keys(files))
  await fc.assert(fc.asyncProperty(name, damage, async (damaged, [where, text]) => {
    for (const [file, whole] of Object.entries(files)) {
      const at = where % whole.length
      writeFileSync(join(dir, file), file !== damaged ? whole : text === null ? whole.slice(0, at) : whole.slice(0, at) + text + whole.slice(at + text.length))
    }
    try {
      const stored = await readRun(dir)
      if (stored.record && faultOf('record', stored.record)) return false
      if (stored.samples.some(sample => faultOf('sample', sample))) return false
      if (stored.record && stored.plan) recordFromSamples(stored)
      return true
    } catch (error) {
      return error instanceof HopbenchError && ['bad-run-file', 'newer-run', 'unknown-run'].includes(error.code)
    }
  }), { numRuns: CASES.stored, seed: SEED })
  t.pass(`${CASES.stored} runs`)
})
