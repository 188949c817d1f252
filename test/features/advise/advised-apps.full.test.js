/**
 * A real app with Express: what the look of hopbench advise finds, and whether a kit starts and behaves. Apps of other
 * frameworks: real-apps.soak.test.js.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { checkKit } from '../../../bench/features/advise/check-kit.js'
import { loadRules } from '../../../bench/features/advise/decide.js'
import { inspect } from '../../../bench/features/advise/inspect.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { toKitArm, writeKit } from '../../../bench/features/advise/write.js'
import { makeState } from '../../support/advice.js'
import { makeWorkspace, project } from '../../support/cli.js'
import { OUTSIDE_NPM } from '../../support/packed.js'
import { inEnvironment } from '../../support/provoke.js'

t.test('facts, rules that need a measurement, and a kit that serves and behaves', async t => {
  const workspace = makeWorkspace(t)
  inEnvironment(t, { INIT_CWD: workspace.dir, TMPDIR: workspace.tmp })
  cpSync(join(project, 'test/support/advised-apps/express-sessions'), workspace.dir, { recursive: true })
  const { exit, stderr } = await run([...OUTSIDE_NPM, 'npm', 'install', '--no-audit', '--no-fund'],
    { cwd: workspace.dir, timeoutSeconds: 120 })
  t.equal(exit, 0, stderr)

  const spec = 'nginx:keepalive+static+gzip_static/app'
  const options = {
    lab: true, app: ['npm start'], files: ['/assets=./public'], out: './deploy', target: 'render'
  }
  const bench = { dir: t.testdir({}), sharedDir: workspace.tmp, interrupted: () => 0 }
  const found = await inspect(adviseRequestFrom(options), { bench, options, today: '2026-11-26' })
  t.match(found.facts, {
    project: { framework: { name: 'express' } },
    folders: [{ prefix: '/assets' }],
    app: {
      pages: [{ path: '/', type: 'text/html', setsCookie: true }],
      keepAliveSeconds: 5,
      drains: false,
      poweredBy: 'Express'
    }
  })
  const state = makeState({ facts: found.facts, load: found.request.load })
  const measured = (await loadRules()).filter(({ rule }) => rule.needs(state).length > 0).map(({ name }) => name)
  // The line of Node depends on the Node that runs the test.
  t.strictSame(measured.filter(name => name !== 'node-line'), ['files', 'compression', 'proxy'])

  const { request } = found
  const { dir } = await writeKit(spec,
    { request, options: found.options, state: makeState({ chosen: spec }), printProgress: () => {} })
  const checks = await checkKit(await toKitArm(spec, request, found.options), {
    dir,
    // Names of an earlier build can be missing in a later one.
    requests: [...request.requests, { path: '/assets/site-1a2b3c4d.css' }],
    lab: true,
    temp: join(workspace.dir, 'kit-files'),
    platform: request.platform
  })
  t.equal(checks.length, 5)
  for (const { title, fault } of checks) t.equal(fault, null, title)
})
