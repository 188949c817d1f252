/** Tests that digest and permissions of a fetched tree cover every file, Python's bytecode included. */
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { closeTree, computeDigest, isWholeTree } from '../../../bench/machine/setup/tool-cache.js'

/** @import { Test } from 'tap' */

/**
 * Makes a tree with a Python package and its bytecode.
 * @param {Test} t
 */
function makeTree (t) {
  const root = t.testdir({ lib: { 'locust.py': 'pass\n', __pycache__: { 'locust.cpython-311.pyc': 'bytecode' } } })
  closeTree(root)
  return { root, bytecode: join(root, 'lib/__pycache__/locust.cpython-311.pyc') }
}

t.test('a planted, changed or moved file of bytecode changes the digest', async t => {
  const { root, bytecode } = makeTree(t)
  const digest = computeDigest(root)
  t.ok(isWholeTree(root, digest))
  writeFileSync(bytecode, 'BYTECODE')
  t.not(computeDigest(root), digest)
  t.notOk(isWholeTree(root, digest))
  writeFileSync(bytecode, 'bytecode')
  t.ok(isWholeTree(root, digest))
  mkdirSync(join(root, '__pycache__'))
  writeFileSync(join(root, '__pycache__/x.pyc'), 'planted')
  t.not(computeDigest(root), digest)
  t.notOk(isWholeTree(root, digest))
})

t.test('bytecode that others can write makes a tree unsafe until it is closed', async t => {
  const { root, bytecode } = makeTree(t)
  const digest = computeDigest(root)
  const folder = join(root, 'lib/__pycache__')
  for (const path of [folder, bytecode]) {
    chmodSync(path, statSync(path).mode | 0o020)
    t.notOk(isWholeTree(root, digest), path)
    closeTree(root)
    t.equal(statSync(path).mode & 0o022, 0)
    t.ok(isWholeTree(root, digest))
  }
})

t.test('other processes do not read an unchanged tree again, and read a changed one', async t => {
  const { root, bytecode } = makeTree(t)
  const digest = computeDigest(root)
  const checkedFile = `${root}.checked`
  t.teardown(() => rmSync(checkedFile))
  // Each import is a module of its own, as in another process.
  let imports = 0
  const isWhole = async (expected = digest) => {
    const { isWholeTree } = await import(`../../../bench/machine/setup/tool-cache.js?${imports++}`)
    return isWholeTree(root, expected, checkedFile)
  }
  t.ok(await isWhole())
  const state = readFileSync(checkedFile, 'utf8')
  t.match(state, readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  // A state that is trusted, although the digest is of other files: they were not read.
  writeFileSync(checkedFile, state.replace(digest, 'another'))
  t.ok(await isWhole('another'))
  t.notOk(await isWhole('a third'))
  writeFileSync(checkedFile, state)
  writeFileSync(bytecode, 'BYTECODE')
  t.notOk(await isWhole())
  t.equal(readFileSync(checkedFile, 'utf8'), state, 'a damaged tree is not noted')
  writeFileSync(bytecode, 'bytecode')
  t.ok(await isWhole())
  t.not(readFileSync(checkedFile, 'utf8'), state)
  writeFileSync(checkedFile, readFileSync(checkedFile, 'utf8').replace(/^\S+/, 'an-earlier-boot'))
  writeFileSync(join(root, 'more'), '')
  t.notOk(await isWhole())
  rmSync(join(root, 'more'))
  t.ok(await isWhole(), 'read again after a start of the system')
  t.notMatch(readFileSync(checkedFile, 'utf8'), 'an-earlier-boot')
})
