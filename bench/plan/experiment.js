/** Properties of an experiment: its group, defaults, arms, faults, and the arms that a claim compares (pure). */

import { listing } from '../shared/format.js'

/** @import { ClaimTest, Experiment, ExperimentFile, ProtocolAbout } from '../types.js' */

/** Values of an experiment that its file does not state. */
const DEFAULTS = /** @satisfies {Partial<Experiment>} */ ({ source: null, protocol: 'gang', unit: 'requests' })
/** Values of an experiment with a scenario. Counts and delays of plays are no rates, so no contrast compares arms. */
export const OF_SCENARIO = /** @satisfies {Partial<Experiment>} */ ({
  group: 'behaviour',
  protocol: 'plays',
  contrasts: [],
  errorsAreResults: true,
  blocks: { full: 2, quick: 1 },
  answer: { by: 'behaviour' }
})

/** Values of an experiment's `group`, with their titles, in the order of "hopbench list". */
export const GROUPS = {
  proxy: 'Which proxy, and which way to the app?',
  cache: 'What does a cache gain, and what does it get right?',
  files: 'Who serves files?',
  runtime: 'Which runtime?',
  processes: 'How many processes?',
  load: 'How many connections and users does it hold, and how long do they wait?',
  behaviour: 'How does it behave?',
  tls: 'What does HTTPS cost?',
  compression: 'What does compression cost?',
  settings: 'Which settings matter?',
  other: 'Other questions'
}

/**
 * Returns the question of arms that were typed or written without one.
 *
 * @param {string[]} names of the arms, the baseline first
 */
export function toQuestion ([baseline, ...others]) {
  if (others.length === 0) return `What does ${baseline} do?`
  return `How ${others.length === 1 ? 'does' : 'do'} ${listing(others)} compare with ${baseline}?`
}

/**
 * Adds the fields that an experiment file leaves out.
 *
 * A variant has a title, a question, an answer, arms, contrasts and claims of its own, and takes over the other fields
 * of its experiment. A claim takes over the source of its experiment. The pairs of an answer are contrasts; where
 * `contrasts` is left out, each arm is compared with the first one.
 *
 * @param {ExperimentFile} file may violate the contract
 * @returns {Experiment}
 */
export function completeExperiment ({ variants = {}, ...fields }) {
  const { title, question, answer, arms, contrasts, claims, ...common } = fields
  const completeVariants = Object.entries(variants).map(([suffix, variant]) =>
    [suffix, complete({ ...common, ...variant })])
  return { ...complete(fields), variants: Object.fromEntries(completeVariants) }
}

/**
 * @param {Omit<ExperimentFile, 'variants'>} fields
 * @returns {any} an experiment, if the file keeps to its contract
 */
function complete (fields) {
  const { claims, ...experiment } = { ...DEFAULTS, ...fields.scenario !== undefined && OF_SCENARIO, ...fields }
  const { source, contrasts } = experiment
  return {
    ...experiment,
    ...Array.isArray(contrasts) && { contrasts: withPairs(contrasts, fields.answer?.pairs) },
    claims: Array.isArray(claims) ? claims.map(claim => ({ source, ...claim })) : claims
  }
}

/**
 * Puts the pairs of an answer before the further contrasts.
 * @param {[string, string][]} contrasts
 * @param {unknown} pairs may violate the contract
 */
function withPairs (contrasts, pairs) {
  const answered = Array.isArray(pairs) ? pairs.flatMap(pair => Array.isArray(pair) ? [pair.slice(0, 2)] : []) : []
  const names = answered.map(String)
  return [...answered, ...contrasts.filter(pair => !names.includes(String(pair)))]
}

/**
 * Returns the names of all arms, including those of steps and shares.
 * @param {Pick<Experiment, 'arms' | 'steps' | 'shares'>} experiment
 * @returns {string[]}
 */
export const armNames = ({ arms, steps = [], shares = [] }) => [
  ...Object.keys(arms),
  ...Object.keys(arms).flatMap(name => [
    ...steps.map(connections => stepName(name, connections)),
    ...shares.map(share => shareName(name, share))
  ])
]

/**
 * Returns the name of an arm at one step of its ladder.
 * @param {string} arm
 * @param {number} connections
 */
export const stepName = (arm, connections) => `${arm} c${connections}`

/**
 * Returns the name of an arm at a share of its peak.
 * @param {string} arm
 * @param {number} share
 */
export const shareName = (arm, share) => `${arm} ${Math.round(share * 100)} %`

/**
 * Returns the arms that a claim compares.
 * @param {ClaimTest} test
 * @returns {string[]}
 */
export function listComparedArms (test) {
  switch (test.kind) {
    case 'ratio':
    case 'figure': return [test.arm, test.baseline]
    case 'first-error-at': return [test.arm]
    case 'errors':
    case 'failures':
    case 'logged': return [...test.in, ...test.notIn]
    default: return test.arms
  }
}

/**
 * Returns the first violation of an experiment that its schema cannot express.
 * @param {Experiment} experiment
 * @param {ProtocolAbout} protocol Properties of the experiment's protocol.
 * @returns {string | null}
 */
export function findExperimentFault (experiment, protocol) {
  for (const [field, kind] of /** @type {const} */ ([['steps', 'connections'], ['shares', 'shares']])) {
    const values = experiment[field]
    const isNeeded = protocol.steps === kind
    if (isNeeded !== Boolean(values)) {
      return `${field} ${isNeeded ? 'is required' : 'is not allowed'} with the protocol ${experiment.protocol}`
    }
    if (values?.some((value, i) => i > 0 && value <= values[i - 1])) return `${field} must be in rising order`
  }
  if ((protocol.result === 'behaviour') !== (experiment.scenario !== undefined)) {
    return `scenario ${experiment.scenario === undefined ? 'is required' : 'is not allowed'} with the protocol ` +
      experiment.protocol
  }
  if (experiment.unit === 'pages' && !hasPages(experiment)) return 'page views are of a load with `paths`, in each arm'
  const { contrasts = [], twin, claims = [] } = experiment
  const known = armNames(experiment)
  const named = [...contrasts.flat(), ...twin ? [twin] : [], ...claims.flatMap(({ test }) => listComparedArms(test))]
  const unknown = named.find(name => !known.includes(name))
  if (unknown !== undefined) return `contrasts, twin or claims name "${unknown}", which is not an arm`
  return findAnswerFault(experiment)
}

/**
 * Returns whether each arm requests the paths of a page.
 * @param {Experiment} experiment
 */
const hasPages = ({ load, arms }) => load?.paths !== undefined ||
  Object.values(arms).every(arm => typeof arm !== 'string' && arm.load?.paths !== undefined)

/**
 * Returns the first pair of an answer that the contrasts lack.
 * @param {Experiment} experiment
 * @returns {string | null}
 */
function findAnswerFault ({ answer, arms, contrasts }) {
  if (!answer) return null
  const { by = 'pairs', pairs = [] } = answer
  if (by === 'pairs' && pairs.length === 0) return 'answer has no pairs'
  const [first] = Object.keys(arms)
  for (const [arm, baseline] of pairs) {
    const isListed = contrasts
      ? contrasts.some(pair => pair[0] === arm && pair[1] === baseline)
      : baseline === first && arm !== first && Object.hasOwn(arms, arm)
    if (!isListed) return `answer names the pair "${arm}" and "${baseline}", which is not a contrast`
  }
  return null
}
