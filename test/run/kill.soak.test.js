/** kill -9 of the suite at sixty random moments: `npm run test:soak`, about half an hour. */
import { join } from 'node:path'
import t from '../support/tap.js'
import { labFacts } from '../../bench/machine/network/lab.js'
import { killAtRandom, withoutNamespaces } from '../support/kill.js'

const printProgress = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }
const { pids, why } = await labFacts()
const seed = Number(process.env.HOPBENCH_SOAK_SEED ?? Date.now() % 2 ** 32)
t.comment(`seed ${seed}: HOPBENCH_SOAK_SEED=${seed} repeats it`)

const skip = pids ? false : why ?? 'no namespaces'
t.test('after each of fifty kills the kernel ends all processes', { skip, timeout: 3600_000 },
  t => killAtRandom(t, { kills: 50, seed, printProgress }))
t.test('after each of ten kills without namespaces the supervisor ends all processes', { timeout: 3600_000 },
  t => killAtRandom(t, { kills: 10, seed, printProgress, env: withoutNamespaces(join(t.testdir({}), 'bin')) }))
