/** The example workflow and the action that it calls, read with GitHub's parser, and the steps of the action, run. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { run } from '../../bench/machine/process.js'
import { hopbench, leavesNothing, makeWorkspace, project } from '../support/cli.js'
import { actionOf, faultsOf, workflowOf } from '../support/workflow.js'

/**
 * @import { Test } from 'tap'
 * @import { Workspace } from '../support/cli.js'
 */

const text = readFileSync(join(project, 'docs/examples/hopbench.yml'), 'utf8')
const actionText = readFileSync(join(project, 'action.yml'), 'utf8')
const { permissions, jobs: { compare: job } } = workflowOf(text)
const { inputs, runs } = actionOf(actionText)
const stored = '2026-11-23T20-14-10Z-uds'

t.test('GitHub\'s parser finds no fault in the workflow', async t => {
  t.strictSame(await faultsOf(text), [])
})

t.test('GitHub\'s parser finds planted faults', async t => {
  /** @type {Record<string, [string, string, RegExp]>} */
  const planted = {
    'a key': ['runs-on:', 'run-on:', /Unexpected value 'run-on'/],
    'a value': ['timeout-minutes: 30', 'timeout-minutes: soon', /Unexpected value 'soon'/],
    'a permission': ['contents: read', 'contents: reed', /Unexpected value 'reed'/],
    'an event': ['pull_request:', 'pull_requests:', /Unexpected value 'pull_requests'/],
    'a context': ['github.ref', 'githb.ref', /Unrecognized named-value: 'githb'/],
    'a bracket': ['github.ref }}', 'github.ref) }}', /Unexpected symbol/],
    'an indent': ['      - name: hopbench', '     - name: hopbench', /sequence/]
  }
  for (const [what, [right, wrong, message]] of Object.entries(planted)) {
    t.ok(text.includes(right), right)
    t.match((await faultsOf(text.replace(right, wrong))).join('\n'), message, what)
  }
})

t.test('the workflow has read permission only, and pins every foreign action to a commit', async t => {
  t.strictSame(permissions, { contents: 'read' })
  t.equal(job.permissions, undefined)
  const actions = [...`${text}${actionText}`.matchAll(/uses: (actions\/\S+)(.*)/g)]
  t.equal(actions.length, 4)
  for (const [, action, comment] of actions) {
    t.match(action, /^actions\/[a-z-]+@[0-9a-f]{40}$/)
    t.match(comment, /^ # v\d+\.\d+\.\d+$/, 'a comment with the version')
  }
  t.notMatch(text, /\bsecrets\b|pull_request_target/, 'a pull request cannot read secrets')
  t.strictSame(
    job.steps.filter(step => step.uses?.includes('checkout')).map(step => step.with?.['persist-credentials']),
    [false]
  )
})

t.test('the action accepts the inputs of the workflow, and inserts no input into a script', async t => {
  t.equal(runs.using, 'composite')
  const given = Object.keys(job.steps.find(({ uses }) => uses?.startsWith('your-account/'))?.with ?? {})
  const needed = Object.keys(inputs).filter(name => inputs[name].required)
  t.strictSame(given.filter(name => !(name in inputs)), [])
  t.strictSame(needed.filter(name => !given.includes(name)), [])
  for (const { name, run, shell, env = {} } of runs.steps.filter(({ run }) => run !== undefined)) {
    t.equal(shell, 'bash', `${name} names its shell, as an action must`)
    t.notMatch(run, /\$\{\{/, name)
    for (const value of Object.values(env)) {
      const [, input] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value) ?? []
      t.ok(/^\$\{\{ github\.action_path \}\}$/.test(value) || (input && input in inputs), value)
    }
  }
  const used = runs.steps.flatMap(({ env = {} }) => Object.values(env)).join(' ')
  t.strictSame(Object.keys(inputs).filter(name => !used.includes(`inputs.${name} `)), [], 'every input is used')
})

/**
 * Runs a step of the action as GitHub does.
 * @param {Workspace} workspace
 * @param {string} name
 * @param {Record<string, string>} [env]
 */
function step ({ dir, tmp }, name, env = {}) {
  const script = join(dir, 'step.sh')
  writeFileSync(script, String(runs.steps.find(step => step.name === name)?.run))
  return run(['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail', script], {
    cwd: dir,
    env: {
      GITHUB_STEP_SUMMARY: join(dir, 'summary.md'),
      GITHUB_OUTPUT: join(dir, 'output.txt'),
      TMPDIR: tmp,
      NO_COLOR: '1',
      ...env
    },
    timeoutSeconds: 120
  })
}

t.test('the action measures, stores a first baseline, and compares the next run with it', async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'my-app.mjs'), 'export default (req, res) => res.end("hello")\n')
  const env = {
    RUN: './my-app.mjs\n',
    BASELINE: 'hopbench-baseline',
    MARGIN: inputs.margin.default ?? '',
    BUDGET: '10s',
    OPTIONS: '--smoke\n--path /\n--no-rates\n',
    HOPBENCH: project
  }
  const failed = await step(workspace, 'Measure', { ...env, RUN: 'no-such-thing' })
  t.notMatch(failed, { exit: 0 }, 'a failure fails the build')
  const first = await step(workspace, 'Measure', env)
  t.match(first, { exit: 0, stdout: /There is no hopbench-baseline yet/ }) || t.comment(first.stderr)
  cpSync(join(workspace.dir, 'hopbench-results'), join(workspace.dir, 'hopbench-baseline'), { recursive: true })
  const second = await step(workspace, 'Measure', env)
  t.match(second, { exit: 0, stdout: / against 2/ }) || t.comment(second.stdout, second.stderr)
  t.equal(readdirSync(join(workspace.dir, 'hopbench-results')).length, 3, 'two runs and a summary')
  t.equal((await step(workspace, 'Show the comparison')).exit, 0)
  t.match(readFileSync(join(workspace.dir, 'summary.md'), 'utf8'), /^\*\*.*\*\*\n[^]*\| arm \| topology \|/,
    'the comparison and the tables of the run')
  await leavesNothing(t, workspace)
})

t.test('the key of the cache changes with the packages that the action installs', async t => {
  const workspace = makeWorkspace(t)
  const output = join(workspace.dir, 'output.txt')
  const action = join(workspace.dir, 'action')
  mkdirSync(action)
  for (const file of ['package-lock.json', 'compared-lock.json']) cpSync(join(project, file), join(action, file))
  const key = async () => {
    writeFileSync(output, '')
    t.equal((await step(workspace, 'Choose the cache', { HOPBENCH: action })).exit, 0)
    return readFileSync(output, 'utf8')
  }
  const first = await key()
  t.match(first, /^key=[0-9a-f]{16}-\d{4}-week-\d\d\n$/)
  t.equal(await key(), first)
  writeFileSync(join(action, 'compared-lock.json'), '{}')
  t.not(await key(), first)
})

t.test('the setting of the host is restored where it was changed, and only there', async t => {
  const workspace = makeWorkspace(t)
  const { dir } = workspace
  const bin = join(dir, 'bin')
  const log = join(dir, 'sysctl.log')
  mkdirSync(bin)
  writeFileSync(join(bin, 'sudo'), '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o755 })
  for (const [before, expected] of [['1', 'restore=1\n'], ['0', ''], ['', '']]) {
    writeFileSync(join(bin, 'sysctl'),
      `#!/bin/sh\n[ "$1" = -n ] && { echo "${before}"; exit 0; }\necho "$2" >> ${JSON.stringify(log)}\n`,
      { mode: 0o755 })
    writeFileSync(join(dir, 'output.txt'), '')
    const { exit } = await step(workspace, 'Private networks', { PATH: `${bin}:${process.env.PATH}` })
    t.equal(exit, 0)
    t.equal(readFileSync(join(dir, 'output.txt'), 'utf8'), expected)
  }
  await step(workspace, 'Restore private networks', { PATH: `${bin}:${process.env.PATH}` })
  t.strictSame(readFileSync(log, 'utf8').trim().split('\n').map(line => line.slice(-1)), ['0', '1'])
  const restore = runs.steps.find(({ name }) => name === 'Restore private networks')
  t.equal(restore?.if, 'always() && steps.networks.outputs.restore == \'1\'')
})

t.test('without a measurement the summary step writes nothing and succeeds', async t => {
  const workspace = makeWorkspace(t)
  t.match(await step(workspace, 'Show the comparison'), { exit: 0, stderr: '' })
  t.notOk(existsSync(join(workspace.dir, 'summary.md')))
})

/**
 * Prepares a baseline and changed results, and returns a function that compares them.
 * @param {Test} t
 * @param {(sample: any) => any} change applied to the new samples
 */
function comparing (t, change) {
  const workspace = makeWorkspace(t)
  const { dir } = workspace
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
  return async () => ({
    ...await hopbench(['compare', 'hopbench-baseline', 'hopbench-results', '--margin', '10%', '--no-rates',
      '--export-markdown', 'summary.md'], { workspace }),
    summary: readFileSync(join(dir, 'summary.md'), 'utf8')
  })
}

t.test('a slower arm fails the comparison, and the summary contains the table', async t => {
  const compare = comparing(t, sample => sample.arm === 'uds' ? { ...sample, rps: sample.rps * 0.7 } : sample)
  const { exit, stdout, stderr, summary } = await compare()
  t.equal(exit, 3, stderr)
  t.match(stdout, /Slower by more than 10 %: uds ÷ tcp/)
  t.match(summary,
    /^\*\*Slower by more than 10 %: uds ÷ tcp, uds ÷ keepalive and uds ÷ direct\.\*\*\n\n\| figure \| before \| now /)
  t.match(summary, /\n\n\| figure \| before \| now \| change \| verdict \| detectable \|\n\| --- \| ---: /)
  t.match(summary,
    /^\| uds ÷ tcp, relative throughput \| 1\.27\d* \(.*\) \| 0\.89\d* \(.*\) \| 0\.70\d* \(.*\) \| slower \| \d/m)
  t.match(summary, /\| tcp, req\/s \| .* \| not compared \| – \|/, 'rates are shown, but not compared')
})

t.test('identical results pass the comparison', async t => {
  const { exit, summary } = await comparing(t, sample => sample)()
  t.equal(exit, 0)
  t.match(summary, /^\*\*Nothing is shown to be slower by more than 10 %\.\*\*/)
})

t.test('an inconclusive comparison fails only with --strict', async t => {
  const workspace = makeWorkspace(t)
  const reference = join(project, 'results/reference', stored)
  const args = ['compare', reference, reference, '--margin', '1%', '--no-rates']
  t.match(await hopbench(args, { workspace }), { exit: 0, stdout: /Inconclusive: / })
  t.match(await hopbench([...args, '--strict'], { workspace }), {
    exit: 3, stdout: /Inconclusive: exit code 3, because of --strict\.$/
  })
  const exported = await hopbench([...args, '--export-markdown', '-'], { workspace })
  t.match(exported, { exit: 0, stdout: /^\*\*UNDECIDED: this comparison detects slowdowns of \d/ })
})
