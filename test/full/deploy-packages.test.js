/** Dockerfiles of kits for npm and Yarn 4. pnpm and Yarn 1: test/soak/deploy-packages.test.js. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { findFaults, testManager } from '../support/manager-images.js'
import { skipWithout } from '../support/needs.js'

for (const name of ['npm', 'yarn 4']) testManager(t, name)

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
