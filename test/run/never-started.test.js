import t from '../support/tap.js'
import { createRecord } from '../../bench/run/pipeline.js'
import { EMPTY } from '../../bench/shared/trial.js'
import { pageOf } from '../../bench/run/report-file.js'
import { planFrom } from '../../bench/request/request.js'
import { makeRecord } from '../support/record.js'
import { toAnswer } from '../support/rendered.js'

/** @import { Reason } from '../../bench/types.js' */

const AT = '2026-11-25T12:00:00.000Z'

t.test('the page of a run whose proxies never started is made, and names the reason', async t => {
  const dir = t.testdir()
  const { environment } = makeRecord()
  /** @type {Reason} */
  const invalid = { code: 'not-measured', params: { message: 'nginx ended with exit code 1.\nfurther lines' } }
  for (const experiment of ['reload', 'uds', 'latency', 'users', 'apache']) {
    const { plan } = await planFrom([experiment], { lab: false })
    const samples = plan.arms.map(({ name }) => ({ ...EMPTY, arm: name, block: 0, startedAt: AT, invalid }))
    const world = { environment, startedAt: AT, utc: () => AT, run: { run: `2026-11-25T12-00-00Z-${experiment}` } }
    const record = createRecord(plan, world, { samples, ended: 'failed' })
    t.match(record.tools, {}, 'without a version of any proxy')
    t.match(toAnswer(record), /^There is no valid measurement/)
    t.match(await pageOf({ record, samples, dir, resultsDir: dir }), 'nginx ended with exit code 1.', experiment)
  }
})
