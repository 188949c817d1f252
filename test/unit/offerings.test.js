import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { assume, cpuOf, isOld, nameOf, planNamed, readPlans } from '../../bench/studies/sizing/offerings.js'
import { priceTable } from '../../bench/studies/sizing/price.js'
import { makePlan, measured } from '../support/offerings.js'

t.test('the stored offerings are complete and unique', async t => {
  const plans = readPlans()
  t.ok(plans.length >= 45)
  t.ok(new Set(plans.map(({ provider }) => provider)).size >= 10)
  t.equal(new Set(plans.map(nameOf)).size, plans.length, 'every name is unique')
  for (const plan of plans) {
    t.ok(plan.price !== null || plan.hourly !== undefined || plan.use, `${nameOf(plan)} has a price`)
    t.ok(cpuOf(plan), `${nameOf(plan)} has cores to calculate with`)
    t.ok(plan.vcpu === null ? plan.assumed?.why : !plan.assumed, `${nameOf(plan)} is promised or assumed, not both`)
  }
  for (const provider of ['Render', 'Fly.io', 'Railway', 'Heroku', 'Heroku Fir', 'DigitalOcean', 'Google Cloud Run']) {
    t.ok(plans.some(plan => plan.provider === provider), provider)
  }
})

t.test('a price is old after 180 days or when its day is unknown', async t => {
  const at = (/** @type {string | null} */ read) => isOld({ read }, '2026-11-22T10:00:00Z')
  t.same([at('2026-05-26'), at('2026-05-24'), at(null)], [false, true, true])
  const [row] = priceTable({ topologies: [measured], plans: [makePlan()], rate: 100, today: '2026-11-22' })
  t.equal(row.old, true)
})

t.test('replaces the cores of an offering with the given ones and marks them as assumed', async t => {
  const plans = assume(readPlans(), ['heroku standard-1x=0.5', 'Fly.io shared-1x 1GB = 1'], 2)
  t.match(planNamed(plans, 'Heroku Standard-1X'), { vcpu: null, assumed: { vcpu: 0.5 } })
  t.match(planNamed(plans, 'Fly.io shared-1x 1GB'), { vcpu: null, assumed: { vcpu: 1 } })
  const fails = (/** @type {string} */ typed, /** @type {string} */ code) =>
    t.throws(() => assume(readPlans(), [typed], 2), { code }, typed)
  fails('Heroku Standard-1X', 'bad-option')
  fails('Heroku Standard-1X=', 'bad-option')
  fails('Heroku Standard-1X=0', 'bad-option')
  fails('Heroku Standrd-1X=1', 'unknown-plan')
  fails('Heroku Standard-1X=64', 'assumed-too-much')
})

t.test('finds an offering in any case and suggests a similar name', async t => {
  const plans = readPlans()
  t.match(planNamed(plans, 'render starter'), { provider: 'Render', plan: 'Starter' })
  t.throws(() => planNamed(plans, 'Render Startr'), {
    code: 'unknown-plan',
    message: /Did you mean "Render Starter"\?/
  })
})

t.test('adds the offerings of a file and replaces those with the same name', async t => {
  const file = join(t.testdir(), 'plans.json')
  writeFileSync(file,
    JSON.stringify({ plans: [makePlan(), makePlan({ provider: 'Render', plan: 'Starter', price: 99 })] }))
  const plans = readPlans(file)
  t.equal(plans.length, readPlans().length + 1)
  t.equal(planNamed(plans, 'Render Starter').price, 99)
})

t.test('names the entry and the field of an invalid list', async t => {
  const dir = t.testdir()
  /** @type {Record<string, [unknown, RegExp]>} */
  const wrong = {
    'a list': [[], /it has no list "plans"/],
    'a field missing': [{ plans: [{ ...makePlan(), memoryMiB: undefined }] }, /plan 1, "One", has no "memoryMiB"/],
    'the second': [{ plans: [makePlan(), { ...makePlan({ plan: 'Two' }), vcpu: 0 }] }, /plan 2, "Two", has "vcpu": 0/],
    'a text': [{ plans: [{ ...makePlan(), price: '10' }] }, /has "price": "10"/],
    'no day': [{ plans: [{ ...makePlan(), read: 'May' }] }, /has "read": "May"/],
    'no page': [{ plans: [{ ...makePlan(), url: 'a page' }] }, /has "url": "a page"/],
    'an empty name': [{ plans: [{ ...makePlan(), provider: ' ' }] }, /has "provider": " ", which must be a text/],
    'a slip': [{ plans: [{ ...makePlan(), egres: null }] }, /has a field that nothing reads: "egres"/],
    'a field in a field': [{ plans: [makePlan({ assumed: /** @type {any} */ ({ vcpu: 1 }) })] },
      /has no "assumed.why"/],
    'no plan': [{ plans: [null] }, /plan 1 has no "provider"/],
    'none at all': [{ plans: [] }, /its list "plans" must NOT have fewer/]
  }
  for (const [what, [content, says]] of Object.entries(wrong)) {
    const file = join(dir, 'plans.json')
    writeFileSync(file, JSON.stringify(content))
    t.throws(() => readPlans(file), { code: 'bad-plans', message: says }, what)
  }
  writeFileSync(join(dir, 'plans.json'), '{')
  t.throws(() => readPlans(join(dir, 'plans.json')), { code: 'bad-plans', message: /not JSON/ })
  t.throws(() => readPlans(join(dir, 'none.json')), { code: 'bad-plans', message: /ENOENT/ })
})
