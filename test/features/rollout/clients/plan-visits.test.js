/** Tests the timetable of the visits. */
import t from '../../../support/tap.js'
import { MAX_LATE_MS, planVisits } from '../../../../bench/features/rollout/clients/plan-visits.js'
import { makeSite } from '../../../support/rollout-sites.js'

/** @import { Site } from '../../../../bench/features/rollout/types.js' */

/**
 * @param {{ rate?: number, seed?: number, site?: Site }} order
 * @param {number} count
 */
function take ({ rate = 200, seed = 1, site = makeSite('old') }, count) {
  const visits = planVisits({ rate, seed, site })
  return Array.from({ length: count }, () => visits.next().value)
}

t.test('plans the same visits for the same seed, and others for another seed', async t => {
  t.strictSame(take({ seed: 7 }, 100), take({ seed: 7 }, 100))
  t.notSame(take({ seed: 7 }, 100), take({ seed: 8 }, 100))
})

t.test('plans as many visits as make the rate of requests', async t => {
  // A page, half of its 4 files with a hash, its file without one, 1.5 late files and 1.5 calls of the API.
  const { atMs } = take({ rate: 200 }, 20_000)[19_999]
  const expected = 20_000 * (1 + 2 + 1 + 3) / 200 * 1000
  t.ok(Math.abs(atMs / expected - 1) < 0.05, `${atMs} ms instead of ${expected} ms`)
  const bare = { ...makeSite('old'), files: [], lateFiles: [], api: [] }
  const last = take({ rate: 200, site: bare }, 20_000)[19_999]
  t.ok(Math.abs(last.atMs / 100_000 - 1) < 0.05, `${last.atMs} ms for pages alone`)
})

t.test('draws one or two late requests within the limit, whose times are exponential', async t => {
  const visits = take({}, 20_000)
  const late = visits.flatMap(visit => visit.late)
  t.strictSame(new Set(visits.map(visit => visit.late.length)), new Set([1, 2]))
  t.ok(late.every(({ afterMs }) => afterMs >= 0 && afterMs <= MAX_LATE_MS))
  const median = late.map(({ afterMs }) => afterMs).sort((a, b) => a - b)[Math.floor(late.length / 2)]
  t.ok(Math.abs(median - 2600) < 100, `median ${median} ms`)
  t.ok(Math.abs(visits.filter(({ isNew }) => isNew).length / visits.length - 0.5) < 0.02)
})
