import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './tap.js'
import { REFERENCE_DIR } from '../../bench/store/store.js'
import { withholdSafety } from './withhold-safety.js'

/** @import { CheckRecord } from '../../bench/types.js' */

/** @param {string} file @returns {CheckRecord} */
const read = file => JSON.parse(readFileSync(file, 'utf8'))

/** Lists the failures of safety of a check. @param {CheckRecord} check */
function listUnsafe ({ probes, servers }) {
  const topics = new Map(probes.filter(({ safety }) => safety).map(({ name, topic }) => [name, topic.toLowerCase()]))
  return servers.flatMap(({ chains }) => chains).flatMap(({ results }) => results)
    .filter(({ probe, outcome }) => topics.has(probe) && outcome === 'fail')
    .map(({ probe, saw, evidence }) => ({ isClass: saw === topics.get(probe), evidence }))
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
  const results = [{ probe: 'a', ...failed }, { probe: 'b', ...failed }, { probe: 'a', ...failed, outcome: 'pass' }]
  const check = { probes: [probe('a', true), probe('b', false)], servers: [{ chains: [{ results }] }] }
  const file = join(t.testdir({ 'check.json': JSON.stringify(check) }), 'check.json')
  withholdSafety(file)
  const { evidence, ...plain } = results[0]
  t.strictSame(read(file).servers[0].chains[0].results, [{ ...plain, saw: 'hidden files' }, ...results.slice(1)])
})
