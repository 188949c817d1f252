import { armFrom } from '../../request/request.js'
import { inOwnWords } from '../../machine/own-command.js'
import { findProxies } from '../../measure/find-programs.js'
import { badOption } from '../../errors.js'
import { getServedPrefixes, printPrefix } from '../../plan/file-prefixes.js'
import { toKitCommand } from '../../report/winner.js'
import { recommendedConfig } from '../../topology/describe/recommended-config.js'
import { TARGETS } from './kit/targets.js'
import { withStoredApp } from './kit/stored-app.js'
import { RELEASE, RESULTS, appOptions } from '../../request/common-options.js'
import { count, oneOf } from '../../request/option-values.js'
import { toOption } from '../../shared/commands.js'

/** @import { Command } from 'commander' */
/** @import { SubjectName } from './configs/types.js' */
/** @import { Arm, Topology } from '../../types.js' */

const targets = Object.keys(TARGETS)

/**
 * @param {Command} program
 * @param {(code: number) => void} setExit
 */
export default (program, setExit) =>
  appOptions(program.command('config')
    .description('print the proxy configuration of a topology, or write a deploy kit')
    .argument('<topology>', 'topology such as nginx:uds+cache=5s/express-json')
    .option('-c, --connections <number>', 'client connections that the proxy must hold',
      count('--connections', 1_000_000), 1000)
    .option('--target <platform>', `write a deploy kit for ${targets.join(', ')}`, oneOf('--target', targets))
    .option('--out <folder>', 'folder of the kit, inside the project (default: ./deploy)')
    .option('--force', 'overwrite existing files')
    .option('--from <run>', 'stored run that states app, path, processes and memory, and a sizing plan and instances')
    .option('--trust-run', 'with --from: use a run that this account has not made here')
    .option('--plan <name>', 'plan of the sizing (default: the recommended one of the target)')
    .option('--processes <number>', 'processes of the app per instance', count('--processes', 1024))
    .option('--memory <MiB>', 'memory per instance', count('--memory', 16_777_216))
    .option('--instances <number>', 'number of instances', count('--instances', 100_000))
    .option('--path <path>', 'path that a health check requests')
    .option('--root <folder>', 'with nginx/files: folder that nginx serves (default: ./public)')
    .option('--keep-builds <number>', 'earlier builds whose files with hashes in their names are sent, too; docker ' +
      'and systemd', count('--keep-builds', 100))
    .option('--build <command>', "command that builds the app in the image, as in 'npm run build'")
    .option('--dockerfile <file>', 'Dockerfile of the app (default for docker: ./Dockerfile if it exists)')
    .option('--no-dockerfile', 'build the image of a Node project that has a Dockerfile')
    .option('--trust <network...>', 'load balancers whose header with the client address is trusted, as in 10.0.0.0/8')
    .option(...RELEASE)
    .option('--explain', 'why directives differ from those of the measured configuration')
    .option(...RESULTS)
    .optionsGroup('Your app, if it is a command:'))
    .addHelpText('after', `
Examples:
  hopbench config nginx:uds-keepalive+cache=5s/./my-app.js
  hopbench config nginx:uds-keepalive+cache=5s/./my-app.js --explain
  hopbench config nginx:uds-keepalive/./my-app.js --target docker --processes 2 --memory 512
  hopbench config nginx:uds-keepalive/./my-app.js --target render --from size --out .
  hopbench config nginx:keepalive/app --app 'npm start'
  hopbench config nginx:keepalive/app --app 'npm start' --target docker --build 'npm run build'

docs/deploy.md describes the content of a kit, and how it starts and stops.`)
    .action(async (spec, typed, command) => {
      const {
        connections, path, explain = false, app, listen, readyWithin, quietApp, files, filesHidden, release, trustRun,
        statement, ...options
      } = await withStoredApp(spec, typed)
      if (trustRun && options.from === undefined) {
        throw badOption('--trust-run', true, 'it requires --from, the run that is trusted')
      }
      if (quietApp) throw badOption('--quiet-app', true, 'it is about a measurement', 'Leave it out.')
      const arm = await armFrom(spec, { connections, path, app, listen, readyWithin, files, filesHidden, release })
      if (explain && options.target) {
        throw badOption('--explain', true, 'it is about the printed configuration and not about a deploy kit',
          'Leave --target out.')
      }
      if (!options.target) rejectWithoutTarget(arm.topology.server?.command ? { ...options, from: undefined } : options)
      // Shown before it is started or written.
      if (statement !== null) process.stderr.write(`The run ${statement}.\n`)
      const exit = explain ? null : await rejectPublished(arm, command.parent.args)
      if (exit !== null) return setExit(exit)
      if (options.target) return await deploy(arm, { ...options, path, trustRun })
      await print(arm, { spec, explain, isForeign: statement !== null })
    })

/**
 * Starts the app and rejects a configuration that publishes a file which the app does not send to a stranger.
 *
 * @param {Arm} arm
 * @param {string[]} argv of hopbench
 * @returns {Promise<number | null>} exit code of another process that has performed the command; null: there is none
 */
async function rejectPublished (arm, argv) {
  const prefixes = getServedPrefixes(arm.topology)
  if (prefixes.length === 0) return null
  const { requestPublished } = await import('./kit/request-published.js')
  return requestPublished(arm, { prefixes, argv })
}

/**
 * @param {Arm} arm
 * @param {Record<string, any>} options as typed
 */
async function deploy (arm, options) {
  const { makeKit } = await import('./kit/deploy-kit.js')
  const { target, out = './deploy', ...rest } = options
  const { dir, files, published, notes, next, rollout } = await makeKit(arm, { target, out, ...rest })
  process.stdout.write(`Written to ${dir}: ${files.join(', ')}.\n`)
  for (const prefix of published) process.stdout.write(`The kit publishes ${printPrefix(prefix)}.\n`)
  for (const line of notes) process.stdout.write(`${line}\n`)
  for (const [title, lines] of Object.entries({ Next: next, 'Each later rollout': rollout })) {
    process.stdout.write(`\n${title}:\n${lines.map(line => `  ${line}\n`).join('')}`)
  }
  await printNotOffered({ name: target, kind: 'kit' })
}

/**
 * Rejects options of a kit if there is no --target.
 *
 * @param {Record<string, any>} options as typed
 */
function rejectWithoutTarget (options) {
  const name = Object.keys(options).find(name => options[name] !== undefined)
  if (name === undefined) return
  throw badOption(toOption(name), true, 'it requires --target, as it is about a deploy kit',
    `Add --target ${targets[0]}.`)
}

/**
 * Prints the recommended configuration, or explains it.
 *
 * @param {Arm} arm
 * @param {{ spec: string, explain: boolean, isForeign: boolean }} typed isForeign: whether a foreign run states the app
 */
async function print (arm, { spec, explain, isForeign }) {
  const { topology, load } = arm
  if (!topology.proxy) {
    throw badOption('The topology of hopbench config', spec,
      'there is no proxy in it, so there is nothing to configure',
      'Put one in front, as in nginx:uds/express-json, or write what deploys it with --target.')
  }
  const options = { clients: load.connections, programs: await findProxies([arm]) }
  if (explain) return await printExplanation(topology, options, spec)
  process.stdout.write(recommendedConfig(topology, options)
    .map(({ text, behind }) => behind ? `# Behind it, a program of its own:\n${text}` : text).join('\n'))
  await printNotOffered({ name: topology.proxy.name, kind: 'proxy' })
  const kit = isForeign ? null : toKitCommand(arm)
  if (kit) process.stderr.write(`\nA kit that runs it: ${inOwnWords(kit)}\n`)
}

/**
 * @param {Topology} topology
 * @param {Parameters<typeof recommendedConfig>[1]} options
 * @param {string} spec as typed
 */
async function printExplanation (topology, options, spec) {
  const { explainConfig, explainText } = await import('./explain/explain-config.js')
  const explanations = explainConfig(topology, options)
  if (explanations.length === 0) {
    throw badOption('--explain', true, `${topology.proxy?.name} has no reasons beside its templates`,
      'Print the configuration without --explain.')
  }
  process.stdout.write(explainText(explanations, { spec, columns: process.stdout.columns }))
}

/**
 * Prints what `check --configs` found not to be offered, on stderr, because stdout is the configuration.
 *
 * @param {SubjectName} subject
 */
async function printNotOffered (subject) {
  const { listNotOffered } = await import('./configs/study.js')
  const reasons = await listNotOffered(subject)
  if (reasons.length === 0) return
  const list = reasons.map(reason => `- ${reason}.\n`).join('')
  process.stderr.write(`\nNot part of this configuration (docs/deploy.md):\n${list}`)
}
