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
const SET = 'intel-r-xeon-r-processor-6-207-2-cores-24-gib-linux-x64-6.18-kvm'
/** Sizings for 500, 2,000 and 10,000 requests a second. */
const RUNS = ['2026-11-30T04-25-28Z-size', '2026-11-30T04-35-47Z-size', '2026-11-30T05-38-25Z-size']
const page = readFileSync(join(PROJECT, 'docs/sizing.md'), 'utf8')

/** Offerings of the providers in the answers: estimates for all of them take several times as long. */
const offerings = ofProviders(readOfferings(), ['Scaleway', 'Fly.io', 'DigitalOcean', 'Linode', 'Render'])
const records = await Promise.all(RUNS.map(async run => {
  const { record } = await readRun(join(REFERENCE, SET, run), REFERENCE)
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

/** Converts the figures of an equation on the page to numbers. @param {RegExp} equation */
function readFigures (equation) {
  const [, ...figures] = equation.exec(page.replace(/\s+/g, ' ')) ?? []
  if (figures.length === 0) throw new TypeError(`docs/sizing.md has no ${equation}`)
  return figures.map(figure => Number(figure.replaceAll(',', '')))
}

t.test('the bill by hand in docs/sizing.md follows from the stored sizing and its formula', async t => {
  const [{ sizing }] = records.slice(-1)
  const row = sizing?.table.find(({ offering }) => offeringName(offering) === 'Linode Dedicated 4GB')
  if (!sizing || !row) throw new TypeError('the sizing has no such row')
  const { goal: { rate, headroom, spare }, topologies: [{ bytesPerResponse }] } = sizing
  const { price, plusMonthly, includedGb, egress } = row.offering
  const each = Number(row.perInstance)
  t.strictSame(readFigures(
    /⌈([\d,]+) ÷ \(([\d,]+) × ([\d.]+)\)⌉ = (\d+), as many as (\d+) \+ ⌈[\d,]+ ÷ [\d,]+⌉ = (\d+)/
  ), [rate, Math.round(each), 1 - headroom, Math.ceil(rate / (each * (1 - headroom))), spare, row.instances])
  t.equal(spare + Math.ceil(rate / each), row.instances)
  const [n, unit, once, compute] = readFigures(/(\d+) × \$(\d+) \+ \$(\d+) for a balancer = \$(\d+)\./)
  t.strictSame([n, unit, once, compute], [row.instances, price, plusMonthly?.price, row.monthly])
  t.equal(n * unit + once, compute)
  const [perSecond, bytes, seconds, sent, , included] = readFigures(
    /sent: ([\d,]+) × ([\d,]+) bytes × ([\d,]+) s \(730 hours\) = ([\d,]+) GB, of which (\d+) × ([\d,]+)/)
  t.strictSame([perSecond, bytes, included], [rate, bytesPerResponse, includedGb])
  t.equal(Math.round(perSecond * bytes * seconds / 1e9), sent)
  const [paid, perGb, traffic, total] =
    readFigures(/Traffic: ([\d,]+) GB × \$([\d.]+) = \$([\d.]+)\. Total: \$(\d+\.\d+)\./)
  t.equal(paid, sent - n * included)
  t.equal(perGb, egress?.perGb)
  t.strictSame([traffic, total], [paid * perGb, compute + paid * perGb].map(amount => Number(amount.toFixed(2))))
  t.strictSame([traffic, total], [row.egress, row.total].map(amount => Number(Number(amount).toFixed(2))))
})

t.test('the answer of each stored sizing has two lines at 80 columns at most, and the certainty', async t => {
  for (const record of records) {
    const answer = renderBrief(record, { columns: 80 }).split('\n\n')[0]
    t.match(answer, /^Buy \d+ .* for [\d,]+ req\/s at constant load,\s/)
    t.match(answer, /; (estimated|emulated here), /)
    t.ok(answer.split('\n').length <= 2, answer)
  }
})

t.test('the row of a sizing in README.md has 20 words at most', async t => {
  const row = readFileSync(join(PROJECT, 'README.md'), 'utf8').split('\n').find(line => line.includes('hopbench size'))
  const words = String(row).split(/[\s|]+/).filter(Boolean)
  t.ok(words.length > 5 && words.length <= 20, `${words.length} words`)
})
