import { storedArchive } from '../../machine/setup/apt.js'
import { GROUPS } from '../../plan/experiment.js'
import { SERVER_OPTIONS, getOwnOptions } from '../../topology/server-options.js'
import { loadExperiments, loadPlugin, pluginNames } from '../../plan/plugins.js'

/** @import { Command } from 'commander' */
/** @import { Kind } from '../../plan/plugins.js' */
/** @import { OptionSpec } from '../../types.js' */

/** @param {Command} program */
export default program => program.command('list')
  .description('list experiments, servers, proxies and engines')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const all = await getEntries()
    process.stdout.write(json ? `${JSON.stringify(all, null, 2)}\n` : toText(all))
  })

async function getEntries () {
  const [experiments, servers, proxies, engines] = await Promise.all([loadExperiments(), entries('server'),
    entries('proxy'), entries('engine')])
  const designs = experiments.map(toDesign)
  const grouped = Object.keys(GROUPS).flatMap(group => designs.filter(entry => entry.group === group))
  const serverOptions = Object.entries(SERVER_OPTIONS).map(([name, { help }]) => ({ name: `+${name}`, title: help }))
  const releases = Object.entries(storedArchive(process.env)?.packages ?? {}).map(([name, versions]) =>
    ({ name, title: versions.map(({ release, version }) => `${version} (${release})`).join(', ') }))
  return { experiments: grouped, servers, serverOptions, proxies, ...releases.length > 0 && { releases }, engines }
}

/** @param {Awaited<ReturnType<typeof loadExperiments>>[number]} entry */
function toDesign ({ name, experiment, variantOf }) {
  const { title, group = 'other', source, question, arms, contrasts, protocol, unit } = experiment
  const names = Object.keys(arms)
  return {
    name,
    title,
    group,
    ...variantOf && { variantOf },
    ...source && { source: `${source.author}, ${source.year}` },
    question,
    arms: Object.entries(arms).map(([name, arm]) => ({ name, ...typeof arm === 'string' ? { topology: arm } : arm })),
    contrasts: contrasts ?? names.slice(1).map(name => [name, names[0]]),
    protocol,
    unit
  }
}

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} title
 * @property {string} [source]
 * @property {string} [variantOf] experiment in whose file this one is
 * @property {Record<string, OptionSpec>} [options]
 */

/**
 * @param {Kind} kind
 * @returns {Promise<Entry[]>}
 */
const entries = kind => Promise.all(pluginNames(kind).map(async name => {
  const module = await loadPlugin(kind, name)
  const { title, options } = module.about ?? module.default.about
  const own = kind === 'server' ? getOwnOptions(module.about) : options
  return { name, title, ...own && Object.keys(own).length > 0 && { options: own } }
}))

/** @type {Record<string, string>} */
const TITLES = {
  servers: 'Servers',
  serverOptions: 'Options of Node servers',
  proxies: 'Proxies',
  releases: 'Packages in Debian\'s releases (+release)',
  engines: 'Engines'
}

/** @param {Awaited<ReturnType<typeof getEntries>>} all */
function toText ({ experiments, ...others }) {
  const width = Math.max(...Object.values({ experiments, ...others }).flat().map(entry => toLabel(entry).length)) + 2
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

/** Returns the name of an entry. A variant is indented below its experiment. @param {Entry} entry */
const toLabel = ({ name, variantOf }) => variantOf ? `  ${name}` : name

/**
 * @param {Entry} entry
 * @param {number} width
 */
function toLines (entry, width) {
  const { title, options = {}, source } = entry
  return [
    `  ${toLabel(entry).padEnd(width)}${title}${source ? ` (${source})` : ''}`,
    ...Object.entries(options).map(([name, spec]) => `  ${''.padEnd(width)}  +${name}=${spec.default}  ${spec.help}`)
  ]
}
