/** The Dockerfile: checked by a linter, and its packages and files exist. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './support/tap.js'
import { run } from '../bench/machine/process.js'
import { pythonEnvironment } from '../bench/machine/setup/python.js'
import { makeWorkspace, project } from './support/cli.js'
import { skipWithout } from './support/needs.js'
import { pack } from './support/packed.js'

const file = join(project, 'Dockerfile')
const text = readFileSync(file, 'utf8')

t.test('hadolint finds planted faults, and no others', { skip: skipWithout('hadolint') }, async t => {
  const { folder } = await pythonEnvironment({
    program: 'hadolint',
    requirements: join(project, 'test/support/hadolint/requirements.txt'),
    least: '3.9'
  })
  const faultsOf = async (/** @type {string} */ path) =>
    JSON.parse((await run([join(folder, 'bin/hadolint'), '--format', 'json', path])).stdout)
  t.strictSame(await faultsOf(file), [])
  const { dir } = makeWorkspace(t)
  /** @type {Record<string, [string, string]>} */
  const planted = {
    DL3006: ['node:24-trixie-slim', 'node'],
    DL3009: [' \\\n    && rm -rf /var/lib/apt/lists/*', ''],
    DL3025: ['ENTRYPOINT ["hopbench"]', 'ENTRYPOINT hopbench'],
    DL3002: ['USER 1000', 'USER root'],
    DL3014: ['--yes ', '']
  }
  for (const [code, [right, wrong]] of Object.entries(planted)) {
    t.ok(text.includes(right), right)
    const path = join(dir, code)
    writeFileSync(path, text.replace(right, wrong))
    t.ok((await faultsOf(path)).some((/** @type {any} */ fault) => fault.code === code), code)
  }
})

t.test('Debian has all packages of the Dockerfile, without conflicts', { skip: skipWithout('apt') }, async t => {
  const [, step] = /^ +&& apt-get install ([^&]*) \\$/ms.exec(text) ?? []
  const words = String(step).replaceAll('\\\n', ' ').trim().split(/\s+/)
  t.ok(words.length > 10)
  const status = join(makeWorkspace(t).dir, 'status')
  writeFileSync(status, '')
  // Simulates an empty system, because the packages of this machine are not in the image.
  const simulated = (/** @type {string[]} */ names) =>
    run(['apt-get', '--simulate', '-o', `Dir::State::status=${status}`, 'install', ...names])
  const { exit, stdout, stderr } = await simulated(words)
  t.equal(exit, 0) || t.comment(stderr)
  for (const name of words.filter(spec => !spec.startsWith('-'))) t.match(stdout, `\nInst ${name} (`, name)
  t.not((await simulated([...words, 'no-such-program'])).exit, 0, 'fails for an unknown package')
})

t.test('the Dockerfile copies the packed file and runs its program', { skip: skipWithout('accounts') }, async t => {
  const { dir } = makeWorkspace(t)
  const packed = await pack(dir)
  t.match(packed, /\/hopbench-[\d.]+\.tgz$/)
  t.match(text, /^COPY hopbench-\*\.tgz \/opt\/hopbench\.tgz$/m)
  t.match(readFileSync(join(project, '.dockerignore'), 'utf8'), /^\*\n!hopbench-\*\.tgz\n$/, 'only the packed file')
  const [, flags] = /^RUN npm install (--global [^/]*)\/opt\/hopbench\.tgz/m.exec(text) ?? []
  const [prefix, work] = [join(dir, 'prefix'), join(dir, 'work')]
  for (const folder of [prefix, work]) mkdirSync(folder, { mode: 0o755 })
  const installed = await run(['npm', 'install', ...String(flags).trim().split(' '), packed], {
    env: { npm_config_prefix: prefix }, timeoutSeconds: 150
  })
  t.equal(installed.exit, 0) || t.comment(installed.stderr)
  const [, entry] = /^ENTRYPOINT \["(\w+)"\]$/m.exec(text) ?? []
  const { exit, stdout, stderr } = await run(['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups',
    join(prefix, 'bin', String(entry)), '--version'], { cwd: work })
  t.equal(exit, 0) || t.comment(stderr)
  t.equal(stdout.trim(), JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).version)
})
