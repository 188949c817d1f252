/** Tests reading the package.json of a project. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { readManifest } from '../../bench/request/project-paths.js'

t.test('a project without package.json has an empty one, and a malformed one is rejected', async t => {
  t.strictSame(readManifest(t.testdir({})), {})
  t.strictSame(readManifest(t.testdir({ 'package.json': '{"name":"shop"}' })), { name: 'shop' })
  t.strictSame(readManifest(t.testdir({ 'package.json': '\uFEFF{"name":"shop"}' })), { name: 'shop' })
  t.strictSame(readManifest(join(t.testdir({ file: '' }), 'file')), {}, 'a file in place of the project')
  for (const text of ['', '{', 'null', '"shop"', '[]']) {
    t.throws(() => readManifest(t.testdir({ 'package.json': text })),
      { code: 'bad-project-file', details: { why: 'it is no JSON object' } }, text)
  }
  const dir = t.testdir({})
  symlinkSync('nowhere', join(dir, 'package.json'))
  t.throws(() => readManifest(dir), { code: 'bad-project-file' })
})
