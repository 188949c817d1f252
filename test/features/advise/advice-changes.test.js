/** Tests what would reverse each kind of decision, and which decisions a second sizing renews. */
import t from '../../support/tap.js'
import { rule } from '../../../bench/features/advise/advice.js'
import { decideWithinTopology, loadRules } from '../../../bench/features/advise/decide.js'
import { decideAll, FOLDER, makeContrast, makeFacts, makeState, RESULTS, SIZING, STATIC } from '../../support/advice.js'

/** @import { AdviceContrast, DecisionKind } from '../../../bench/types.js' */

const { equal, slower, open } = RESULTS

t.test('names what would reverse each kind of decision', async t => {
  /** @type {[Partial<AdviceContrast>, DecisionKind, RegExp][]} */
  const cases = [
    [{}, 'do', /so small that it saves no instance: name it with --rps/],
    [{ instances: { low: 3, high: 2, baseline: 4 } }, 'do', /so small that it saves no instance\.$/],
    [{ instances: { low: 4, high: 3, baseline: 4 } }, 'do', /so small that it saves no instance\.$/],
    [equal, 'no-matter', /Other requests, with which the difference exceeds the margin\./],
    [{ instances: { low: 2, high: 2, baseline: 2 } }, 'no-matter', /A load at which it saves an instance\./],
    [slower, 'do-not', /ratio is above 1/],
    [open, 'open', /about 4 minutes/],
    [{ ...open, secondsToSettle: null }, 'open', /longer measurement/]
  ]
  for (const [changes, decision, text] of cases) {
    const ruling = rule(makeContrast(STATIC, 'app', changes), 'send files', 'the app alone')
    t.match(ruling, { decision, changes: text }, JSON.stringify(changes))
  }
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
