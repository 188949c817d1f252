/** @import { Test } from 'tap' */
import t from '../support/tap.js'
import { shellWord } from '../../bench/errors.js'
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { HopbenchError } from '../../bench/errors.js'
import * as store from '../../bench/store/store.js'
import { makePlan, makeRecord, makeSample } from '../support/record.js'
import { command } from '../support/provoke.js'

const startedAt = '2024-05-06T07:08:09.000Z'
const plan = makePlan()
const block = (/** @type {number} */ number) => ['keepalive', 'tcp'].map(arm => makeSample({ arm, block: number }))

/** Opens a run in a temporary folder. */
const opened = async (/** @type {Test} */ t, experiment = 'uds') => {
  const resultsDir = t.testdir({})
  const run = await store.openRun({ resultsDir, experiment, startedAt, plan })
  t.teardown(() => run.close())
  return { resultsDir, run, samplesFile: join(run.dir, 'samples.jsonl') }
}

t.test('names the folder of a run after its time and experiment', async t => {
  const { resultsDir, run } = await opened(t)
  t.equal(run.run, '2024-05-06T07-08-09Z-uds')
  t.equal(run.dir, join(resultsDir, run.run))
})

t.test('git ignores a new folder of results, and a folder that existed keeps its files', async t => {
  const dir = t.testdir({ there: { 'a.txt': '' } })
  for (const folder of ['new/results', 'there']) {
    const run = await store.openRun({ resultsDir: join(dir, folder), experiment: 'uds', startedAt, plan })
    await run.close()
  }
  t.equal(await readFile(join(dir, 'new/results/.gitignore'), 'utf8'), '*\n')
  t.strictSame((await readdir(join(dir, 'there'))).filter(name => !name.endsWith('-uds')), ['a.txt'])
})

t.test('two runs within a second have separate folders', async t => {
  const { resultsDir, run } = await opened(t)
  const second = await store.openRun({ resultsDir, experiment: 'uds', startedAt, plan })
  await second.close()
  t.equal(second.run, `${run.run}.2`)
})

t.test('replaces slashes of typed topologies in the name of the folder', async t => {
  const { resultsDir, run } = await opened(t, 'nginx:tcp/express-json nginx:uds/express-json')
  t.equal(run.run, '2024-05-06T07-08-09Z-nginx-tcp-express-json-nginx-uds-express-json')
  t.equal((await store.latestRun(resultsDir, 'nginx:tcp/express-json nginx:uds/express-json'))?.run, run.run)
})

t.test('reads appended blocks in order', async t => {
  const { run } = await opened(t)
  await run.append(block(0))
  await run.append(block(1))
  const { samples } = await store.readRun(run.dir)
  t.strictSame(samples, [...block(0), ...block(1)])
})

t.test('reads a run that was interrupted at any time', async t => {
  const { run } = await opened(t)
  const { record, plan: storedPlan, samples } = await store.readRun(run.dir)
  t.strictSame({ record, plan: storedPlan, samples }, { record: null, plan, samples: [] }, 'before the first block')
  await run.writeRecord(makeRecord({ complete: false, endedAt: null, ended: null }))
  await run.append(block(0))
  const midway = await store.readRun(run.dir)
  t.equal(midway.record?.complete, false, 'midway')
  t.equal(midway.samples.length, 2)
  await run.writeRecord(makeRecord())
  t.strictSame((await store.readRun(run.dir)).record, makeRecord(), 'at the end')
})

t.test('finds a run by its folder, its name or a file in it', async t => {
  const { resultsDir, run, samplesFile } = await opened(t)
  for (const name of [run.dir, run.run, samplesFile, `${run.dir}/`]) {
    t.equal((await store.readRun(name, resultsDir)).dir, run.dir, name)
  }
})

t.test('skips a last line that a crash has truncated', async t => {
  const { run, samplesFile } = await opened(t)
  await run.append(block(0))
  const torn = JSON.stringify(makeSample({ block: 1 }))
  const whole = await readFile(samplesFile)
  for (const length of [1, Math.floor(torn.length / 2), torn.length]) {
    await writeFile(samplesFile, Buffer.concat([whole, Buffer.from(torn.slice(0, length))]))
    t.strictSame((await store.readRun(run.dir)).samples, block(0), `${length} bytes of it`)
  }
})

t.test('a resumed run removes the truncated line before appending', async t => {
  const { run, samplesFile } = await opened(t)
  await run.append(block(0))
  await run.close()
  await appendFile(samplesFile, '{"arm":"keepalive","blo')
  const again = await store.reopenRun(run.dir)
  t.strictSame(again.samples, block(0))
  t.strictSame(again.plan, plan)
  await again.append(block(1))
  await again.close()
  t.strictSame((await store.readRun(run.dir)).samples, [...block(0), ...block(1)])
})

t.test('does not resume a run without a stored plan', async t => {
  const { run } = await opened(t)
  await run.append(block(0))
  await fs.rm(join(run.dir, 'plan.json'))
  await t.rejects(store.reopenRun(run.dir), { code: 'bad-run-file', message: /plan\.json .*missing/ })
})

t.test('reports a damaged line that is not the last one', async t => {
  const { run, samplesFile } = await opened(t)
  await run.append(block(0))
  const lines = (await readFile(samplesFile, 'utf8')).split('\n')
  await writeFile(samplesFile, ['{"arm": oops', ...lines].join('\n'))
  await t.rejects(store.readRun(run.dir), {
    constructor: HopbenchError,
    code: 'bad-run-file',
    message: /samples\.jsonl, line 1, .*not JSON/
  })
  await writeFile(samplesFile, [lines[0], '{"arm":"tcp"}', ''].join('\n'))
  await t.rejects(store.readRun(run.dir), {
    code: 'bad-run-file',
    message: /samples\.jsonl, line 2, .*required property/
  })
})

t.test('reports a damaged record with the reason', async t => {
  const { run } = await opened(t)
  await writeFile(join(run.dir, 'run.json'), '{"schema": 1, ')
  await t.rejects(store.readRun(run.dir), { code: 'bad-run-file', message: /run\.json cannot be read: it is not JSON/ })
  await writeFile(join(run.dir, 'run.json'), JSON.stringify({ ...makeRecord(), arms: 'none' }))
  await t.rejects(store.readRun(run.dir), { code: 'bad-run-file', message: /run\.json .*arms must be array/ })
})

t.test('rejects a record of another format with exit code 1, in one sentence', async t => {
  const { run } = await opened(t)
  const file = join(run.dir, 'run.json')
  for (const schema of [1, 2, 4]) {
    await writeFile(file, JSON.stringify({ ...makeRecord(), schema }))
    const message = `${file} has format ${schema}, and this hopbench reads format 3.`
    const error = { code: 'other-format', exit: 1, message }
    await t.rejects(store.readRun(run.dir), error)
    await t.rejects(command('report', run.dir), error)
  }
})

t.test('reports an unknown run and suggests the nearest name', async t => {
  const { resultsDir, run } = await opened(t)
  await mkdir(join(resultsDir, 'empty'))
  const nearest = new RegExp(`Did you mean "${run.run}"`)
  for (const [name, message] of /** @type {const} */ ([['2024-05-06T07-08-08Z-uds', nearest], ['uds', nearest],
    ['nothing-like-it', /nothing-like-it" in [^?]*$/], ['empty', /empty/]])) {
    await t.rejects(store.readRun(name, resultsDir), { code: 'unknown-run', exit: 2, message }, name)
  }
})

t.test('lists runs by time and finds the latest one of an experiment', async t => {
  const resultsDir = t.testdir({ 'schema.json': '{}', reference: {}, notes: {} })
  for (const [experiment, day] of [['uds', '06'], ['cache', '05'], ['uds', '04'], ['uds', '06'], ['gzip', '06']]) {
    await (await store.openRun({ resultsDir, experiment, startedAt: `2024-05-${day}T00:00:00Z`, plan })).close()
  }
  const runs = await store.listRuns(resultsDir)
  t.strictSame(runs.map(({ run }) => run.slice(8, 10) + run.slice(21)), ['04uds', '05cache', '06gzip', '06uds',
    '06uds.2'])
  t.match(runs[1], { experiment: 'cache', startedAt: '2024-05-05T00:00:00Z', dir: join(resultsDir, runs[1].run) })
  t.equal((await store.latestRun(resultsDir))?.run, '2024-05-06T00-00-00Z-uds.2')
  t.equal((await store.latestRun(resultsDir, 'cache'))?.run, '2024-05-05T00-00-00Z-cache')
  t.equal(await store.latestRun(resultsDir, 'tls'), null)
  t.strictSame(await store.listRuns(join(resultsDir, 'not-there')), [])
})

t.test('lists runs that are filed under a kind of machine, and finds them by their names', async t => {
  const resultsDir = t.testdir({ other: {}, file: '' })
  const set = 'amd-epyc-2-cores-24-gib-linux-x64-6.18-kvm'
  for (const [folder, day] of [['', '05'], [set, '04'], ['other', '03']]) {
    const dir = join(resultsDir, folder)
    await (await store.openRun({ resultsDir: dir, experiment: 'uds', startedAt: `2024-05-${day}T00:00:00Z`, plan }))
      .close()
  }
  const [filed, unfiled] = ['2024-05-04T00-00-00Z-uds', '2024-05-05T00-00-00Z-uds']
  t.strictSame((await store.listRuns(resultsDir)).map(({ run, set, dir }) => ({ run, set, dir })), [
    { run: filed, set, dir: join(resultsDir, set, filed) },
    { run: unfiled, set: null, dir: join(resultsDir, unfiled) }
  ])
  t.equal((await store.readRun(filed, resultsDir)).dir, join(resultsDir, set, filed))
  for (const file of ['plan.json', 'samples.jsonl']) await rm(join(resultsDir, set, filed, file))
  await t.rejects(store.readRun(filed, resultsDir), { code: 'bad-run-file' })
})

t.test('writes other files only into the folder of the run', async t => {
  const { run } = await opened(t)
  const path = await run.writeFile('configs/keepalive/nginx.conf', 'events {}\n')
  t.equal(path, join(run.dir, 'configs/keepalive/nginx.conf'))
  t.equal(await readFile(path, 'utf8'), 'events {}\n')
  await t.rejects(run.writeFile('../outside.txt', ''), /not inside/)
  t.strictSame((await readdir(run.dir, { recursive: true })).filter(name => name.endsWith('.tmp')), [],
    'leaves no temporary file')
})

t.test('reports a results folder that cannot be created, with the reason', async t => {
  const dir = t.testdir({ file: 'in the way' })
  for (const [folder, message] of /** @type {const} */ ([['file/results', /written in .*a part of the path is a file/],
    ['file', /a file is in the way/]])) {
    await t.rejects(store.openRun({ resultsDir: join(dir, folder), experiment: 'uds', startedAt, plan }),
      { code: 'results-not-writable', exit: 1, message, remedy: /--results/ }, folder)
  }
})

/**
 * Opens a run on a disk that fails with `code` after writing half of the data, once `broken.now` is set.
 * @param {Test} t
 * @param {string} code
 */
async function onBrokenDisk (t, code) {
  const broken = { now: false }
  const failure = () => Object.assign(new Error(`${code}: failed, write`), { code, syscall: 'write' })
  const failing = (/** @type {(data: string) => Promise<void>} */ write) => async (/** @type {string} */ data) => {
    if (!broken.now) return write(data)
    await write(data.slice(0, data.length / 2))
    throw failure()
  }
  const open = async (/** @type {string} */ path, /** @type {string} */ flags) => {
    const file = await fs.open(path, flags)
    file.appendFile = /** @type {any} */ (failing(file.appendFile.bind(file)))
    file.writeFile = /** @type {any} */ (failing(file.writeFile.bind(file)))
    return file
  }
  /** @type {typeof store} */
  const mocked = await t.mockImport('../../bench/store/store.js', { 'node:fs/promises': { ...fs, open } })
  const run = await mocked.openRun({ resultsDir: t.testdir({}), experiment: 'uds', startedAt, plan })
  t.teardown(() => run.close())
  return { run, broken }
}

t.test('a full disk leaves the samples of earlier blocks intact', async t => {
  const { run, broken } = await onBrokenDisk(t, 'ENOSPC')
  await run.append(block(0))
  const before = await readFile(join(run.dir, 'samples.jsonl'))
  broken.now = true
  await t.rejects(run.append(block(1)), {
    code: 'disk-full',
    message: /samples\.jsonl/,
    remedy: `Free some space and resume the run: npm run hopbench -- run --resume ${shellWord(run.dir)}`
  })
  t.strictSame(await readFile(join(run.dir, 'samples.jsonl')), before, 'removes the half that was written')
  broken.now = false
  await run.append(block(1))
  t.strictSame((await store.readRun(run.dir)).samples, [...block(0), ...block(1)],
    'continues when space is available again')
})

t.test('a full disk leaves the earlier record intact', async t => {
  const { run, broken } = await onBrokenDisk(t, 'EDQUOT')
  await run.writeRecord(makeRecord({ complete: false }))
  broken.now = true
  await t.rejects(run.writeRecord(makeRecord()), { code: 'disk-full', message: /run\.json/ })
  t.equal((await store.readRun(run.dir)).record?.complete, false)
  t.strictSame((await readdir(run.dir)).filter(name => name.endsWith('.tmp')), [])
})

t.test('does not report other disk errors as a full disk', async t => {
  const { run, broken } = await onBrokenDisk(t, 'EROFS')
  broken.now = true
  await t.rejects(run.append(block(0)), { code: 'results-not-writable', message: /the file system is read-only/ })
})

t.test('finds names only inside the results folder, and accepts typed paths', async t => {
  const root = t.testdir({ results: { sub: { 'run.json': '{' } }, other: { 'run.json': '{' } })
  const results = join(root, 'results')
  await t.rejects(store.readRun('../other', results), { code: 'unknown-run' })
  await t.rejects(store.readRun('sub', results), { code: 'bad-run-file' })
  await t.rejects(store.readRun(join(root, 'other'), results), { code: 'bad-run-file' }, 'typed as a path')
})

t.test('syncs the folders around the folder of a new run, because their entries are new', async t => {
  /** @type {string[]} */
  const synced = []
  const open = async (/** @type {string} */ path, /** @type {string} */ flags) => {
    const file = await fs.open(path, flags)
    const sync = file.sync.bind(file)
    file.sync = async () => {
      await sync()
      synced.push(path)
    }
    return file
  }
  /** @type {typeof store} */
  const mocked = await t.mockImport('../../bench/store/store.js', { 'node:fs/promises': { ...fs, open } })
  const root = t.testdir({})
  const resultsDir = join(root, 'new', 'results')
  const run = await mocked.openRun({ resultsDir, experiment: 'uds', startedAt, plan })
  await run.close()
  for (const folder of [root, join(root, 'new'), resultsDir, run.dir]) t.ok(synced.includes(folder), folder)
})
