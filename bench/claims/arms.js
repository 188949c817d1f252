/** Which arms an experiment has, and which of them a claim is about (pure). */

/** @import { ClaimTest, Experiment } from '../types.js' */

/**
 * Names of all arms, those of a ladder's steps too.
 * @param {Pick<Experiment, 'arms' | 'steps'>} experiment
 * @returns {string[]}
 */
export const armNames = ({ arms, steps = [] }) =>
  [...Object.keys(arms), ...Object.keys(arms).flatMap(name => steps.map(connections => stepName(name, connections)))]

/**
 * What an arm is called at one step of its ladder.
 * @param {string} arm
 * @param {number} connections
 */
export const stepName = (arm, connections) => `${arm} c${connections}`

/** @param {ClaimTest} test @returns {string[]} */
export function armsOfTest (test) {
  switch (test.kind) {
    case 'ratio': return [test.arm, test.baseline]
    case 'first-error-at': return [test.arm]
    case 'errors': return [...test.in, ...test.notIn]
    default: return test.arms
  }
}
