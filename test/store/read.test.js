import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { readRun } from '../../bench/store/read.js'
import { writeSealed } from '../../bench/store/run-seal.js'
import { inEnvironment } from '../support/provoke.js'
import { tempFolder } from '../support/temp.js'

t.test('checks the format of a plan and a record only if this account has not written them', async t => {
  const dir = tempFolder(t)
  inEnvironment(t, { HOPBENCH_CACHE: join(dir, 'cache') })
  const stored = { schema: 3, plan: { arms: [] } }
  await writeSealed(dir, 'plan.json', '{ "arms": [] }')
  await writeSealed(dir, 'run.json', JSON.stringify(stored))
  t.strictSame((await readRun(dir)).record, stored, 'fields of the schema are missing')
  writeFileSync(join(dir, 'run.json'), `${JSON.stringify(stored)}\n`)
  await t.rejects(readRun(dir), { code: 'bad-run-file' }, 'a changed text')
  await writeSealed(dir, 'run.json', JSON.stringify({ ...stored, schema: 2 }))
  await t.rejects(readRun(dir), { code: 'other-format' }, 'an older format')
})
