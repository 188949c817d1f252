import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findTool } from '../../../bench/machine/tools.js'
import { hopbench, leavesNothing, makeWorkspace, runDir } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { copyOfProject } from '../../support/project.js'

/** nobody, by number: as an account it may be called anything. */
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

t.test('an account without a home and without rights can measure, and confine what is vulnerable', {
  skip: skipWithout('accounts', 'nginx')
}, async t => {
  const from = copyOfProject(t, { modules: 'copied' })
  const workspace = makeWorkspace(t)
  for (const dir of [workspace.dir, workspace.tmp]) chmodSync(dir, 0o777)
  const cache = join(workspace.dir, 'cache')
  mkdirSync(cache)
  // One that everybody may write is not used: what lies in it is run.
  chownSync(cache, 65534, 65534)
  const nginx = await findTool({ program: 'nginx', packages: { debian: ['nginx'] } })
  // Where root's own cache cannot be reached, the program is fetched again: without rights as well.
  const { exit, stdout, stderr } = await hopbench(['run', 'nginx:uds-keepalive/node-static', 'nginx:tcp/http-fs',
    '--quick', '--budget', '45s', '--json', '--results', workspace.results], {
    workspace,
    from,
    via: NOBODY,
    timeoutSeconds: 150,
    env: { HOME: '/nonexistent', HOPBENCH_CACHE: nginx.from === 'cache' ? cache : '', XDG_CACHE_HOME: '' }
  })
  t.equal(exit, 0) || t.comment(stderr)
  const record = JSON.parse(stdout)
  t.equal(record.complete, true)
  t.match(record.arms.map((/** @type {any} */ arm) => arm.proof.socketType), ['unix', 'tcp'])
  t.ok(record.arms.every((/** @type {any} */ arm) => arm.invalid === null && arm.rps?.median > 0)) ||
    t.comment(record.arms.map((/** @type {any} */ arm) => arm.invalidTrials))
  t.match(readFileSync(join(runDir(workspace), 'nginx_tcp_http-fs', 'nginx.conf'), 'utf8'), 'proxy_pass')
  const { network } = record.environment.lab
  t.strictSame(record.arms.map((/** @type {any} */ arm) => arm.proof.confinedBy),
    network === 'namespaces' ? ['namespace', undefined] : ['permissions', undefined])
  await leavesNothing(t, workspace)
})
