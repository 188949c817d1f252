/** A badge with the verdicts of a run or a comparison (pure). */
import { kindOf } from '../../../run/kinds.js'
import { shieldsBadge } from '../../../report/badge.js'
import { countOutcomes } from '../../../report/verdicts.js'
import comparisonKind from '../kind.js'

/** @import { Finding } from '../../../types.js' */
/** @import { Badge } from '../../../report/badge.js' */
/** @import { Format } from '../formats.js' */

/**
 * Returns the right half of the badge. It has counts only, because names of arms are texts of strangers.
 *
 * @param {Finding[]} verdicts
 * @returns {Badge}
 */
function toMessage (verdicts) {
  const { slower, open, failed } = countOutcomes(verdicts)
  const total = verdicts.length
  if (total === 0) return { message: 'no verdict', color: 'lightgrey' }
  if (slower > 0) return { message: `${slower} of ${total} slower`, color: 'red' }
  if (failed > 0) return { message: `${failed} of ${total} not measured`, color: 'orange' }
  if (open > 0) return { message: `${open} of ${total} undecided`, color: 'yellow' }
  return { message: 'not slower', color: 'brightgreen' }
}

/** @param {Finding[]} verdicts */
const toBadge = verdicts => shieldsBadge(toMessage(verdicts))

/** @type {Format} */
export default {
  about: { run: 'a badge of shields.io with the verdicts', comparison: 'a badge of shields.io with the verdicts' },
  run: ({ record, rates }) => toBadge(kindOf(record).findings(record, rates)),
  comparison: comparison => toBadge(comparisonKind.findings(comparison))
}
