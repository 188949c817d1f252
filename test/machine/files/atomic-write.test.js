import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { replaceFile } from '../../../bench/machine/files/atomic-write.js'

t.test('concurrent writers leave one complete text and no other file', async t => {
  const dir = t.testdir({})
  const texts = Array.from({ length: 50 }, (_, i) => `${i} `.repeat(20_000))
  await Promise.all(texts.map(text => replaceFile(join(dir, 'file'), text)))
  t.ok(texts.includes(readFileSync(join(dir, 'file'), 'utf8')))
  t.strictSame(readdirSync(dir), ['file'])
})

t.test('does not write through a symbolic link with a predictable temporary name', async t => {
  const dir = t.testdir({ precious: 'kept' })
  symlinkSync(join(dir, 'precious'), join(dir, 'file.tmp'))
  await replaceFile(join(dir, 'file'), 'new')
  t.equal(readFileSync(join(dir, 'precious'), 'utf8'), 'kept')
})
