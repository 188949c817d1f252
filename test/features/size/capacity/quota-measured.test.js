import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { PROJECT } from '../../../../bench/plan/plugins.js'
import { cellsOf } from '../../../perf/quota-cells.js'

/** @import { Seen } from '../../../perf/quota-cells.js' */

/** @type {Seen[]} */
const seen = JSON.parse(readFileSync(join(PROJECT, 'results/reference/quotas.json'), 'utf8'))
const cells = seen.flatMap(entry => cellsOf(entry))

t.test('estimates the throughput measured under real quotas from measurements without quotas', async t => {
  const ratios = cells.map(({ estimated, measured }) => estimated / measured)
  const near = ratios.filter(ratio => Math.abs(ratio - 1) <= 0.15).length / ratios.length
  t.ok(near > 0.75, `${(100 * near).toFixed(0)} % within 15 %`)
  const tooHigh = ratios.filter(ratio => ratio > 1.1).length / ratios.length
  t.ok(tooHigh < 0.25, `${(100 * tooHigh).toFixed(0)} % are more than a tenth too high`)
  const log = ratios.map(Math.log)
  const mean = Math.exp(log.reduce((a, b) => a + b, 0) / log.length)
  t.ok(Math.abs(mean - 1) < 0.05, `mean ratio of estimate and measurement: ${mean.toFixed(2)}`)
})
