/** Reports hostile inputs that were not handled. */
import { SEED } from './cases.js'

/** @import { Test } from 'tap' */
/** @import { Failure } from './watchdog.js' */

const MAX_FAILURES = 10

/**
 * Fails a test for each kind of failure, with the case that repeats it.
 * @param {Test} t
 * @param {Failure[]} failures
 */
export function reportFailures (t, failures) {
  /** @type {Map<string, Failure[]>} */
  const kinds = new Map()
  for (const failure of failures) kinds.set(toKind(failure), [...kinds.get(toKind(failure)) ?? [], failure])
  for (const [first, ...others] of [...kinds.values()].slice(0, MAX_FAILURES)) {
    t.fail(`seed ${SEED}, HOPBENCH_HOSTILE_CASE=${first.number}, ${first.place}: ${first.mutation}: ${first.fault}` +
      (others.length > 0 ? ` (and ${others.length} others)` : ''))
  }
  if (kinds.size > MAX_FAILURES) t.fail(`and ${kinds.size - MAX_FAILURES} other kinds of failures`)
}

/** Returns a key that similar failures share: the place and the fault without numbers. @param {Failure} failure */
const toKind = ({ place, fault }) => `${place} ${fault.replace(/[\d"']+/g, '').slice(0, 200)}`
