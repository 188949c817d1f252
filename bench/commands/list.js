import { loadPlugin, pluginNames } from '../plugins.js'

/** @import { Kind } from '../plugins.js' @import { Experiment } from '../types.js'
 * @import { Command } from 'commander' */

/** @param {Command} program */
export default program => program.command('list')
  .description('what there is: experiments, servers, proxies, engines')
  .option('--json', 'as JSON')
  .action(async ({ json }) => {
    const all = await everything()
    process.stdout.write(json ? `${JSON.stringify(all, null, 2)}\n` : textOf(all))
  })

/** @param {Experiment} experiment */
function designOf ({ question, arms, contrasts, protocol, unit }) {
  const names = Object.keys(arms)
  return {
    question,
    arms: Object.entries(arms).map(([name, arm]) => ({ name, ...typeof arm === 'string' ? { topology: arm } : arm })),
    contrasts: contrasts ?? names.slice(1).map(name => [name, names[0]]),
    protocol,
    unit
  }
}

async function everything () {
  const about = async (/** @type {Kind} */ kind) =>
    Promise.all(pluginNames(kind).map(async name => {
      const module = await loadPlugin(kind, name)
      const { title, options } = module.about ?? module.default.about ?? module.default
      const source = module.default.source
      return {
        name,
        title,
        ...(options && { options }),
        ...(source && { source: `${source.author}, ${source.year}` }),
        ...(kind === 'experiment' && designOf(module.default))
      }
    }))
  return {
    experiments: await about('experiment'),
    servers: await about('server'),
    proxies: await about('proxy'),
    engines: await about('engine')
  }
}

/** @param {Awaited<ReturnType<typeof everything>>} all */
function textOf (all) {
  const width = Math.max(...Object.values(all).flat().map(({ name }) => name.length)) + 2
  const lines = Object.entries(all).flatMap(([kind, entries]) => [
    `${kind[0].toUpperCase()}${kind.slice(1)}`,
    ...entries.flatMap(({ name, title, options, source }) => [
      `  ${name.padEnd(width)}${title}${source ? ` (${source})` : ''}`,
      ...Object.entries(options ?? {}).map(([option, spec]) =>
        `  ${''.padEnd(width)}  +${option}=${/** @type {any} */ (spec).default}  ${/** @type {any} */ (spec).help}`
      )
    ]),
    ''
  ])
  return `${lines.join('\n')}
A topology is written [proxy[:transport][+option=value]/]server:
  express-json   nginx:uds/express-json   nginx:keepalive+cache=5s/./my-app.js
Transports: tcp, keepalive, uds, uds-keepalive
`
}
