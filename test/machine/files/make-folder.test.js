/** Folders are created by one function, which ends in every file system. */
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { makeFolder } from '../../../bench/machine/files/make-folder.js'
import { PROJECT } from '../../../bench/plan/plugins.js'
import { openRun } from '../../../bench/store/store.js'

t.test('creates all parents, and returns the first that was missing', async t => {
  const dir = t.testdir({})
  t.equal(makeFolder(join(dir, 'a/b/c'), 0o700), join(dir, 'a'))
  t.equal(statSync(join(dir, 'a/b')).mode & 0o777, 0o700)
  t.equal(makeFolder(join(dir, 'a/b/c')), undefined, 'it exists')
  t.equal(makeFolder(join(dir, 'a/b/d')), join(dir, 'a/b/d'))
  symlinkSync(join(dir, 'a'), join(dir, 'link'))
  makeFolder(join(dir, 'link/e'))
  t.ok(existsSync(join(dir, 'a/e')), 'a link to a folder is a parent')
})

t.test('fails if a file is in the way', async t => {
  const dir = t.testdir({ file: 'text' })
  t.throws(() => makeFolder(join(dir, 'file')), { code: 'EEXIST' })
  t.throws(() => makeFolder(join(dir, 'file/below')), { code: 'ENOTDIR' })
  symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling'))
  t.throws(() => makeFolder(join(dir, 'dangling')), { code: 'EEXIST' })
})

t.test('fails in a file system that has no room for folders, where the recursive mkdir of Node never returns', {
  skip: existsSync('/proc/self') ? false : 'there is no /proc'
}, async t => {
  t.throws(() => makeFolder('/proc/hopbench/a'), { code: 'ENOENT' })
  const run = { resultsDir: '/proc/hopbench', experiment: 'uds', startedAt: '2026-01-01T00:00:00.000Z' }
  await t.rejects(openRun({ ...run, plan: /** @type {any} */ ({}) }), { code: 'results-not-writable' })
})

t.test('no other function of hopbench creates folders recursively', async t => {
  const files = readdirSync(join(PROJECT, 'bench'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.js'))
  t.ok(files.length > 100)
  for (const file of files) {
    t.notMatch(readFileSync(join(PROJECT, 'bench', file), 'utf8'), /mkdir(Sync)?\([^;\n]*recursive: true/, file)
  }
})
