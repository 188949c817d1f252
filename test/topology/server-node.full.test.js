/** Runs hopbench under a Node past its end of life: built-in servers run under the current LTS line, fetched once. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { findRuntime } from '../../bench/machine/setup/runtime.js'
import { run } from '../../bench/machine/process.js'
import { findCurrentLts, runtimes } from '../../bench/plan/runtimes.js'
import { makeWorkspace, project } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

/** @import { RunRecord } from '../../bench/types.js' @import { Workspace } from '../support/cli.js' */

const OLD = runtimes['node-20']
const LTS = runtimes[String(findCurrentLts(new Date().toISOString()))].version
const SMOKE = ['http-json', 'http-json+runtime=own', '--smoke', '--json']

/**
 * @param {string[]} args of "hopbench run"
 * @param {{ workspace: Workspace, env: Record<string, string> }} options
 */
async function runUnderOld (args, { workspace, env }) {
  const { program } = await findRuntime('node-20', OLD)
  const argv = [program, join(project, 'bench/bootstrap.js'), 'run', ...args, '--results', workspace.results]
  const { exit, stdout, stderr } = await run(argv, {
    cwd: workspace.dir, timeoutSeconds: 280, env: { ...process.env, TMPDIR: workspace.tmp, ...env }
  })
  if (exit !== 0) throw new Error(stderr)
  return { record: /** @type {RunRecord} */ (JSON.parse(stdout)), stderr }
}

/** @param {RunRecord} record */
const getOldArms = ({ warnings }) => warnings.flatMap(warning =>
  'params' in warning && warning.code === 'runtime-past-its-end' ? warning.params.arms : [])

t.test('fetches the current LTS line into an empty cache and serves under it, in private networks', {
  skip: skipWithout('registry', 'namespaces')
}, async t => {
  const workspace = makeWorkspace(t)
  const cache = join(workspace.dir, 'cache')
  mkdirSync(cache)
  const env = { HOPBENCH_CACHE: cache }
  const { record, stderr } = await runUnderOld([...SMOKE, '--engine', 'autocannon'], { workspace, env })
  t.equal(stderr.match(/^Fetching Node \d+/gm)?.length, 1, stderr)
  t.match(record, { environment: { node: OLD.version, lab: { network: 'namespaces' } }, tools: { node: LTS } })
  t.strictSame(getOldArms(record), ['http-json+runtime=own'])
  const { record: own, stderr: silent } = await runUnderOld(['http-json', '--own-node', '--smoke', '--json'],
    { workspace, env })
  t.notMatch(silent, /Fetching Node/)
  t.notOk('node' in own.tools)
  t.strictSame(getOldArms(own), ['http-json'])
})
