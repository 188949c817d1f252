import { armOf } from '../studies/request.js'
import { findProxies } from '../measure/stage.js'
import { HopbenchError } from '../errors.js'
import { count } from './shared/option-values.js'
import { takeHome } from '../topology/take-home.js'

/** @import { Command } from 'commander' */

/** @param {Command} program */
export default program =>
  program.command('config')
    .description('print the proxy configuration of a topology, to take home')
    .argument('<topology>', 'a chain of hops such as nginx:uds+cache=5s/express-json')
    .option('-c, --connections <number>', 'client connections it must hold', count('--connections', 1_000_000), 1000)
    .action(async (word, { connections }) => {
      const arm = await armOf(word, { connections })
      if (!arm.topology.proxy) {
        throw new HopbenchError('bad-option', {
          option: 'The topology of hopbench config',
          value: word,
          why: 'there is no proxy in it, so there is nothing to configure',
          remedy: 'Put one in front, as in nginx:uds/express-json.'
        })
      }
      const files = takeHome(arm.topology, { clients: connections, programs: await findProxies([arm]) })
      process.stdout.write(
        files.map(({ text, behind }) => behind ? `# Behind it, a program of its own:\n${text}` : text).join('\n')
      )
    })
