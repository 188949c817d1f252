/** `hopbench check` behind all proxies. */
import t from '../../support/tap.js'
import { pluginNames } from '../../../bench/plan/plugins.js'
import { skipWithout } from '../../support/needs.js'
import { checkTransports } from '../../support/transports-check.js'

t.test('checks every transport of every proxy, and names the chains in which a probe fails', {
  skip: skipWithout('nginx', 'apache', 'haproxy', 'caddy', 'varnish', 'envoy', 'traefik')
}, t => checkTransports(t, pluginNames('proxy')))
