/**
 * The deploy kit for docker, run as the platform would. The kits of other platforms:
 * test/features/deploy/kit/deploy.full.test.js.
 */
import t from '../../../support/tap.js'
import { answersAndDrains } from '../../../support/kit-checks.js'
import { skipWithout } from '../../../support/needs.js'

t.test('docker: the kit passes the gate, and drains when it is stopped',
  { skip: skipWithout('namespaces', 'nginx') }, t => answersAndDrains(t, 'docker'))
