import { acquireMachineLock } from '../machine/machine-lock.js'
import { endingOnInterrupt, isInside, runInside } from '../machine/enclosure.js'
import { localEngines } from '../load/find-engine.js'
import { seed } from './shared/option-values.js'

/** @import { Command } from 'commander' */

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) =>
  program.command('selftest')
    .description(
      'what this machine resolves: equal arms, planted differences, engines, an open loop; at most ten minutes'
    )
    .option('--quick', 'two minutes: a first look')
    .option('--seed <number>', 'of the order of the slices', seed('--seed'))
    .option('-o, --results <folder>', 'where runs are kept (default: ./results)')
    .option('--no-lab', "share the host's loopback instead of private networks")
    .option('--no-wait', 'fail at once where another hopbench is measuring on this machine')
    .option('--json', 'print the record as JSON; progress goes to stderr')
    .addHelpText('after', `
What it measures and what the figures mean is in docs/selftest.md. Later reports quote the last one.`)
    .action(async (options, command) => {
      if (!isInside()) {
        await acquireMachineLock(command.parent.args, options)
        await localEngines.findFaster()
        const code = await runInside(command.parent.args)
        if (code !== null) return setExit(code)
      }
      const { runSelfTest } = await import('../studies/selftest/selftest-study.js')
      const interrupted = endingOnInterrupt('slice')
      setExit(await runSelfTest({
        quick: options.quick ?? false,
        seed: options.seed ?? Math.floor(Math.random() * 2 ** 32),
        lab: options.lab,
        json: options.json ?? false,
        results: options.results
      }, interrupted))
    })
