/** `hopbench engines` with every engine. */
import t from '../support/tap.js'
import { pluginNames } from '../../bench/plugins.js'
import { checkEngines } from '../support/engines-check.js'

t.test('hopbench engines measures one topology with every available engine, and leaves nothing behind',
  t => checkEngines(t, pluginNames('engine')))
