/** The Dockerfile: checked by a linter, and its packages exist. Its copied file: test/package.full.test.js. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './support/tap.js'
import { run } from '../bench/machine/process.js'
import { pythonEnvironment } from '../bench/machine/setup/python.js'
import { makeWorkspace, project } from './support/cli.js'
import { skipWithout } from './support/needs.js'

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
