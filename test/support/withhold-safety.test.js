import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './tap.js'
import { REFERENCE_DIR } from '../../bench/store/store.js'
import { classOf, withholdSafety } from './withhold-safety.js'

/** @import { CheckRecord } from '../../bench/types.js' */

/**
 * @param {string} file
 * @returns {CheckRecord}
 */
const read = file => JSON.parse(readFileSync(file, 'utf8'))

/** Lists the failures of safety of a check. @param {CheckRecord} check */
function listUnsafe (check) {
  return check.servers.flatMap(({ chains }) => chains).flatMap(({ results }) => results).flatMap(result => {
    const topic = classOf(check, result)
    return topic === null ? [] : [{ isClass: result.saw === topic, evidence: result.evidence }]
  })
}

t.test('the published check has only the class of each failure of safety', async t => {
  const file = join(REFERENCE_DIR, 'check.json')
  const failures = listUnsafe(read(file))
  t.ok(failures.length > 20, `${failures.length} failures`)
  t.strictSame(failures.filter(({ isClass, evidence }) => !isClass || evidence !== undefined), [])
})

t.test('removes what a failure of safety showed, and nothing of others', async t => {
  const failed = { outcome: 'fail', saw: 'secret', evidence: { request: 'GET /', response: null }, died: false }
  const probe = (/** @type {string} */ name, /** @type {boolean} */ safety) => ({ name, topic: 'Hidden files', safety })
  const results = [{ probe: 'a', ...failed }, { probe: 'b', ...failed, died: true }, { probe: 'b', ...failed },
    { probe: 'a', ...failed, outcome: 'pass' }]
  const check = { probes: [probe('a', true), probe('b', false)], servers: [{ chains: [{ results }] }] }
  const file = join(t.testdir({ 'check.json': JSON.stringify(check) }), 'check.json')
  withholdSafety(file)
  const withheld = results.slice(0, 2).map(({ evidence, ...rest }) => ({ ...rest, saw: 'hidden files' }))
  t.strictSame(read(file).servers[0].chains[0].results, [...withheld, ...results.slice(2)], 'also of one that ended it')
})
