/** Tests that a sizing of an older version is read with the field names of today, and prints as before. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { renderText } from '../../bench/report/text.js'
import { readRun } from '../../bench/store/store.js'
import { makeRecord } from '../support/record.js'
import { sizing } from '../support/sizing.js'

/** @import { Sizing, Verification } from '../../bench/types.js' */

const verification = /** @type {Verification} */ (sizing.verification)
/** @type {Sizing} */
const current = { ...sizing, verification, refuted: [{ ...verification, offering: 'Acme Two', holds: false }] }

/** Returns a verification as it was stored. @param {Verification} stored */
const toOld = ({ offering, ...rest }) => ({ ...rest, plan: offering })

/** The same sizing as it was stored. */
const old = {
  ...current,
  table: current.table.map(({ offering: { name, ...offering }, ...row }) =>
    ({ ...row, plan: { ...offering, plan: name } })),
  verification: toOld(verification),
  refuted: current.refuted?.map(toOld)
}

t.test('reads an old sizing with the names of today', async t => {
  const dir = t.testdir()
  writeFileSync(join(dir, 'run.json'), JSON.stringify(makeRecord({ sizing: /** @type {any} */ (old) })))
  const { record } = await readRun(dir)
  const expected = makeRecord({ sizing: current })
  t.same(record?.sizing, JSON.parse(JSON.stringify(current)))
  t.equal(record && renderText(record), renderText(JSON.parse(JSON.stringify(expected))))
})

t.test('reads a sizing of today as it is', async t => {
  const dir = t.testdir()
  writeFileSync(join(dir, 'run.json'), JSON.stringify(makeRecord({ sizing: current })))
  t.same((await readRun(dir)).record?.sizing, JSON.parse(JSON.stringify(current)))
})
