/** Stored rollouts of tests. */
import { makePlan, makeRecord } from './record.js'

/** @import { Loss, RolloutArm, RolloutEvent, RolloutResult, RunRollout } from '../../bench/types.js' */

/** @type {(overrides?: Partial<Loss>) => Loss} */
export const makeLoss = (overrides = {}) => ({
  client: 'page', path: '/', outcome: 'refused', build: null, atMs: 3300, ms: 5, isKept: false, ...overrides
})

/**
 * Events of an old process that ends before the new one starts, with 1.2 s in which no process listens.
 * @type {RolloutEvent[]}
 */
export const STOP_START = [
  { what: 'listen', atMs: 500, process: 0 },
  { what: 'signal', atMs: 3000, process: 0 },
  { what: 'end', atMs: 3100, process: 0 },
  { what: 'start', atMs: 3100, process: 1 },
  { what: 'listen', atMs: 4200, process: 1 },
  { what: 'ready', atMs: 4300, process: 1 }
]

/**
 * Makes a rollout with 4000 requests for pages, of which some are lost.
 * @param {Partial<RolloutResult> & { lost?: number }} [overrides]
 * @returns {RolloutResult}
 */
export const makeResult = ({ lost = 0, ...overrides } = {}) => ({
  index: 0,
  beganMs: 3000,
  endedMs: 4200,
  events: STOP_START,
  ends: [{ seconds: 0.1, wasKilled: false }],
  failure: null,
  clients: [{ client: 'page', requests: 4000, counts: { ok: 4000 - lost, ...lost > 0 && { refused: lost } } }],
  losses: Array(lost).fill(makeLoss()),
  mixedPages: 0,
  pages: 4000,
  longestPauseMs: 40,
  lagMs: 2,
  ...overrides
})

/** @type {(overrides?: Partial<RolloutArm>) => RolloutArm} */
export const makeRolloutArm = (overrides = {}) => ({
  way: 'stop-start',
  title: 'stop, then start',
  usedBy: 'systemctl restart',
  emulated: null,
  policy: 'new',
  retries: false,
  rollouts: Array.from({ length: 5 }, () => makeResult()),
  ...overrides
})

/** @type {(arms: RolloutArm[], overrides?: Partial<RunRollout>) => any} */
export const makeRolloutRecord = (arms, overrides = {}) => {
  const side = { label: 'main at 1a2b3c4d "First"', ref: 'main', commit: '1'.repeat(40), changes: 0 }
  const plan = makePlan({
    experiment: 'rollout', protocol: 'plays', arms: [], contrasts: [], twin: null, claims: [], result: 'behaviour'
  })
  return makeRecord({
    experiment: 'rollout',
    plan,
    arms: [],
    contrasts: [],
    noiseFloor: null,
    claims: [],
    warnings: [],
    rollout: {
      old: side,
      new: { ...side, ref: null },
      files: { old: 4, new: 4, gone: 2 },
      page: '/',
      rate: 200,
      wanted: 5,
      arms,
      leftOut: [],
      ...overrides
    }
  })
}
