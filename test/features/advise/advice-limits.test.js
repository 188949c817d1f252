/** Tests that decisions and risks of an advice state no more than was measured or looked at. */
import t from '../../support/tap.js'
import { findRisks } from '../../../bench/features/advise/risks.js'
import { toHops } from '../../../bench/features/advise/kind.js'
import { applyRule, loadRules } from '../../../bench/features/advise/decide.js'
import { FOLDER, makeAdvice, makeContrast, makeFacts, makeState, NGINX, PAGE, SIZING } from '../../support/advice.js'

/** @import { AdviceContrast, AdviceState, PageFacts } from '../../../bench/types.js' */

const rules = await loadRules()
const open = { ratio: 1.1, low: 1.02, high: 1.3, verdict: /** @type {const} */ ('inconclusive') }

/**
 * Returns the state after the decision of a rule.
 * @param {string} name
 * @param {Partial<AdviceState>} changes
 */
const after = (name, changes) =>
  rules.filter(rule => rule.name === name).reduce(applyRule, makeState(changes))

t.test('proxy: a proxy with which the app serves more is chosen, unless that saves no instance', async t => {
  const by = (/** @type {Partial<AdviceContrast>} */ changes) =>
    after('proxy', { contrasts: [makeContrast(NGINX, 'app', changes)] })
  t.match(by({}), { chosen: NGINX, decisions: [{ decision: 'do', text: /^Put nginx in front of the app: 2\.00/ }] })
  const same = { low: 2, high: 2, baseline: 2 }
  t.match(by({ instances: same }), { chosen: 'app', decisions: [{ decision: 'no-matter', text: /saves no instance/ }] })
  t.match(by(open), { chosen: 'app', decisions: [{ decision: 'do-not' }] })
})

t.test('cache: a gain is that of paths which repeat', async t => {
  const [decision] = after('cache', { contrasts: [makeContrast('nginx:keepalive+cache=5s/app', 'app')] }).decisions
  t.match(decision, { decision: 'do', text: /The load repeated its paths: .* gain nothing\.$/ })
})

t.test('compression: rates that are no capacities do not show that it is free', async t => {
  const by = (/** @type {AdviceContrast['bound']} */ bound) => after('compression', {
    contrasts: [makeContrast('nginx:keepalive+gzip/app', 'app', {
      ...open, bytes: { arm: 1000, baseline: 10_000 }, ...bound && { bound }
    })]
  }).decisions[0].decision
  t.equal(by(undefined), 'do')
  t.equal(by('at-least'), 'do')
  t.equal(by('at-most'), 'open')
  t.equal(by('neither'), 'open')
})

t.test('processes: an instance whose memory has room for one process needs memory, not vCPU', async t => {
  const [decision] = after('processes', { sizing: { ...SIZING, cores: 2 } }).decisions
  t.match(decision, { decision: 'do-not', changes: 'An offering with more memory.' })
  const [small] = after('processes', { sizing: SIZING }).decisions
  t.equal(small.changes, 'An offering with two vCPU or more.')
  const [, , app] = toHops(makeAdvice(makeState({ sizing: { ...SIZING, processes: 4 } })))
  t.ok(app.details.includes('room for 4 processes'))
})

t.test('files with hashes are a risk only where no response states that they may be kept for good', async t => {
  const facts = (/** @type {Partial<PageFacts>} */ page) =>
    makeFacts({ app: { pages: [PAGE, { ...PAGE, ...page }] } }, { folders: [{ ...FOLDER, hashed: 3 }] })
  const find = (/** @type {Partial<PageFacts>} */ page) =>
    findRisks({ facts: facts(page), topology: 'app', checks: [] }).find(({ code }) => code === 'not-immutable')
  const path = '/assets/app.3f2a91bc.js'
  t.match(find({ path }), { text: /Unless the app states this/ })
  t.equal(find({ path, cacheControl: 'public, max-age=31536000, immutable' }), undefined)
  t.ok(find({ path: '/other/app.3f2a91bc.js', cacheControl: 'public, max-age=31536000' }))
})
