// How much does an Express app cost under each line of Node, and under Bun and Deno?
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

const RUNTIMES = { 'Node 24': 'node-24', 'Node 26': 'node-26', Bun: 'bun', Deno: 'deno' }
/** Apps with work, as words and as topologies. */
const APPS = { 'an app of 1 ms': 'express-page', 'a database client': 'express-page+rows=20+database' }
/** @type {(pair: [arm: string, baseline: string]) => [string, string, string][]} */
const compareApps = ([arm, baseline]) => Object.keys(APPS).map(app =>
  [`${arm}, ${app}`, `${baseline}, ${app}`, `${arm} with ${app}`])

/** @type {ExperimentFile} */
export default {
  group: 'runtime',
  title: 'Express under each line of Node, under Bun and Deno',
  question: 'How much does the runtime decide what an Express app can serve, and how much of that is Node itself?',
  answer: {
    pairs: [
      ['Node 26', 'Node 24'],
      ['Node 24', 'Node 22'],
      ['Node 22', 'Node 20'],
      ['Bun', 'Node 26', 'Bun with an app without work'],
      ['Deno', 'Node 26', 'Deno with an app without work']
    ]
  },
  source: sources.expressNode22,
  arms: {
    ...Object.fromEntries([18, 20, 22, 24, 26].map(line => [`Node ${line}`, `express-json+runtime=node-${line}`])),
    Bun: 'express-json+runtime=bun',
    Deno: 'express-json+runtime=deno',
    // Without Express, only the runtime's own cost is left.
    'node:http, Node 20': 'http-json+runtime=node-20',
    'node:http, Node 26': 'http-json+runtime=node-26',
    // As published: a connection for each request, and no Express.
    'node:http, Node 16 new': { topology: 'http-json+runtime=node-16', load: { fresh: true, connections: 16 } },
    'node:http, Node 22 new': { topology: 'http-json+runtime=node-22', load: { fresh: true, connections: 16 } }
  },
  contrasts: [
    ['Node 20', 'Node 18'],
    ['Node 22', 'Node 18'],
    ['node:http, Node 26', 'node:http, Node 20'],
    ['node:http, Node 22 new', 'node:http, Node 16 new']
  ],
  // wrk is the same engine for persistent and for new connections, and faster than the servers.
  load: { engine: 'wrk', connections: 50, path: '/' },
  claims: [
    ratioClaim('express-slower-on-22', ['Node 22', 'Node 18'], 15.3 / 17.3,
      'Express serves # times as much under Node 22 as under Node 18.'),
    claim('express-faster-on-24', { kind: 'ratio', arm: 'Node 24', baseline: 'Node 22' }, 3,
      'Express serves three times as much under Node 24 as under the line before.', { source: sources.expressPerf }),
    claim('http-slower-on-22', { kind: 'order', arms: ['node:http, Node 16 new', 'node:http, Node 22 new'] },
      'a significant decline',
      'node:http serves less under Node 22 than under Node 16 with new connections.', { source: sources.nodeHttp })
  ],
  variants: {
    apps: {
      title: 'Express with work under Node, Bun and Deno',
      question: 'How much does the runtime decide if the app takes 1 ms of CPU time, or reads from a database?',
      answer: {
        pairs: [['Node 26', 'Node 24'], ['Bun', 'Node 26'], ['Deno', 'Node 26']].flatMap(([arm, baseline]) =>
          compareApps([arm, baseline])),
        names: Object.fromEntries(Object.keys(RUNTIMES).flatMap(name =>
          Object.keys(APPS).map(app => [`${name}, ${app}`, name])))
      },
      arms: Object.fromEntries(Object.entries(RUNTIMES).flatMap(([name, runtime]) =>
        Object.entries(APPS).map(([app, spec]) => [`${name}, ${app}`, `${spec}+runtime=${runtime}`]))),
      contrasts: [],
      source: null,
      // With 50, a response of 2 ms would take 100 ms, almost half of a slice.
      load: { engine: 'wrk', connections: 10, path: '/' },
      budgetSeconds: 600
    }
  }
}
