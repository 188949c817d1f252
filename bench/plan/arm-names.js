/** Which arms an experiment has, and which of them a claim is about (pure). */

/** @import { ClaimTest, Experiment } from '../types.js' */

/** Names of all arms, those of their steps and shares too.
 * @param {Pick<Experiment, 'arms' | 'steps' | 'shares'>} experiment @returns {string[]} */
export const armNames = ({ arms, steps = [], shares = [] }) => [
  ...Object.keys(arms),
  ...Object.keys(arms).flatMap(
    name => [...steps.map(connections => stepName(name, connections)), ...shares.map(share => shareName(name, share))]
  )
]

/** What an arm is called at one step of its ladder. @param {string} arm @param {number} connections */
export const stepName = (arm, connections) => `${arm} c${connections}`

/** What an arm is called at a share of its peak. @param {string} arm @param {number} share */
export const shareName = (arm, share) => `${arm} ${Math.round(share * 100)} %`

/** @param {ClaimTest} test @returns {string[]} */
export function armsOfTest (test) {
  switch (test.kind) {
    case 'ratio': return [test.arm, test.baseline]
    case 'first-error-at': return [test.arm]
    case 'errors':
    case 'logged': return [...test.in, ...test.notIn]
    default: return test.arms
  }
}
