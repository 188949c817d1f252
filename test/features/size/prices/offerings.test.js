import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { offeringName } from '../../../../bench/features/size/prices/offering-choice.js'
import {
  assumeCores, findOffering, getCores, isOld, ofProviders, readOfferings, selectOfferings
} from '../../../../bench/features/size/prices/offerings.js'
import { inFile, priceOne } from '../../../support/offerings.js'

t.test('the stored offerings are complete and unique', async t => {
  const offerings = readOfferings()
  t.ok(offerings.length >= 45)
  t.ok(new Set(offerings.map(({ provider }) => provider)).size >= 10)
  t.equal(new Set(offerings.map(offeringName)).size, offerings.length, 'every name is unique')
  for (const offering of offerings) {
    const hasPrice = offering.price !== null || offering.hourly !== undefined || offering.use
    t.ok(hasPrice, `${offeringName(offering)} has a price`)
    t.ok(getCores(offering), `${offeringName(offering)} has cores to calculate with`)
    const isEither = offering.vcpu === null ? offering.assumed?.why : !offering.assumed
    t.ok(isEither, `${offeringName(offering)} has a promised or an assumed CPU, not both`)
  }
  for (const provider of ['Render', 'Fly.io', 'Railway', 'Heroku', 'Heroku Fir', 'DigitalOcean', 'Google Cloud Run']) {
    t.ok(offerings.some(offering => offering.provider === provider), provider)
  }
})

t.test('a price is old after 180 days or when its day is unknown', async t => {
  const at = (/** @type {string | null} */ read) => isOld({ read }, '2026-11-22T10:00:00Z')
  t.same([at('2026-05-26'), at('2026-05-24'), at(null)], [false, true, true])
  t.equal(priceOne({}, { today: '2026-11-22' }).old, true)
})

t.test('replaces the cores of an offering with the given ones and marks them as assumed', async t => {
  const offerings = assumeCores(readOfferings(), ['heroku standard-1x=0.5', 'Fly.io shared-1x 1GB = 1'], 2)
  t.match(findOffering(offerings, 'Heroku Standard-1X'), { vcpu: null, assumed: { low: 0.5, high: 0.5 } })
  t.match(findOffering(offerings, 'Fly.io shared-1x 1GB'), { vcpu: null, assumed: { low: 1, high: 1 } })
  const fails = (/** @type {string} */ typed, /** @type {string} */ code) =>
    t.throws(() => assumeCores(readOfferings(), [typed], 2), { code }, typed)
  fails('Heroku Standard-1X', 'bad-option')
  fails('Heroku Standard-1X=', 'bad-option')
  fails('Heroku Standard-1X=0', 'bad-option')
  fails('Heroku Standrd-1X=1', 'unknown-plan')
  fails('Heroku Standard-1X=64', 'assumed-too-much')
})

t.test('finds an offering in any case and suggests a similar name', async t => {
  const offerings = readOfferings()
  t.match(findOffering(offerings, 'render starter'), { provider: 'Render', name: 'Starter' })
  t.throws(() => findOffering(offerings, 'Render Startr'), {
    code: 'unknown-plan',
    message: /Did you mean "Render Starter"\?/
  })
})

t.test('selects each offering once, and rejects an assumption about another one', async t => {
  const offerings = readOfferings()
  t.same(selectOfferings(offerings, { provider: ['heroku', 'heroku fir'] }), ofProviders(offerings, ['heroku']))
  t.throws(() => ofProviders(offerings, [' ']), { code: 'bad-option', message: /the providers are .*Heroku/ })
  t.equal(selectOfferings(offerings, { plan: ['Render Starter', 'render starter'] }).length, 1)
  t.equal(selectOfferings(offerings, {}).length, offerings.length)
  const assumed = assumeCores(offerings, ['Heroku Standard-1X=0.5'], 2)
  for (const typed of [{ provider: ['render'] }, { plan: ['Render Starter'] }]) {
    t.throws(() => selectOfferings(assumed, typed), {
      code: 'bad-option', message: /"Heroku Standard-1X=0\.5": --plan or/
    })
  }
  t.ok(selectOfferings(assumed, { provider: ['heroku'] }).length > 1)
})

t.test('adds the offerings of a file and replaces those with the same name', async t => {
  const file = join(t.testdir(), 'plans.json')
  writeFileSync(file,
    JSON.stringify({ plans: [inFile(), inFile({ provider: 'Render', name: 'Starter', price: 99 })] }))
  const offerings = readOfferings(file)
  t.equal(offerings.length, readOfferings().length + 1)
  t.equal(findOffering(offerings, 'Render Starter').price, 99)
})

t.test('names the entry and the field of an invalid list', async t => {
  const dir = t.testdir()
  /** @type {Record<string, [unknown, RegExp]>} */
  const wrong = {
    'a list': [[], /it has no list "plans"/],
    'a field missing': [{ plans: [{ ...inFile(), memoryMiB: undefined }] },
      /offering 1, "One", has no "memoryMiB"/],
    'the second': [{ plans: [inFile(), { ...inFile({ name: 'Two' }), vcpu: 0 }] },
      /offering 2, "Two", has "vcpu": 0/],
    'a text': [{ plans: [{ ...inFile(), price: '10' }] }, /has "price": "10"/],
    'no day': [{ plans: [{ ...inFile(), read: 'May' }] }, /has "read": "May"/],
    'no page': [{ plans: [{ ...inFile(), url: 'a page' }] }, /has "url": "a page"/],
    'an empty name': [{ plans: [{ ...inFile(), provider: ' ' }] }, /has "provider": " ", which must be a text/],
    'a slip': [{ plans: [{ ...inFile(), egres: null }] }, /has an unknown field: "egres"/],
    'a field in a field': [{ plans: [inFile({ assumed: /** @type {any} */ ({ low: 1, high: 1 }) })] },
      /has no "assumed.why"/],
    'no limit': [{ plans: [{ ...inFile(), mostRps: undefined }] }, /offering 1, "One", has no "mostRps"/],
    'a rule without a target': [{ plans: [inFile({ autoscales: /** @type {any} */ ({ by: 'cpu' }) })] },
      /"autoscales/],
    'scaling as before': [{ plans: [inFile({ autoscales: true })] }, /"autoscales": true/],
    'no plan': [{ plans: [null] }, /offering 1 has no "autoscales"/],
    'none at all': [{ plans: [] }, /its list "plans" must NOT have fewer/]
  }
  for (const [label, [content, message]] of Object.entries(wrong)) {
    const file = join(dir, 'plans.json')
    writeFileSync(file, JSON.stringify(content))
    t.throws(() => readOfferings(file), { code: 'bad-plans', message }, label)
  }
  writeFileSync(join(dir, 'plans.json'), '{')
  t.throws(() => readOfferings(join(dir, 'plans.json')), { code: 'bad-plans', message: /not JSON/ })
  t.throws(() => readOfferings(join(dir, 'none.json')), { code: 'bad-plans', message: /ENOENT/ })
})
