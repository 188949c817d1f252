import { readFileSync } from 'node:fs'
import t from '../../../support/tap.js'
import { readOfferings } from '../../../../bench/features/size/prices/offerings.js'
import { compareWithApi, listOldFigures, OTHER_FIGURES, PAGE, PRICE_APIS, renewPage } from '../../../prices.js'
import { makeOffering } from '../../../support/offerings.js'

/** @import { PriceApi } from '../../../prices.js' */

const offerings = readOfferings()

t.test('each figure has an address, and an offering has the day of its oldest figure', async t => {
  for (const { provider, name, sources = [], read, secondary = false } of offerings) {
    const label = `${provider} ${name}`
    t.ok(sources.length > 0, `${label} has sources`)
    t.ok(sources.some(({ of }) => of.startsWith('price')), `${label} has a source of its price`)
    // The purpose of an offering is no figure, and its limits, its scaling and its end of TLS are no part of a price.
    const days = sources.filter(({ of }) => !/^(purpose|limits|scaling|TLS)/.test(of)).map(source => source.read)
    const oldest = days.includes(null) ? null : /** @type {string[]} */ (days).sort()[0]
    t.equal(read, oldest, `${label} was read`)
    t.equal(secondary, sources.some(source => source.secondary), `${label} is secondary if one of its figures is`)
  }
})

t.test('the page of prices names every provider, and marks the secondary ones', async t => {
  const page = readFileSync(PAGE, 'utf8')
  for (const provider of new Set(offerings.map(offering => offering.provider))) {
    const row = page.split('\n').find(line => line.startsWith(`| ${provider} |`)) ?? ''
    t.ok(row, `${provider} has a row`)
    const isSecondary = offerings.some(offering => offering.provider === provider && offering.secondary)
    t.equal(row.includes('\\*'), isSecondary, `${provider}: secondary figures are marked`)
  }
})

t.test('the page of prices has the figures that are older than 180 days on the day of the newest one', async t => {
  const page = readFileSync(PAGE, 'utf8')
  t.equal(renewPage(page, offerings), page, 'npm run prices renews the page')
  const url = 'https://acme.example/prices'
  const at = (/** @type {string} */ of, /** @type {string | null} */ read) => ({ of, url, read })
  const [one, two] = [[at('price', '2026-01-01'), at('CPU', '2026-10-01')], [at('price', null), at('purpose', null)]]
    .map(sources => makeOffering({ sources }))
  const table = '| provider | from | old |\n| --- | --- | --- |\n| Acme | $10 | |\n| Other | $9 | |'
  t.equal(renewPage(table, [one, two, one]), table.replace('| old |', '| older than 180 days on 2026-10-01 ' +
    '(?: unknown) |').replace('$10 | |', '$10 | price ?; price 2026-01-01 |'))
})

t.test('lists figures that are older than 180 days or of an unknown day, each with its address', async t => {
  const source = { of: 'price', url: 'https://acme.example/prices', read: '2026-01-01' }
  const unknown = { of: 'traffic', url: 'https://acme.example/traffic', read: null }
  const recent = { of: 'CPU', url: 'https://acme.example/cpu', read: '2026-11-01' }
  const acme = [
    makeOffering({ sources: [source, unknown, recent] }),
    makeOffering({ name: 'Two', sources: [source, recent] })
  ]
  t.same(listOldFigures(acme, '2026-11-25'), [
    'unknown     Acme: traffic (One)\n            https://acme.example/traffic',
    '2026-01-01  Acme: price\n            https://acme.example/prices'
  ])
  t.equal(listOldFigures(acme, '2026-06-01').length, 1)
})

t.test('lists the exchange rate that orders prices, and the limits and prices of balancers', async t => {
  const lines = listOldFigures(OTHER_FIGURES, '2026-11-25')
  t.ok(lines.some(line => /^2026-05-27 {2}European Central Bank: exchange rate .*\n +https:\/\/www\.ecb/.test(line)))
  t.ok(lines.some(line => /^unknown {5}AWS Application Load Balancer: limits\n/.test(line)))
  const later = listOldFigures(OTHER_FIGURES, '2027-11-25')
  t.ok(later.some(line => /^2026-06-09 {2}Linode NodeBalancer: price\n/.test(line)))
  t.equal(later.length, OTHER_FIGURES.flatMap(({ sources }) => sources).length, 'all of them are old a year later')
})

/** @type {PriceApi} */
const api = {
  provider: 'Acme',
  url: 'https://acme.example/api',
  parse: body => new Map(Object.entries(body)),
  figures: ({ name, price }) => [[name, price ?? undefined]]
}
const answer = (/** @type {unknown} */ body) => async () => body

t.test('compares prices with an API', async t => {
  t.match(await compareWithApi(api, [makeOffering()], answer({ One: 10 })), [{ differs: false, line: /as published/ }])
  t.match(await compareWithApi(api, [makeOffering()], answer({ One: 12 })),
    [{ differs: true, line: 'Acme: One: 10 here, 12 at https://acme.example/api' }])
  t.match(await compareWithApi(api, [makeOffering()], answer({ Two: 10 })),
    [{ differs: false, line: /One is not published/ }])
})

t.test('compares small prices by their ratio', async t => {
  const perSecond = [makeOffering({ price: 3.4e-5 })]
  // 0.000034 and 0.00006 differ by less than a thousandth of a cent, and by 76 %.
  t.match(await compareWithApi(api, perSecond, answer({ One: 6e-5 })), [{ differs: true }])
  t.match(await compareWithApi(api, perSecond, answer({ One: 3.41e-5 })), [{ differs: false, line: /as published/ }])
  t.match(await compareWithApi(api, [makeOffering()], answer({ One: 10.1 })), [{ differs: true }], '1 %')
})

t.test('an API that cannot be reached or that responds otherwise is no difference', async t => {
  const fails = async () => { throw new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') }) }
  t.match(await compareWithApi(api, [makeOffering()], fails), [{ differs: false, line: /not compared .* ENOTFOUND/ }])
  for (const { provider } of PRICE_APIS) t.ok(offerings.some(offering => offering.provider === provider), provider)
  for (const real of PRICE_APIS) {
    t.match(await compareWithApi(real, offerings, answer({})), [{ differs: false, line: /not compared/ }])
  }
})

t.test('reads the responses of the APIs', async t => {
  /** @type {Record<string, unknown>} the part of a response that is read, by the end of the address */
  const responses = {
    types: { data: [{ label: 'NodeBalancer', price: { monthly: 10, hourly: 0.015 } }] },
    prices: { data: [{ id: 'network_transfer', price: { hourly: 0.005, monthly: null } }] },
    plans: { data: { plans: offerings.map(({ name, hourly }) => ({ id: name, amountPerHour: hourly })) } }
  }
  for (const [end, body] of Object.entries(responses)) {
    const real = PRICE_APIS.find(({ url }) => url.endsWith(`/${end}`))
    const compared = real && await compareWithApi(real, offerings, answer(body))
    t.match(compared, [{ differs: false, line: /as published/ }], end)
  }
})
