/** Tests the number of requests that cost more in a server with a planted warm-up. */
import { pathToFileURL } from 'node:url'
import t from '../../support/tap.js'
import { EARLY_REQUESTS, writePlanted } from '../../../bench/features/selftest/planted.js'

/**
 * @param {string} file
 * @returns {Promise<{ countTurns: (served: number) => number }>}
 */
const load = file => import(pathToFileURL(file).href)

t.test('only the first 100,000 requests of a process cost more', async t => {
  const { countTurns } = await load(writePlanted(t.testdir({}), 'late', 0, 8))
  t.equal(EARLY_REQUESTS, 100_000)
  t.ok(countTurns(0) > 0)
  t.equal(countTurns(99_999), countTurns(0))
  t.equal(countTurns(100_000), 0)
})

t.test('without a planted warm-up all requests cost the same', async t => {
  const { countTurns } = await load(writePlanted(t.testdir({}), 'more', 8))
  t.ok(countTurns(0) > 0)
  t.equal(countTurns(100_000), countTurns(0))
})
