/**
 * Cost of controlling the served side over ssh, measured on the same machine and loopback with and without ssh. With
 * enough cores also the gain from a second generator.
 */
import { availableParallelism } from 'node:os'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { openSshHosts } from '../support/ssh-hosts.js'
import { fixed, median } from './measure.js'

/** @import { SshHosts } from '../support/ssh-hosts.js' */
/** @import { Bench, Line, Part } from './index.js' */

/** Topology whose load and served side share the cores with and without ssh, so that only ssh differs. */
const WORD = 'http-json@cluster:2'
const PAIRS = { full: 5, short: 1 }
const GOAL = 0.05
/** Topology that is faster than one autocannon, so that a second one increases the rate. */
const FAST = 'nginx+workers=2/files'
const TWO_HOSTS = 1.6
/** Cores for two generators, two workers of nginx, the suite and the kernel. */
const MIN_CORES = 6

/** @type {Part} */
export default {
  title: 'the served side over ssh to this same machine, against without',
  async run (bench) {
    return [await sameMachine(bench), await twoGenerators(bench)]
  }
}

/**
 * @param {Bench} bench
 * @param {SshHosts} hosts
 * @param {string[]} args
 */
async function rps (bench, hosts, args) {
  const workspace = makeWorkspace(bench)
  const { exit, stdout, stderr } = await hopbench(['run', ...args, '--quick', '--budget', '30s', '--json',
    '--results', workspace.results, ...args.includes('--no-lab') ? [] : ['--ssh', hosts.ssh]], {
    workspace,
    via: hosts.via,
    timeoutSeconds: 200
  })
  if (exit !== 0) throw new Error(stderr)
  return Number(JSON.parse(stdout).arms[0].rps.median)
}

/**
 * @param {Bench} bench
 * @returns {Promise<Line>}
 */
async function sameMachine (bench) {
  const hosts = await openSshHosts(bench, { here: { here: true } })
  const ratios = []
  for (let i = 0; i < PAIRS[bench.short ? 'short' : 'full']; i++) {
    const here = await rps(bench, hosts, [WORD, '--no-lab'])
    const overSsh = await rps(bench, hosts, [WORD, '--server', hosts.destination('here')])
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
 * @returns {Promise<Line>}
 */
async function twoGenerators (bench) {
  const what = 'two generators on two hosts, of the load of one'
  const goal = `≥ ${TWO_HOSTS}`
  if (availableParallelism() < MIN_CORES) {
    return { what, measured: `${availableParallelism()} cores are too few to compare`, goal, met: true }
  }
  const hosts = await openSshHosts(bench, { one: {}, two: {} })
  const load = (
    /** @type {string[]} */ names
  ) => [FAST, '--engine', 'autocannon', '--load-hosts', names.map(hosts.destination).join(',')]
  const ratios = []
  for (let i = 0; i < PAIRS[bench.short ? 'short' : 'full']; i++) {
    ratios.push(await rps(bench, hosts, load(['one', 'two'])) / await rps(bench, hosts, load(['one'])))
  }
  const ratio = median(ratios)
  return { what, measured: fixed(ratio), goal, met: ratio >= TWO_HOSTS }
}
