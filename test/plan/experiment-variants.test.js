/** Tests the defaults of experiment files, and the variants that a file may hold. */
import t from '../support/tap.js'
import { completeExperiment } from '../../bench/plan/experiment.js'
import { findExperiment, findContractFault, loadExperiments, pluginNames } from '../../bench/plan/plugins.js'
import { planFrom } from '../../bench/request/request.js'

/** @import { ClaimTest, ExperimentFile } from '../../bench/types.js' */

const source = { title: 't', author: 'a', year: 2020, machine: 'm' }
/** @type {ClaimTest} */
const test = { kind: 'flat', arms: ['a', 'b'] }
const claim = { id: 'c', statement: 'a is b.', published: '1 / 1', test }
/** @type {ExperimentFile} */
const file = {
  title: 'one',
  question: 'Is it?',
  source,
  arms: { a: 'http-json', b: 'express-json' },
  contrasts: [['b', 'a']],
  unit: 'connections',
  load: { connections: 10 },
  claims: [claim],
  variants: { more: { title: 'two', question: 'And this?', arms: { c: 'http-json', d: 'express-json' } } }
}

t.test('fills in the protocol, the unit and the source of an experiment and of its claims', async t => {
  const { title, question, arms } = file
  t.strictSame(completeExperiment({ title, question, arms }), {
    title, question, arms, source: null, protocol: 'gang', unit: 'requests', claims: undefined, variants: {}
  })
  const other = { ...source, title: 'u' }
  t.strictSame(completeExperiment({ ...file, claims: [claim, { ...claim, source: other }] }).claims,
    [{ ...claim, source }, { ...claim, source: other }])
})

t.test('gives a variant the fields of its experiment except arms, contrasts and claims', async t => {
  t.strictSame(completeExperiment(file).variants?.more, {
    title: 'two',
    question: 'And this?',
    source,
    arms: { c: 'http-json', d: 'express-json' },
    protocol: 'gang',
    unit: 'connections',
    load: { connections: 10 },
    claims: undefined
  })
})

t.test('checks a variant against the same contract as an experiment, and requires a source for each claim', async t => {
  const faultIn = (/** @type {any} */ fields) =>
    findContractFault('experiment', { default: completeExperiment(fields) })
  t.equal(faultIn(file), null)
  const variant = { title: 'two', question: 'And this?', arms: { c: 'http-json', d: 'st' } }
  t.equal(faultIn({ ...file, variants: { more: variant } }), null)
  t.match(faultIn({ ...file, variants: { more: { ...variant, question: undefined } } }), /question/)
  t.match(faultIn({ ...file, variants: { more: { ...variant, arms: { c: 'st' } } } }), /arms/)
  t.match(faultIn({ ...file, source: null }), /source/)
  t.match(faultIn({ ...file, claims: 'all' }), /claims/)
})

t.test('finds a variant by the name of its experiment and its own', async t => {
  const all = await loadExperiments()
  const names = all.map(({ name }) => name)
  t.strictSame(names, [...names].sort())
  const files = all.filter(({ variantOf }) => variantOf === undefined).map(({ name }) => name)
  t.strictSame(files, pluginNames('experiment'))
  for (const name of ['rps-by-cpu-files', 'tls-by-cpu', 'tls-termination-new', 'tuning-accept']) {
    t.ok(names.includes(name), name)
  }
  for (const { name, experiment } of all) t.strictSame(await findExperiment(name), experiment, name)
  for (const name of ['tls-', 'tls-constructor', 'by-cpu', '']) t.equal(await findExperiment(name), null, name)
})

t.test('records the name of a variant in its plan', async t => {
  const { plan } = await planFrom(['tls-termination-new'], { lab: true, quick: true })
  t.match(plan, { experiment: 'tls-termination-new', unit: 'handshakes' })
  t.ok(plan.arms.some(({ name }) => name === 'nginx, resumed'))
})
