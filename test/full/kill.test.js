/** kill -9 of the suite: two moments beside the fifty that `npm run test:soak` tries. */
import { join } from 'node:path'
import t from 'tap'
import { killAtRandom, withoutNamespaces } from '../support/kill.js'
import { skipWithout } from '../support/needs.js'

t.test('ended by the kernel, with the namespace', { skip: skipWithout('namespaces') },
  t => killAtRandom(t, { kills: 1, seed: 8 }))
t.test('ended by the supervisor, where there are no namespaces', t =>
  killAtRandom(t, { kills: 1, seed: 9, env: withoutNamespaces(join(t.testdir({}), 'bin')) }))
