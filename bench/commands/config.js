import { armFrom } from '../studies/request.js'
import { findProxies } from '../measure/find-programs.js'
import { badOption } from '../errors.js'
import { recommendedConfig } from '../topology/recommended-config.js'
import { TARGETS } from '../topology/deploy/targets.js'
import { RESULTS } from './shared/common-options.js'
import { count, oneOf } from './shared/option-values.js'

/** @import { Command } from 'commander' */
/** @import { Arm } from '../types.js' */

const targets = Object.keys(TARGETS)

/** @param {Command} program */
export default program =>
  program.command('config')
    .description('print the proxy configuration of a topology, or write a deploy kit')
    .argument('<topology>', 'chain of hops such as nginx:uds+cache=5s/express-json')
    .option('-c, --connections <number>', 'client connections that the proxy must hold',
      count('--connections', 1_000_000), 1000)
    .option('--target <platform>', `write a deploy kit for ${targets.join(', ')}`, oneOf('--target', targets))
    .option('--out <folder>', 'folder of the kit, inside the project (default: ./deploy)')
    .option('--force', 'overwrite existing files')
    .option('--from <run>', 'stored sizing from which plan, instances, processes and memory are taken')
    .option('--plan <name>', 'plan of the sizing (default: the cheapest of the target)')
    .option('--processes <number>', 'processes of the app per instance', count('--processes', 1024))
    .option('--memory <MiB>', 'memory per instance', count('--memory', 16_777_216))
    .option('--instances <number>', 'number of instances', count('--instances', 100_000))
    .option('--path <path>', 'path that a health check requests')
    .option('--root <folder>', 'with nginx/files: folder that nginx serves (default: ./public)')
    .option('--trust <network...>',
      'networks of load balancers whose header with the client address is trusted, as in 10.0.0.0/8')
    .option(...RESULTS)
    .addHelpText('after', `
Examples:
  hopbench config nginx:uds-keepalive+cache=5s/./my-app.js
  hopbench config nginx:uds-keepalive/./my-app.js --target docker --processes 2 --memory 512
  hopbench config nginx:uds-keepalive/./my-app.js --target render --from size --out .

docs/deploy.md describes the content of a kit, and how it starts and stops.`)
    .action(async (word, { connections, path, ...options }) => {
      const arm = await armFrom(word, { connections, path })
      if (options.target) return await deploy(arm, { ...options, path })
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

/**
 * Rejects options of a kit if there is no --target.
 *
 * @param {Record<string, any>} options as typed
 */
function refuseWithoutTarget (options) {
  const name = Object.keys(options).find(name => options[name] !== undefined)
  if (name === undefined) return
  throw badOption(`--${name}`, true, 'it requires --target, as it is about a deploy kit', `Add --target ${targets[0]}.`)
}

/**
 * @param {Arm} arm
 * @param {string} word as typed
 */
async function print (arm, word) {
  if (!arm.topology.proxy) {
    throw badOption('The topology of hopbench config', word,
      'there is no proxy in it, so there is nothing to configure',
      'Put one in front, as in nginx:uds/express-json, or write what deploys it with --target.')
  }
  const files = recommendedConfig(arm.topology, { clients: arm.load.connections, programs: await findProxies([arm]) })
  process.stdout.write(
    files.map(({ text, behind }) => behind ? `# Behind it, a program of its own:\n${text}` : text).join('\n')
  )
}
