/** Kinds of records: modules that report them, with the contract Kind of bench/types/report.d.ts. */

/** @import { Kind, RunRecord } from '../types.js' */

/** Files of all kinds. */
const FILES = [
  'report/kinds/throughput.js',
  'report/kinds/latency.js',
  'report/kinds/behaviour.js',
  'report/kinds/users.js',
  'report/kinds/first-errors.js',
  'features/selftest/kind.js',
  'features/diff/kind.js',
  'features/rollout/kind.js',
  'features/size/kind.js',
  'features/size/deployed-kind.js'
]

/** @type {Kind[]} */
const kinds = await Promise.all(FILES.map(async file => (await import(`../${file}`)).default))

/**
 * Returns the kind of a record. Runs with users are of a kind of their own, others of the result of their plan.
 * @param {Pick<RunRecord, 'kind' | 'plan' | 'arms'>} record
 */
export function kindOf ({ kind, plan, arms }) {
  const result = arms.some(({ users = [] }) => users.length > 0) ? 'users' : plan.result
  return findKind(kind) ?? findKind(result) ?? kinds[0]
}

/** @param {string} name */
const findKind = name => kinds.find(({ kind }) => kind === name)
