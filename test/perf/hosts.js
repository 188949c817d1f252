/**
 * Cost of controlling the served side over ssh, measured on the same machine and loopback with and without ssh; and the
 * rate and the percentiles of four load hosts against those of each of them.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { openSshHosts } from '../support/ssh-hosts.js'
import { fixed, median } from './measure.js'

/** @import { ArmResult } from '../../bench/types.js' */
/** @import { SshHosts } from '../support/ssh-hosts.js' */
/** @import { Bench, Line, Part } from './index.js' */

/** Topology whose load and served side share the cores with and without ssh, so that only ssh differs. */
const WORD = 'http-json@cluster:2'
const PAIRS = { full: 5, short: 1 }
const GOAL = 0.05
/** Server whose responses wait, so that the connections of a load host and not the shared cores limit its rate. */
const WAITING = "export default (request, response) => setTimeout(() => response.end('x'.repeat(1000)), 200)\n"
/**
 * Returns an experiment in windows, which have response times, unlike slices.
 * @param {string} server
 */
const toExperiment = server => `export default {
  title: 'Four load hosts',
  question: 'Do four load hosts add up?',
  arms: { waiting: '${server}', other: 'http-json' },
  protocol: 'window', load: { engine: 'autocannon', connections: ${CONNECTIONS}, path: '/' }
}
`
const LOAD_HOSTS = ['one', 'two', 'three', 'four']
const CONNECTIONS = 25
/** Least share of the sum of the rates of single load hosts. */
const SUM_SHARE = 0.95
const PERCENTILES = /** @type {const} */ (['p50', 'p99'])

/** @type {Part} */
export default {
  title: 'the served side over ssh to this same machine, against without, and four load hosts',
  async run (bench) {
    return [await sameMachine(bench), ...await fourLoadHosts(bench)]
  }
}

/**
 * Measures the only topology of a run.
 * @param {Bench} bench
 * @param {SshHosts} hosts
 * @param {string[]} args
 * @returns {Promise<ArmResult>}
 */
async function measure (bench, hosts, args) {
  const workspace = makeWorkspace(bench)
  const { exit, stdout, stderr } = await hopbench(['run', ...args, '--quick', '--budget', '30s', '--json',
    '--results', workspace.results, ...args.includes('--no-lab') ? [] : ['--ssh', hosts.ssh]], {
    workspace,
    via: hosts.via,
    timeoutSeconds: 200
  })
  if (exit !== 0) throw new Error(stderr)
  return JSON.parse(stdout).arms[0]
}

/** Returns the median rate. @param {ArmResult} arm */
const toRate = ({ rps }) => Number(rps?.median)

/**
 * @param {Bench} bench
 * @returns {Promise<Line>}
 */
async function sameMachine (bench) {
  const hosts = await openSshHosts(bench, { here: { here: true } })
  const ratios = []
  for (let i = 0; i < PAIRS[bench.short ? 'short' : 'full']; i++) {
    const here = toRate(await measure(bench, hosts, [WORD, '--no-lab']))
    const overSsh = toRate(await measure(bench, hosts, [WORD, '--server', hosts.destination('here')]))
    bench.note(`${Math.round(here)} req/s here, ${Math.round(overSsh)} over ssh`)
    ratios.push(overSsh / here)
  }
  const ratio = median(ratios)
  return {
    what: `${WORD} over ssh to this machine, ${ratios.length} pairs`,
    measured: `${fixed(ratio, 3)} of without (${ratios.map(ratio => fixed(ratio)).join(', ')})`,
    goal: `within ${GOAL * 100} %`,
    met: Math.abs(ratio - 1) <= GOAL
  }
}

/**
 * @param {Bench} bench
 * @returns {Promise<Line[]>}
 */
export async function fourLoadHosts (bench) {
  const hosts = await openSshHosts(bench, Object.fromEntries(LOAD_HOSTS.map(name => [name, {}])))
  const { dir } = makeWorkspace(bench)
  const [server, experiment] = ['waiting.mjs', 'experiment.mjs'].map(name => join(dir, name))
  writeFileSync(server, WAITING)
  writeFileSync(experiment, toExperiment(server))
  const load = (/** @type {string[]} */ names) => measure(bench, hosts, [experiment,
    '--connections', String(CONNECTIONS * names.length), '--load-hosts', names.map(hosts.destination).join(',')])
  /** @type {ArmResult[]} */
  const single = []
  for (const name of LOAD_HOSTS) single.push(await load([name]))
  const all = await load(LOAD_HOSTS)
  const sum = single.map(toRate).reduce((a, b) => a + b, 0)
  const percentiles = PERCENTILES.map(name => {
    const [together, ...alone] = [all, ...single].map(({ latencyMs }) => Number(latencyMs?.[name]))
    const [low, high] = [Math.min(...alone), Math.max(...alone)]
    return {
      what: `${name} of four load hosts`,
      measured: `${fixed(together, 1)} ms (each alone ${fixed(low, 1)} to ${fixed(high, 1)})`,
      goal: `within ${GOAL * 100} % of those`,
      met: together >= low * (1 - GOAL) && together <= high * (1 + GOAL)
    }
  })
  return [{
    what: `rate of four load hosts with ${CONNECTIONS} connections each`,
    measured: `${Math.round(toRate(all))} req/s, ${fixed(toRate(all) / sum, 3)} of the sum of their single rates`,
    goal: `≥ ${SUM_SHARE}`,
    met: toRate(all) >= SUM_SHARE * sum
  }, ...percentiles]
}
