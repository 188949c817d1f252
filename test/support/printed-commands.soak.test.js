/** Starts each printed command, and ends it after its first seconds: it must not be refused as misuse. */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './tap.js'
import { hopbench, makeWorkspace, project } from './cli.js'
import { argumentsOf, commandsIn, isRunnable, listOutputs } from './printed-commands.js'

/** Time in which a command is parsed and its plan is made. A command that goes on has been accepted. */
const FIRST_SECONDS = 8
const AT_ONCE = 4
const MISUSE = 2

const workspace = makeWorkspace(t)
const commands = [...new Set(Object.values(await listOutputs()).flatMap(commandsIn))].filter(isRunnable)

/** Makes the project and the stored runs of a reader. */
function makeProject () {
  writeFileSync(join(workspace.dir, 'package.json'), JSON.stringify({
    name: 'shop', version: '1.0.0', scripts: { start: 'node app.js', build: 'node build.js' }
  }))
  writeFileSync(join(workspace.dir, 'package-lock.json'), '{"lockfileVersion":3}')
  const reference = join(project, 'results/reference')
  const run = readdirSync(reference).filter(name => name.endsWith('-uds')).sort().at(-1)
  mkdirSync(workspace.results)
  for (const name of [`${run}`, 'baseline']) {
    cpSync(join(reference, `${run}`), join(workspace.results, name), { recursive: true })
  }
}

t.test('no printed command is refused as misuse', async t => {
  makeProject()
  t.ok(commands.length > 50, `${commands.length} commands`)
  for (let first = 0; first < commands.length; first += AT_ONCE) {
    await Promise.all(commands.slice(first, first + AT_ONCE).map(async command => {
      const { exit, stderr } = await hopbench(argumentsOf(command) ?? [], { workspace, timeoutSeconds: FIRST_SECONDS })
      t.not(exit, MISUSE, exit === MISUSE ? `${command}: ${stderr}` : command)
    }))
  }
})
