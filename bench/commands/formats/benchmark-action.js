import { kindOf } from '../../kinds.js'
import { benchmarkAction } from '../../report/benchmark-action.js'

/** @import { Format } from '../shared/formats.js' */

/** @type {Format} */
export default {
  about: { run: 'CPU time, memory and p99 for github-action-benchmark, tool customSmallerIsBetter' },
  run: ({ record }) => benchmarkAction(kindOf(record).metrics(record), 'smaller')
}
