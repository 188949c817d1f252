// Cost of the configurations that are recommended for production, against the measured ones.

/** @import { ExperimentFile } from '../types.js' */

/**
 * Returns a pair of arms for each topology, and their contrasts.
 * @param {Record<string, string>} proxies spec of the proxy by name
 */
function toPairs (proxies) {
  const names = Object.keys(proxies)
  return {
    arms: Object.fromEntries(names.flatMap(name => [
      [name, `${proxies[name]}/express-json`], [`${name}, recommended`, `${proxies[name]}+production/express-json`]
    ])),
    contrasts: names.map(name => /** @type {[string, string]} */ ([`${name}, recommended`, name]))
  }
}

/** Words for the baselines of an answer. */
const MEASURED = 'as measured'

/** @type {ExperimentFile} */
export default {
  group: 'settings',
  title: 'nginx as recommended for production, against nginx as measured',
  question:
    'What do the headers, limits, cache rules and the access log cost that the recommended configuration of nginx ' +
    'has in addition to the measured one, over pooled connections and with a cache?',
  answer: {
    pairs: [
      ['uds-keepalive, recommended', 'uds-keepalive', 'nginx as recommended over a socket'],
      ['keepalive, recommended', 'keepalive', 'nginx as recommended over keepalive'],
      ['uds-keepalive, cached, recommended', 'uds-keepalive, cached', 'nginx as recommended with a cache']
    ],
    names: { 'uds-keepalive': MEASURED, keepalive: MEASURED, 'uds-keepalive, cached': MEASURED }
  },
  ...toPairs({
    'uds-keepalive': 'nginx:uds-keepalive',
    keepalive: 'nginx:keepalive',
    'uds-keepalive, cached': 'nginx:uds-keepalive+cache=1h'
  }),
  variants: {
    proxies: {
      title: 'Apache and Caddy as recommended for production, against both as measured',
      question:
        'What do the headers, limits and the access log cost that the recommended configurations of Apache and Caddy ' +
        'have in addition to the measured ones, over pooled connections?',
      answer: {
        pairs: [
          ['apache, recommended', 'apache', 'Apache as recommended'],
          ['caddy, recommended', 'caddy', 'Caddy as recommended']
        ],
        names: { apache: MEASURED, caddy: MEASURED }
      },
      ...toPairs({ apache: 'apache:uds-keepalive', caddy: 'caddy:uds-keepalive' })
    }
  }
}
