import { endingOnInterrupt, isEnclosed, runInside } from '../machine/enclosure.js'
import { acquireMachineLock } from '../machine/machine-lock.js'
import { badOption } from '../errors.js'
import { refuseTakenPorts } from '../studies/plan-checks.js'
import { appsFrom } from '../studies/own-apps.js'
import { prepareHops } from '../studies/programs.js'
import { armFrom } from '../studies/request.js'
import { PATHS } from '../topology/fixtures/fixtures.js'
import { NO_LAB, NO_WAIT, OWN_NODE, SEED, requestOptions } from './shared/common-options.js'
import { count } from './shared/option-values.js'

/** @import { Command } from 'commander' */

/** Default topologies: an app, which is slower than every engine, and files, which are faster than most. */
const TOPOLOGIES = ['nginx:keepalive/express-json', 'nginx/files']
const CONNECTIONS = 100

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) => requestOptions(program.command('engines')
  .description('compare the load generators with each other on one topology')
  .argument('[topology]', `chain of hops (default: ${TOPOLOGIES.join(', then ')})`)
  .option('--quick', '6 blocks of windows of 1 s instead of 12 of 2 s')
  .option('-c, --connections <number>', `client connections (default: ${CONNECTIONS})`,
    count('--connections', 1_000_000))
  .option(...SEED)
  .option(...NO_LAB)
  .option(...OWN_NODE)
  .option(...NO_WAIT)
  .option('--json', 'print the comparison as JSON; progress goes to stderr')
  .optionsGroup('Your app, and its requests:'))
  .addHelpText('after', `
Examples:
  hopbench engines --quick
  hopbench engines nginx:uds/express-json --connections 50

docs/engines.md lists the capabilities of each engine.`)
  .action(async (spec, options, command) => {
    const words = spec === undefined ? defaultWords(options) : [spec]
    const arms = await Promise.all(words.map(topology => armFrom(topology, {
      ...options,
      connections: options.connections ?? CONNECTIONS,
      path: options.path ?? (topology === 'nginx/files' ? PATHS.json : undefined)
    })))
    if (!isEnclosed()) {
      if (!options.lab) refuseTakenPorts(arms)
      await acquireMachineLock(command.parent.args, options)
      const { enginesFor } = await import('../studies/engine-comparison/windows.js')
      // Installs missing programs and engines before the measurement.
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

/**
 * Returns the topologies without a typed one: the app behind nginx, or those of hopbench.
 *
 * @param {Record<string, any>} options as typed
 */
function defaultWords (options) {
  const [app, ...others] = Object.entries(appsFrom(options))
  if (app === undefined) return TOPOLOGIES
  if (others.length > 0) throw badOption('hopbench engines', undefined, 'with several --app it takes a topology')
  const [name, { listen }] = app
  return [`nginx:${listen.includes('unix') ? 'uds-keepalive' : 'keepalive'}/${name}`]
}
