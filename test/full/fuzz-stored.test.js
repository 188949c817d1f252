/**
 * Damaged stored runs are read, or rejected with the name of the file. Values that a run cannot have are rejected.
 */
import fc from 'fast-check'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { fileName } from '../../bench/measure/kept-files.js'
import { recordFromSamples } from '../../bench/run/pipeline.js'
import { readRun } from '../../bench/store/store.js'
import { findFault } from '../../bench/store/record-format.js'
import { planFrom } from '../../bench/request/request.js'
import { makePlan, makeRecord, makeSample } from '../support/record.js'
import { CASES, SEED } from '../support/fuzz-cases.js'
import { renderText } from '../support/rendered.js'

const files = {
  'run.json': JSON.stringify(makeRecord()),
  'plan.json': JSON.stringify(makePlan()),
  'samples.jsonl': [0, 1, 2].flatMap(block =>
    ['keepalive', 'tcp'].map(arm => `${JSON.stringify(makeSample({ arm, block }))}\n`)
  ).join('')
}
const damage = fc.oneof(
  fc.tuple(fc.nat(), fc.constant(null)),
  fc.tuple(fc.nat(),
    fc.oneof(fc.string({ maxLength: 6 }),
      fc.constantFrom('null', '{}', '[]', '-1', '\n', '}', '"', 'Infinity', '\0', '\ufeff')))
)

t.test('a damaged run is read, or rejected with an error of the catalog', async t => {
  const dir = join(t.testdir({}), '2024-05-06T07-08-09Z-uds')
  mkdirSync(dir)
  const name = fc.constantFrom(...Object.keys(files))
  await fc.assert(fc.asyncProperty(name, damage, async (damaged, [where, text]) => {
    for (const [file, whole] of Object.entries(files)) {
      const at = where % whole.length
      writeFileSync(join(dir, file), file !== damaged
        ? whole
        : text === null
          ? whole.slice(0, at)
          : whole.slice(0, at) + text + whole.slice(at + text.length))
    }
    try {
      const stored = await readRun(dir)
      if (stored.record && findFault('record', stored.record)) return false
      if (stored.samples.some(sample => findFault('sample', sample))) return false
      if (stored.record && stored.plan) recordFromSamples(stored)
      return true
    } catch (error) {
      return error instanceof HopbenchError && ['bad-run-file', 'other-format', 'unknown-run'].includes(error.code)
    }
  }), { numRuns: CASES.stored, seed: SEED })
  t.pass(`${CASES.stored} runs`)
})

/** Values that an attacker could write into a stored run. */
const planted = fc.oneof(fc.anything({ maxDepth: 2 }), fc.constantFrom('../../etc/passwd', '/etc/passwd', '..',
  '.', '', '$(id)', '; id', '\'; id; \'', '\n', '\r\nX: y', '\u001b[2J', '\0',
  '__proto__', 'constructor', '-1', '--help', 1e308,
  -1, 0, NaN, null, [], {}, 'x'.repeat(9999)))

/**
 * Lists the paths of all parts of a value.
 * @param {any} value
 * @param {(string | number)[]} [path]
 * @returns {(string | number)[][]}
 */
const pathsIn = (value, path = []) => [
  ...path.length > 0 ? [path] : [],
  ...value && typeof value === 'object' ? Object.keys(value).flatMap(key => pathsIn(value[key], [...path, key])) : []
]

/**
 * @param {any} value
 * @param {(string | number)[]} path
 * @param {unknown} leaf
 */
function planting (value, path, leaf) {
  const copy = JSON.parse(JSON.stringify(value))
  const last = path.slice(0, -1).reduce((at, key) => at[key], copy)
  last[/** @type {string} */ (path.at(-1))] = leaf
  return copy
}

t.test('a run with a random value is rejected with an error of the catalog, or becomes a safe plan', async t => {
  const root = t.testdir({ results: {} })
  const dir = join(root, 'results', '2024-05-06T07-08-09Z-uds')
  mkdirSync(dir)
  const wholes = {
    'run.json': makeRecord({ complete: false, ended: 'interrupted' }),
    'plan.json': makePlan(),
    'samples.jsonl': makeSample()
  }
  const at = Object.entries(wholes).flatMap(([name, whole]) => pathsIn(JSON.parse(JSON.stringify(whole)))
    .map(path => /** @type {const} */ ([name, path])))
  const before = readdirSync(root, { recursive: true }).length
  const seen = { plans: 0, refused: 0 }
  await fc.assert(fc.asyncProperty(fc.constantFrom(...at), planted, async ([damaged, path], leaf) => {
    for (const [name, whole] of Object.entries(wholes)) {
      const text = JSON.stringify(name === damaged ? planting(whole, path, leaf) : whole)
      writeFileSync(join(dir, name), `${text}\n`)
    }
    try {
      const { plan } = await planFrom([], { lab: true, resume: dir })
      seen.plans++
      const stored = await readRun(dir)
      renderText(recordFromSamples(stored), { columns: 80, color: false, dir })
      return plan.arms.every(({ name, topology, load }) => resolve(dir, fileName(name)).startsWith(dir + sep) &&
        // eslint-disable-next-line no-control-regex
        !/[\u0000-\u001f]/.test(name + load.path) && existsSync(`servers/${topology.server?.name}.js`))
    } catch (error) {
      seen.refused++
      if (!(error instanceof HopbenchError)) t.comment(`${damaged} ${path.join('.')} = ${JSON.stringify(leaf)}`)
      return error instanceof HopbenchError
    }
  }), { numRuns: CASES.sent, seed: SEED, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true })
  t.ok(seen.plans > 50 && seen.refused > 500, `${seen.plans} plans, ${seen.refused} refused`)
  t.ok(readdirSync(root, { recursive: true }).length <= before + 3, 'no file was written elsewhere')
})
