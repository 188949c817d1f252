/** Starts each printed command, and ends it after its first seconds: it must not be refused as misuse. */
import t from 'tap'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { argumentsOf, commandsIn, isRunnable, listOutputs } from '../support/printed-commands.js'

/** Time in which a command is parsed and its plan is made. A command that goes on has been accepted. */
const FIRST_SECONDS = 4
const MISUSE = 2

const workspace = makeWorkspace(t)
const commands = [...new Set(Object.values(await listOutputs()).flatMap(commandsIn))].filter(isRunnable)

t.test('no printed command is refused as misuse', async t => {
  t.ok(commands.length > 50, `${commands.length} commands`)
  for (const command of commands) {
    const argv = argumentsOf(command) ?? []
    const { exit, stderr } = await hopbench(argv, { workspace, timeoutSeconds: FIRST_SECONDS })
    t.not(exit, MISUSE, `${command}: ${stderr}`)
  }
})
