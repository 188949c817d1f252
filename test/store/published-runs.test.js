import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { REFERENCE_DIR } from '../../bench/store/store.js'

t.test('no published run names a home folder', async t => {
  const files = readdirSync(REFERENCE_DIR, { recursive: true, encoding: 'utf8' })
    .filter(name => /(run|plan)\.json$|samples\.jsonl$/.test(name))
  t.ok(files.length > 100, `${files.length} files`)
  const named = files.filter(name => /\/(root|home)\/./.test(readFileSync(join(REFERENCE_DIR, name), 'utf8')))
  t.strictSame(named, [])
})
