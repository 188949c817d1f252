/** Reproducibility of a capacity, and the time until the result and the preliminary result. */
import { splitCores } from '../../bench/machine/cores.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { armFrom } from '../../bench/request/request.js'
import { sizeTopology } from '../../bench/features/size/topology.js'
import { makeTempDir } from '../../bench/machine/files/temp.js'
import { fixed, median, percent } from './measure.js'
import { tempRoot } from '../support/temp.js'

/** @import { Part } from './index.js' */

const WORD = 'nginx:uds-keepalive/express-json'
const P99_MS = 50
const PAIRS = { full: 10, short: 1 }
const GOALS = { seconds: 120, firstSeconds: 60, again: 0.05 }

/** @type {Part} */
export default {
  title: 'capacity: reproducibility and duration of searches',
  async run (bench) {
    const arm = await armFrom(WORD, { connections: 400 })
    const temp = tempRoot(bench)
    const { network } = await labFacts()
    const now = () => performance.now() / 1000
    /** @type {{ rate: number, seconds: number, first: number }[]} */
    const searches = []
    for (let i = 0; i < 2 * PAIRS[bench.short ? 'short' : 'full']; i++) {
      const at = now()
      let first = Infinity
      const { capacity, trials } = await sizeTopology(arm, {
        p99Ms: P99_MS,
        quick: bench.short,
        lab: network === 'namespaces',
        cores: splitCores('split', 0.5),
        cwd: process.cwd(),
        printProgress: () => {},
        interrupted: () => false,
        now,
        seed: i,
        temp: makeTempDir(temp.path, `s${i}`),
        onFirst: () => { first = now() - at }
      })
      searches.push({ rate: capacity.rate, seconds: now() - at, first })
      bench.printProgress(`${WORD}: ${Math.round(capacity.rate)} req/s (${Math.round(capacity.low)} to ` +
        `${Math.round(capacity.high)}) in ${Math.round(now() - at)} s, the first after ${Math.round(first)} s, ` +
        `${trials.length} trials`)
    }
    const apart = searches.flatMap(({ rate }, i) => i % 2 ? Math.abs(Math.log(rate / searches[i - 1].rate)) : [])
    const seconds = Math.max(...searches.map(search => search.seconds))
    const first = Math.max(...searches.map(search => search.first))
    return [
      {
        what: `two searches differ by, median of ${apart.length} pairs`,
        measured: `${percent(median(apart))} (${apart.map(share => fixed(share * 100, 1)).join(', ')})`,
        goal: `≤ ${percent(GOALS.again)}`,
        met: median(apart) <= GOALS.again
      },
      {
        what: 'a result',
        measured: `${Math.round(seconds)} s at most`,
        goal: `≤ ${GOALS.seconds} s`,
        met: seconds <= GOALS.seconds
      },
      {
        what: 'the preliminary result',
        measured: `after ${Math.round(first)} s at most`,
        goal: `≤ ${GOALS.firstSeconds} s`,
        met: first <= GOALS.firstSeconds
      }
    ]
  }
}
