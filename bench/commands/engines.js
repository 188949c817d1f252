import { endingOnInterrupt, isInside, runInside } from '../machine/enclosure.js'
import { acquireMachineLock } from '../machine/machine-lock.js'
import { prepareHops } from '../studies/programs.js'
import { armFrom } from '../studies/request.js'
import { PATHS } from '../topology/fixtures/fixtures.js'
import { count, seed } from './shared/option-values.js'

/** @import { Command } from 'commander' */

/** An app, which is slower than any engine, and files, which are faster than most. */
const TOPOLOGIES = ['nginx:keepalive/express-json', 'nginx/files']
const CONNECTIONS = 100

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => program.command('engines')
  .description('run every load generator in turn against one topology: where they agree, and where they cannot')
  .argument('[topology]', `a chain of hops (default: ${TOPOLOGIES.join(', then ')})`)
  .option('--quick', '6 blocks of windows of 1 s, in place of 12 of 2 s')
  .option('--path <path>', 'what is requested, for an app of your own, as in /api/items (default: /)')
  .option('-c, --connections <number>', `client connections (default: ${CONNECTIONS})`,
    count('--connections', 1_000_000))
  .option('--seed <number>', 'of the order of the windows', seed('--seed'))
  .option('--no-lab', 'share the host\'s loopback instead of a private network')
  .option('--no-wait', 'fail at once where another hopbench is measuring on this machine')
  .option('--json', 'print the comparison as JSON; progress goes to stderr')
  .addHelpText('after', `
Examples:
  hopbench engines --quick
  hopbench engines nginx:uds/express-json --connections 50

docs/engines.md says what each engine can do.`)
  .action(async (word, options, command) => {
    const arms = await Promise.all((word === undefined ? TOPOLOGIES : [word]).map(topology =>
      armFrom(topology, {
        connections: options.connections ?? CONNECTIONS,
        path: options.path ?? (topology === 'nginx/files' ? PATHS.json : undefined)
      })
    ))
    if (!isInside()) {
      await acquireMachineLock(command.parent.args, options)
      const { enginesFor } = await import('../studies/engine-comparison/engines-for.js')
      await prepareHops(arms)
      await enginesFor(arms[0])
      const code = await runInside(command.parent.args)
      if (code !== null) return setExit(code)
    }
    const { runEngineComparison } = await import('../studies/engine-comparison/comparison-study.js')
    setExit(await runEngineComparison({
      arms,
      quick: options.quick ?? false,
      seed: options.seed ?? Math.floor(Math.random() * 2 ** 32),
      lab: options.lab,
      json: options.json ?? false
    }, endingOnInterrupt('window')))
  })
