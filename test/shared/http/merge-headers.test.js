/** Headers whose names are compared without case. */
import t from '../../support/tap.js'
import { createArm } from '../../../bench/plan/plan.js'
import { parse } from '../../../bench/plan/spec.js'
import { mergeHeaders } from '../../../bench/shared/http/merge-headers.js'
import { withPageOfFiles } from '../../../bench/request/request.js'
import { makePlan } from '../../support/record.js'

t.test('later headers replace earlier ones in any case, and keep their spelling', async t => {
  t.strictSame(mergeHeaders({ host: 'a', accept: 'x' }, undefined, { Host: 'b' }, { HOST: 'c', 'x-y': '1' }),
    { accept: 'x', HOST: 'c', 'x-y': '1' })
  t.strictSame(mergeHeaders(), {})
})

t.test('a typed accept-encoding is the only one of a page view', async t => {
  const arm = createArm(parse('express'), { headers: { 'accept-encoding': 'br' } })
  const folder = t.testdir({ 'a.js': 'a' })
  const { plan } = withPageOfFiles(makePlan({ arms: [arm] }), [{ prefix: '/assets', folder }])
  t.strictSame(plan.arms[0].load.headers, { 'accept-encoding': 'br' })
})
