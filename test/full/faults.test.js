/** What goes wrong on the way: reported once, with the program's own message, and nothing is left behind. */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { readRun } from '../../bench/store/store.js'
import { failsWell, hopbench, leavesNothing, makeWorkspace, samplesIn } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

/** @import { Workspace } from '../support/cli.js' */

/**
 * @param {Workspace} workspace
 * @param {string} word
 */
const run = (workspace, word) =>
  hopbench(['run', word, '--quick', '--budget', '15s', '--results', workspace.results], { workspace })

/**
 * An app of a person's own, where they stand.
 * @param {Workspace} workspace
 * @param {string} text
 */
const app = (workspace, text) => writeFileSync(join(workspace.dir, 'app.mjs'), text)

t.test('nginx that refuses its configuration is quoted', async t => {
  const workspace = makeWorkspace(t)
  const result = await run(workspace, 'nginx:tcp+backlog=9007199254740991/http-json')
  await failsWell(t, result, {
    workspace,
    exit: 1,
    message: /nginx of nginx:tcp\+backlog=9007199254740991\/http-json refuses its configuration/
  })
  t.match(result.stderr, /\[emerg\].* in .*nginx\.conf:\d+/, "nginx's own line")
})

t.test('an app that throws when it is imported is quoted', async t => {
  const workspace = makeWorkspace(t)
  app(workspace, 'throw new Error("no database here")\n')
  const result = await run(workspace, './app.mjs')
  t.match(result.stderr, 'no database here')
  await failsWell(t, result, { workspace, exit: 1, message: /server of \.\/app\.mjs/ })
})

t.test('an app that exports nothing learns what to export', async t => {
  const workspace = makeWorkspace(t)
  app(workspace, 'export const port = 3000\n')
  const result = await run(workspace, 'nginx:uds/./app.mjs')
  t.match(result.stderr, 'no default export')
  await failsWell(t, result, { workspace, exit: 1, message: /server of nginx:uds\/\.\/app\.mjs/ })
})

/**
 * An app that ends by itself once `over` holds: of `asked` requests, and `bursts` of load so far,
 * the warm-up being the first of them and each slice a further one.
 * @param {string} over
 */
const mortal = over => `
let asked = 0
let bursts = 0
let last = 0
export default (req, res) => {
  const now = performance.now()
  // It stood still: an arm has turns.
  if (asked > 400 && now - last > 40) bursts++
  last = now
  asked++
  if (${over}) {
    console.error('the pool is exhausted')
    process.exit(7)
  }
  res.setHeader('Content-Type', 'text/plain')
  res.end('here I am')
}
`

t.test('an app that ends while it is warmed up is reported with its last words', async t => {
  const workspace = makeWorkspace(t)
  // The gate asks 208 times; the first answers to any load are more. A smoke run's warm-up waits for them, however long
  // a busy machine takes to start the load.
  app(workspace, mortal('asked > 212'))
  const result = await hopbench(['run', './app.mjs', '--smoke', '--results', workspace.results], { workspace })
  t.match(result.stderr, 'the pool is exhausted')
  const message = /server of \.\/app\.mjs(?: \(twin\))? ended with exit code 7/
  await failsWell(t, result, { workspace, exit: 1, message })
})

t.test('an app that ends in the middle of a trial makes its contrasts invalid; what was measured is kept', async t => {
  const workspace = makeWorkspace(t)
  app(workspace, mortal('bursts > 8'))
  const result = await hopbench(
    ['run', 'http-json', './app.mjs', '--budget', '60s', '--results', workspace.results, '--json'], { workspace })
  t.equal(result.exit, 1)
  const record = JSON.parse(result.stdout)
  t.match(record.contrasts, [{
    arm: './app.mjs',
    verdict: 'invalid',
    why: /server of \.\/app\.mjs ended with exit code 7/
  }])
  t.match(record, { ended: 'failed' })
  t.ok(samplesIn(workspace).length > 0)
  t.equal(record.arms[0].invalid, null, 'the other arm is none the worse for it')
  await leavesNothing(t, workspace)
})

t.test('a port in use is reported', async t => {
  const workspace = makeWorkspace(t)
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = /** @type {net.AddressInfo} */ (server.address())
  for (const word of ['http-json', 'nginx:uds/http-json']) {
    const result = await hopbench(['up', word, '--port', String(port)], { workspace })
    await failsWell(t, result, { workspace, exit: 1, message: new RegExp(`^Port ${port} is in use`, 'm') })
  }
})

t.test('a disk that is full while samples are stored ends the run, and what is stored stays', {
  skip: skipWithout('namespaces', 'mounts')
}, async t => {
  const workspace = makeWorkspace(t)
  mkdirSync(workspace.results)
  const script = join(workspace.dir, 'small-disk.sh')
  // Once the first block is stored, something else takes all the space that is left.
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
  const result = await hopbench(['run', 'http-json', 'nginx:uds/http-json', '--precision', '0.01%', '--budget', '60s',
    '--results', workspace.results], { workspace, via: ['unshare', '-Urm', 'sh', script] })
  t.match(result.stderr, /Free some space/)
  await failsWell(t, result, { workspace, exit: 1, message: /There is no space left to write .*samples\.jsonl/ })
  const { samples } = await readRun(join(workspace.dir, 'copy'))
  t.ok(samples.length >= 3, `${samples.length} samples can be read`)
})
