/** Tests that a cache folder is refused if another account could replace it through a folder above it. */
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { shellWord } from '../../../bench/errors.js'
import { run } from '../../../bench/machine/process.js'
import { findUnsafeParent, isSafeFolder } from '../../../bench/machine/setup/safe-folder.js'
import {
  cached, explainUnsafeParent, withoutUnsafeFolders, writableCache
} from '../../../bench/machine/setup/tool-cache.js'
import { findTool, locateTool } from '../../../bench/machine/tools.js'
import { makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { spec, system } from '../../support/tool-system.js'

/** @import { Test } from 'tap' */

const UNPRIVILEGED = 65534
const STRANGER = 54321
const isRoot = process.getuid?.() === 0
const needsRoot = { skip: !isRoot && 'only root can give folders to other accounts' }

/**
 * Makes a cache folder two levels below a folder.
 * @param {Test} t
 */
function makeCache (t) {
  const top = join(makeWorkspace(t).dir, 'top')
  const cache = join(top, 'middle', 'cache')
  mkdirSync(cache, { recursive: true, mode: 0o755 })
  return { top, middle: dirname(cache), cache }
}

t.test('accepts a folder whose parents only trusted accounts can write', async t => {
  const { middle, cache } = makeCache(t)
  t.ok(isSafeFolder(cache))
  t.equal(findUnsafeParent(cache), null)
  t.equal(findUnsafeParent(join(cache, 'not', 'yet')), null)
  chmodSync(middle, 0o1777)
  t.ok(isSafeFolder(cache), 'in a sticky folder, others cannot move it')
})

t.test('refuses a folder below one that other accounts can write', async t => {
  const { top, middle, cache } = makeCache(t)
  for (const path of [top, middle]) {
    for (const mode of [0o777, 0o757]) {
      chmodSync(path, mode)
      t.notOk(isSafeFolder(cache))
      t.strictSame(findUnsafeParent(cache), { path, fault: 'mode' })
      t.strictSame(findUnsafeParent(join(cache, 'not', 'yet')), { path, fault: 'mode' })
      chmodSync(path, 0o755)
    }
  }
  t.ok(isSafeFolder(cache))
})

t.test('refuses a folder below one that a group of several accounts can write', needsRoot, async t => {
  const { middle, cache } = makeCache(t)
  chmodSync(middle, 0o775)
  chownSync(middle, 0, STRANGER)
  t.strictSame(findUnsafeParent(cache), { path: middle, fault: 'mode' })
  if (!/^root:[^:]*:0:$/m.test(readFileSync('/etc/group', 'utf8'))) return
  chownSync(middle, 0, 0)
  t.equal(findUnsafeParent(cache), null, 'the group of one account')
})

t.test('refuses a folder below one of another account, even a sticky one', needsRoot, async t => {
  const { top, cache } = makeCache(t)
  chownSync(top, STRANGER, STRANGER)
  t.strictSame(findUnsafeParent(cache), { path: top, fault: 'owner' })
  chmodSync(top, 0o1777)
  t.strictSame(findUnsafeParent(cache), { path: top, fault: 'owner' })
  t.notOk(isSafeFolder(cache))
})

t.test('checks the folders on both sides of each symbolic link', async t => {
  const { dir } = makeWorkspace(t)
  for (const name of ['first', 'second', 'third']) mkdirSync(join(dir, name), { mode: 0o755 })
  mkdirSync(join(dir, 'third/cache'), { mode: 0o755 })
  symlinkSync('../second/link', join(dir, 'first/link'))
  symlinkSync('../third', join(dir, 'second/link'))
  const cache = join(dir, 'first/link/cache')
  t.ok(isSafeFolder(cache))
  for (const name of ['first', 'second', 'third']) {
    chmodSync(join(dir, name), 0o777)
    t.strictSame(findUnsafeParent(cache), { path: join(dir, name), fault: 'mode' })
    chmodSync(join(dir, name), 0o755)
  }
  chmodSync(join(dir, 'third/cache'), 0o777)
  t.notOk(isSafeFolder(join(dir, 'first/link/cache')))
})

t.test('neither uses nor creates a cache below an unsafe folder, and names that folder', async t => {
  const { dir, env, cache, options, calls } = system(t)
  const { path } = await findTool(spec, options)
  t.equal(locateTool(spec, env)?.path, path)
  chmodSync(dir, 0o777)
  t.equal(cached(spec.program, env), null)
  t.equal(writableCache(env), null)
  const fetched = calls().length
  await t.rejects(findTool(spec, options),
    { code: 'tool-missing', message: new RegExp(`chmod go-w ${shellWord(dir)} `) })
  const elsewhere = join(dir, 'new')
  await t.rejects(findTool(spec, { ...options, env: { ...env, HOPBENCH_CACHE: elsewhere } }), { code: 'tool-missing' })
  t.notOk(existsSync(elsewhere))
  t.equal(calls().length, fetched, 'nothing is fetched')
  chmodSync(dir, 0o755)
  t.equal(writableCache(env), cache)
  t.equal(locateTool(spec, env)?.path, path, 'used again after chmod')
})

t.test('a process in a user namespace gets only safe folders, and the reason for the others', async t => {
  const { dir, env } = system(t)
  t.strictSame(withoutUnsafeFolders(env), {})
  chmodSync(dir, 0o777)
  const inside = { ...env, ...withoutUnsafeFolders(env) }
  t.notMatch(inside.HOPBENCH_CACHE, dir)
  t.equal(writableCache(inside), null)
  t.match(explainUnsafeParent(env), `chmod go-w ${shellWord(dir)} `)
  const spaced = join(dir, 'a b; c')
  mkdirSync(spaced)
  chmodSync(dir, 0o755)
  chmodSync(spaced, 0o777)
  t.match(explainUnsafeParent({ HOPBENCH_CACHE: join(spaced, 'cache') }), `chmod go-w '${spaced}' `, 'quoted')
  chmodSync(dir, 0o777)
  t.equal(explainUnsafeParent(inside), explainUnsafeParent(env))
  chmodSync(dir, 0o755)
  t.equal(explainUnsafeParent(env), null)
})

t.test('an ordinary account trusts itself and root, and no third account', {
  skip: skipWithout('accounts')
}, async t => {
  const { top, middle, cache } = makeCache(t)
  for (const path of [middle, cache]) chownSync(path, UNPRIVILEGED, UNPRIVILEGED)
  const module = new URL('../../../bench/machine/setup/safe-folder.js', import.meta.url).href
  const script = `const { findUnsafeParent, isSafeFolder } = await import(${JSON.stringify(module)})
    console.log(JSON.stringify([isSafeFolder(process.argv[1]), findUnsafeParent(process.argv[1])]))`
  const check = async () => {
    const ids = [`--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups']
    const { stdout, stderr } =
      await run(['setpriv', ...ids, process.execPath, '--input-type=module', '-e', script, cache])
    return stderr === '' ? JSON.parse(stdout) : stderr
  }
  t.strictSame(await check(), [true, null])
  chmodSync(top, 0o777)
  t.strictSame(await check(), [false, { path: top, fault: 'mode' }])
  chmodSync(top, 0o1777)
  t.strictSame(await check(), [true, null])
  chmodSync(top, 0o755)
  chownSync(middle, STRANGER, STRANGER)
  t.strictSame(await check(), [false, { path: middle, fault: 'owner' }])
})
