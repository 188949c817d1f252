/** Tests the rule of bench/features/advise/rules/ about the number of processes. */
import t from '../../../support/tap.js'
import rule from '../../../../bench/features/advise/rules/processes.js'
import { makeContrast, makeFacts, makeState, NGINX, RESULTS, SIZING, STATIC } from '../../../support/advice.js'

/** @import { AdviceContrast, AdviceState } from '../../../../bench/types.js' */

const { slower, open } = RESULTS

/** @param {Partial<AdviceState>} changes */
const decide = changes => rule.decide(makeState(changes))

/** @param {Partial<AdviceState>} changes */
const needs = changes => rule.needs(makeState(changes))

t.test('one where the offering has room for one, and open otherwise', async t => {
  t.equal(decide({ sizing: SIZING }).decision, 'do-not')
  t.equal(decide({}).decision, 'open')
  t.match(decide({ sizing: { ...SIZING, processes: 4 } }), { decision: 'open', text: /4 processes/ })
})

t.test('compares two behind nginx with one, where the app has two cores and a port for each', async t => {
  const facts = makeFacts({ machine: { servedCores: 2 } })
  const two = 'nginx:keepalive+balance=round-robin/app@node:2'
  const load = { rps: 2000, p99Ms: 100 }
  const noLoad = { rps: null, p99Ms: null }
  const roomy = { ...SIZING, processes: 2 }
  t.same(needs({ facts, chosen: 'app', load: noLoad }), [NGINX, two])
  t.same(needs({ facts, chosen: 'app', load }), [], 'before the sizing')
  t.same(needs({ facts, chosen: 'app', load, sizing: SIZING }), [], 'room for one')
  t.same(needs({ facts, chosen: STATIC, load, sizing: roomy }),
    [STATIC, 'nginx:keepalive+static+balance=round-robin/app@node:2'])
  t.same(needs({ load: noLoad }), [], 'one core')
  t.same(needs({ facts, load: noLoad, quick: true }), [])
  const fixed = { ...facts, hasOwnPort: false }
  t.same(needs({ facts: fixed, load: noLoad }), [])
  t.same(needs({ facts: fixed, load: noLoad, chosen: 'nginx:uds-keepalive/app' }),
    ['nginx:uds-keepalive/app', 'nginx:uds-keepalive+balance=round-robin/app@node:2'], 'a socket for each')
  t.match(decide({ facts: fixed, load: noLoad }),
    { decision: 'open', because: { fact: /does not listen on \$PORT/ } })
  t.match(decide({ facts, load: noLoad, quick: true }), { changes: 'An advice without --quick.' })
  t.match(decide({ facts, load }), { decision: 'open', text: /follows from the sizing/ })
  const several = makeContrast(NGINX, 'app', { processes: { arm: 4, baseline: 4 } })
  t.same(needs({ facts, load: noLoad, contrasts: [several] }), [])
  t.match(decide({ facts, load: noLoad, contrasts: [several] }),
    { decision: 'no-matter', text: /starts 4 processes/ })
  const ruling = (/** @type {Partial<AdviceContrast>} */ changes, processes = 2) => decide({
    facts, chosen: 'app', sizing: { ...SIZING, processes }, contrasts: [makeContrast(two, NGINX, changes)]
  })
  // Processes of an instance save no instance. What was measured is not what a kit can start.
  t.match(ruling({ instances: { low: 2, high: 2, baseline: 2 } }),
    { decision: 'open', text: /where an instance has two cores.*command has to/ })
  t.equal(ruling(slower).decision, 'do-not')
  t.match(ruling(open), { decision: 'open', text: /^It is open whether to run two processes/ })
  t.equal(ruling({}, 1).decision, 'do-not', 'the offering has room for one')
})
