import { kindOf } from '../../../run/kinds.js'
import { toJson } from '../../../report/json.js'
import { printComparisonFacts } from '../../../report/facts/facts.js'

/** @import { Format } from '../formats.js' */

/** @type {Format} */
export default {
  about: { run: 'the record', comparison: 'the comparison' },
  run: ({ record }) => toJson(record, kindOf(record)),
  comparison: comparison => `${JSON.stringify(printComparisonFacts(comparison), null, 2)}\n`
}
