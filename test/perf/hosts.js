/** Whether it matters that the served side is led over ssh: the same machine, the same loopback, with and without it. */
import { hopbench, placeFor } from '../support/cli.js'
import { openSshHosts } from '../support/ssh-hosts.js'
import { fixed, median } from './measure.js'

/** Both sides share the cores with and without ssh, so that nothing else differs. */
const WORD = 'http-json@cluster:2'
const PAIRS = { full: 5, short: 1 }
const GOAL = 0.05

/** @type {import('./index.js').Part} */
export default {
  title: 'the served side over ssh to this same machine, against without',
  async run (bench) {
    const hosts = await openSshHosts(bench, { here: { here: true } })
    const rps = async (/** @type {string[]} */ how) => {
      const place = placeFor(bench)
      const { exit, stdout, stderr } = await hopbench(['run', WORD, '--quick', '--budget', '30s', '--json', '--results', place.results, ...how], { place, via: hosts.via, timeoutSeconds: 200 })
      if (exit !== 0) throw new Error(stderr)
      return Number(JSON.parse(stdout).arms[0].rps.median)
    }
    const ratios = []
    for (let i = 0; i < PAIRS[bench.short ? 'short' : 'full']; i++) {
      const here = await rps(['--no-lab'])
      const over = await rps(['--server', hosts.destination('here'), '--ssh', hosts.ssh])
      bench.note(`${Math.round(here)} req/s here, ${Math.round(over)} led over ssh`)
      ratios.push(over / here)
    }
    const ratio = median(ratios)
    return [{ what: `${WORD}, ${ratios.length} pairs`, measured: fixed(ratio, 3), goal: `within ${GOAL * 100} %`, met: Math.abs(ratio - 1) <= GOAL }]
  }
}
