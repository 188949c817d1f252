/** `hopbench all` in a copy of the project with two experiments, one of which cannot be run, and `hopbench claims`. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { failsInProcess } from '../../support/in-process.js'
import { copyOfProject } from '../../support/project.js'

/**
 * @param {string} title
 * @param {string} server
 */
const experiment = (title, server) => `export default {
  title: '${title}',
  question: 'Does it run?',
  source: null,
  arms: { one: 'http-json', two: '${server}' },
  protocol: 'slices',
  unit: 'requests',
  contrasts: [],
  blocks: { full: 1, quick: 1 },
  load: { connections: 4, path: '/' }
}
`

t.test('hopbench all reports an experiment that cannot be run, and runs the other one', async t => {
  const from = copyOfProject(t)
  const folder = join(from, 'bench', 'experiments')
  for (const file of readdirSync(folder)) rmSync(join(folder, file))
  writeFileSync(join(folder, 'broken.js'), experiment('broken', 'no-such-server'))
  writeFileSync(join(folder, 'sound.js'), experiment('sound', 'express-json'))
  const targets = join(from, 'bench/plan/targets.js')
  writeFileSync(targets, readFileSync(targets, 'utf8').replace('quick: 15 }', 'quick: 1 }')) // the warm-up
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(['all', '--quick', '--json', '--results', workspace.results], {
    workspace,
    from,
    timeoutSeconds: 170
  })
  t.equal(exit, 1, 'one experiment failed') || t.comment(stdout, stderr)
  const { suite, quick, entries: [broken, sound] } = JSON.parse(stdout)
  t.equal(quick, true)
  t.match(broken, {
    experiment: 'broken',
    status: 'failed',
    run: null,
    error: /^There is no server "no-such-server" in servers\//
  })
  t.match(sound, { experiment: 'sound', run: /^\d{4}-.*Z-sound$/ })
  const record = JSON.parse(readFileSync(join(workspace.results, sound.run, 'run.json'), 'utf8'))
  t.match(record, { experiment: 'sound', complete: true, plan: { quick: true } })
  t.match(stderr, /^broken .*FAILED: There is no server/m)
  t.match(stderr, new RegExp(`^Resume the suite: .+ all --resume ${suite}$`, 'm'))
  t.strictSame(JSON.parse(readFileSync(join(workspace.results, suite, 'suite.json'), 'utf8')).entries, [broken, sound])
  await leavesNothing(t, workspace)
})

t.test('hopbench all rejects wrong arguments before it runs an experiment', async t => {
  const workspace = makeWorkspace(t)
  const fails = (/** @type {string[]} */ args, /** @type {RegExp} */ message) =>
    failsInProcess(t, ['all', ...args, '--results', workspace.results], { workspace, exit: 2, message })
  await fails(['--only', 'udss'], /no experiment "udss" in bench\/experiments\/. Did you mean "uds"\?/)
  await fails(['--resume'], /no suite in .* to resume/)
  await fails(['--resume', '--quick'], /a suite is resumed with its own options/)
})

t.test('hopbench claims prints the claims of stored runs, and fails for a folder without runs', async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout } = await hopbench(['claims', '--json'], { workspace })
  t.equal(exit, 0)
  /** @type {{ status: string, statement: string }[]} */
  const claims = JSON.parse(stdout)
  t.ok(claims.some(({ status }) => status !== 'not-run'), 'stored runs test claims')
  const statuses = ['confirmed', 'refuted', 'inconclusive', 'not-testable', 'not-run']
  for (const { status, statement } of claims) {
    t.ok(statuses.includes(status), `${statement}: ${status}`)
    t.match(statement, /\w/)
  }
  await failsInProcess(t, ['claims', '--results', workspace.results], {
    workspace,
    exit: 2,
    message: /no stored run in/
  })
})
