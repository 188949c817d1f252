/** The steps of the action with mode: diff and mode: comment, for a pull request of two real commits. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { MARKER } from '../../../bench/features/compare/comment.js'
import { leavesNothing, makeWorkspace, project } from '../../support/cli.js'
import { startGitHub } from '../../support/github.js'
import { actionOf, runStep } from '../../support/workflow.js'

/** @import { Workspace } from '../../support/cli.js' */

const { inputs, runs: { steps } } = actionOf(readFileSync(join(project, 'action.yml'), 'utf8'))

/** @param {number} ms CPU time of a response */
const toServer = ms => `
import { createServer } from 'node:http'
createServer((req, res) => {
  const end = performance.now() + ${ms}
  while (performance.now() < end);
  res.end('the same')
}).listen(process.env.PORT)
`

/**
 * Checks out a pull request as actions/checkout does: merged with its base, which is the first parent.
 *
 * @param {Workspace} workspace
 */
async function checkOut ({ dir }) {
  const git = async (/** @type {string[]} */ ...args) => {
    const { exit, stderr } = await run(['git', '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args],
      { cwd: dir, env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' } })
    if (exit !== 0) throw new Error(stderr)
  }
  const write = (/** @type {number} */ ms) => writeFileSync(join(dir, 'server.js'), toServer(ms))
  await git('init', '-q', '-b', 'main')
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }\n')
  writeFileSync(join(dir, '.gitignore'), 'hopbench-results\nstep.sh\noutput.txt\nsummary.md\nevent.json\n')
  write(0.4)
  await git('add', '.')
  await git('commit', '-qm', 'base')
  await git('checkout', '-qb', 'feature')
  write(1)
  await git('commit', '-qam', 'head')
  await git('checkout', '-q', 'main')
  await git('merge', '-q', '--no-ff', '-m', 'merge', 'feature')
}

t.test('a pull request is measured against its base, and its result is one comment', async t => {
  const workspace = makeWorkspace(t)
  const { dir } = workspace
  await checkOut(workspace)
  const env = {
    MODE: inputs.mode.default ?? '',
    BASE: inputs.base.default ?? '',
    APP: 'node server.js',
    RUN: '',
    BASELINE: '',
    MARGIN: '',
    // Ends once the comparison is decided.
    BUDGET: '3m',
    STRICT: 'true',
    OPTIONS: '',
    GITHUB_ACTION_PATH: project
  }
  const measured = await runStep(steps, workspace, 'Measure', env)
  t.match(measured, { exit: 3, stdout: /^SLOWER by more than 5 %: CPU time per request \+\d/ }) ||
    t.comment(measured.stdout, measured.stderr)
  t.equal(readFileSync(join(dir, 'output.txt'), 'utf8'), 'verdict=slower\n')
  t.match(readFileSync(join(dir, 'hopbench-results/junit.xml'), 'utf8'), /<failure /)
  for (const file of ['summary.md', 'comment.md', 'junit.xml', 'badge.json', 'bencher.json']) {
    t.ok(existsSync(join(dir, 'hopbench-results', file)), file)
  }
  await runStep(steps, workspace, 'Show the comparison')
  t.match(readFileSync(join(dir, 'summary.md'), 'utf8'), /^\*\*/)

  const { comments, env: github, link } = await startGitHub(t, { dir })
  const comment = { ARTIFACT: join(dir, 'hopbench-results'), GITHUB_ACTION_PATH: project, ...github }
  for (const done of ['written', 'rewritten']) {
    const { exit, stdout, stderr } = await runStep(steps, workspace, 'Write the comment', comment)
    t.equal(exit, 0) || t.comment(stderr)
    t.match(stdout, `The comment of pull request 7 was ${done}.`)
  }
  t.equal(comments.length, 1)
  t.match(comments[0].body, new RegExp(`^${MARKER}\\n`))
  t.match(comments[0].body, `[all results](${link})`)
  await leavesNothing(t, workspace)
})

t.test('a mode or a strictness that does not exist, and an artifact without a run, fail', async t => {
  const workspace = makeWorkspace(t)
  const env = { MODE: 'dif', GITHUB_ACTION_PATH: project, OPTIONS: '', STRICT: 'False' }
  t.match(await runStep(steps, workspace, 'Measure', env),
    { exit: 2, stderr: /^mode is diff, compare or comment, not dif/ })
  t.match(await runStep(steps, workspace, 'Measure', { ...env, STRICT: 'yes' }),
    { exit: 2, stderr: /^strict is true or false, not yes/ })
  const { env: github, comments } = await startGitHub(t, { dir: workspace.dir })
  const variables = { ARTIFACT: workspace.tmp, GITHUB_ACTION_PATH: project, ...github }
  t.match(await runStep(steps, workspace, 'Write the comment', variables),
    { exit: 2, stderr: /\[unknown-run\]/ })
  t.strictSame(comments, [])
})
