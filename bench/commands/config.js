import { armFrom } from '../studies/request.js'
import { findProxies } from '../measure/stage.js'
import { HopbenchError } from '../errors.js'
import { recommendedConfig } from '../topology/recommended-config.js'
import { TARGETS } from '../topology/deploy/targets.js'
import { count, one } from './shared/option-values.js'

/** @import { Command } from 'commander' */
/** @import { Arm } from '../types.js' */

const targets = Object.keys(TARGETS)

/** @param {Command} program */
export default program =>
  program.command('config')
    .description('print the proxy configuration of a topology, or write what deploys it')
    .argument('<topology>', 'a chain of hops such as nginx:uds+cache=5s/express-json')
    .option('-c, --connections <number>', 'client connections it must hold', count('--connections', 1_000_000), 1000)
    .option('--target <place>', `write a deploy kit for ${targets.join(', ')}`, one('--target', targets))
    .option('--out <folder>', 'where the kit is written, inside the project (default: ./deploy)')
    .option('--force', 'overwrite files that are there')
    .option('--from <run>', 'a stored sizing: its plan, instances, processes and memory')
    .option('--plan <name>', 'of that sizing: this plan (default: the cheapest of the target)')
    .option('--processes <number>', 'processes of the app in an instance', count('--processes', 1024))
    .option('--memory <MiB>', 'memory of an instance', count('--memory', 16_777_216))
    .option('--instances <number>', 'instances', count('--instances', 100_000))
    .option('--path <path>', 'what a health check requests')
    .option('--root <folder>', 'files that nginx serves, with nginx/files (default: ./public)')
    .option('--trust <network...>', 'networks of load balancers that are trusted to name the client, as in 10.0.0.0/8')
    .option('-o, --results <folder>', 'where runs are kept')
    .addHelpText('after', `
Examples:
  hopbench config nginx:uds-keepalive+cache=5s/./my-app.js
  hopbench config nginx:uds-keepalive/./my-app.js --target docker --processes 2 --memory 512
  hopbench config nginx:uds-keepalive/./my-app.js --target render --from size --out .

What is in a kit, and how it starts and ends, is in docs/deploy.md.`)
    .action(async (word, { connections, path, ...options }) => {
      const arm = await armFrom(word, { connections, path })
      if (options.target) return await deploy(arm, options)
      refuseWithoutTarget(options)
      await print(arm, word)
    })

/**
 * @param {Arm} arm
 * @param {Record<string, any>} options as typed
 */
async function deploy (arm, options) {
  const { makeKit } = await import('../studies/deploy/deploy-kit.js')
  const { target, out = './deploy', ...rest } = options
  const { dir, files, next } = await makeKit(arm, { target, out, ...rest })
  process.stdout.write(`Written to ${dir}: ${files.join(', ')}.\n\nNext:\n${next.map(line => `  ${line}\n`).join('')}`)
}

/** Options of a kit would change nothing. @param {Record<string, any>} options as typed */
function refuseWithoutTarget (options) {
  const name = Object.keys(options).find(name => options[name] !== undefined)
  if (name === undefined) return
  throw new HopbenchError('bad-option', {
    option: `--${name}`,
    value: true,
    why: 'it requires --target, as it is about a deploy kit',
    remedy: `Add --target ${targets[0]}.`
  })
}

/**
 * @param {Arm} arm
 * @param {string} word as typed
 */
async function print (arm, word) {
  if (!arm.topology.proxy) {
    throw new HopbenchError('bad-option', {
      option: 'The topology of hopbench config',
      value: word,
      why: 'there is no proxy in it, so there is nothing to configure',
      remedy: 'Put one in front, as in nginx:uds/express-json, or write what deploys it with --target.'
    })
  }
  const files = recommendedConfig(arm.topology, { clients: arm.load.connections, programs: await findProxies([arm]) })
  process.stdout.write(
    files.map(({ text, behind }) => behind ? `# Behind it, a program of its own:\n${text}` : text).join('\n')
  )
}
