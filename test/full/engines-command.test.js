/**
 * `hopbench engines` with the default engine, another program, and one that cannot load a topology without TLS. Each
 * engine on its own: engines.test.js. All of them: test/soak/engines-command.test.js.
 */
import t from '../support/tap.js'
import { checkEngines } from '../support/engines-check.js'

t.test('hopbench engines measures one topology with several engines, and leaves nothing behind',
  t => checkEngines(t, ['autocannon', 's-time', 'wrk']))
