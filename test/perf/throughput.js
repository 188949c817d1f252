/** Throughput through the suite against autocannon by hand, in turn, on topologies of the same word. */
import { join } from 'node:path'
import { labFacts } from '../../bench/lab.js'
import { run } from '../../bench/process.js'
import { project } from '../support/cli.js'
import { fixed, held, measured, median } from './measure.js'

const GOAL = 0.98
const WORDS = ['express-json', 'nginx:uds-keepalive/express-json']
const autocannon = join(project, 'node_modules/autocannon/autocannon.js')

/** @type {import('./index.js').Part} */
export default {
  title: 'throughput through the suite, of what autocannon run by hand gets',
  async run (bench) {
    const lines = []
    for (const word of bench.short ? WORDS.slice(0, 1) : WORDS) {
      /** @type {number[]} */
      const ratios = []
      for (let pair = 0; pair < (bench.short ? 1 : 6); pair++) {
        // Who goes first changes: a machine that slows down must not favour one side.
        const sides = pair % 2 ? [bySuite, byHand] : [byHand, bySuite]
        const found = new Map()
        for (const side of sides) found.set(side, await side(bench, word))
        ratios.push(found.get(bySuite) / found.get(byHand))
        bench.note(`${word}: ${Math.round(found.get(bySuite))} and ${Math.round(found.get(byHand))} req/s, ${fixed(ratios[pair], 3)}`)
      }
      const ratio = median(ratios)
      lines.push({ what: word, measured: `${fixed(ratio, 3)} (${ratios.map(ratio => fixed(ratio, 2)).join(', ')})`, goal: `≥ ${GOAL}`, met: ratio >= GOAL })
    }
    return lines
  }
}

/** @param {import('./index.js').Bench} bench @param {string} word */
async function bySuite (bench, word) {
  const { samples } = await measured(bench, [word, '--engine', 'autocannon', '--precision', '0.1%', '--budget', bench.short ? '12s' : '25s'])
  const counted = samples.filter(({ invalid }) => !invalid)
  const sum = (/** @type {'requests' | 'seconds'} */ key) => counted.reduce((total, sample) => total + sample[key], 0)
  return sum('requests') / sum('seconds')
}

/** @param {import('./index.js').Bench} bench @param {string} word */
async function byHand (bench, word) {
  const { network } = await labFacts()
  const { facts, down } = await held(bench, network === 'namespaces' ? [word, '--lab'] : [word])
  const pinned = facts.cores ? ['taskset', '-c', facts.cores.load.join(',')] : []
  const shoot = async (/** @type {number} */ seconds) => {
    const argv = [...facts.enter ?? [], ...pinned, process.execPath, autocannon, '--json', '-n', '-c', '100', '-d', String(seconds), facts.url]
    return JSON.parse((await run(argv, { timeoutSeconds: seconds + 30 })).stdout)
  }
  await shoot(2) // the same warm-up as in the suite
  const { requests, duration } = await shoot(bench.short ? 2 : 8)
  await down()
  return requests.total / duration
}
