/** The figures of docs/sizing.md against the stored sizings with the prices of today. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { isFirm, listHeadlines, offeringName } from '../../../../bench/features/size/prices/offering-choice.js'
import { PROJECT } from '../../../../bench/plan/plugins.js'
import { instancesText, priceText } from '../../../../bench/features/size/prices/offering-words.js'
import { ofProviders, readOfferings } from '../../../../bench/features/size/prices/offerings.js'
import { withTodaysPrices } from '../../../../bench/features/size/prices/todays-prices.js'
import { readRun } from '../../../../bench/store/store.js'
import { renderBrief } from '../../../support/rendered.js'

const REFERENCE = join(PROJECT, 'results/reference')
/** Sizings for 500, 2,000 and 10,000 requests a second. */
const RUNS = ['2026-11-26T16-04-15Z-size', '2026-11-26T16-19-51Z-size', '2026-11-26T16-12-02Z-size']
const page = readFileSync(join(PROJECT, 'docs/sizing.md'), 'utf8')

/** Offerings of the providers in the answers: estimates for all of them take several times as long. */
const offerings = ofProviders(readOfferings(), ['Scaleway', 'Fly.io', 'DigitalOcean', 'Linode'])
const records = await Promise.all(RUNS.map(async run => {
  const { record } = await readRun(join(REFERENCE, run), REFERENCE)
  if (!record) throw new TypeError(`${run} has no record`)
  return withTodaysPrices(record, offerings)
}))

t.test('the output at the top of docs/sizing.md is that of the stored sizing', async t => {
  const output = renderBrief(records[2], { columns: 80 }).split('\n')
  const shown = page.split('```')[1].trim().split('\n').filter(line => line !== '…')
  t.ok(shown.length > 5)
  for (const line of shown) t.ok(output.includes(line), line)
})

t.test('the three answers of docs/sizing.md are those of the stored sizings', async t => {
  const table = page.slice(page.indexOf('## Three answers')).split('\n').filter(line => line.startsWith('|')).slice(2)
  const rows = table.map(line => line.split('|').slice(2, -1).map(cell => cell.trim()))
  const named = records.flatMap(({ sizing }) => listHeadlines(sizing?.table ?? []).filter(({ row }) => isFirm(row)))
  t.equal(rows.length, named.length)
  for (const [i, { name, row }] of named.entries()) {
    t.strictSame(rows[i], [name, offeringName(row.offering), instancesText(row), priceText(row)])
  }
})
