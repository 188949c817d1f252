/** Fetching a runtime into the cache with a scripted npm, which returns a real archive. */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { cachedName, findRuntime, locateRuntime, platformName } from '../../../bench/machine/setup/runtime.js'
import { run } from '../../../bench/machine/process.js'
import { refreshTools } from '../../../bench/machine/tools.js'
import { bringServerNode } from '../../../bench/measure/find-programs.js'
import { runtimes } from '../../../bench/plan/runtimes.js'
import { program } from '../../support/provoke.js'

/**
 * @import { Runtime } from '../../../bench/types.js'
 * @import { Test } from 'tap'
 */

/**
 * Makes a registry with one package.
 * @param {Test} t
 * @param {string} [printed] version that the package's program prints
 */
async function registry (t, printed = '1.2.3') {
  const dir = t.testdir({ bin: {}, package: { bin: {} } })
  program(join(dir, 'package/bin'), 'runtime', `echo v${printed}`)
  await run(['tar', '-czf', join(dir, 'archive.tgz'), '-C', dir, 'package'])
  program(join(dir, 'bin'), 'npm', `echo "$@" >> "${dir}/calls"; cp "${dir}/archive.tgz" "$4/runtime-1.2.3.tgz"`)
  const integrity = `sha512-${createHash('sha512').update(readFileSync(join(dir, 'archive.tgz'))).digest('base64')}`
  /** @type {Runtime} */
  const runtime = {
    title: 'Runtime',
    kind: 'node',
    version: '1.2.3',
    lastDay: null,
    program: 'bin/runtime',
    args: [],
    env: {},
    builds: { [platformName()]: { package: '@scope/runtime-here', integrity } }
  }
  const env = { PATH: `${join(dir, 'bin')}:${process.env.PATH}`, HOME: dir, HOPBENCH_CACHE: join(dir, 'cache') }
  const calls = () => existsSync(join(dir, 'calls'))
    ? readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n')
    : []
  return { dir, runtime, env, calls }
}

const printProgress = () => {}

t.test('a runtime is fetched once, and then found in the cache', async t => {
  const { runtime, env, calls } = await registry(t)
  t.equal(locateRuntime('it', runtime, env), null)
  const { program: path } = await findRuntime('it', runtime, { env, printProgress })
  t.equal((await run([path, '--version'])).stdout, 'v1.2.3')
  t.match(calls(), [/^pack @scope\/runtime-here@1\.2\.3 --pack-destination .* --ignore-scripts/])
  const again = await findRuntime('it', runtime, { env, printProgress })
  t.equal(again.program, path)
  t.equal(calls().length, 1)
})

t.test('a refresh keeps a pinned runtime, and removes one that is no longer pinned', async t => {
  const { runtime, env } = await registry(t)
  await findRuntime('it', runtime, { env, printProgress })
  await refreshTools([], { env, printProgress, keep: [cachedName('it', runtime)] })
  t.ok(locateRuntime('it', runtime, env))
  await refreshTools([], { env, printProgress, keep: [cachedName('it', { ...runtime, version: '1.2.4' })] })
  t.equal(locateRuntime('it', runtime, env), null)
})

t.test('a runtime that was changed in the cache is fetched again', async t => {
  const { runtime, env, calls } = await registry(t)
  const { program: path } = await findRuntime('it', runtime, { env, printProgress })
  chmodSync(path, 0o755)
  writeFileSync(path, '#!/bin/sh\necho worse\n')
  const { program: anew } = await findRuntime('it', runtime, { env, printProgress })
  t.equal((await run([anew])).stdout, 'v1.2.3')
  t.equal(calls().length, 2)
})

t.test('an archive with another checksum is rejected and not kept', async t => {
  const { dir, runtime, env } = await registry(t)
  writeFileSync(join(dir, 'archive.tgz'), 'something else')
  await t.rejects(findRuntime('it', runtime, { env, printProgress }), { code: 'runtime-checksum' })
  t.equal(locateRuntime('it', runtime, env), null)
})

t.test('the error distinguishes a registry that refuses from one that cannot be reached', async t => {
  const { dir, runtime, env } = await registry(t)
  for (const [said, why] of /** @type {const} */ ([['E404 Not Found', /does not give @scope\/runtime-here@1\.2\.3/],
    ['E403 Forbidden', /does not give/], ['EAI_AGAIN', /may be offline/], ['ENOTFOUND', /may be offline/]])) {
    program(join(dir, 'bin'), 'npm', `echo "npm error code ${said}" >&2; exit 1`)
    await t.rejects(findRuntime('it', runtime, { env, printProgress }), {
      code: 'runtime-not-fetched',
      message: why
    }, said)
  }
})

t.test('a runtime that prints another version is not kept', async t => {
  const { runtime, env } = await registry(t, '9.9.9')
  await t.rejects(findRuntime('it', runtime, { env, printProgress }), { code: 'tool-broken' })
  t.equal(locateRuntime('it', runtime, env), null)
})

t.test('without a network, the Node of the built-in servers is reported as missing, after one request', async t => {
  const { dir, env, calls } = await registry(t)
  program(join(dir, 'bin'), 'npm', `echo "$@" >> "${dir}/calls"; echo "npm error code ENOTFOUND" >&2; exit 1`)
  /** @type {string[]} */
  const lines = []
  const options = { env, printProgress: (/** @type {string} */ line) => { lines.push(line) }, today: '2026-11-24' }
  await bringServerNode({ ...options, version: '24.21.0' })
  t.strictSame([lines, calls()], [[], []], 'a supported line is not replaced')
  await bringServerNode({ ...options, version: '20.20.2' })
  t.match(calls(), [new RegExp(`@${runtimes['node-26'].version} .*--fetch-retries=0`)])
  t.match(lines, [/^Fetching Node 26/, /may be offline.*run under Node 20\.20\.2, which is past its end of life\.$/])
})
