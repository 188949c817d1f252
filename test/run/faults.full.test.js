/** Faults during a run: reported once, with the message of the failed program, and nothing is left behind. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { readRun } from '../../bench/store/store.js'
import { failsWell, hopbench, leavesNothing, makeWorkspace, samplesIn } from '../support/cli.js'
import { listening } from '../support/listening.js'
import { skipWithout } from '../support/needs.js'

/** @import { Workspace } from '../support/cli.js' */

/**
 * @param {Workspace} workspace
 * @param {string} spec
 */
const run = (workspace, spec) => hopbench(['run', spec, '--smoke', '--results', workspace.results], { workspace })

/**
 * Writes an app into the working folder.
 * @param {Workspace} workspace
 * @param {string} text
 */
const app = (workspace, text) => writeFileSync(join(workspace.dir, 'app.mjs'), text)

t.test('quotes the message of nginx when it rejects its configuration', async t => {
  const workspace = makeWorkspace(t)
  const result = await run(workspace, 'nginx:tcp+backlog=9007199254740991/http-json')
  await failsWell(t, result, {
    workspace,
    exit: 1,
    message: /nginx of nginx:tcp\+backlog=9007199254740991\/http-json rejects its configuration/
  })
  t.match(result.stderr, /\[emerg\].* in .*nginx\.conf:\d+/, 'the message of nginx')
})

/**
 * Returns the source of an app that exits once a condition holds.
 * @param {string} condition on the counters `asked` (requests) and `bursts` (warm-up and slices)
 */
const exitsWhen = condition => `
let asked = 0
let bursts = 0
let last = 0
export default (req, res) => {
  const now = performance.now()
  // A gap means that the arm was paused.
  if (asked > 400 && now - last > 40) bursts++
  last = now
  asked++
  if (${condition}) {
    console.error('the pool is exhausted')
    process.exit(7)
  }
  res.setHeader('Content-Type', 'text/plain')
  res.end('here I am')
}
`

t.test('quotes the last output of an app that exits during the warm-up', async t => {
  const workspace = makeWorkspace(t)
  // The gate sends 208 requests. A smoke run's warm-up waits for the first responses to the load, so the app exits
  // there, even if the load starts slowly.
  app(workspace, exitsWhen('asked > 212'))
  const result = await hopbench(['run', './app.mjs', '--smoke', '--results', workspace.results], { workspace })
  t.match(result.stderr, 'the pool is exhausted')
  const message = /server of \.\/app\.mjs(?: \(twin\))? ended with exit code 7/
  await failsWell(t, result, { workspace, exit: 1, message })
})

t.test('an app that exits during a trial invalidates its contrasts, and all samples are kept', async t => {
  const workspace = makeWorkspace(t)
  app(workspace, exitsWhen('bursts > 8'))
  const result = await hopbench(
    ['run', 'http-json', './app.mjs', '--warm-up', '1s', '--budget', '60s', '--results', workspace.results, '--json'],
    { workspace })
  t.equal(result.exit, 1)
  const record = JSON.parse(result.stdout)
  t.match(record.contrasts, [{
    arm: './app.mjs',
    verdict: 'invalid',
    why: { text: /server of \.\/app\.mjs ended with exit code 7/ }
  }])
  t.match(record, { ended: 'failed' })
  t.ok(samplesIn(workspace).length > 0)
  t.equal(record.arms[0].invalid, null, 'the other arm is valid')
  await leavesNothing(t, workspace)
})

t.test('hopbench up reports a port that is in use', async t => {
  const workspace = makeWorkspace(t)
  const port = await listening(t)
  for (const spec of ['http-json', 'nginx:uds/http-json']) {
    const result = await hopbench(['up', spec, '--port', String(port)], { workspace })
    await failsWell(t, result, { workspace, exit: 1, message: new RegExp(`^Port ${port} is in use`, 'm') })
  }
})

t.test('a full disk ends the run, and the stored samples can be read', {
  skip: skipWithout('namespaces', 'mounts')
}, async t => {
  const workspace = makeWorkspace(t)
  mkdirSync(workspace.results)
  const script = join(workspace.dir, 'small-disk.sh')
  // Fills the disk once the first block is stored.
  writeFileSync(script, `
mount -t tmpfs -o size=1m none '${workspace.results}' || exit 99
(
  until grep -qs . '${workspace.results}'/*/samples.jsonl; do sleep 0.1; done
  cat /dev/zero > '${workspace.results}/filler' 2> /dev/null
) &
"$@"
code=$?
cp -r '${workspace.results}'/*Z-typed '${workspace.dir}/copy'
exit $code
`)
  const result = await hopbench(['run', 'http-json', 'nginx:uds/http-json', '--warm-up', '1s', '--precision', '0.01%',
    '--budget', '60s', '--results', workspace.results], { workspace, via: ['unshare', '-Urm', 'sh', script] })
  t.match(result.stderr, /Free some space/)
  await failsWell(t, result, { workspace, exit: 1, message: /There is no space left to write .*samples\.jsonl/ })
  const { samples } = await readRun(join(workspace.dir, 'copy'))
  t.ok(samples.length >= 3, `${samples.length} samples can be read`)
})
