/** Tests the course of an advice with planned figures in place of measurements. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { HopbenchError } from '../../../bench/errors.js'
import { AdviseStudy } from '../../../bench/features/advise/study.js'
import { toFailure } from '../../../bench/features/advise/compare.js'
import { loadRules } from '../../../bench/features/advise/decide.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { now } from '../../../bench/machine/clocks.js'
import { openAdvice, reopenAdvice } from '../../../bench/store/store.js'
import { makeFacts, FOLDER, PAGE, STATIC } from '../../support/advice.js'
import { fakeMeasurements } from '../../support/fake-measurements.js'
import { inEnvironment } from '../../support/provoke.js'

/** @import { Test } from 'tap' */
/** @import { AdviceFacts } from '../../../bench/types.js' */

/** A page that is neither cached nor compressed. */
const SMALL = { ...PAGE, cacheControl: null, bytes: 300 }
/** A configuration of the project. */
const OWN = { config: './nginx.conf', hosts: [], maxBody: null, files: [] }
/** Rates with which the files of the app are worth a proxy. */
const rates = { [STATIC]: 3 }

/**
 * @param {Test} t
 * @param {object} plan
 * @param {Record<string, number>} [plan.rates] by topology
 * @param {boolean} [plan.fails]
 * @param {boolean} [plan.failsOwn] whether the configuration of the project cannot be measured
 * @param {AdviceFacts} [plan.facts]
 * @param {number} [plan.interrupted]
 * @param {boolean} [plan.quick]
 * @param {boolean} [plan.endsAfterSizing] Ctrl-C is pressed during the first sizing
 * @param {{ rps: number, p99: number }} [plan.load]
 * @param {{ files: string[], filesHidden: string }} [plan.files]
 * @param {Parameters<Test['testdir']>[0]} [plan.project] its folders
 * @param {string[]} [plan.heavy] topologies that complete responses in batches with 100 connections
 * @param {boolean} [plan.isTooMuch] whether no offering holds the load
 * @param {string | null} [plan.kitFault] expected before the measurements
 * @param {string[]} [plan.leftOut] requests and folders
 * @param {number} [plan.workers] processes of an instance
 * @param {number} [plan.startedSeconds] start of the advice, by the clock of now()
 */
async function makeStudy (t, { rates = {}, facts = makeFacts(), interrupted = 0, load, files, project = {}, ...plan }) {
  const { kitFault = null, leftOut, endsAfterSizing = false, quick = true, startedSeconds = 0 } = plan
  const dir = t.testdir(project)
  mkdirSync(join(dir, 'out'))
  const { call, commands } = fakeMeasurements({ ...plan, rates })
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'shop', scripts: { start: 'node a.js' } }))
  inEnvironment(t, { INIT_CWD: dir })
  const options = { lab: true, quick, results: join(dir, 'results'), ...load, ...files }
  const startedAt = '2026-11-25T00:00:00.000Z'
  /** @type {string[]} */
  const printed = []
  const study = new AdviseStudy(adviseRequestFrom(options), facts, {
    options,
    rules: await loadRules(facts),
    bench: {
      dir: join(dir, 'out'),
      sharedDir: join(dir, 'shared'),
      call,
      interrupted: () => endsAfterSizing && commands.some(line => line.startsWith('size ')) ? 1 : interrupted
    },
    store: await openAdvice({ resultsDir: options.results, startedAt }),
    printProgress: line => printed.push(line),
    kitFault,
    leftOut,
    check: async () => ({ checks: [{ title: 'it responds', holds: true, fault: null }], failures: [] }),
    startedSeconds,
    startedAt
  })
  return { dir, study, printed, options, commands }
}

t.test('measures what can change a decision, each with the topology that was chosen before', async t => {
  const cached = 'nginx:keepalive+cache=5s/app'
  const socket = 'nginx:uds-keepalive+cache=5s/app'
  const rates = { 'nginx:keepalive/app': 0.8, [cached]: 4, [socket]: 4 }
  const facts = makeFacts({}, { hasSocket: true })
  const { study, commands, printed, dir } = await makeStudy(t, { rates, facts })
  const record = await study.run()
  t.equal(record.topology, cached)
  t.same(commands.map(line => line.split(' --')[0]),
    [`run app ${cached}`, `run ${cached} nginx:keepalive+cache=5s+gzip/app`, `run ${cached} ${socket}`])
  t.match(commands[0], /--app npm start.*--quick.*--paths .*--header Accept-Encoding: gzip/)
  t.same(record.decisions.map(({ rule }) => rule),
    ['files', 'cache', 'compressed-files', 'compression', 'proxy', 'transport', 'node-line', 'processes', 'keep-alive',
      'rollout'])
  t.ok(printed.some(line => line.startsWith('Let nginx cache responses: 4')))
  const [first] = printed
  t.match(first, /^Keep Node 24/, 'what follows from facts comes before anything is measured')
  t.equal(printed.filter(line => line === first).length, 1)
  t.equal(record.kit?.dir, 'deploy')
  t.equal(record.checks.length, 1)
  t.match(readFileSync(join(dir, 'deploy/nginx.conf'), 'utf8'), /proxy_cache app/)
})

t.test('the configuration of the project is an arm of the first comparison', async t => {
  const facts = makeFacts({ app: { pages: [SMALL] } }, { own: OWN })
  const rates = { 'nginx:keepalive/app': 0.8, 'your configuration': 0.3 }
  const { study, commands } = await makeStudy(t, { rates, facts })
  const record = await study.run()
  t.strictSame(commands.map(line => line.split(' --')[0]), ['config ./nginx.conf app nginx:keepalive/app'])
  const { decision, because } = record.decisions.at(-1) ?? {}
  t.strictSame([decision, because?.contrast?.arm, because?.contrast?.ratio], ['do', 'your configuration', 0.3])
  t.equal(record.decisions.find(({ rule }) => rule === 'proxy')?.decision, 'do-not')
})

t.test('a configuration that cannot be measured takes no other decision with it', async t => {
  const facts = makeFacts({ app: { pages: [SMALL] } }, { own: OWN })
  const { study, commands } = await makeStudy(t, { rates: { 'nginx:keepalive/app': 0.8 }, facts, failsOwn: true })
  const record = await study.run()
  t.strictSame(commands.map(line => line.split(' --')[0]),
    ['config ./nginx.conf app nginx:keepalive/app', 'run app nginx:keepalive/app'])
  t.strictSame(record.decisions.filter(({ rule }) => ['proxy', 'own-config'].includes(rule))
    .map(({ rule, decision }) => [rule, decision]), [['proxy', 'do-not'], ['own-config', 'open']])
  t.ok(record.notes.some(note => note.startsWith('your configuration: ')))
})

t.test('compares with a compressed copy of the folders, and changes nothing in them', async t => {
  const facts = makeFacts({ app: { pages: [SMALL] } }, { folders: [FOLDER] })
  const { study, commands, dir } = await makeStudy(t, {
    rates: { 'nginx:keepalive+static/app': 3, 'nginx:keepalive+static+gzip_static/app': 4 },
    facts,
    project: {
      public: { 'app.js': 'let x = 1\n'.repeat(300), 'small.css': 'a{}', '.env': 'A=1', 'photo.png': 'P' }
    },
    files: { files: ['/assets=./public'], filesHidden: 'ignore' }
  })
  const record = await study.run()
  t.equal(record.topology, 'nginx:keepalive+static+gzip_static/app')
  const [first, second] = commands
  t.match(first, '--files /assets=./public --files-hidden ignore')
  const copy = join(dir, 'shared/files/0')
  t.match(second, `--files /assets=${copy}`)
  t.match(second, /^run nginx:keepalive\+static\/app nginx:keepalive\+static\+gzip_static\/app /)
  t.same(readdirSync(join(dir, 'public')).sort(), ['.env', 'app.js', 'photo.png', 'small.css'])
  t.same(readdirSync(copy).sort(), ['app.js', 'app.js.gz', 'photo.png', 'small.css'])
})

t.test('advises the app alone where nothing shows a gain', async t => {
  const pages = [{ ...PAGE, bytes: 300, cacheControl: 'no-store' }]
  const { study, commands } = await makeStudy(t, {
    rates: { 'nginx:keepalive/app': 0.7 }, facts: makeFacts({ app: { pages } })
  })
  const record = await study.run()
  t.equal(record.topology, 'app')
  t.same(commands.map(line => line.split(' --')[0]), ['run app nginx:keepalive/app'])
  t.equal(record.decisions.find(({ rule }) => rule === 'proxy')?.decision, 'do-not')
})

t.test('compares with fewer connections from then on where the app completes responses in batches', async t => {
  const facts = makeFacts({ app: { pages: [SMALL] } },
    { folders: [{ ...FOLDER, compressible: 0 }], hasSocket: true })
  const arm = 'nginx:keepalive+static/app'
  const { study, commands, printed } = await makeStudy(t, { rates: { [arm]: 5 }, facts, heavy: [arm] })
  const record = await study.run()
  t.equal(record.topology, arm)
  const [first, again, next] = commands
  t.notMatch(first, '--connections')
  t.equal(again.replace(' --connections 10', ''), first)
  t.match(next, /^run nginx:keepalive\+static\/app nginx:uds-keepalive\+static\/app .*--connections 10$/)
  t.ok(printed.some(line => line.startsWith('measuring: files-10')))
  t.match(record.decisions[0], { rule: 'files', decision: 'do', because: { contrast: { low: 4.75 } } })
})

t.test('compares without a pool where the app closes each connection', async t => {
  const pages = [{ ...PAGE, cacheControl: 'no-store' }]
  const { study, commands } = await makeStudy(t, { facts: makeFacts({ app: { pages, closesConnections: true } }) })
  const { decisions } = await study.run()
  t.ok(commands.every(line => !line.includes('keepalive')))
  t.match(commands[0], /^run app nginx:tcp/)
  t.match(decisions.find(({ rule }) => rule === 'keep-alive'), { decision: 'do' })
})

t.test('returns to the simpler topology if a gain saves no instance at the load, and sizes it', async t => {
  const facts = makeFacts({ app: { pages: [SMALL] } }, { folders: [{ ...FOLDER, compressible: 0 }] })
  const { study, commands, printed } = await makeStudy(t, { rates, facts, load: { rps: 100, p99: 0.1 } })
  const record = await study.run()
  t.equal(record.topology, 'app')
  t.same(commands.filter(line => line.startsWith('size')).map(line => line.split(' --')[0]),
    ['size nginx:keepalive+static/app', 'size app'])
  t.match(commands.at(-1), /--quick --rps 100 --p99 0\.1s/)
  t.match(record.sizing, { spec: 'app', offering: 'Acme One', instances: 2, total: 12 })
  t.ok(printed.some(line => /^now: You need not let nginx send the files: /.test(line)))
})

t.test('measures nothing more if Ctrl-C is pressed during a sizing that leads to another topology', async t => {
  const facts = makeFacts({}, { folders: [{ ...FOLDER, compressible: 0 }] })
  const load = { rps: 100, p99: 0.1 }
  const whole = await makeStudy(t, { rates, facts, load })
  await whole.study.run()
  const words = whole.commands.map(line => line.split(' ')[0])
  t.strictSame(words.slice(words.indexOf('size')), ['size', 'run', 'run', 'size'],
    'the other topology needs a comparison')
  const { study, printed } = await makeStudy(t, { rates, facts, load, endsAfterSizing: true })
  t.equal((await study.run()).endedAt, null)
  t.match(printed.filter(line => line.startsWith('measuring: ')).at(-1), /^measuring: size /)
})

t.test('keeps a gain that saves instances at the load', async t => {
  const facts = makeFacts({ app: { pages: [SMALL] } }, { folders: [{ ...FOLDER, compressible: 0 }] })
  const { study, commands } = await makeStudy(t, { rates, facts, load: { rps: 5000, p99: 0.1 } })
  const record = await study.run()
  t.equal(record.topology, 'nginx:keepalive+static/app')
  t.match(commands[0], /^run app nginx:keepalive\/app nginx:keepalive\+static\/app /)
  t.equal(commands.filter(line => line.startsWith('size')).length, 1)
})

t.test('writes the kit without instances if no offering holds the load', async t => {
  const { study } = await makeStudy(t, { load: { rps: 5000, p99: 0.1 }, isTooMuch: true })
  const record = await study.run()
  t.equal(record.sizing, null)
  t.strictSame(record.notes, ['sizing: No offering serves 5000 requests a second: its provider publishes no price.'])
  t.ok(record.kit)
})

t.test('stores what it has found, and stops when it is interrupted', async t => {
  const { study, commands, options } = await makeStudy(t, { interrupted: 1 })
  const record = await study.run()
  t.equal(record.endedAt, null)
  t.strictSame(commands, [])
  const { stored } = await reopenAdvice(null, options.results)
  t.equal(stored.advice, record.advice)
  await t.rejects(reopenAdvice('2020-01-01T00-00-00Z-advise', options.results), { code: 'unknown-run' })
})

t.test('rejects a stored advice whose runs are paths', async t => {
  const { study, options } = await makeStudy(t, { interrupted: 1 })
  const { advice } = await study.run()
  const file = join(options.results, advice, 'advice.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), runs: { a: '../../etc' } }))
  await t.rejects(reopenAdvice(advice, options.results), { code: 'bad-run-file' })
})

t.test('notes that a kit cannot be written, until one is written', async t => {
  const kitFault = 'kit: there is none'
  const interrupted = await makeStudy(t, { interrupted: 1, kitFault })
  t.same((await interrupted.study.run()).notes, [kitFault])
  const complete = await makeStudy(t, { kitFault })
  const record = await complete.study.run()
  t.ok(record.kit)
  t.notOk(record.notes.includes(kitFault))
})

t.test('stores what was left out before the measurements, without secrets', async t => {
  const { study } = await makeStudy(t, { interrupted: 1, leftOut: ['/a?token=abcdef', '--files /a=./a: hidden'] })
  t.same((await study.run()).notes, ['left out: /a?token=[redacted]', 'left out: --files /a=./a: hidden'])
})

t.test('prints the estimates of the first block of a comparison, which a quick one soon has', async t => {
  const cached = 'nginx:keepalive+cache=5s/app'
  const rates = { [cached]: 1.5 }
  const isSoFar = (/** @type {string} */ line) => line.startsWith('so far')
  const full = await makeStudy(t, { rates, quick: false })
  await full.study.run()
  const [first, ...later] = full.printed.filter(isSoFar)
  t.match(first, /^so far: nginx:keepalive\+cache=5s\/app 1\.50 times app \(\d+ s\)$/)
  t.notOk(later.some(line => line.includes(`${cached} 2.50 times app`)), 'of one block')
  const quick = await makeStudy(t, { rates })
  await quick.study.run()
  t.equal(quick.printed.find(isSoFar), undefined)
})

t.test('describes the failure of a task with its output and its remedy', async t => {
  const error = new HopbenchError('process-died', { name: 'The app', how: 'ended', output: 'first line\nlast line' })
  t.equal(toFailure(error), 'The app ended. Output: first line last line. Try: Read its last lines above; find its ' +
    'whole log in the folder of the run under results/.')
})

t.test('compares two processes when the sizing has found room for them, though the topology stays', async t => {
  const facts = makeFacts({ app: { pages: [SMALL] }, machine: { servedCores: 2 } })
  const { study, commands } = await makeStudy(t, { facts, quick: false, workers: 2, load: { rps: 100, p99: 0.1 } })
  t.equal((await study.run()).topology, 'app')
  const words = commands.map(line => line.split(' --')[0])
  t.strictSame(words.slice(words.indexOf('size app')),
    ['size app', 'run nginx:keepalive/app nginx:keepalive+balance=round-robin/app@node:2'])
})

t.test('compares no more when the time is over, although no comparison succeeded', async t => {
  const facts = makeFacts({}, { folders: [FOLDER] })
  const { study, commands } = await makeStudy(t, { facts, fails: true, quick: false, startedSeconds: now() - 470 })
  await t.rejects(study.run(), { code: 'advise-nothing' })
  t.equal(commands.length, 1)
})

t.test('fails with the first reason if each comparison fails', async t => {
  const { study } = await makeStudy(t, { fails: true, kitFault: 'kit: there is none' })
  await t.rejects(study.run(), { code: 'advise-nothing', message: /app ended at once\./ })
})
