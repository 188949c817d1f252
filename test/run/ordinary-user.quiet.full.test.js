import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { findTool } from '../../bench/machine/tools.js'
import { hopbench, leavesNothing, makeWorkspace, runDir } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'
import { copyOfProject } from '../support/project.js'

/** Prefix of a command that runs as an account without privileges: by number, because account names differ. */
const UNPRIVILEGED = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

t.test('an account without a home folder can measure, and confines a vulnerable server', {
  skip: skipWithout('accounts', 'nginx')
}, async t => {
  const from = copyOfProject(t, { modules: 'copied' })
  const workspace = makeWorkspace(t)
  const cache = join(workspace.dir, 'cache')
  mkdirSync(cache)
  // A cache in a folder that every account can write would be rejected, because its programs are run.
  for (const dir of [workspace.dir, workspace.tmp, cache]) chownSync(dir, 65534, 65534)
  for (const dir of [workspace.dir, workspace.tmp]) chmodSync(dir, 0o755)
  const nginx = await findTool({ program: 'nginx', packages: { debian: ['nginx'] } })
  // The account cannot read the cache of root, and fetches the program again.
  // One block suffices, because the figures do not matter.
  const { exit, stdout, stderr } = await hopbench(['run', 'nginx:uds-keepalive/node-static', 'nginx:tcp/http-fs',
    '--smoke', '--json', '--results', workspace.results], {
    workspace,
    from,
    via: UNPRIVILEGED,
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
