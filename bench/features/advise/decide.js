/** Applies the rules of bench/features/advise/rules/ to what is known (pure but for loading the rules). */
import { loadPlugin, pluginNames } from '../../plan/plugins.js'

/** @import { AdviceFacts, AdviceState, Decision, Rule } from '../../types.js' */

/** A rule with the name of its file. @typedef {{ name: string, rule: Rule }} NamedRule */

/**
 * Loads the rules in the order in which they decide.
 * @param {AdviceFacts} [facts] left out: returns only rules for all apps
 * @returns {Promise<NamedRule[]>}
 */
export async function loadRules (facts) {
  const rules = await Promise.all(pluginNames('rule').map(async name =>
    ({ name, rule: /** @type {Rule} */ ((await loadPlugin('rule', name)).default) })))
  return rules.filter(({ rule: { applies } }) => !applies || (facts && applies(facts)))
    .sort((a, b) => a.rule.order - b.rule.order)
}

/**
 * Lets a rule decide.
 *
 * @param {AdviceState} state
 * @param {NamedRule} named
 * @returns {Decision}
 */
export const toDecision = (state, { name, rule }) =>
  ({ rule: name, title: rule.about.title, question: rule.about.question, ...rule.decide(state) })

/**
 * Lets a rule decide, and returns the state after its decision.
 *
 * @param {AdviceState} state
 * @param {NamedRule} named
 * @returns {AdviceState} its last decision is the new one
 */
export function applyRule (state, named) {
  const { rule } = named
  const decision = toDecision(state, named)
  const chosen = decision.decision === 'do' && rule.apply ? rule.apply(state) : state.chosen
  return { ...state, chosen, decisions: [...state.decisions, decision] }
}

/**
 * Lets the rules that choose no topology decide anew, as after a second sizing. Keeps the other decisions.
 *
 * @param {AdviceState} state after all decisions
 * @param {NamedRule[]} rules
 * @returns {AdviceState} with the same topology
 */
export const decideWithinTopology = (state, rules) => ({
  ...state,
  decisions: state.decisions.map(decision => {
    const named = rules.find(({ name, rule }) => name === decision.rule && !rule.apply)
    return named ? toDecision(state, named) : decision
  })
})
