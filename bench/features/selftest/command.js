import { acquireMachineLock } from '../../machine/machine-lock.js'
import { endingOnInterrupt, isEnclosed, runInside } from '../../machine/network/enclosure.js'
import { JSON_RECORD, NO_LAB, NO_WAIT, RESULTS, SEED } from '../../request/common-options.js'

/** @import { Command } from 'commander' */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) =>
  program.command('selftest')
    .description('measure which differences this machine can resolve, in 8 to 25 minutes')
    .option('--quick', 'measure for 3 to 8 minutes')
    .option(...SEED)
    .option(...RESULTS)
    .option(...NO_LAB)
    .option(...NO_WAIT)
    .option(...JSON_RECORD)
    .addHelpText('after', `
docs/selftest.md explains the measurements and figures. Later runs quote it while the machine has
the same measured speed.`)
    .action(async (options, command) => {
      if (!isEnclosed()) {
        await acquireMachineLock(command.parent.args, options)
        // Installs missing engines before the measurement.
        const [{ localEngines }, { findOpenLoops }] = await Promise.all([
          import('../../load/find-engine.js'), import('./open-loop.js')
        ])
        await localEngines.findFaster()
        await findOpenLoops()
        const code = await runInside(command.parent.args)
        if (code !== null) return setExit(code)
      }
      const { runSelfTest } = await import('./study.js')
      setExit(await runSelfTest({ ...options, argv: command.parent.args }, endingOnInterrupt('slice')))
    })
