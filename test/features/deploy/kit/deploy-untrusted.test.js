/**
 * Tests that a deploy kit rejects hostile values of a sizing. That none adds a line:
 * test/request/hostile-input.full.test.js.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { kitFiles, makeKit } from '../../../../bench/features/deploy/kit/deploy-kit.js'
import { parse } from '../../../../bench/plan/spec.js'
import { armFrom } from '../../../../bench/request/request.js'
import { withLeaf } from '../../../support/leaves.js'
import { makeKitFacts } from '../../../support/made-kit.js'
import { inEnvironment } from '../../../support/provoke.js'
import { makeRecord } from '../../../support/record.js'
import { sizing } from '../../../support/sizing.js'

/** @import { KitRequest } from '../../../../bench/features/deploy/kit/types.js' */

/** A sizing as it is stored. */
const sized = JSON.parse(JSON.stringify(makeRecord({ run: '2026-11-25T00-00-00Z-size', sizing })))

t.test('rejects the values of the two attacks, and names the field', async t => {
  const dir = t.testdir({ 'my-app.js': 'export default () => {}', run: {} })
  inEnvironment(t, { INIT_CWD: dir })
  const arm = await armFrom('nginx:uds/./my-app.js', { connections: 100, path: '/' })
  /** @type {[path: string[], value: unknown, message: RegExp][]} */
  const attacks = [
    [['run'], 'size\ntouch FILE #', /: run must match/],
    [['sizing', 'table', '0', 'offering', 'memoryMiB'], '512M\nExecStartPre=+/bin/sh', /memoryMiB must be number/],
    [['sizing', 'table', '0', 'workers', 'workers'], '2; touch FILE', /workers\.workers must be integer/],
    [['sizing', 'table', '0', 'instances'], 1e10, /table\.0\.instances must be <= /],
    [['sizing', 'table', '0', 'topology'], 'a;b', /topology "a;b"/]
  ]
  for (const [path, value, message] of attacks) {
    writeFileSync(join(dir, 'run', 'run.json'), JSON.stringify(withLeaf(sized, path, value)))
    await t.rejects(makeKit(arm, { target: 'systemd', out: './deploy', from: join(dir, 'run') }),
      { code: 'bad-run-file', message }, path.join('.'))
  }
})

t.test('rejects control characters in all values of the templates, wherever they come from', t => {
  const topology = parse('./my-app.js')
  const facts = makeKitFacts({ name: 'a', app: 'a.js', sized: [''] })
  const { settings } = facts
  const request = { topology, spec: './my-app.js', target: 'systemd', proxy: null, clients: 1, trusted: [], facts }
  t.ok(kitFiles(request)['a.service'])
  /** @type {[change: Partial<KitRequest>, field: RegExp][]} */
  const changes = [
    [{ spec: 'a\nExecStartPre=+/bin/sh' }, /title/],
    [{ facts: { ...facts, sized: ['By a\ntouch FILE'] } }, /comments|sized/],
    [{ facts: { ...facts, app: 'a\u202e.js' } }, /app|module/],
    [{ facts: { ...facts, settings: { ...settings, memoryMiB: /** @type {any} */ ('1M\nUser=root') } } }, /memoryMiB/]
  ]
  for (const [change, message] of changes) {
    t.throws(() => kitFiles({ ...request, ...change }), { code: 'config-value', message })
  }
  t.end()
})
