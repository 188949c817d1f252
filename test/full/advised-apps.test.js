/** Real apps of three frameworks: what the look of hopbench advise finds, and whether a kit starts and behaves. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { run } from '../../bench/machine/process.js'
import { checkKit } from '../../bench/studies/advise/check-kit.js'
import { loadRules } from '../../bench/studies/advise/decide.js'
import { look } from '../../bench/studies/advise/look.js'
import { adviseRequestFrom } from '../../bench/studies/advise/request.js'
import { toKitArm, writeKit } from '../../bench/studies/advise/write.js'
import { makeState } from '../support/advice.js'
import { makeWorkspace, project } from '../support/cli.js'
import { OUTSIDE_NPM } from '../support/packed.js'
import { inEnvironment } from '../support/provoke.js'

const COMPRESSED = 'nginx:keepalive+static+gzip_static/app'
/** @type {[name: string, spec: string, files: string[], facts: any, open: string[]][]} open: rules that compare
 * topologies first, besides that of the proxy */
const CASES = [
  ['express-sessions', COMPRESSED, ['/assets=./public'], {
    project: { framework: { name: 'express' } },
    folders: [{ prefix: '/assets' }],
    app: { pages: [{ path: '/', type: 'text/html', setsCookie: true }], keepAliveSeconds: 5, poweredBy: 'Express' }
  }, ['files', 'compression']],
  ['fastify-api', 'nginx:keepalive+gzip/app', [], {
    project: { framework: { name: 'fastify' } },
    folders: [],
    app: { pages: [{ type: 'application/json', setsCookie: false }], keepAliveSeconds: 72, drains: true }
  }, ['compression']],
  ['koa-stream', 'nginx:keepalive+gzip/app', [], {
    project: { framework: { name: 'koa' } },
    folders: [],
    app: { pages: [{ type: 'text/plain', encoding: null }], keepAliveSeconds: 5, poweredBy: null }
  }, ['compression']]
]
const rules = await loadRules()

for (const [name, spec, files, facts, open] of CASES) {
  t.test(`${name}: facts, rules that need a measurement, and a kit that serves and behaves`, async t => {
    const workspace = makeWorkspace(t)
    inEnvironment(t, { INIT_CWD: workspace.dir, TMPDIR: workspace.tmp })
    cpSync(join(project, 'test/support/advised-apps', name), workspace.dir, { recursive: true })
    const { exit, stderr } = await run([...OUTSIDE_NPM, 'npm', 'install', '--no-audit', '--no-fund'],
      { cwd: workspace.dir, timeoutSeconds: 120 })
    t.equal(exit, 0, stderr)

    const options = { lab: true, app: ['npm start'], files, out: './deploy', target: 'render' }
    const bench = { dir: t.testdir({}), sharedDir: workspace.tmp, interrupted: () => 0 }
    const found = await look(adviseRequestFrom(options), { bench, options, today: '2026-11-26' })
    t.match(found.facts, facts)
    const state = makeState({ facts: found.facts, load: found.request.load })
    const measured = rules.filter(({ rule }) => rule.needs(state).length > 0).map(({ name }) => name)
    // The line of Node depends on the Node that runs the test.
    t.strictSame(measured.filter(name => name !== 'node-line'), [...open, 'proxy'])

    const { request } = found
    const { dir } = await writeKit(spec, { request, options: found.options, state: makeState({ chosen: spec }) })
    const checks = await checkKit(await toKitArm(spec, request, found.options), {
      dir, requests: request.requests, lab: true, temp: join(workspace.dir, 'kit-files'), platform: request.platform
    })
    t.equal(checks.length, 4)
    for (const { title, fault } of checks) t.equal(fault, null, title)
  })
}
