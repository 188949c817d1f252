/** `hopbench check` behind nginx. Behind all proxies: test/features/check/check-transports.soak.test.js. */
import t from '../../support/tap.js'
import { skipWithout } from '../../support/needs.js'
import { checkTransports } from '../../support/transports-check.js'

t.test('checks every transport of a proxy, and names the chains in which a probe fails', {
  skip: skipWithout('nginx')
}, t => checkTransports(t, ['nginx']))
