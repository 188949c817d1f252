/** Tests what would reverse each kind of decision, and which decisions a second sizing renews. */
import t from '../../support/tap.js'
import { rule } from '../../../bench/features/advise/advice.js'
import { decideWithinTopology, loadRules } from '../../../bench/features/advise/decide.js'
import { withInstances } from '../../../bench/features/advise/compare.js'
import { decideAll, FOLDER, makeContrast, makeFacts, makeState, SIZING } from '../../support/advice.js'

/** @import { AdviceContrast, DecisionKind } from '../../../bench/types.js' */

const STATIC = 'nginx:keepalive+static/app'
const equal = { ratio: 1, low: 0.99, high: 1.01, verdict: /** @type {const} */ ('no-difference') }
const slower = { ratio: 0.8, low: 0.75, high: 0.85, verdict: /** @type {const} */ ('slower') }
const open = { ratio: 1.1, low: 0.9, high: 1.3, verdict: /** @type {const} */ ('inconclusive') }

t.test('names what would reverse each kind of decision', async t => {
  /** @type {[Partial<AdviceContrast>, DecisionKind, RegExp][]} */
  const cases = [
    [{}, 'do', /so small that it saves no instance: name it with --rps/],
    [{ instances: { low: 3, high: 2, baseline: 4 } }, 'do', /so small that it saves no instance\.$/],
    [{ instances: { low: 4, high: 3, baseline: 4 } }, 'do', /so small that it saves no instance\.$/],
    [equal, 'no-matter', /Other requests, with which the difference exceeds the margin\./],
    [{ instances: { low: 2, high: 2, baseline: 2 } }, 'no-matter', /A load at which it saves an instance\./],
    [slower, 'do-not', /ratio is above 1/],
    [{ ...open, secondsToSettle: 200 }, 'open', /about 4 minutes/],
    [open, 'open', /longer measurement/]
  ]
  for (const [changes, decision, text] of cases) {
    const ruling = rule(makeContrast(STATIC, 'app', changes), 'send files', 'the app alone')
    t.match(ruling, { decision, changes: text }, JSON.stringify(changes))
  }
})

t.test('files for the sake of traffic depend on its price', async t => {
  const rules = await loadRules()
  const load = { rps: 20, p99Ms: 100 }
  const files = makeContrast(STATIC, 'app', { bytes: { arm: 1e6, baseline: 1e6 } })
  const packed = makeContrast('nginx:keepalive+static+gzip_static/app', STATIC, { bytes: { arm: 1000, baseline: 1e6 } })
  const state = decideAll(makeState({
    facts: makeFacts({}, { folders: [FOLDER] }),
    load,
    sizing: SIZING,
    contrasts: withInstances([files, packed], SIZING, load)
  }), rules)
  t.match(state.decisions.find(({ rule }) => rule === 'files'), { decision: 'do', changes: /Traffic that costs less/ })
})

t.test('a second sizing renews the number of processes, and keeps the topology', async t => {
  const rules = await loadRules()
  const facts = makeFacts({}, { folders: [FOLDER] })
  const first = decideAll(makeState({ facts, sizing: SIZING, contrasts: [makeContrast(STATIC, 'app')] }), rules)
  const sizing = { ...SIZING, spec: first.chosen, offering: 'Fly.io performance-2x', cores: 2, processes: 2 }
  // Without the contrast, the rule of files would decide otherwise.
  const second = decideWithinTopology({ ...first, sizing, contrasts: [] }, rules)
  t.equal(second.chosen, STATIC)
  const changed = second.decisions.filter(({ text }, i) => text !== first.decisions[i].text)
  t.match(changed.find(({ rule }) => rule === 'processes'), { decision: 'open', text: /2 processes .* performance-2x/ })
  t.notOk(changed.some(({ rule }) => rule === 'files'))
  t.equal(second.decisions.length, rules.length)
})
