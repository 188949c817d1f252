/** Counts what the clients of an arm have lost (pure). */
import { clusteredInterval } from '../../judge/stats/clustered-proportion.js'
import { LEVEL } from '../../shared/thresholds.js'
import { sum } from '../../shared/group-by.js'
import { REQUESTING, isRight } from './clients/outcomes.js'

/** @import { ClientType, RolloutArm, RolloutResult, Visits } from '../../types.js' */

/** Largest delay of the clients against their timetable: half of the shortest pause that a rollout is judged by. */
const MAX_LAG_MS = 50
/** Outcomes of files of another build: the app sends what it has. */
const OF_FILES = ['gone', 'gone-recovered', 'mixed']

/** Whether the requests of a rollout count. @param {RolloutResult} result */
export const isValid = ({ failure, lagMs, clients }) => failure === null && lagMs <= MAX_LAG_MS && clients.length > 0

/**
 * Names an arm by its way, and by what differs from the default.
 * @param {Pick<RolloutArm, 'way' | 'policy' | 'retries'>} arm
 */
export const toName = ({ way, policy, retries }) =>
  [way, ...policy === 'new' ? [] : [policy], ...retries ? ['reload'] : []].join('+')

/**
 * Counts outcomes of clients.
 * @param {Visits} visits
 * @param {(outcome: string) => boolean} matches
 * @param {(client: ClientType) => boolean} [isOf] of which clients; default: those with responses
 */
export const countOutcomes = ({ clients }, matches, isOf = client => REQUESTING.includes(client)) =>
  sum(clients.filter(({ client }) => isOf(client)).flatMap(({ counts }) =>
    Object.entries(counts).flatMap(([outcome, n]) => matches(outcome) ? [n] : [])))

/** Whether a request has got no response at all, or an error. @param {string} outcome */
export const isLost = outcome => !isRight(outcome) && !OF_FILES.includes(outcome)

/**
 * @typedef {object} ArmLosses
 * @property {RolloutArm} arm
 * @property {RolloutResult[]} valid
 * @property {number} invalid rollouts with late clients
 * @property {string[]} failures of rollouts, each once
 * @property {number} requests
 * @property {number} lost requests without a response, or with an error
 * @property {ReturnType<typeof clusteredInterval>} share of the requests that were lost
 * @property {number} gone requests for files of an old page that are not sent any more
 * @property {number} recovered those after which a reload of the page helped
 * @property {number} mixed responses with content of the other build
 * @property {number} mixedPages
 * @property {number} repeated requests on connections that the server had closed, which browsers send again
 * @property {number | null} pauseMs longest of all rollouts; null: no valid rollout
 * @property {number | null} endSeconds longest time of an old process after SIGTERM; null: unknown
 * @property {number} killed processes that did not end in time
 */

/**
 * Adds up the rollouts of an arm.
 * @param {RolloutArm} arm
 * @returns {ArmLosses}
 */
export function countLosses (arm) {
  const valid = arm.rollouts.filter(isValid)
  const clusters = valid.map(result =>
    ({ hits: countOutcomes(result, isLost), trials: countOutcomes(result, () => true) }))
  const total = (/** @type {(outcome: string) => boolean} */ matches) =>
    sum(valid.map(result => countOutcomes(result, matches)))
  const ends = valid.flatMap(({ ends }) => ends)
  return {
    arm,
    valid,
    invalid: arm.rollouts.filter(result => result.failure === null && !isValid(result)).length,
    failures: [...new Set(arm.rollouts.flatMap(({ failure }) => failure ?? []))],
    requests: sum(clusters.map(({ trials }) => trials)),
    lost: sum(clusters.map(({ hits }) => hits)),
    share: clusteredInterval(clusters, LEVEL),
    gone: total(outcome => outcome === 'gone'),
    recovered: total(outcome => outcome === 'gone-recovered'),
    mixed: total(outcome => outcome === 'mixed'),
    mixedPages: sum(valid.map(({ mixedPages }) => mixedPages)),
    repeated: total(outcome => outcome === 'repeated'),
    pauseMs: valid.length === 0 ? null : Math.max(...valid.map(({ longestPauseMs }) => longestPauseMs)),
    endSeconds: ends.length === 0 ? null : Math.max(...ends.map(({ seconds }) => seconds)),
    killed: ends.filter(({ wasKilled }) => wasKilled).length
  }
}

/**
 * Orders arms by what their clients lose, the least first: requests, then files, then the longest pause.
 * @param {ArmLosses[]} all
 */
export const rankArms = all => all.filter(({ valid }) => valid.length > 0).toSorted((a, b) =>
  a.share.share - b.share.share || toFileShare(a) - toFileShare(b) || Number(a.pauseMs) - Number(b.pauseMs))

/** @param {ArmLosses} losses */
const toFileShare = ({ gone, mixed, requests }) => (gone + mixed) / requests
