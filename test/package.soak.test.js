/** hopbench installed from the packed file by an account that is not root. */
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from './support/tap.js'
import { leavesNothing, listRuns, makeWorkspace } from './support/cli.js'
import { skipWithout } from './support/needs.js'
import { emptyProject, install, npx, pack } from './support/packed.js'

const UNPRIVILEGED = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

t.test('an ordinary account can install and run hopbench', { skip: skipWithout('accounts') }, async t => {
  const packing = makeWorkspace(t)
  chmodSync(packing.dir, 0o755)
  const file = await pack(packing.dir)
  const workspace = makeWorkspace(t)
  const folder = join(workspace.dir, 'project')
  const cache = join(workspace.dir, 'cache')
  const home = join(workspace.dir, 'home')
  emptyProject(folder)
  for (const dir of [cache, home]) mkdirSync(dir)
  // A cache in a folder that every account can write would be rejected, because its programs are run.
  const own = [folder, cache, home, join(folder, 'package.json'), workspace.dir, workspace.tmp]
  for (const path of own) chownSync(path, 65534, 65534)
  for (const dir of [workspace.dir, workspace.tmp]) chmodSync(dir, 0o755)
  const env = { HOME: home, HOPBENCH_CACHE: cache, XDG_CACHE_HOME: '' }
  t.comment(`installed in ${Math.round(await install(file, folder, { via: UNPRIVILEGED, env }))} s`)
  // Without a proxy: test/run/ordinary-user.quiet.full.test.js fetches one.
  const args = ['run', './my-app.js', '--smoke', '--json']
  const { exit, stdout, stderr } = await npx(args, { workspace, folder, via: UNPRIVILEGED, env })
  t.equal(exit, 0) || t.comment(stderr)
  const { arms } = JSON.parse(stdout)
  t.ok(arms.every((/** @type {any} */ arm) => arm.invalid === null && arm.rps?.median > 0)) || t.comment(arms)
  t.equal(listRuns(join(folder, 'results')).length, 1)
  await leavesNothing(t, workspace)
})
