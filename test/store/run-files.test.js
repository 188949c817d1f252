/** The folder of a run may come from another person: links, special files and large files in it are rejected. */
import { execFileSync } from 'node:child_process'
import {
  chownSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { configDifferences } from '../../bench/judge/runs/compare-runs.js'
import { openSuite, readConfigs, readRun, reopenRun, reopenSuite } from '../../bench/store/store.js'
import { configsOf } from '../../bench/run/report-file.js'
import { storedRun } from '../../bench/run/stored-run.js'
import { makeArm, makePlan, makeRecord, makeSample } from '../support/record.js'

/** @import { Test } from 'tap' */

const line = (/** @type {number} */ block) => `${JSON.stringify(makeSample({ block }))}\n`
/** Limit for reading a hostile folder, in milliseconds. */
const LIMIT_MS = 5000

/** Makes the folder of a run that was cut off, beside a file that no run owns. @param {Test} t */
function makeRun (t) {
  const root = t.testdir({
    precious: 'kept',
    outside: {},
    run: {
      'plan.json': JSON.stringify(makePlan()),
      'run.json': JSON.stringify(makeRecord({ complete: false, endedAt: null, ended: null })),
      'samples.jsonl': line(0) + line(1),
      keepalive: { 'nginx.conf': 'events {}\n', 'proxy.log': '' }
    }
  })
  return { root, dir: join(root, 'run'), precious: join(root, 'precious') }
}

/** @type {[title: string, plant: (run: ReturnType<typeof makeRun>) => void][]} */
const planted = [
  ...['samples.jsonl', 'run.json', 'plan.json', 'report.html', 'keepalive/proxy.log', 'keepalive/other.log'].map(
    file => /** @type {(typeof planted)[number]} */ ([`a link named ${file}`, ({ dir, precious }) => {
      rmSync(join(dir, file), { force: true })
      symlinkSync(precious, join(dir, file))
    }])),
  ['a link to no file', ({ dir, root }) => symlinkSync(join(root, 'created'), join(dir, 'keepalive/error.log'))],
  ['a link in place of the folder of an arm', ({ dir, root }) => symlinkSync(join(root, 'outside'), join(dir, 'tcp'))],
  ['a hard link', ({ dir, precious }) => {
    rmSync(join(dir, 'keepalive/proxy.log'))
    linkSync(precious, join(dir, 'keepalive/proxy.log'))
  }],
  ['a FIFO', ({ dir }) => { execFileSync('mkfifo', [join(dir, 'keepalive/error.log')]) }]
]

for (const [title, plant] of planted) {
  t.test(`does not resume a run with ${title}`, async t => {
    const run = makeRun(t)
    plant(run)
    await t.rejects(reopenRun(run.dir), { code: 'bad-run-file' })
    t.equal(readFileSync(run.precious, 'utf8'), 'kept')
  })
}

t.test('does not resume a run through a link to its folder, and reads it', async t => {
  const { root, dir } = makeRun(t)
  symlinkSync(dir, join(root, 'link'))
  await t.rejects(reopenRun(join(root, 'link')), { code: 'bad-run-file', message: /symbolic link/ })
  await t.rejects(reopenRun(join(root, 'link/')), { code: 'bad-run-file', message: /symbolic link/ })
  t.equal((await readRun(join(root, 'link'))).samples.length, 2)
})

t.test('does not resume a suite whose log is a link, or whose folder is', async t => {
  const resultsDir = t.testdir({ precious: 'kept' })
  const { dir } = await openSuite({ resultsDir, startedAt: '2024-05-06T07:08:09Z', quick: true, experiments: ['uds'] })
  t.equal((await reopenSuite(dir)).dir, dir)
  symlinkSync(dir, join(resultsDir, 'link'))
  await t.rejects(reopenSuite(join(resultsDir, 'link')), { code: 'bad-run-file' })
  symlinkSync(join(resultsDir, 'precious'), join(dir, 'uds.log'))
  await t.rejects(reopenSuite(dir), { code: 'bad-run-file', message: /uds\.log/ })
})

t.test('does not resume a run with a file of another account', {
  skip: process.getuid?.() === 0 ? false : 'only root can give a file away'
}, async t => {
  const { dir } = makeRun(t)
  chownSync(join(dir, 'samples.jsonl'), 65534, 65534)
  await t.rejects(reopenRun(dir), { code: 'bad-run-file', message: /another account/ })
})

t.test('resumes a run whose folder has plain files only, behind its last complete line', async t => {
  const { dir } = makeRun(t)
  writeFileSync(join(dir, 'samples.jsonl'), `${line(0)}${line(1)}${'x'.repeat(3 << 20)}`)
  const run = await reopenRun(dir)
  await run.append([makeSample({ block: 2 })])
  await run.close()
  t.strictSame((await readRun(dir)).samples.map(({ block }) => block), [0, 1, 2])
})

for (const file of ['samples.jsonl', 'run.json', 'plan.json']) {
  /** @type {[string, (path: string, run: ReturnType<typeof makeRun>) => void][]} */
  const kinds = [
    ['a link', (path, { precious }) => symlinkSync(precious, path)],
    ['a link to an endless device', path => symlinkSync('/dev/zero', path)],
    ['a FIFO', path => { execFileSync('mkfifo', [path]) }],
    ['a folder', path => mkdirSync(path)],
    ['a file of 100 GB', path => {
      writeFileSync(path, '')
      truncateSync(path, 100e9)
    }]
  ]
  for (const [kind, plant] of kinds) {
    t.test(`rejects ${kind} in place of ${file}`, async t => {
      const run = makeRun(t)
      rmSync(join(run.dir, file))
      plant(join(run.dir, file), run)
      const before = performance.now()
      await t.rejects(storedRun(run.dir), { code: 'bad-run-file', message: new RegExp(file) })
      t.ok(performance.now() - before < LIMIT_MS)
    })
  }
}

t.test('rejects a folder that has only a FIFO as a damaged run', async t => {
  const dir = t.testdir({})
  execFileSync('mkfifo', [join(dir, 'samples.jsonl')])
  await t.rejects(readRun(dir), { code: 'bad-run-file' })
})

t.test('rejects a line of samples without an end', async t => {
  const { dir } = makeRun(t)
  writeFileSync(join(dir, 'samples.jsonl'), Buffer.alloc(20 << 20, 'x'))
  await t.rejects(readRun(dir), { code: 'bad-run-file', message: /a line is longer/ })
})

t.test('rejects a plan of more arms than a run can have', async t => {
  const { dir } = makeRun(t)
  const { arms: [arm], ...plan } = makePlan({ twin: null, contrasts: [], claims: [] })
  const arms = Array.from({ length: 1001 }, (_, i) => ({ ...arm, name: `arm ${i}`, twinOf: null }))
  writeFileSync(join(dir, 'plan.json'), JSON.stringify({ ...plan, arms }))
  await t.rejects(readRun(dir), { code: 'bad-run-file', message: /more than 1000 arms/ })
})

t.test('rejects samples of more starts than a run can have', async t => {
  const { dir } = makeRun(t)
  const samples = Array.from({ length: 1001 }, (_, start) => makeSample({ block: start, start }))
  writeFileSync(join(dir, 'samples.jsonl'), samples.map(sample => `${JSON.stringify(sample)}\n`).join(''))
  await t.rejects(readRun(dir), { code: 'bad-run-file', message: /starts/ })
})

t.test('names the line of a sample that is damaged beyond the first chunk', async t => {
  const { dir } = makeRun(t)
  const lines = Array.from({ length: 6000 }, (_, block) => line(block))
  writeFileSync(join(dir, 'samples.jsonl'), [...lines, '{}\n', line(1)].join(''))
  await t.rejects(readRun(dir), { code: 'bad-run-file', message: /line 6001,/ })
})

t.test('reads configurations from plain files inside the folder only', async t => {
  const { root, dir, precious } = makeRun(t)
  writeFileSync(join(root, 'outside/httpd.conf'), 'secret')
  symlinkSync(join(root, 'outside'), join(dir, 'tcp'))
  symlinkSync(precious, join(dir, 'keepalive/httpd.conf'))
  execFileSync('mkfifo', [join(dir, 'keepalive/fifo.conf')])
  t.strictSame(await readConfigs(dir), { 'keepalive/nginx.conf': 'events {}\n' })
  const arms = ['keepalive', 'tcp'].map(name => makeArm({ name, spec: 'apache:keepalive/express-json' }))
  const record = makeRecord({ arms, tools: { apache: '2.4.57' } })
  t.strictSame(await configsOf(record, dir), [], 'a report embeds no linked file')
  rmSync(join(dir, 'keepalive/httpd.conf'))
  writeFileSync(join(dir, 'keepalive/httpd.conf'), 'Listen 80')
  t.match(await configsOf(record, dir), [{ file: 'httpd.conf', text: 'Listen 80' }])
})

t.test('rejects configurations that are too large or too many', async t => {
  const { dir } = makeRun(t)
  writeFileSync(join(dir, 'keepalive/large.conf'), '')
  truncateSync(join(dir, 'keepalive/large.conf'), 100e9)
  await t.rejects(readConfigs(dir), { code: 'bad-run-file', message: /large\.conf .*larger than 1 MiB/ })
  rmSync(join(dir, 'keepalive/large.conf'))
  for (let i = 0; i < 10_001; i++) writeFileSync(join(dir, `keepalive/${i}.log`), '')
  await t.rejects(readConfigs(dir), { code: 'bad-run-file', message: /more than 10000 files/ })
})

t.test('replaces temporary folders in configurations, in time proportional to their length', async t => {
  const { dir } = makeRun(t)
  const replaced = async (/** @type {string} */ text) => {
    writeFileSync(join(dir, 'keepalive/nginx.conf'), text)
    return (await readConfigs(dir))['keepalive/nginx.conf']
  }
  t.equal(await replaced('pid /tmp/hopbench-aB_1/12/nginx.pid; log "/var/my dir/hopbench-x/0/a b.log";\n/etc/x'),
    'pid <dir>/nginx.pid; log "<dir>/a b.log";\n/etc/x')
  const slashes = '/'.repeat(1 << 20)
  const before = process.cpuUsage()
  t.equal(await replaced(slashes), slashes)
  t.ok(process.cpuUsage(before).user < 2e6)
})

t.test('compares configurations that have nothing in common', async t => {
  const text = (/** @type {string} */ spec) => Array.from({ length: 50_000 }, (_, i) => `${spec} ${i}\n`).join('')
  const before = process.cpuUsage()
  const [{ removed, added }] = configDifferences({ a: text('x') }, { a: text('y') })
  t.strictSame([removed.length, added.length], [50_000, 50_000])
  t.ok(process.cpuUsage(before).user < 5e6)
})

t.test('names a file of which one line is left out, and none of which only empty lines differ', async t => {
  const before = { a: 'x\n  y\n', b: 'x\n' }
  t.strictSame(configDifferences(before, { a: 'x\n', b: 'x\n\n' }), [{ file: 'a', removed: ['y'], added: [] }])
})
