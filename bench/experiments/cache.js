// Gain of nginx's proxy_cache in front of an Express app, over each transport.
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

const transports = ['tcp', 'keepalive', 'uds', 'uds-keepalive']

/** @type {ExperimentFile} */
export default {
  group: 'cache',
  title: 'proxy_cache on and off, over each transport',
  question: 'What does a proxy_cache of 5 seconds gain in front of an Express JSON app, over each way to the app?',
  answer: {
    pairs: [
      ['uds-keepalive-cache', 'uds-keepalive', 'a cache of 5 s over a pooled Unix socket'],
      ['keepalive-cache', 'keepalive', 'a cache of 5 s over keepalive'],
      ['tcp-cache', 'tcp', 'a cache of 5 s over new TCP connections']
    ],
    names: { 'uds-keepalive': 'no cache', keepalive: 'no cache', tcp: 'no cache' }
  },
  source: sources.nginxExpress,
  arms: Object.fromEntries(transports.flatMap(transport => [
    [transport, `nginx:${transport}/express-json`],
    [`${transport}-cache`, `nginx:${transport}+cache=5s/express-json`]
  ])),
  contrasts: transports.map(transport => [`${transport}-cache`, transport]),
  claims: [
    ratioClaim('cache-over-keepalive', ['keepalive-cache', 'keepalive'], 46979 / 30373,
      'A cache of 5 s serves # times as much as keepalive without one.', { conditions: { processes: 4 } }),
    claim('cache-helps', { kind: 'order', arms: ['keepalive-cache', 'keepalive'] }, '46,979 / 30,373 req/s',
      'nginx serves more with the cache than without.', { conditions: { processes: 4 } })
  ]
}
