import { isEnclosed, runInside } from '../machine/enclosure.js'
import { PROJECT } from '../plugins.js'

/** @import { Command } from 'commander' */

/**
 * Hidden, because hopbench itself starts this command on other machines.
 *
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('host', { hidden: true })
  .description('take part in a run that another machine leads, over standard input and output')
  .option('--prepare', 'only install the named programs')
  .option('--proxies <names>', 'with --prepare', names, [])
  .option('--engines <names>', 'with --prepare', names, [])
  .option('--server-node', 'with --prepare: built-in servers run on this machine')
  .action(async ({ prepare, proxies, engines, serverNode }, command) => {
    if (prepare) {
      const { prepareTools } = await import('../studies/remote/agent.js')
      return prepareTools({ proxies, engines, serverNode })
    }
    if (!isEnclosed()) {
      const { holdFolder } = await import('../studies/remote/leftovers.js')
      holdFolder(PROJECT)
      const code = await runInside(command.parent.args)
      if (code !== null) return setExit(code)
    }
    const { takePart } = await import('../studies/remote/agent.js')
    await takePart()
    // After a lost connection the pipes stay open until TCP times out.
    process.exit(0)
  })

/** @param {string} text */
const names = text => text.split(',').filter(Boolean)
