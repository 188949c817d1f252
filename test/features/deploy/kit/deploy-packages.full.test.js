/**
 * Dockerfiles of kits for npm, Yarn 4 and Python. pnpm and Yarn 1:
 * test/features/deploy/kit/deploy-packages.soak.test.js.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { run } from '../../../../bench/machine/process.js'
import { checkKit } from '../../../../bench/features/advise/check-kit.js'
import { adviseRequestFrom } from '../../../../bench/features/advise/request.js'
import { toKitArm, writeKit } from '../../../../bench/features/advise/write.js'
import { makeState } from '../../../support/advice.js'
import { hopbench, makeWorkspace, project } from '../../../support/cli.js'
import { findFaults, instructions, testManager } from '../../../support/manager-images.js'
import { skipWithout } from '../../../support/needs.js'
import { inEnvironment } from '../../../support/provoke.js'

t.test('package managers', async t => {
  t.jobs = 2 // The installations mostly wait for the registry and the disk.
  for (const name of ['npm', 'yarn 4']) testManager(t, name)
})

t.test('Python: the image gets the packages, and the kit serves with them', { skip: skipWithout('hadolint') },
  async t => {
    const workspace = makeWorkspace(t)
    inEnvironment(t, { INIT_CWD: workspace.dir, TMPDIR: workspace.tmp })
    cpSync(join(project, 'test/support/advised-apps/flask'), workspace.dir, { recursive: true })
    const app = 'venv/bin/gunicorn --bind "$HOST:$PORT" app:app'
    const options = { lab: true, app: [app], out: './deploy', target: 'docker' }
    const request = adviseRequestFrom(options)
    const { dir } = await writeKit('app', { request, options, state: makeState(), printProgress: () => {} })
    const file = join(workspace.dir, dir, 'Dockerfile')
    t.strictSame(await findFaults(file), [])
    for (const command of instructions(readFileSync(file, 'utf8'))) {
      const { exit, stderr } = await run(['sh', '-c', command], { cwd: workspace.dir, timeoutSeconds: 150 })
      t.equal(exit, 0) || t.comment(stderr)
    }
    const checks = await checkKit(await toKitArm('app', request, options), {
      dir, requests: [{ path: '/' }], lab: true, temp: join(workspace.dir, 'files'), platform: request.platform
    })
    t.strictSame(checks.slice(0, 2), [
      { title: 'it responds to the requests that were measured', holds: true, fault: null },
      { title: 'other machines can reach the app', holds: true, fault: null }
    ])
  })

t.test('an image of nginx alone has no faults, and a planted one is found', { skip: skipWithout('hadolint') },
  async t => {
    const workspace = makeWorkspace(t)
    writeFileSync(join(workspace.dir, 'Dockerfile'), 'FROM debian:bookworm-slim\nCMD ["true"]\n')
    const { exit, stderr } = await hopbench(['config', 'nginx:keepalive/app', '--app', 'true', '--target', 'docker'],
      { workspace, cwd: workspace.dir })
    t.equal(exit, 0) || t.comment(stderr)
    const file = join(workspace.dir, 'deploy/Dockerfile')
    t.strictSame(await findFaults(file), [])
    writeFileSync(file, readFileSync(file, 'utf8').replace('-y ', ''))
    t.match(await findFaults(file), [{ code: 'DL3014' }])
  })
