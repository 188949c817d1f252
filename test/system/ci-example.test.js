/** The workflow that people copy: as GitHub reads it, and its shell steps carried out on runs that are stored. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { run } from '../../bench/machine/process.js'
import { hopbench, placeFor, project } from '../support/cli.js'
import { faultsOf, workflowOf } from '../support/workflow.js'

/** @import { Test } from 'tap' */

const file = join(project, 'docs/examples/hopbench.yml')
const text = readFileSync(file, 'utf8')
const { permissions, jobs: { compare: job } } = workflowOf(text)
const stored = '2026-11-21T16-03-41Z-uds'

/** @param {string} name */
const scriptOf = name => String(job.steps.find(step => step.name === name)?.run)

t.test('it is a workflow without a fault', async t => {
  t.strictSame(await faultsOf(text), [])
})

t.test('a fault that is planted in it is found', async t => {
  /** @type {Record<string, [string, string, RegExp]>} */
  const planted = {
    'a key': ['runs-on:', 'run-on:', /Unexpected value 'run-on'/],
    'a value': ['timeout-minutes: 30', 'timeout-minutes: soon', /Unexpected value 'soon'/],
    'a permission': ['contents: read', 'contents: reed', /Unexpected value 'reed'/],
    'an event': ['pull_request:', 'pull_requests:', /Unexpected value 'pull_requests'/],
    'a function': ['if: always()', 'if: allways()', /Unrecognized function: 'allways'/],
    'a context': ['github.workspace', 'githb.workspace', /Unrecognized named-value: 'githb'/],
    'a bracket': ['package-lock.json\') }}', 'package-lock.json\' }}', /Unexpected symbol/],
    'an indent': ['      - name: Compare', '     - name: Compare', /sequence/]
  }
  for (const [what, [right, wrong, says]] of Object.entries(planted)) {
    t.ok(text.includes(right), right)
    t.match((await faultsOf(text.replace(right, wrong))).join('\n'), says, what)
  }
})

t.test('it may read and nothing else, and every action is pinned to a commit', async t => {
  t.strictSame(permissions, { contents: 'read' })
  t.equal(job.permissions, undefined)
  const actions = [...text.matchAll(/uses: (\S+)(.*)/g)]
  t.equal(actions.length, job.steps.filter(({ uses }) => uses).length)
  for (const [, action, comment] of actions) {
    t.match(action, /^actions\/[a-z-]+@[0-9a-f]{40}$/)
    t.match(comment, /^ # v\d+\.\d+\.\d+$/, 'with the version that it is')
  }
  t.notMatch(text, /\bsecrets\b|pull_request_target/, "code of a stranger's pull request meets no secret")
  t.strictSame(
    job.steps.filter(step => step.uses?.includes('checkout')).map(step => step.with?.['persist-credentials']),
    [false, false]
  )
})

t.test('what it measures with is a command that hopbench knows', async t => {
  const { stdout } = await hopbench(['run', '--help'], { place: placeFor(t) })
  const flags = scriptOf('Measure').match(/--[a-z-]+/g) ?? []
  t.ok(flags.length > 1)
  for (const flag of flags) t.ok(stdout.includes(`${flag} `), flag)
})

/**
 * A workspace as the steps before have left it: hopbench, a baseline, and results.
 * @param {Test} t
 * @param {(sample: any) => any} change of what was measured now
 */
function workspace (t, change) {
  const { dir } = placeFor(t)
  symlinkSync(project, join(dir, 'hopbench'))
  for (const [folder, name] of [['hopbench-baseline', stored], ['hopbench-results', '2026-12-01T00-00-00Z-uds']]) {
    mkdirSync(join(dir, folder))
    cpSync(join(project, 'results/reference', stored), join(dir, folder, name), { recursive: true })
    const samples = join(dir, folder, name, 'samples.jsonl')
    if (folder === 'hopbench-results') {
      writeFileSync(samples, readFileSync(samples, 'utf8').trimEnd().split('\n').map(line =>
        `${JSON.stringify(change(JSON.parse(line)))}\n`
      ).join(''))
    }
  }
  const summary = join(dir, 'summary.md')
  /** As GitHub runs a step. @param {string} name */
  const step = async name => {
    const script = join(dir, 'step.sh')
    writeFileSync(script, scriptOf(name))
    return run(['bash', '-e', script], {
      cwd: dir,
      env: { GITHUB_STEP_SUMMARY: summary, INIT_CWD: dir, NO_COLOR: '1' }
    })
  }
  return { step, summary: () => existsSync(summary) ? readFileSync(summary, 'utf8') : null }
}

t.test('an arm that became slower fails the step, and the summary shows the table all the same', async t => {
  const { step, summary } = workspace(t, sample => sample.arm === 'uds' ? { ...sample, rps: sample.rps * 0.7 } : sample)
  const { exit, stdout, stderr } = await step('Compare')
  t.equal(exit, 3, stderr)
  t.match(stdout, /Slower by more than 10 %: uds ÷ tcp/)
  t.equal((await step('Show the comparison')).exit, 0)
  t.match(summary(), /^\*\*Slower by more than 10 %: uds ÷ tcp and uds ÷ keepalive\.\*\*\n\n\| what \| before \| now /)
  t.match(summary(), /\n\n\| what \| before \| now \| change \| verdict \| would have found \|\n\| --- \| ---: /)
  t.match(summary(),
    /^\| uds ÷ tcp, times as fast \| 1\.15 \(.*\) \| 0\.80\d* \(.*\) \| 0\.70\d* \(.*\) \| slower \| \d/m)
  t.match(summary(), /\| tcp, req\/s \| .* \| not compared \| – \|/, 'rates are shown and decide nothing')
})

t.test('the same once more fails nothing', async t => {
  const { step, summary } = workspace(t, sample => sample)
  t.equal((await step('Compare')).exit, 0)
  t.equal((await step('Show the comparison')).exit, 0)
  t.match(summary(), /^\*\*Nothing is shown to be slower by more than 10 %\.\*\*/)
})

t.test('where nothing was compared the summary stays empty, and says no error of its own', async t => {
  const { step, summary } = workspace(t, sample => sample)
  t.match(await step('Show the comparison'), { exit: 0, stderr: '' })
  t.equal(summary(), null)
})

t.test('what cannot be told fails where --strict asks for it', async t => {
  const place = placeFor(t)
  const reference = join(project, 'results/reference', stored)
  const args = ['compare', reference, reference, '--margin', '1%', '--no-rates']
  t.match(await hopbench(args, { place }), { exit: 0, stdout: /Cannot tell: / })
  t.match(await hopbench([...args, '--strict'], { place }), { exit: 3, stdout: /That fails, as --strict asks\.$/ })
  t.match(await hopbench([...args, '--export-markdown', '-'], { place }), { exit: 0, stdout: /^\*\*Nothing is shown/ })
})
