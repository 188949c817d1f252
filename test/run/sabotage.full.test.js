/** Servers that fail only under load, whose measurements must not become results. */
import t from '../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace } from '../support/cli.js'
import { copyWithLiars } from '../support/liars.js'

const from = copyWithLiars(t)

t.test('invalidates servers that fail under load, alone and behind a proxy', async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(
    ['run', 'express-json', 'sometimes-500', 'nginx:uds/sometimes-500', 'wrong-later', '--quick', '--warm-up', '1s',
      '--budget', '90s', '--json', '--results', workspace.results],
    { workspace, from, timeoutSeconds: 120 }
  )
  t.equal(exit, 1) || t.comment(stderr)
  const { contrasts, arms } = JSON.parse(stdout)
  t.match(contrasts, [
    { arm: 'sometimes-500', verdict: 'invalid', why: { text: /not 2xx/ } },
    { arm: 'nginx:uds/sometimes-500', verdict: 'invalid', why: { text: /not 2xx/ } },
    { arm: 'wrong-later', verdict: 'invalid', why: { text: /body differed/ } }
  ])
  const [honest, direct, proxied, later] = arms.map((/** @type {any} */ arm) => arm.errors)
  t.strictSame(honest, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
  t.ok(direct.non2xx > 0 && proxied.non2xx > 0 && later.mismatches > 0)
  await leavesNothing(t, workspace)
})
