/** Servers with wrong responses, whose measurements must not become results. */
import t from '../support/tap.js'
import { failsWell, hopbench, leavesNothing, makeWorkspace } from '../support/cli.js'
import { copyWithLiars } from '../support/liars.js'

const from = copyWithLiars(t)

t.test('refuses a server with wrong bytes before the measurement', async t => {
  const workspace = makeWorkspace(t)
  const result = await hopbench(['run', 'express-json', 'wrong-bytes', '--quick', '--results', workspace.results], {
    workspace,
    from
  })
  await failsWell(t, result, {
    workspace,
    exit: 1,
    message: /^wrong-bytes .*the body differs from the expected one/m
  })
})

t.test('compares the other arms when one arm is refused', async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(
    ['run', 'http-json', 'wrong-bytes', 'express-json', '--smoke', '--json', '--results', workspace.results],
    { workspace, from }
  )
  t.equal(exit, 1, 'a contrast is missing') || t.comment(stderr)
  const { contrasts } = JSON.parse(stdout)
  t.match(contrasts, [{ arm: 'wrong-bytes', verdict: 'invalid', why: { text: /the body differs/ } }, {
    arm: 'express-json'
  }])
  t.not(contrasts[1].verdict, 'invalid')
  await leavesNothing(t, workspace)
})
