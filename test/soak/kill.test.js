/** The long form of test/system/kill.test.js: `npm run test:soak`, about half an hour. */
import { join } from 'node:path'
import t from 'tap'
import { labFacts } from '../../bench/machine/lab.js'
import { killAtRandom, withoutNamespaces } from '../support/kill.js'

const say = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }
const { pids, why } = await labFacts()
const seed = Number(process.env.HOPBENCH_SOAK_SEED ?? Date.now() % 2 ** 32)
t.comment(`seed ${seed}: HOPBENCH_SOAK_SEED=${seed} does the same again`)

t.test('fifty kills, ended by the kernel', { skip: pids ? false : why ?? 'no namespaces', timeout: 3600_000 },
  t => killAtRandom(t, { kills: 50, seed, say }))
t.test('ten kills, ended by the supervisor', { timeout: 3600_000 },
  t => killAtRandom(t, { kills: 10, seed, say, env: withoutNamespaces(join(t.testdir({}), 'bin')) }))
