/** The example workflow and the action that it calls, read with GitHub's parser, and the steps of the action, run. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { hopbench, leavesNothing, listRuns, makeWorkspace, project } from '../../support/cli.js'
import { actionOf, faultsOf, runStep, workflowOf } from '../../support/workflow.js'

/** @import { Workspace } from '../../support/cli.js' */

const read = (/** @type {string} */ file) => readFileSync(join(project, file), 'utf8')
const text = read('docs/examples/hopbench.yml')
const commentText = read('docs/examples/hopbench-comment.yml')
const siteText = read('docs/examples/hopbench-site.yml')
const actionText = read('action.yml')
const { permissions, jobs: { diff: job } } = workflowOf(text)
const { inputs, runs } = actionOf(actionText)
const stored = '2026-11-30T16-36-47Z-uds'
const set = join(project, 'results/reference/intel-r-xeon-r-processor-6-207-2-cores-24-gib-linux-x64-6.18-kvm')

t.test('GitHub\'s parser finds no fault in the workflows', async t => {
  for (const workflow of [text, commentText, siteText]) t.strictSame(await faultsOf(workflow), [])
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

t.test('the workflow that runs foreign code may only read, and every foreign action is a commit', async t => {
  t.strictSame(permissions, { contents: 'read' })
  t.equal(job.permissions, undefined)
  const actions = [...`${text}${commentText}${siteText}${actionText}`.matchAll(/uses: (actions\/\S+)(.*)/g)]
  t.equal(actions.length, 11)
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

t.test('the workflow that writes comments runs no foreign code, and may write nothing else', async t => {
  const { on, permissions, jobs } = workflowOf(commentText)
  t.strictSame(permissions, { actions: 'read', 'pull-requests': 'write' })
  t.strictSame(Object.keys(/** @type {object} */ (on)), ['workflow_run'])
  const [node, ...steps] = Object.values(jobs).flatMap(({ steps }) => steps)
  t.match(node, { uses: /^actions\/setup-node@/, run: undefined }, 'the version of Node that hopbench needs')
  t.strictSame(steps.map(({ uses, run, with: inputs }) => ({ uses, run, inputs })),
    [{ uses: 'your-account/hopbench@main', run: undefined, inputs: { mode: 'comment' } }])
  const own = runs.steps.filter(({ if: condition }) => !condition?.includes("inputs.mode != 'comment'"))
  t.strictSame(own.map(({ name }) => name), ['Restore private networks', 'Fetch the results', 'Write the comment'])
  const given = runs.steps.filter(({ env = {}, with: inputs = {} }) =>
    JSON.stringify([env, inputs]).includes('github.token'))
  for (const step of given) t.match(step.if, /^inputs\.mode == 'comment'/, 'no step of a build gets the token')
  t.strictSame(given.map(({ name }) => name), ['Fetch the results', 'Write the comment'])
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
    t.notMatch(JSON.stringify(env), 'github.action_path', `${name} finds the action in a container, too`)
    for (const value of Object.values(env)) {
      const [, input] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value) ?? []
      const isOfGitHub = /^\$\{\{ (github\.token|runner\.temp) \}\}[\w/-]*$/.test(value)
      t.ok(isOfGitHub || (input && input in inputs), value)
    }
  }
  const used = runs.steps.flatMap(({ env = {}, with: given = {} }) => [env, given].flatMap(Object.values)).join(' ')
  t.strictSame(Object.keys(inputs).filter(name => !used.includes(`inputs.${name} `)), [], 'every input is used')
})

/**
 * @param {Workspace} workspace
 * @param {string} name
 * @param {Record<string, string>} [env]
 */
const step = (workspace, name, env) => runStep(runs.steps, workspace, name, env)

t.test('the action measures, stores a first baseline, and compares the next run with it', async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'my-app.mjs'), 'export default (req, res) => res.end("hello")\n')
  const env = {
    MODE: 'compare',
    RUN: './my-app.mjs\n',
    BASELINE: 'hopbench-baseline',
    MARGIN: '',
    BUDGET: '10s',
    STRICT: 'true',
    OPTIONS: '--smoke\n--path /\n',
    GITHUB_ACTION_PATH: project
  }
  t.match(await step(workspace, 'Measure', { ...env, BUILD: 'npm run build' }),
    { exit: 2, stderr: /^install and build are for mode: diff/ })
  const failed = await step(workspace, 'Measure', { ...env, RUN: 'no-such-thing' })
  t.match(failed, { exit: 2 }, 'a failure fails the build')
  const first = await step(workspace, 'Measure', env)
  t.match(first, { exit: 0, stdout: /There is no hopbench-baseline yet/ }) || t.comment(first.stderr)
  cpSync(join(workspace.dir, 'hopbench-results'), join(workspace.dir, 'hopbench-baseline'), { recursive: true })
  const second = await step(workspace, 'Measure', { ...env, STRICT: 'false' })
  t.match(second, { exit: 0, stdout: / against 2/ }) || t.comment(second.stdout, second.stderr)
  const outputs = readFileSync(join(workspace.dir, 'output.txt'), 'utf8').trim().split('\n')
  t.strictSame(outputs.map(line => line.split('=')[1]), ['failed', 'passed', 'passed'])
  t.equal(listRuns(join(workspace.dir, 'hopbench-results')).length, 2 + 5, 'two runs and five files')
  t.equal((await step(workspace, 'Show the comparison')).exit, 0)
  t.match(readFileSync(join(workspace.dir, 'summary.md'), 'utf8'), /^\*\*.*\*\*\n/, 'the comparison')
  await leavesNothing(t, workspace)
})

t.test('each mode makes its command, and the exit code becomes the verdict', async t => {
  const workspace = makeWorkspace(t)
  const { dir } = workspace
  // A hopbench that prints its arguments.
  const fake = join(dir, 'fake')
  mkdirSync(join(fake, 'bench'), { recursive: true })
  writeFileSync(join(fake, 'bench/bootstrap.js'),
    `console.log(process.argv.slice(2).join("\\n"))
    const { CODE, COMPARE_CODE = 0 } = process.env
    process.exit(Number(process.argv[2] === "compare" ? COMPARE_CODE : CODE))\n`)
  const defaults = Object.fromEntries(Object.entries(inputs).map(([name, { default: value = '' }]) =>
    [name.toUpperCase(), value]))
  const measure = async (/** @type {Record<string, string>} */ env) => {
    const given = { ...defaults, CODE: '0', GITHUB_ACTION_PATH: fake, ...env }
    const { exit, stdout } = await step(workspace, 'Measure', given)
    const [printed, compared] = stdout.split(/^(?=compare$)/m).map(text => text.trim().split('\n'))
    const budgetAt = printed.indexOf('--budget')
    t.equal(printed[budgetAt + 1], '8m')
    const rest = printed.slice(printed.indexOf('--export-bencher') + 2)
    return { exit, words: printed.slice(0, budgetAt), rest, ...compared && { compared } }
  }
  const app = { APP: 'node server.js "a b"; touch x' }
  t.strictSame((await measure(app)).words,
    ['diff', 'HEAD^1', '--margin', '5%', '--app', 'node server.js "a b"; touch x', '--fail-on', 'inconclusive'])
  t.strictSame((await measure({ ...app, BASE: '', BUDGET: '' })).words.slice(0, 2), ['diff', 'HEAD^1'],
    'an empty input has its default')
  t.strictSame((await measure({ INSTALL: 'npm ci --omit dev', BUILD: 'npm run build', STRICT: 'false' })).words,
    ['diff', 'HEAD^1', '--margin', '5%', '--install', 'npm ci --omit dev', '--build', 'npm run build'])
  t.strictSame(await measure({ BASE: 'v1', MARGIN: '2%', STRICT: 'false', OPTIONS: '--path /a\n--latency' }),
    { exit: 0, words: ['diff', 'v1', '--margin', '2%'], rest: ['--path', '/a', '--latency'] })
  const compare = { MODE: 'compare', RUN: 'http-json ./my-app.js\nnginx:uds/./my-app.js' }
  const topologies = ['http-json', './my-app.js', 'nginx:uds/./my-app.js']
  t.strictSame(await measure({ ...compare, OPTIONS: '--path /' }), {
    exit: 0,
    words: ['There is no hopbench-baseline yet: this run is compared with nothing, and can become it.', 'run',
      ...topologies],
    rest: ['--path', '/']
  })
  mkdirSync(join(dir, 'hopbench-baseline'))
  const comparison = ['compare', 'hopbench-baseline', 'hopbench-results', '--no-rates', '--margin', '10%']
  const files = ['markdown', 'hopbench-results/summary.md', 'comment', 'hopbench-results/comment.md',
    'junit', 'hopbench-results/junit.xml', 'badge', 'hopbench-results/badge.json']
    .map((word, i) => i % 2 ? word : `--export-${word}`)
  t.strictSame(await measure({ ...compare, COMPARE_CODE: '3' }),
    { exit: 3, words: ['run', ...topologies], rest: [], compared: [...comparison, '--strict', ...files] })
  t.strictSame((await measure({ ...compare, STRICT: 'false' })).compared, [...comparison, ...files])
  t.equal((await measure({ ...compare, CODE: '1' })).compared, undefined, 'a run that fails is not compared')
  const outputs = readFileSync(join(dir, 'output.txt'), 'utf8')
  const verdicts = [...Array.from({ length: 5 }, () => 'passed'), 'slower', 'passed', 'failed']
  t.equal(outputs, verdicts.map(verdict => `verdict=${verdict}\n`).join(''))
  t.notOk(existsSync(join(dir, 'x')))
})

t.test('the key of the cache changes with the packages that the action installs', async t => {
  const workspace = makeWorkspace(t)
  const output = join(workspace.dir, 'output.txt')
  const action = join(workspace.dir, 'action')
  mkdirSync(action)
  for (const file of ['package-lock.json', 'compared-lock.json']) cpSync(join(project, file), join(action, file))
  const key = async () => {
    writeFileSync(output, '')
    t.equal((await step(workspace, 'Choose the cache', { GITHUB_ACTION_PATH: action })).exit, 0)
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

t.test('a slower arm fails the comparison, and the summary contains the table', async t => {
  const workspace = makeWorkspace(t)
  const { dir } = workspace
  for (const [folder, name] of [['hopbench-baseline', stored], ['hopbench-results', '2026-12-01T00-00-00Z-uds']]) {
    cpSync(join(set, stored), join(dir, folder, name), { recursive: true })
  }
  const samples = join(dir, 'hopbench-results/2026-12-01T00-00-00Z-uds/samples.jsonl')
  const slower = (/** @type {string} */ line) => line.replace(/"rps":([\d.e+]+)/, (_, rps) => `"rps":${0.7 * rps}`)
  writeFileSync(samples, readFileSync(samples, 'utf8').split('\n')
    .map(line => line.includes('"arm":"uds"') ? slower(line) : line).join('\n'))
  const { exit, stdout, stderr } = await hopbench(['compare', 'hopbench-baseline', 'hopbench-results', '--margin',
    '10%', '--no-rates', '--export-markdown', 'summary.md'], { workspace })
  const summary = readFileSync(join(dir, 'summary.md'), 'utf8')
  t.equal(exit, 3, stderr)
  t.match(stdout, /SLOWER by more than 10 %: uds ÷ tcp −\d/)
  t.match(summary,
    /^\*\*SLOWER by more than 10 %: uds ÷ tcp −.*, uds ÷ keepalive −.* and uds ÷ direct −.*\.(?: .*)?\*\*\n/)
})

t.test('an inconclusive comparison fails only with --strict', async t => {
  const workspace = makeWorkspace(t)
  const reference = join(set, stored)
  const args = ['compare', reference, reference, '--margin', '1%', '--no-rates']
  const written = await hopbench([...args, '--export-markdown', 'summary.md'], { workspace })
  t.match(written, { exit: 0, stdout: /Inconclusive: / })
  t.match(readFileSync(join(workspace.dir, 'summary.md'), 'utf8'),
    /^\*\*UNDECIDED: this comparison detects slowdowns of \d/)
  t.match(await hopbench([...args, '--strict'], { workspace }), {
    exit: 3, stdout: /Inconclusive: exit code 3, because of --strict\.$/
  })
})
