/** Tests how the servers of frameworks are built, started and stored; the builds themselves need the network. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './support/tap.js'
import { makeSite } from '../bench/features/check/site.js'
import { loadExperiments } from '../bench/plan/plugins.js'
import { userExperiment } from '../bench/request/user-experiment.js'
import { readCheck } from '../bench/store/check-results.js'
import { REFERENCE_DIR } from '../bench/store/store.js'
import { FRAMEWORKS, RUNTIME_SERVERS, prepareSources, renewFrameworks, toCommand, withFacts } from
  './compared-frameworks.js'
import { toExperiment } from './compared-throughput.js'
import { project } from './support/cli.js'
import { tempFolder } from './support/temp.js'

for (const [name, framework] of Object.entries(FRAMEWORKS)) {
  t.test(`the sources of ${name} get the newest releases and the files of the check without links`, async t => {
    const dir = join(tempFolder(t), 'app')
    cpSync(join(project, 'test/support/advised-apps', framework.app), dir, { recursive: true })
    const before = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
    prepareSources(dir, framework, '9.8.7')
    const { dependencies, devDependencies, ...rest } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
    const versions = { ...dependencies, ...devDependencies }
    t.strictSame(Object.keys(versions), Object.keys({ ...before.dependencies, ...before.devDependencies }))
    t.strictSame(rest.scripts, before.scripts)
    const ofPackage = [framework.package, ...framework.aligned ?? []]
    for (const [name, version] of Object.entries(versions)) {
      t.equal(version, ofPackage.includes(name) ? '9.8.7' : 'latest', name)
    }
    const entries = readdirSync(join(dir, framework.source), { withFileTypes: true })
    t.ok(entries.some(({ name }) => name === 'alive.txt'))
    t.notOk(entries.some(entry => entry.isSymbolicLink()))
    for (const [name, text] of Object.entries(framework.files ?? {})) {
      t.equal(existsSync(join(dir, name)), text !== null, name)
    }
  })
}

t.test('each start links the files of the check into the build, and keeps those of the build', async t => {
  const dir = tempFolder(t)
  mkdirSync(join(dir, 'public'))
  for (const name of ['alive.txt', 'text.txt.gz']) writeFileSync(join(dir, 'public', name), 'built')
  const command = toCommand({ served: 'public', start: 'cat public/alive.txt' }, process.execPath)
  for (const folder of ['first', 'second']) {
    mkdirSync(join(dir, folder))
    const { root } = makeSite(join(dir, folder))
    t.equal(execFileSync('sh', ['-c', command], { cwd: dir, env: { ROOT: root }, encoding: 'utf8' }), 'alive')
    t.ok(lstatSync(join(dir, 'public/folder/inner.txt')).isSymbolicLink())
    t.equal(readFileSync(join(dir, 'public/text.txt.gz'), 'utf8'), 'built')
    writeFileSync(join(root, 'new'), 'replaced')
    rmSync(join(root, 'alive.txt'))
    t.throws(() => readFileSync(join(dir, 'public/alive.txt')), { code: 'ENOENT' }, 'a deleted file is missing')
  }
})

t.test('the stored check has each server of a framework with its package, version and Node', async t => {
  const servers = (await readCheck(REFERENCE_DIR))?.servers ?? []
  for (const name of [...Object.keys(FRAMEWORKS), ...Object.keys(RUNTIME_SERVERS)]) {
    const server = servers.find(server => server.name === name)
    t.match(server, { about: { fixture: true, serves: ['static'] }, version: /^\d+\.\d+\.\d+/ }, name)
    t.match(server?.node, Object.hasOwn(FRAMEWORKS, name) ? /^\d+\./ : /^$/, name)
    t.ok(server?.chains[0].results.length, `${name} has results`)
  }
  const about = /** @type {any} */ ({ title: 'T' })
  t.match(withFacts(/** @type {any} */ ({ servers: [{ name: 'a', version: null }] }),
    { about, version: '1.0.0', node: '26.1.0' }), { servers: [{ name: 'a', about, version: '1.0.0', node: '26.1.0' }] })
})

t.test('the experiment compares each server with nginx, with the page and the connections of static-html', async t => {
  const dir = tempFolder(t)
  const servers = { next: { command: 'node server.js', cwd: dir }, bun: { command: 'bun bun.js', cwd: dir } }
  const file = join(dir, 'static-frameworks.json')
  writeFileSync(file, JSON.stringify(toExperiment(servers)))
  const { name, experiment, parse } = await userExperiment(file)
  t.equal(name, 'static-frameworks')
  const arms = Object.entries(experiment.arms).map(([name, arm]) =>
    [name, typeof arm === 'string' ? arm : arm.topology])
  t.strictSame(arms, [['nginx', 'nginx/files'], ['next', 'next'], ['bun', 'bun']])
  const known = (await loadExperiments()).find(({ name }) => name === 'static-html')?.experiment
  for (const key of /** @type {const} */ (['connections', 'path'])) {
    t.equal(experiment.load?.[key], known?.load?.[key], key)
  }
  t.equal(experiment.cores, known?.cores)
  t.match(parse('next').server?.command, { run: 'node server.js' })
})

t.test('rejects an unknown server of a framework, with the known ones', async t => {
  await t.rejects(renewFrameworks(['nexd']), { code: 'bad-option', message: /--frameworks/ })
})
