/** Runs the recommended configurations as they are measured, with the real programs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { ACCESS_LOG } from '../../bench/topology/option-specs.js'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

/** Proxies with the option. */
const WORDS = ['nginx:uds-keepalive+production', 'nginx:keepalive+cache=1h+production', 'apache:keepalive+production',
  'caddy:keepalive+production']

t.jobs = 2 // nginx keeps the lines of its log for up to 5 s.

for (const spec of WORDS) {
  t.test(`${spec} passes the gate, and logs its requests`, {
    skip: skipWithout(spec.split(':')[0]), buffered: true
  }, async t => {
    const { dir, running } = await staged(t, `${spec}/express-json`)
    t.strictSame(running.noted().filter(({ status }) => status >= 400), [], 'no errors')
    t.ok(readFileSync(join(dir, ACCESS_LOG), 'utf8').split('\n').length > 100, 'a line for most requests by now')
  })
}
