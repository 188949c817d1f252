/**
 * Compares open-loop latencies with calculated ones, for the engine paced and, if available, oha, in turn in one run.
 */
import { splitCores } from '../../bench/machine/cores.js'
import { DEFAULT, localEngines } from '../../bench/load/find-engine.js'
import { findOpenLoops, measureOpenLoop } from '../../bench/features/selftest/open-loop.js'
import { fixed } from './measure.js'
import { tempFolder } from '../support/temp.js'

/** @import { Part } from './index.js' */

const RATES = [100, 1000, 5000]
const GOAL = 0.05

/** @type {Part} */
export default {
  title: 'open loop: measured against calculated latencies',
  async run (bench) {
    const engines = await findOpenLoops()
    if (engines.length < 2) bench.printProgress('oha is not on PATH: paced alone')
    const dir = tempFolder(bench)
    const closed = await localEngines.findFaster() ?? await localEngines.find(DEFAULT)
    const { capacity, accuracies, beyond } = await measureOpenLoop({ engines, closed }, {
      rates: RATES,
      turns: bench.short ? 1 : 3,
      cores: splitCores(),
      dir,
      printProgress: text => bench.printProgress(text)
    })
    return [
      ...beyond.map(rate => ({
        what: `${rate} req/s`,
        measured: `above the capacity of the server on this machine (${Math.round(capacity)})`,
        goal: 'not measurable here',
        met: true
      })
      ),
      ...accuracies.map(({ engine, rate, kind, figure, measured, calculated }) => ({
        what: `${engine}, ${rate} req/s, ${kind}: ${figure}`,
        measured: `${fixed(measured, 1)} ms (calculated ${fixed(calculated, 1)})`,
        goal: `within ${GOAL * 100} %`,
        met: Math.abs(measured / calculated - 1) <= GOAL
      }))
    ]
  }
}
