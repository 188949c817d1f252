/** Users that wait between requests, simulated by Locust. Skipped without Python. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t from '../support/tap.js'
import { splitCores } from '../../bench/machine/cores.js'
import { findEngine } from '../../bench/load/find-engine.js'
import { computeDigest } from '../../bench/machine/setup/tool-cache.js'
import { findFault } from '../../bench/store/record-format.js'
import { skipWithout } from '../support/needs.js'
import { openRealRig } from '../support/real-rig.js'
import { staged, startOn } from '../support/stage.js'
import { makeTrial } from '../support/trial.js'

/** @import { Test } from 'tap' */

const USERS = 40
/**
 * Users that are counted in each second, and the window in seconds. Locust creates all users, at some 30 ms of CPU time
 * each, before it writes a line, and 40 users took more than 3 s beside other tests.
 */
const COUNTED = { users: 10, seconds: 8 }
const GRACE_SECONDS = 30
/**
 * worker_connections of nginx, far below the number of users. Two are listening sockets, and one connects the worker to
 * its master.
 */
const TOO_FEW = 10

const skip = skipWithout('locust', 'nginx')

/**
 * @param {Test} t
 * @param {Record<string, string>} arms
 * @param {{ users: number, seconds: number }} window
 */
async function rigFor (t, arms, { users, seconds }) {
  const { rig } = await openRealRig(t, {
    arms,
    protocol: 'series',
    windowSeconds: { full: seconds, quick: seconds },
    contrasts: [],
    errorsAreResults: true,
    load: { engine: 'locust', connections: users, path: '/page.html', spawnPerSecond: users, perUserPerSecond: 4 }
  }, { engine: 'locust', cores: splitCores() })
  return rig
}

/**
 * Returns a sample as it is stored in a record.
 * @param {unknown} sample
 */
const stored = sample => JSON.parse(JSON.stringify(sample))

t.test('measures users on persistent connections, with the same counts on both sides', { skip }, async t => {
  const rig = await rigFor(t, { roomy: 'nginx/files' }, COUNTED)
  const sample = await makeTrial(rig, 'roomy', 0)
  t.match(sample, { invalid: null, errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 } })
  t.strictSame(sample.failures, [])
  t.equal(findFault('sample', stored(sample)), null, 'the sample keeps to results/schema.json')
  const { users = [] } = sample
  t.equal(Math.max(...users.map(({ users }) => users)), COUNTED.users, 'all users were active')
  t.ok(users.length > 0 && users.every(({ second }, i) => second > (users[i - 1]?.second ?? 0)), 'each second once')
  t.ok(users.some(({ rps }) => rps > 0) && users.every(({ failures }) => failures === 0))
  t.ok(sample.latencyMs && Number.isInteger(sample.latencyMs.p50) && sample.latencyMs.p50 <= sample.latencyMs.p99,
    JSON.stringify(sample.latencyMs))
  t.ok(sample.requests > COUNTED.users, 'each user sends several requests')
  t.ok(Number(sample.proof.clientConnectionsPerRequest) < 0.5,
    `${sample.proof.clientConnectionsPerRequest} connections for each request`)
  t.notOk(sample.errorLog, 'no message of nginx')
  t.match(rig.tools, { nginx: /^\d/, locust: /^\d/ })
})

t.test('records the error log of nginx when it has too few connections', { skip }, async t => {
  const rig = await rigFor(t, { tight: `nginx+connections=${TOO_FEW}/files` }, { users: USERS, seconds: 3 })
  const sample = await makeTrial(rig, 'tight', 0)
  t.equal(sample.invalid, null) || t.comment(sample.invalid)
  t.equal(findFault('sample', stored(sample)), null, 'the sample keeps to results/schema.json')
  t.ok(sample.errors.resets > 0 && sample.failures?.some(({ kind }) => /closed/.test(kind)),
    'connections are closed during requests')
  t.ok(Number(sample.proof.clientConnectionsPerRequest) > 0.5, 'users open new connections')
  t.ok(
    sample.errorLog?.some(({ text, count }) =>
      /^\[\w+\] 10 worker_connections are not enough/.test(text) && count > 0
    ),
    JSON.stringify(sample.errorLog)
  )
})

/**
 * Measures a window of Locust on a new topology.
 * @param {Test} t
 * @param {string} spec
 * @param {string} path
 */
async function windowOf (t, spec, path) {
  const arm = await staged(t, spec, { path: '/page.html', connections: 8 })
  const load = { engine: 'locust', connections: 8, path, headers: {}, perUserPerSecond: 10 }
  const generator = startOn(await findEngine('locust'), arm, { load, maxSeconds: 6 })
  try {
    return (await generator.finished(GRACE_SECONDS)).measurement
  } finally {
    await generator.kill()
  }
}

// Such windows are no trials, whose validity depends on the load of the machine, and run at the same time.
t.test('in a single window', { skip, jobs: 2 }, async t => {
  t.test('counts error responses as failures by kind, and loads over TLS', { buffered: true }, async t => {
    const { requests, errors, failures = [] } = await windowOf(t, 'nginx+tls=ecdsa-p256/files', '/nothing-there')
    t.ok(requests > 0)
    t.same(errors, { non2xx: requests, timeouts: 0, resets: 0, mismatches: 0 })
    t.equal(failures.length, 1) && t.match(failures[0], { kind: /404/, count: requests })
  })

  t.test('does not follow redirects', { buffered: true }, async t => {
    const { errors, failures = [] } = await windowOf(t, './test/support/leads-elsewhere.js', '/old')
    t.ok(errors.non2xx > 0 && failures.every(({ kind }) => /302/.test(kind)), JSON.stringify(failures))
  })
})

t.test('runs leave the Python environment unchanged, which is compiled', { skip }, async t => {
  const { program } = await findEngine('locust')
  const root = dirname(dirname(program))
  const system = dirname(root)
  const notes = readdirSync(system).filter(name => name.startsWith('locust-') && name.endsWith('.json'))
    .map(name => JSON.parse(readFileSync(join(system, name), 'utf8')))
  const printProgress = notes.find(printProgress => printProgress.root === basename(root))
  // The digest was computed before all tests of this file.
  t.equal(computeDigest(root), printProgress.digest)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const sources = files.filter(file => file.endsWith('.py') && file.includes('site-packages/locust/'))
  const isCompiled = (/** @type {string} */ file) =>
    files.some(other => other.startsWith(join(dirname(file), '__pycache__', `${basename(file, '.py')}.cpython-`)))
  t.ok(sources.length > 0)
  t.strictSame(sources.filter(file => !isCompiled(file)), [])
})
