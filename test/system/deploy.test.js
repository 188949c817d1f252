/** A deploy kit, carried out as its platform would; those of the other platforms: test/full/deploy.test.js. */
import t from 'tap'
import { answersAndDrains } from '../support/kit-checks.js'
import { skipWithout } from '../support/needs.js'

t.test('docker: it answers as the gate wants it, and what was begun is finished when it is to stop',
  { skip: skipWithout('namespaces', 'nginx') }, t => answersAndDrains(t, 'docker'))
