/**
 * Open-loop latencies against servers of which they are known by calculation, paced and, where it is on PATH, oha in
 * turn in one run. h2load's --rps and autocannon's rate do not pass it (docs/engines.md).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { splitCores } from '../../bench/machine/cores.js'
import { DEFAULT, findEngine, localEngines } from '../../bench/load/find-engine.js'
import { measureOpenLoop } from '../../bench/studies/selftest/open-loop.js'
import { fixed } from './measure.js'

/** @import { Part } from './index.js' */

const RATES = [100, 1000, 5000]
const GOAL = 0.05

/** @type {Part} */
export default {
  title: 'open loop: latencies of servers of which they are known by calculation',
  async run (bench) {
    const engines = [await findEngine('paced'), ...await findEngine('oha').then(oha => [oha], () => [])]
    if (engines.length < 2) bench.note('oha is not on PATH: paced alone')
    const dir = mkdtempSync(join(tmpdir(), 'hopbench-perf-'))
    bench.teardown(() => rmSync(dir, { recursive: true, force: true }))
    const closed = await localEngines.findFaster() ?? await findEngine(DEFAULT)
    const { capacity, accuracies, beyond } = await measureOpenLoop({ engines, closed }, {
      rates: RATES,
      turns: bench.short ? 1 : 3,
      cores: splitCores(),
      dir,
      note: text => bench.note(text)
    })
    return [
      ...beyond.map(rate => ({
        what: `${rate} req/s`,
        measured: `beyond what this machine's server does (${Math.round(capacity)})`,
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
