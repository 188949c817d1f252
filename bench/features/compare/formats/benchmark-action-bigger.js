import { kindOf } from '../../../run/kinds.js'
import { benchmarkAction } from './benchmark-action.js'

/** @import { Format } from '../formats.js' */

/** @type {Format} */
export default {
  about: { run: 'rates and ratios for github-action-benchmark, tool customBiggerIsBetter' },
  run: ({ record }) => benchmarkAction(kindOf(record).metrics(record), 'bigger')
}
