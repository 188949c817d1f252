/** A server whose responses trickle is refused at the gate, which waits for them for a minute. */
import t from '../support/tap.js'
import { makeWorkspace } from '../support/cli.js'
import { plantedModule } from '../support/planted-servers.js'
import { staged, wordFor } from '../support/stage.js'

t.test('refuses a server that sends a byte every fifth of a second', async t => {
  const spec = wordFor(plantedModule(makeWorkspace(t).dir, 'loris'))
  await t.rejects(staged(t, spec), /no complete responses within 60 s/)
})
