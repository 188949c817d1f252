/** @import { RunRecord } from '../../bench/types.js' */
import t from '../support/tap.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { findFault, SCHEMA } from '../../bench/store/record-format.js'
import { makeSchemas, readSchemaFile } from '../schemas.js'
import { makeArm, makeContrast, makePlan, makeRecord, makeSample } from '../support/record.js'

const made = Object.entries(makeSchemas())

t.test('the schemas are those of the types', async t => {
  for (const [file, text] of made) {
    t.ok(readSchemaFile(file) === text, `${file} is up to date; regenerate it with: npm run schemas`)
  }
})

t.test('the schema is valid in strict mode', async t => {
  const schema = JSON.parse(readSchemaFile('results/schema.json'))
  const rules = { strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false, discriminator: true }
  t.doesNotThrow(() => new Ajv2020(rules).compile(schema))
  t.match(schema, { $defs: { RunRecord: { properties: { schema: { const: SCHEMA } } } } })
})

t.test('constraints outlive Partial and Pick', t => {
  const definitionsOf = (/** @type {string} */ file) => JSON.parse(readSchemaFile(file)).$defs
  const { Load } = definitionsOf('results/schema.json')
  const { body, ...own } = definitionsOf('results/experiment.schema.json').UserLoad.properties
  for (const [name, property] of Object.entries(own)) t.same(property, Load.properties[name], name)
  const { PlanOffering } = definitionsOf('bench/features/size/prices/offerings.schema.json')
  const { name, autoscales, ...fields } = definitionsOf('results/schema.json').Offering.properties
  const { autoscales: rule, ...properties } = PlanOffering.properties
  t.same(properties, { ...fields, plan: { $ref: name.$ref } })
  t.same(autoscales.anyOf, [rule.anyOf[0], { type: 'boolean' }, rule.anyOf[1]], 'records may be older')
  t.end()
})

t.test('every schema matches the metaschema', async t => {
  const ajv = new Ajv2020({ strict: false })
  for (const [file, text] of made) t.ok(ajv.validateSchema(JSON.parse(text)), `${file}: ${ajv.errorsText()}`)
  t.notOk(ajv.validateSchema({ type: 'strnig' }), 'a wrong one is found')
})

t.test('a record, a plan and a sample match the schema', async t => {
  const onDisk = (/** @type {unknown} */ value) => JSON.parse(JSON.stringify(value))
  t.equal(findFault('record', onDisk(makeRecord())), null)
  t.equal(findFault('plan', onDisk(makePlan({ twin: null }))), null)
  t.equal(findFault('sample', onDisk(makeSample())), null)
  const invalid = /** @type {const} */ ({ code: 'wrong-body', params: {} })
  t.equal(findFault('sample', onDisk(makeSample({ invalid }))), null)
})

t.test('a record without a result matches the schema', async t => {
  const arm = makeArm({
    trials: 0,
    rps: null,
    cpuMicrosPerRequest: null,
    memoryMiB: null,
    invalid: { code: 'gate-refused', params: { why: 'the body differs' } }
  })
  const contrast = makeContrast({
    ratio: NaN,
    low: NaN,
    high: Infinity,
    lag1: NaN,
    blocks: 0,
    pooled: 0,
    verdict: 'invalid',
    why: { code: 'too-few-blocks', params: { blocks: 0, needed: 12, lost: [] } }
  })
  const record = makeRecord({
    complete: false,
    ended: null,
    endedAt: null,
    arms: [arm],
    contrasts: [contrast],
    noiseFloor: null,
    claims: []
  })
  t.equal(findFault('record', JSON.parse(JSON.stringify(record))), null)
})

t.test('rejects a sequence with a missing request, and prefixes that overlap', async t => {
  const plan = makePlan({ twin: null })
  const [arm, ...others] = plan.arms
  const withArm = (/** @type {object} */ load, /** @type {object} */ topology = {}) => JSON.parse(JSON.stringify({
    ...plan, arms: [{ ...arm, load: { ...arm.load, ...load }, topology: { ...arm.topology, ...topology } }, ...others]
  }))
  const requests = [{ path: '/a' }, { path: '/b' }]
  t.equal(findFault('plan', withArm({ requests, sequence: [0, 1, 1] })), null)
  t.match(findFault('plan', withArm({ requests, sequence: [0, 99] })), /names the request 99, the last is 1/)
  const prefixes = (/** @type {string[]} */ ...names) => ({ files: names.map(prefix => ({ prefix, folder: '/srv' })) })
  t.equal(findFault('plan', withArm({}, prefixes('/a', '/ab'))), null)
  t.match(findFault('plan', withArm({}, prefixes('/a', '/a/b'))), /prefixes \/a and \/a\/b .* overlap/)
})

t.test('accepts additional fields', async t => {
  t.equal(findFault('record', { ...makeRecord(), weather: 'rain' }), null)
  t.equal(findFault('sample', { ...makeSample(), weather: 'rain' }), null)
})

t.test('names fields of another type', async t => {
  t.match(findFault('record', makeRecord({ seed: /** @type {any} */ ('12') })), /seed must be integer/)
  t.match(findFault('record', makeRecord({ contrasts: [makeContrast({ verdict: /** @type {any} */ ('better') })] })),
    /contrasts\.0\.verdict .*faster, slower/)
  t.match(
    findFault('record',
      makeRecord({ arms: [makeArm({ rps: /** @type {any} */ ({ median: 'many', low: 1, high: 2 }) })] })),
    /arms\.0\.rps\.median must be number/
  )
  t.match(findFault('sample', makeSample({ startedAt: 'yesterday' })), /startedAt must match pattern/)
  t.match(findFault('sample', null), /the sample must be object/)
})

t.test('requires every field of a record', async t => {
  const record = makeRecord()
  for (const name of /** @type {(keyof RunRecord)[]} */ (Object.keys(record))) {
    const { [name]: _, ...without } = record
    t.match(findFault('record', without), `the record must have required property '${name}'`, name)
  }
})
