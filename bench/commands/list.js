import { GROUPS } from '../plan/experiment.js'
import { SERVER_OPTIONS } from '../topology/server-options.js'
import { loadPlugin, pluginNames } from '../plugins.js'

/** @import { Command } from 'commander' */
/** @import { Kind } from '../plugins.js' */
/** @import { Experiment, OptionSpec } from '../types.js' */

/** @param {Command} program */
export default program => program.command('list')
  .description('list experiments, servers, proxies and engines')
  .option('--json', 'print the list as JSON')
  .action(async ({ json }) => {
    const all = await getEntries()
    process.stdout.write(json ? `${JSON.stringify(all, null, 2)}\n` : toText(all))
  })

/** @param {Experiment} experiment */
function toDesign ({ question, arms, contrasts, protocol, unit }) {
  const names = Object.keys(arms)
  return {
    question,
    arms: Object.entries(arms).map(([name, arm]) => ({ name, ...typeof arm === 'string' ? { topology: arm } : arm })),
    contrasts: contrasts ?? names.slice(1).map(name => [name, names[0]]),
    protocol,
    unit
  }
}

async function getEntries () {
  const [experiments, servers, proxies, engines] = await Promise.all([entries('experiment'), entries('server'),
    entries('proxy'), entries('engine')])
  const grouped = Object.keys(GROUPS).flatMap(group => experiments.filter(entry => entry.group === group))
  const serverOptions = Object.entries(SERVER_OPTIONS).map(([name, { help }]) => ({ name: `+${name}`, title: help }))
  return { experiments: grouped, servers, serverOptions, proxies, engines }
}

/**
 * @param {Kind} kind
 * @returns {Promise<{ name: string, title: string, group?: string, source?: string, options?: Record<string,
 * OptionSpec> }[]>}
 */
const entries = kind => Promise.all(pluginNames(kind).map(async name => {
  const module = await loadPlugin(kind, name)
  const { title, options } = module.about ?? module.default.about ?? module.default
  const { source, group = 'other' } = module.default
  return {
    name,
    title,
    ...kind === 'experiment' && { group },
    ...options && { options },
    ...source && { source: `${source.author}, ${source.year}` },
    ...kind === 'experiment' && toDesign(module.default)
  }
}))

/** @type {Record<string, string>} */
const TITLES = { servers: 'Servers', serverOptions: 'Options of Node servers', proxies: 'Proxies', engines: 'Engines' }

/** @param {Awaited<ReturnType<typeof getEntries>>} all */
function toText ({ experiments, ...others }) {
  const width = Math.max(...Object.values({ experiments, ...others }).flat().map(({ name }) => name.length)) + 2
  const lines = [
    'Experiments',
    ...Object.entries(GROUPS).flatMap(([group, question]) => {
      const members = experiments.filter(entry => entry.group === group)
      return members.length > 0 ? [` ${question}`, ...members.flatMap(entry => toLines(entry, width))] : []
    }),
    '',
    ...Object.entries(others).flatMap(([kind, entries]) =>
      [TITLES[kind] ?? kind, ...entries.flatMap(entry => toLines(entry, width)), ''])
  ]
  return `${lines.join('\n')}
A topology is written [proxy[:transport][+option=value]/]server:
  express-json   nginx:uds/express-json   nginx:keepalive+cache=5s/./my-app.js
Transports: tcp, keepalive, uds, uds-keepalive
`
}

/**
 * @param {Awaited<ReturnType<typeof entries>>[number]} entry
 * @param {number} width
 */
const toLines = ({ name, title, options = {}, source }, width) => [
  `  ${name.padEnd(width)}${title}${source ? ` (${source})` : ''}`,
  ...Object.entries(options).map(([option, spec]) => `  ${''.padEnd(width)}  +${option}=${spec.default}  ${spec.help}`)
]
