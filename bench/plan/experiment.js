/** Properties of an experiment file: its group, its arms, and the arms that a claim compares (pure). */

/** @import { ClaimTest, Experiment } from '../types.js' */

/** Values of an experiment's `group`, with their titles, in the order of "hopbench list". */
export const GROUPS = {
  proxy: 'Which proxy, and which way to the app?',
  cache: 'What does a cache gain, and what does it get right?',
  files: 'Who serves files?',
  runtime: 'Which runtime?',
  processes: 'How many processes?',
  load: 'How many connections and users does it hold, and how long do they wait?',
  tls: 'What does HTTPS cost?',
  compression: 'What does compression cost?',
  settings: 'Which settings matter?',
  other: 'Other questions'
}

/**
 * Returns the names of all arms, including those of steps and shares.
 * @param {Pick<Experiment, 'arms' | 'steps' | 'shares'>} experiment
 * @returns {string[]}
 */
export const armNames = ({ arms, steps = [], shares = [] }) => [
  ...Object.keys(arms),
  ...Object.keys(arms).flatMap(
    name => [...steps.map(connections => stepName(name, connections)), ...shares.map(share => shareName(name, share))]
  )
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
export function armsOfTest (test) {
  switch (test.kind) {
    case 'ratio': return [test.arm, test.baseline]
    case 'first-error-at': return [test.arm]
    case 'errors':
    case 'logged': return [...test.in, ...test.notIn]
    default: return test.arms
  }
}
