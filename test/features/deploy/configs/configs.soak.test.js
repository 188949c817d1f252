/** The whole table of `hopbench check --configs` with every kit: `npm run test:soak`, some five minutes. */
import t from '../../../support/tap.js'
import { getSubjects, loadBehaviours } from '../../../../bench/features/deploy/configs/study.js'
import { everyCellHolds } from '../../../support/configs.js'
import { hopbench, leavesNothing, makeWorkspace } from '../../../support/cli.js'
import { skipWithout } from '../../../support/needs.js'

/** Time within which the table is complete on two quiet cores. */
const SECONDS = 480
const skip = skipWithout('nginx', 'apache', 'haproxy', 'caddy', 'varnish', 'envoy', 'traefik')

t.test('every behaviour that is offered holds, in five minutes', { skip, timeout: 600_000 }, async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(['check', '--configs', '--json'], { workspace, timeoutSeconds: 550 })
  const record = JSON.parse(stdout)
  everyCellHolds(t, record, { behaviours: await loadBehaviours(), subjects: getSubjects().length })
  t.equal(exit, 0, stderr)
  t.ok(record.seconds < SECONDS, `${record.seconds} s`)
  await leavesNothing(t, workspace)
})
