/** Throughput through the suite against the same engine by hand, in turn, on topologies of the same word. */
import { join } from 'node:path'
import { labFacts } from '../../bench/lab.js'
import { run } from '../../bench/process.js'
import { findTool } from '../../bench/tools.js'
import { project } from '../support/cli.js'
import { fixed, held, measured, median } from './measure.js'

const GOAL = 0.98
/** The default engine, and the fastest one where it has the most to do: 1 KB from nginx's cache. */
const CASES = /** @type {const} */ ([
  { word: 'express-json', engine: 'autocannon' },
  { word: 'nginx:uds-keepalive/express-json', engine: 'autocannon' },
  { word: 'nginx:uds+cache=1h/express-json', engine: 'wrk' }
])
/** @typedef {typeof CASES[number]} Case */
const autocannon = join(project, 'node_modules/autocannon/autocannon.js')

/** @type {import('./index.js').Part} */
export default {
  title: 'throughput through the suite, of what the same engine run by hand gets',
  async run (bench) {
    const lines = []
    for (const one of bench.short ? [CASES[0], CASES[2]] : CASES) {
      const { word, engine } = one
      /** @type {number[]} */
      const ratios = []
      for (let pair = 0; pair < (bench.short ? 1 : 6); pair++) {
        // Who goes first changes: a machine that slows down must not favour one side.
        const sides = pair % 2 ? [bySuite, byHand] : [byHand, bySuite]
        const found = new Map()
        for (const side of sides) found.set(side, await side(bench, one))
        ratios.push(found.get(bySuite) / found.get(byHand))
        bench.note(`${word}: ${Math.round(found.get(bySuite))} and ${Math.round(found.get(byHand))} req/s, ${fixed(ratios[pair], 3)}`)
      }
      const ratio = median(ratios)
      lines.push({ what: `${word}, ${engine}`, measured: `${fixed(ratio, 3)} (${ratios.map(ratio => fixed(ratio, 2)).join(', ')})`, goal: `≥ ${GOAL}`, met: ratio >= GOAL })
    }
    return lines
  }
}

/** @param {import('./index.js').Bench} bench @param {Case} one */
async function bySuite (bench, { word, engine }) {
  const { samples } = await measured(bench, [word, '--engine', engine, '--precision', '0.1%', '--budget', bench.short ? '12s' : '25s'])
  const counted = samples.filter(({ invalid }) => !invalid)
  const sum = (/** @type {'requests' | 'seconds'} */ key) => counted.reduce((total, sample) => total + sample[key], 0)
  return sum('requests') / sum('seconds')
}

/** @param {import('./index.js').Bench} bench @param {Case} one */
async function byHand (bench, { word, engine }) {
  const { network } = await labFacts()
  const { facts, down } = await held(bench, network === 'namespaces' ? [word, '--lab'] : [word])
  const pinned = facts.cores ? ['taskset', '-c', facts.cores.load.join(',')] : []
  const { argv, env, rate } = await HANDS[engine]()
  const shoot = async (/** @type {number} */ seconds) => {
    const { stdout } = await run([...facts.enter ?? [], ...pinned, ...argv(seconds), facts.url], { env, timeoutSeconds: seconds + 30 })
    return rate(stdout)
  }
  await shoot(2) // the same warm-up as in the suite
  const found = await shoot(bench.short ? 2 : 8)
  await down()
  return found
}

/**
 * How a person calls each of them.
 * @type {Record<Case['engine'], () => Promise<{ argv: (seconds: number) => string[], env: Record<string, string>, rate: (stdout: string) => number }>>}
 */
const HANDS = {
  autocannon: async () => ({
    argv: seconds => [process.execPath, autocannon, '--json', '-n', '-c', '100', '-d', String(seconds)],
    env: {},
    rate (stdout) {
      const { requests, duration } = JSON.parse(stdout)
      return requests.total / duration
    }
  }),
  async wrk () {
    const { path, env } = await findTool({ program: 'wrk', packages: { debian: ['wrk'] } })
    return {
      argv: seconds => [path, '-t1', '-c100', `-d${seconds}s`],
      env,
      rate: stdout => Number(/^Requests\/sec:\s+([\d.]+)/m.exec(stdout)?.[1])
    }
  }
}
