/** hopbench installed from the packed file in an empty folder. As another account: test/package.soak.test.js. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './support/tap.js'
import { run } from '../bench/machine/process.js'
import { leavesNothing, listRuns, makeWorkspace, project } from './support/cli.js'
import { skipWithout } from './support/needs.js'
import { cacheIn, emptyProject, install, mebibytesIn, npx, pack } from './support/packed.js'

/** hopbench without its stored runs, and the packages that it installs, 31 MiB. */
const MAX_MEBIBYTES = 38.8
/** The stored runs, from which answers are made: 113 runs, and two programs' checks. */
const MAX_MEBIBYTES_OF_RUNS = 5
const SMOKE = ['./my-app.js', 'nginx:uds-keepalive/./my-app.js', '--smoke']

const packing = makeWorkspace(t)
const file = await pack(packing.dir)

t.test('the package contains no tests, no samples, and no packages that are only compared', async t => {
  const { stdout } = await run(['tar', '-tzf', file])
  const names = stdout.trim().split('\n').map(name => name.replace(/^package\//, ''))
  for (const name of ['bench/bootstrap.js', 'servers/koa-static.js', 'compared-lock.json', 'results/schema.json',
    'results/reference/check.json', 'results/reference/compared.json', 'docs/cli.md', 'LICENSE',
    'node_modules/express/package.json']) {
    t.ok(names.includes(name), name)
  }
  t.strictSame(names.filter(name => /^(test|\.|package-lock)|\/samples\.jsonl$/.test(name)), [])
  t.ok(names.some(name => /^results\/reference\/.*-uds\/run\.json$/.test(name)), 'reference runs for the answers')
  t.strictSame(names.filter(name => /^node_modules\/(pm2|koa|fastify|st|tap|typescript)\//.test(name)), [])
})

t.test('npm finds no fault in package.json', async t => {
  const { dir } = makeWorkspace(t)
  await run(['tar', '-xzf', file, '-C', dir, 'package/package.json', 'package/bench/bootstrap.js'])
  const { stderr } = await run(
    ['npm', 'publish', '--dry-run', './package', '--loglevel=warn', ...cacheIn(dir)], { cwd: dir })
  const corrected = [...stderr.matchAll(/^npm warn publish (".*)$/gm)].map(([, text]) => text)
  t.strictSame(corrected, ['"bundleDependencies" was auto-populated from "dependencies"'])
})

t.test('the Dockerfile copies the packed file and runs its program', { skip: skipWithout('accounts') }, async t => {
  const { dir } = makeWorkspace(t)
  const text = readFileSync(join(project, 'Dockerfile'), 'utf8')
  t.match(file, /\/hopbench-[\d.]+\.tgz$/)
  t.match(text, /^COPY hopbench-\*\.tgz \/opt\/hopbench\.tgz$/m)
  t.match(readFileSync(join(project, '.dockerignore'), 'utf8'), /^\*\n!hopbench-\*\.tgz\n$/, 'only the packed file')
  const [, flags] = /^RUN npm install (--global [^/]*)\/opt\/hopbench\.tgz/m.exec(text) ?? []
  const [prefix, work] = [join(dir, 'prefix'), join(dir, 'work')]
  for (const folder of [prefix, work]) mkdirSync(folder, { mode: 0o755 })
  const installed = await run(['npm', 'install', ...String(flags).trim().split(' '), file], {
    env: { npm_config_prefix: prefix }, timeoutSeconds: 150
  })
  t.equal(installed.exit, 0) || t.comment(installed.stderr)
  const [, entry] = /^ENTRYPOINT \["(\w+)"\]$/m.exec(text) ?? []
  const { exit, stdout, stderr } = await run(['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups',
    join(prefix, 'bin', String(entry)), '--version'], { cwd: work })
  t.equal(exit, 0) || t.comment(stderr)
  t.equal(stdout.trim(), JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).version)
})

t.test('measures an app in another project, and stores the results there', {
  skip: skipWithout('nginx')
}, async t => {
  const workspace = makeWorkspace(t)
  const folder = join(workspace.dir, 'project')
  emptyProject(folder)
  t.comment(`installed in ${Math.round(await install(file, folder))} s`)
  const ofRuns = mebibytesIn(join(folder, 'node_modules/hopbench/results/reference'))
  const others = mebibytesIn(join(folder, 'node_modules')) - ofRuns
  t.ok(others <= MAX_MEBIBYTES, `${others.toFixed(2)} MiB without runs`)
  t.ok(ofRuns > 0 && ofRuns <= MAX_MEBIBYTES_OF_RUNS, `${ofRuns.toFixed(2)} MiB of runs`)
  const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  t.equal((await npx(['--version'], { workspace, folder })).stdout.trim(), version)
  const { exit, stdout, stderr } = await npx(['run', ...SMOKE, '--export-csv', 'arms.csv'], { workspace, folder })
  t.equal(exit, 0) || t.comment(stdout, stderr)
  t.equal(listRuns(join(folder, 'results')).length, 1)
  t.match(readFileSync(join(folder, 'arms.csv'), 'utf8'), /^arm,.*\n\.\/my-app\.js,/)
  t.notOk(existsSync(join(folder, 'node_modules/hopbench/results/reference/2026')))
  t.match(await npx(['answers'], { workspace, folder }), { exit: 0, stdout: /more\s+than\s+pooled\s+TCP/ })
  t.match(await npx(['report', '--export-markdown', '-'], { workspace, folder }), { exit: 0, stdout: /^\*\*/ })

  await t.test('installs compared packages when they are first used, and confines a vulnerable one', {
    skip: skipWithout('registry')
  }, async t => {
    const env = { HOPBENCH_CACHE: join(workspace.dir, 'cache') }
    // Fetches no other programs into the empty cache, as test/topology/server-node.full.test.js does.
    const options = ['--smoke', '--own-node', '--engine', 'autocannon']
    const first = await npx(['run', 'koa-static', 'node-static@pm2:2', '--json', ...options],
      { workspace, folder, env })
    t.match(first.stderr, /^Installing koa and koa-static for koa-static into /m)
    t.match(first.stderr, /^Installing pm2 for pm2 into /m)
    t.equal(first.exit, 0) || t.comment(first.stderr)
    t.strictSame(JSON.parse(first.stdout).arms.map((/** @type {any} */ arm) => arm.invalid), [null, null])
    const again = await npx(['run', 'koa-static', ...options], { workspace, folder, env })
    t.equal(again.exit, 0)
    t.notMatch(again.stderr, /Installing/, 'installed only once')
  })
  await leavesNothing(t, workspace)
})
