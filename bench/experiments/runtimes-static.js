// How much do three static servers cost under each runtime?

/** @import { ExperimentFile } from '../types.js' */

const runtimes = {
  'Node 20': 'node-20',
  'Node 22': 'node-22',
  'Node 24': 'node-24',
  'Node 26': 'node-26',
  Bun: 'bun',
  Deno: 'deno'
}
const servers = { 'express.static': 'express-static', 'serve-static': 'connect-static', 'node:fs': 'http-fs' }
const steps = [['Node 22', 'Node 20'], ['Node 24', 'Node 22'], ['Node 26', 'Node 24'], ['Bun', 'Node 26'],
  ['Deno', 'Node 26']]

/** @type {ExperimentFile} */
export default {
  group: 'runtime',
  title: 'three static servers under each line of Node, under Bun and Deno',
  question: 'How much does the runtime decide what express.static, serve-static and plain node:fs can serve?',
  answer: {
    pairs: steps.slice(1).map(([arm, baseline]) => [`express.static, ${arm}`, `express.static, ${baseline}`])
  },
  arms: Object.fromEntries(Object.entries(servers).flatMap(([server, plugin]) =>
    Object.entries(runtimes).map(([runtime, name]) => [`${server}, ${runtime}`, `${plugin}+runtime=${name}`]))),
  contrasts: Object.keys(servers).flatMap(server =>
    steps.map(([arm, baseline]) => /** @type {[string, string]} */ ([`${server}, ${arm}`, `${server}, ${baseline}`]))),
  // In five minutes eighteen arms had three starts, too few for a useful interval.
  load: { engine: 'wrk', connections: 50, path: '/page.html' }
}
