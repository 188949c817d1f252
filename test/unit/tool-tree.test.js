/** Tests that digest and permissions of a fetched tree cover every file, Python's bytecode included. */
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { closeTree, computeDigest, isWholeTree } from '../../bench/machine/setup/tool-tree.js'

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
