import { isInside, runInside } from '../enclosure.js'

/**
 * Not for people: hopbench starts it on other machines.
 * @param {import('commander').Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('host', { hidden: true })
  .description('take part in a run that another machine leads, over standard input and output')
  .option('--prepare', 'only bring the programs named')
  .option('--proxies <names>', 'with --prepare', names, [])
  .option('--engines <names>', 'with --prepare', names, [])
  .action(async ({ prepare, proxies, engines }, command) => {
    if (prepare) {
      const { prepareTools } = await import('../hosts/prepare.js')
      return prepareTools({ proxies, engines })
    }
    if (!isInside()) {
      const code = await runInside(command.parent.args)
      if (code !== null) return setExit(code)
    }
    const { takePart } = await import('../hosts/agent.js')
    await takePart()
    // Where the link is gone the pipes are open for as long as TCP hopes.
    process.exit(0)
  })

/** @param {string} text */
const names = text => text.split(',').filter(Boolean)
