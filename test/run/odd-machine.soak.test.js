/**
 * Unusual machines: special characters in paths, another language and time zone, no /proc, one core, a full disk, no
 * home folder.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import t from '../support/tap.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { getFixturePaths, writeFixtures } from '../../bench/topology/fixtures/fixtures.js'
import { openStage } from '../../bench/measure/stage.js'
import { run } from '../../bench/machine/process.js'
import { armFrom } from '../../bench/request/request.js'
import { readConfigs } from '../../bench/store/store.js'
import { findFault } from '../../bench/store/record-format.js'
import { failsWell, hopbench, leavesNothing, makeWorkspace, recordIn, runDir } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'
import { inEnvironment } from '../support/provoke.js'
import { copyOfProject } from '../support/project.js'
import { tempRoot } from '../support/temp.js'
import { renderText } from '../support/rendered.js'

/** @import { Test } from 'tap' */

const ODD = 'ho p bénch'
/** Characters with a meaning in a shell, nginx or Apache. */
const ODDER = 'it\'s "1"; #é [x]'
const FAR_AWAY = { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', LANGUAGE: 'tr', TZ: 'Pacific/Kiritimati' }
const { network } = await labFacts()

/**
 * Makes a workspace whose folders have special characters in their names.
 * @param {Test} t
 */
function oddWorkspace (t) {
  const { dir } = makeWorkspace(t)
  const workspace = { dir, tmp: join(dir, 't é'), results: join(dir, ODD, 'results') }
  mkdirSync(workspace.tmp)
  mkdirSync(join(dir, ODD))
  return workspace
}

t.test('measures with special characters in paths, in another language and time zone, without a home', async t => {
  const from = copyOfProject(t, { name: ODD })
  const workspace = oddWorkspace(t)
  const env = {
    ...FAR_AWAY,
    HOME: '/dev/null/home',
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  }
  const { exit, stdout, stderr } = await hopbench(
    // A single block suffices, because the figures do not matter.
    ['run', 'nginx:uds/express-json@pm2:1', '--smoke', '--details', '--results', workspace.results],
    { workspace, from, env }
  )
  if (!t.equal(exit, 0)) return t.comment(stdout, stderr)
  const record = recordIn(workspace)
  t.equal(findFault('record', record), null)
  t.equal(record.complete, true)
  for (const { name, invalid, rps, errors, invalidTrials } of record.arms) {
    t.equal(invalid, null, name)
    // On a busy machine the trial may be invalid because paused arms used CPU time.
    const noisy = invalidTrials.some((/** @type {any} */ { reason }) => reason.code === 'idle-arms-busy')
    t.ok(rps?.median > 0 || noisy, name) || t.comment(invalidTrials)
    t.strictSame(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }, name)
  }
  t.ok(record.arms.some((/** @type {any} */ { rps }) => rps?.median > 0), 'something was measured')
  t.match(record.run, /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-typed$/)
  t.ok(Math.abs(Date.parse(record.startedAt) - Date.now()) < 600_000, 'UTC, not the local time')
  const dir = runDir(workspace)
  const here = renderText(record, { columns: 80, dir })
  // Commands name hopbench's folder, which is another one here.
  for (const part of here.split('\n\n').filter(part => !part.includes('hopbench') && !part.includes(dir))) {
    t.ok(stdout.includes(part.trim()), 'the same report as in this environment') || t.comment(part, stdout)
  }
  const configs = Object.entries(await readConfigs(dir))
  t.equal(configs.length, 1)
  for (const [file, text] of configs) t.notMatch(text, /hopbench-\w+\/\d/, `no temporary path in ${file}`)
  await leavesNothing(t, workspace)
})

t.test('nginx and Apache start with special characters in the paths of all files', async t => {
  const { dir } = makeWorkspace(t)
  inEnvironment(t, { TMPDIR: join(dir, ODDER) })
  mkdirSync(join(dir, ODDER))
  const temp = tempRoot(t)
  const words = ['apache/files', 'apache:uds+cache=5s+lock/http-json', 'nginx:uds+cache=5s+tls=ecdsa-p256/http-json',
    'nginx:uds/nginx']
  const arms = await Promise.all(
    words.map(spec => armFrom(spec, { connections: 10, path: spec.endsWith('json') ? '/' : '/1kb.json' }))
  )
  const root = writeFixtures(join(dir, `${ODDER} files`), getFixturePaths(arms))
  const stage = await openStage(arms, { temp: temp.path, lab: network === 'namespaces', cores: null, cwd: dir, root })
  t.teardown(() => stage.close())
  t.strictSame(Object.fromEntries(stage.refused), {})
  t.strictSame([...stage.arms.keys()], words)
})

/**
 * Returns the prefix of a command that runs in a mount namespace after a script.
 * @param {string} script
 */
const inside = script => ['unshare', '-rm', 'sh', '-ec', `${script}\nexec "$@"`, 'sh']
const skip = skipWithout('namespaces', 'mounts')

t.test('without /proc and on one core, measures rates and warns about missing figures', {
  skip: skipWithout('namespaces', 'mounts', 'taskset')
}, async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(
    ['run', 'http-json', '--smoke', '--json', '--results', workspace.results],
    { workspace, via: ['taskset', '-c', '0', ...inside('mount -t tmpfs none /proc')] }
  )
  if (stdout === '') return t.fail('no output', { exit, stderr })
  const record = JSON.parse(stdout)
  t.equal(findFault('record', record), null)
  t.match(record, {
    complete: true,
    environment: {
      cpu: { cores: 1, virtual: null },
      lab: { network: 'shared-loopback' },
      cores: { load: [0], served: [0] },
      sysctl: {}
    }
  })
  for (const arm of record.arms) {
    t.match(arm, {
      invalid: null,
      rps: { median: Number },
      cpuMicrosPerRequest: null,
      memoryMiB: null,
      bound: 'none'
    }, arm.name)
    t.strictSame(arm.invalidTrials, [], arm.name)
  }
  const warnings = Object.fromEntries(record.warnings.map((/** @type {any} */ { code, params }) => [code, params]))
  t.match(warnings, { 'no-cpu-time': {}, 'shared-cores': { cores: 1 }, 'shared-loopback': { why: String } })
  await leavesNothing(t, workspace)
})

t.test('reports a temporary folder on a full disk', { skip }, async t => {
  const workspace = makeWorkspace(t)
  // 8 KiB of space, and a start needs 12.
  const result = await hopbench(['run', 'http-json', '--quick', '--results', workspace.results], {
    workspace,
    via: inside(`mount -t tmpfs -o size=8k none '${workspace.tmp}'`)
  })
  await failsWell(t, result, { workspace, exit: 1, message: /There is no space left to write .*hopbench-/ })
  t.ok(existsSync(join(runDir(workspace), 'plan.json')), 'earlier files are intact')
})

t.test('an unknown account without HOME uses a cache in the project', { skip }, async t => {
  const { stdout, stderr } = await run(['unshare', '-U', '--map-user=12345', 'env', '-u', 'HOME', '-u',
    'XDG_CACHE_HOME', '-u', 'HOPBENCH_CACHE', process.execPath, '-e',
    'import("./bench/machine/setup/tool-cache.js").then(({ cacheFolders }) => ' +
    'console.log(JSON.stringify(cacheFolders(process.env))))'])
  t.match(stdout, /^\["[^"]*\/\.tools"\]$/) || t.comment(stderr)
})
