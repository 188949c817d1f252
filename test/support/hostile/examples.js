/** Valid inputs, which the generator mutates. */
import { readFileSync } from 'node:fs'
import { makePlan, makeRecord, makeSample } from '../record.js'
import { sizing } from '../sizing.js'

/** @typedef {{ record: any, plan: any, samples: any[] }} RunExample */

export const APP_WORD = 'nginx:uds/./my-app.js'
const SET = 'intel-r-xeon-r-processor-6-207-2-cores-24-gib-linux-x64-6.18-kvm'
const SIZED = `${SET}/2026-11-30T04-25-28Z-size`
/** Reference runs, one of each kind of result. */
const REFERENCES = ['2026-11-23T16-59-43Z-users', '2026-11-27T00-38-57Z-time-wait',
  `${SET}/2026-11-30T19-40-17Z-latency`, '2026-11-23T18-30-18Z-blog-cache',
  `${SET}/2026-11-30T08-19-50Z-static-image`, SIZED,
  '2026-11-23T17-51-51Z-proxy-by-cpu', `${SET}/2026-11-30T16-36-47Z-uds`]
/** Number of blocks of a reference run that are used. More blocks take time and contain no other kinds of values. */
const BLOCKS = 4

/** Returns a copy as JSON has it, without undefined. */
const plain = (/** @type {unknown} */ value) => JSON.parse(JSON.stringify(value))

/** Returns a sizing of the app APP_WORD with an offering of each provider whose platform has kits. */
function sized () {
  const offerings = [
    { provider: 'Render', name: 'Pro Plus', memoryMiB: 8192 },
    { provider: 'Fly.io', name: 'performance-2x 4GB', memoryMiB: 4096 },
    { provider: 'Heroku', name: 'Standard-2X', memoryMiB: 1024 }
  ]
  const workers = { workers: 2, limit: /** @type {const} */ ('cpu'), rule: 1 }
  const table = offerings.map(offering => ({
    ...sizing.table[0],
    topology: APP_WORD,
    offering: { ...sizing.table[0].offering, ...offering },
    instances: 3,
    workers
  }))
  const { curve } = readReference(SIZED).record.sizing.topologies[0]
  const soak = { seconds: 600, rate: 1500, points: [], slope: 1.2, low: null, high: null, leaks: false }
  return { ...sizing, table, topologies: [{ ...sizing.topologies[0], curve, soak, spec: APP_WORD }] }
}

/** A record of `hopbench selftest`. */
export const selftest = {
  resolution: {
    table: [{ minutes: 1, starts: 5, blocks: 20, difference: 0.12 }, { minutes: 5, blocks: 120, difference: 0.041 }],
    variances: { sliceSd: 0.051, startSd: 0.017, runSd: 0, starts: 20, runs: 5 },
    equal: { segments: 5, different: 1, runs: 5 },
    late: { requests: 100_000, more: 0.4, ratio: 1.004, low: 0.988, high: 1.021, verdict: 'no-difference' },
    planted: [{
      more: 0.1, expected: 0.909, ratio: 0.91, low: 0.89, high: 0.93, verdict: 'slower', runs: 5, held: 4, found: 3
    }]
  },
  microsPerRequest: 190,
  noise: { stealShare: 0.01, otherShare: 0.02, governor: null, virtual: true, generatorShare: 0.3 },
  counts: { arms: 6, disagreements: ['a: 10 and 9 requests'] },
  byHand: { ratio: 0.991, pairs: [0.98, 0.991, 1.01] },
  openLoop: {
    capacity: 8000,
    accuracies: [{ engine: 'paced', rate: 100, kind: 'stall', figure: 'p95', measured: 151, calculated: 150 }],
    beyond: [5000]
  },
  seconds: 512
}

/** Warnings and recommendations with commands to copy. */
const facts = {
  warnings: [
    { code: 'few-blocks', params: { blocks: 3, needed: 12 }, command: 'npm run hopbench -- doctor' },
    { code: 'no-cpu-time', params: {}, command: 'npm run bench -- uds' }],
  recommendation: [{ code: 'files-alike', params: { files: 3 }, command: 'npm run hopbench -- check sirv' },
    { code: 'node-code', params: { server: 'sirv' } }],
  recommended: ['uds-keepalive']
}

/** Returns stored runs of all kinds: made ones and reference runs. @returns {RunExample[]} */
export function runExamples () {
  const samples = [0, 1, 2].flatMap(block =>
    ['keepalive', 'tcp', 'uds', 'uds-keepalive', 'keepalive again'].map(arm => makeSample({ arm, block })))
  const made = [
    makeRecord(),
    makeRecord(/** @type {any} */ (facts)),
    makeRecord({ complete: false, ended: null, endedAt: null }),
    makeRecord(/** @type {any} */ ({ sizing: sized() })),
    makeRecord(/** @type {any} */ ({ selftest }))
  ].map(record => plain({ record, plan: record.plan, samples }))
  return [...made, ...REFERENCES.map(readReference)]
}

/** Reads a run of results/reference. @param {string} name */
function readReference (name) {
  const read = (/** @type {string} */ file) =>
    readFileSync(new URL(`../../../results/reference/${name}/${file}`, import.meta.url), 'utf8')
  const record = JSON.parse(read('run.json'))
  const samples = read('samples.jsonl').trim().split('\n').map(line => JSON.parse(line))
  return { record, plan: record.plan, samples: samples.filter(({ block }) => block < BLOCKS) }
}

/** Files of a run that any command can read. */
export const SIMPLE_RUN = { 'run.json': JSON.stringify(makeRecord()) }

/** Returns a run of a sizing from which a kit can be made. */
export const sizedExample = () => plain({
  record: makeRecord(/** @type {any} */ ({ sizing: sized() })), plan: makePlan(), samples: []
})

export const experiment = {
  title: 'An app',
  question: 'Which is faster?',
  servers: { shop: { command: 'node shop.js', listen: '$PORT,$SOCKET', cwd: '.', readySeconds: 5, quiet: true } },
  arms: {
    app: 'express-json',
    proxied: { topology: 'nginx:keepalive+cache=5s/express-json', load: { connections: 10 } },
    shop: 'nginx:uds/shop'
  },
  contrasts: [['proxied', 'app']],
  load: { connections: 50, path: '/', headers: { Accept: 'text/html' }, method: 'POST', body: { a: [1] } },
  protocol: 'gang'
}

export const offerings = {
  provider: 'Acme',
  region: 'any',
  currency: 'EUR',
  url: 'https://acme.example/plans',
  read: '2026-01-01',
  egress: null,
  most: 10,
  mostRps: null,
  mostConnections: null,
  mostConcurrency: 80,
  autoscales: { by: 'concurrency', target: 80, least: 0, most: null },
  plans: [{ plan: 'small', vcpu: 1, memoryMiB: 512, price: 7 },
    { plan: 'burst', vcpu: null, memoryMiB: 1024, price: 9, assumed: { low: 0.5, high: 1, why: 'half of a core' } }]
}

export const suite = {
  schema: 1,
  suite: '2024-05-06T07-08-09Z-all',
  startedAt: '2024-05-06T07:08:09.000Z',
  endedAt: null,
  quick: false,
  entries: [
    {
      experiment: 'uds',
      status: 'done',
      run: '2024-05-06T07-08-09Z-uds',
      seconds: 60,
      verdicts: { faster: 2 },
      claims: { confirmed: 1 },
      error: null
    },
    { experiment: 'tls', status: 'failed', run: null, seconds: 3, verdicts: {}, claims: {}, error: 'It failed.' }]
}

export const ACCESS_LOG = [
  '127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /index.html HTTP/1.1" 200 12 "-" "curl/8"',
  '::1 - - [01/Jan/2026:00:00:01 +0000] "GET /a%20b.png?x=1 HTTP/1.1" 200 12 "-" "curl/8"',
  '10.0.0.1 - x [01/Jan/2026:00:00:02 +0000] "GET /missing HTTP/2.0" 404 0 "-" "-"',
  '/index.html', '/a%20b.png', ''].join('\n')

export const URLS = ['http://127.0.0.1:1/', 'http://localhost:1/a?b=c', 'https://[::1]:1/a/b.html#c', 'http://127.1:1']
export const HEADERS = ['Accept: text/html', 'X-Key: abc', 'authorization: Bearer abc']
export const ORDER = {
  words: ['nginx:uds/express-json', 'express-json'],
  quick: true,
  budget: '90s',
  precision: '2%',
  connections: '10',
  engine: 'wrk',
  path: '/',
  seed: '1'
}
export const RUN_NAMES = ['2024-05-06T07-08-09Z-uds', 'uds', '../results/2024-05-06T07-08-09Z-uds', 'run.json']
