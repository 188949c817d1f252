/** Properties of recommended configurations. With more cases: test/proxy/proxy-properties.soak.test.js. */
import t from '../support/tap.js'
import { keepsResponsesApart } from '../support/cache-pairs.js'
import { findsFault, testProperties } from '../support/proxy-properties.js'

/** Cases of nginx, of the kit for Docker, and of each other proxy and kit, within the time of CI. */
const CASES = { nginx: 100, docker: 50, others: 25 }
/** Faults that the properties must find. @type {Parameters<typeof findsFault>[1][]} */
const PLANTED = [
  { name: 'apache', change: text => text.replace('Real-IP)" ","', 'Real-IP)" ""') },
  { name: 'caddy', change: text => text.replace('not vars_regexp {header.Upgrade}', 'not header_regexp Upgrade') },
  { name: 'haproxy', change: text => text.replace('{ req.fhdr_cnt(Upgrade) eq 1 } ', '') },
  {
    name: 'nginx',
    options: { cache: '30s' },
    toProperty: keepsResponsesApart,
    change: text => text.replaceAll(' $private_cookie $has_body', ' $private_cookie')
  }
]

t.jobs = 2
for (const fault of PLANTED) findsFault(t, fault)
await testProperties(t, name => name === 'nginx' || name === 'docker' ? CASES[name] : CASES.others)
