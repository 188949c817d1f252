/** Turns typed words into an experiment: one of hopbench, one in a file, or a comparison of topologies. */
import { HopbenchError, badOption } from '../errors.js'
import { servesFiles } from '../measure/gate/reference.js'
import { nearest } from '../shared/nearest.js'
import { toQuestion } from '../plan/experiment.js'
import { getTlsSettings } from '../plan/tls.js'
import { parse, print, withCommands } from '../plan/spec.js'
import { findExperiment, loadExperiments, pluginNames } from '../plan/plugins.js'
import { PATHS } from '../topology/fixtures/fixtures.js'
import { defaultTopologies, rejectUnused } from './user-apps.js'
import { isExperimentFile, userExperiment } from './user-experiment.js'
import { isUrl, urlFrom } from './urls.js'
import { isPooled, usesSocket } from '../plan/predicates.js'
import { canListen } from '../topology/describe/describe-command.js'
import { hasProxyOrigin } from '../topology/proxy-origin.js'

/** @import { AppCommand, Experiment, Topology } from '../types.js' */
/** @import { Apps } from './user-apps.js' */

/**
 * @param {Apps} apps of --app
 * @returns {(spec: string) => Topology} parses a topology, in which the name of an app means its command
 */
export const readerFor = apps => spec => withCommands(parse(spec), apps)

/**
 * @param {string[]} words
 * @param {Apps} [apps] of --app
 * @param {boolean} [hasFiles] whether there is --files
 * @returns {Promise<{ name: string, experiment: Experiment, parse: (spec: string) => Topology, note?: string }>} note:
 *   arms of the experiment that are left out
 */
export async function experimentFrom (words, apps = {}, hasFiles = false) {
  const parseTyped = readerFor(apps)
  const topologies = words.length === 0 ? defaultTopologies(apps, hasFiles) : words
  const [first] = topologies
  if (first === undefined) {
    const names = (await loadExperiments()).map(({ name }) => name)
    throw badOption('hopbench run', undefined, `it takes an experiment (${names.join(', ')}) or topologies`)
  }
  if (topologies.length === 1 && isExperimentFile(first)) return userExperiment(first, apps)
  const isName = topologies.length === 1 && !Object.hasOwn(apps, first)
  const experiment = isName ? await findExperiment(first) : null
  if (experiment) return { ...withUserApp(first, experiment, apps), parse: parseTyped }
  const arms = await Promise.all(topologies.map(spec => isUrl(spec) ? urlFrom(spec) : topologyFrom(spec, apps)))
  rejectDuplicates(arms)
  rejectUnused(apps, arms.flatMap(({ name }) => isUrl(name) ? [] : parse(name)))
  return { name: 'typed', experiment: await createExperiment(arms, parseTyped), parse: parseTyped }
}

/** @param {{ name: string }[]} arms */
export function rejectDuplicates (arms) {
  const duplicate = arms.find(({ name }, i) => arms.findIndex(other => other.name === name) !== i)
  if (!duplicate) return
  throw badOption('A further topology', duplicate.name, 'it is typed twice', 'Name it once.')
}

/**
 * @param {string} spec
 * @param {Apps} apps
 * @returns {Promise<{ name: string }>}
 */
async function topologyFrom (spec, apps) {
  const servers = [...pluginNames('server'), ...Object.keys(apps)]
  // A plain spec is an experiment or a server, so the suggestion is the nearest name of either.
  if (/^[a-z0-9-]+$/i.test(spec) && !servers.includes(spec)) {
    const experiments = (await loadExperiments()).map(({ name }) => name)
    throw new HopbenchError('unknown-experiment', { name: spec, nearest: nearest(spec, [...experiments, ...servers]) })
  }
  return { name: print(parse(spec)) }
}

/**
 * @param {{ name: string, origin?: string, path?: string }[]} arms origin, path: of a URL
 * @param {(spec: string) => Topology} parseTyped
 * @returns {Promise<Experiment>}
 */
async function createExperiment (arms, parseTyped) {
  const names = arms.map(({ name }) => name)
  const topologies = arms.map(({ name, origin }) => parseTyped(origin ?? name))
  const path = await defaultPath(topologies)
  return {
    title: names.join(' against '),
    question: toQuestion(names),
    source: null,
    arms: Object.fromEntries(arms.map(({ name, origin, path }) =>
      [name, origin === undefined ? name : { topology: origin, load: { path } }])),
    // hopbench can neither pause a server that it did not start nor read its counters.
    protocol: arms.some(({ origin }) => origin !== undefined) ? 'window' : 'gang',
    unit: 'requests',
    // The default engine supports HTTP/1.1 only.
    load: { path, ...topologies.some(topology => getTlsSettings(topology)?.http2) && { engine: 'h2load' } },
    cores: topologies.some(hasMoreProcesses) ? 'shared' : 'split'
  }
}

/**
 * Default path of the requests: a page if all topologies serve files, else "/".
 *
 * @param {Topology[]} topologies
 */
export async function defaultPath (topologies) {
  const areFiles = await Promise.all(topologies.map(topology => servesFiles({ topology })))
  return areFiles.every(Boolean) ? PATHS.page : '/'
}

/**
 * Whether the topology has more than one process per hop. Cores are then shared with the load, because pinned to the
 * remaining cores more processes could not be faster.
 *
 * @param {Topology} topology
 */
const hasMoreProcesses = ({ proxy, server }) =>
  (server !== null && server.instances !== 1) || [proxy, server].some(hop => Number(hop?.options.workers ?? 1) > 1)

/** Words of titles and questions for the apps of hopbench. */
const BUILT_IN_APP = /\ban Express (JSON )?app\b|\ba slow (app|blog)\b|\bExpress\b/g
/** Matches the name of an arm that is called by the app of hopbench. */
const ARM_OF_APP = /^express$/
const LISTEN_BOTH = "--listen '$PORT,$SOCKET'"

/**
 * Returns whether an app listens where a proxy or, without one, the client reaches it, each process at an address of
 * its own.
 *
 * @param {Topology} topology
 * @param {AppCommand} app
 */
const canReach = ({ proxy, server }, app) => (!proxy?.transport || canListen(app, proxy.transport)) &&
  (server?.instances === 1 || app.listen.some(way => typeof way !== 'number'))

/**
 * An arm of an experiment and its topology.
 *
 * @typedef {{ name: string, entry: Experiment['arms'][string], topology: Topology }} ParsedArm
 */

/**
 * Returns the experiment with an app of your own. Without an app, returns it unchanged.
 *
 * Leaves out published claims, which are about other apps, and arms that need a Unix socket if the app has none.
 *
 * @param {string} name of the experiment
 * @param {Experiment} builtIn
 * @param {Apps} apps
 * @returns {{ name: string, experiment: Experiment, note?: string }} name: of the runs
 * @throws {HopbenchError} bad-option, if the experiment does not measure exactly one app
 */
function withUserApp (name, builtIn, apps) {
  const [app, ...others] = Object.keys(apps)
  if (app === undefined) return { name, experiment: builtIn }
  const { userApp = {}, ...common } = builtIn
  const experiment = { ...common, ...userApp, options: { ...common.options, ...userApp.options } }
  const given = Object.entries(experiment.arms).map(([name, entry]) =>
    ({ name, entry, topology: parse(typeof entry === 'string' ? entry : entry.topology) }))
  const arms = experiment.scenario === undefined ? given : withoutServerOptions(given)
  const reason = others.length > 0 ? 'it measures one app, and there are several' : findReason(arms)
  if (reason !== null) {
    throw badOption(`run ${name} with --app`, true, reason,
      `Leave --app out, or compare topologies with your app, such as ${app} nginx:keepalive/${app}.`)
  }
  const { kept, note } = getReachableArms(arms, app, apps[app], experiment.scenario !== undefined)
  if (kept.length < 2) {
    throw badOption(`run ${name} with --app`, true, `${app} does not listen on TCP`,
      `If it also listens on $PORT, add ${LISTEN_BOTH}.`)
  }
  return { name: `${name}-${app}`, experiment: withArms(experiment, app, kept), ...note !== null && { note } }
}

/**
 * Leaves out the options of the server that scenarios are played with, and arms that differ only in these.
 *
 * @param {ParsedArm[]} arms
 */
const withoutServerOptions = arms => arms
  .map(arm => {
    const { server } = arm.topology
    return { ...arm, topology: { ...arm.topology, server: server && { ...server, options: {} } } }
  })
  .filter(({ topology }, i, all) => all.findIndex(other => print(other.topology) === print(topology)) === i)

/**
 * Leaves out arms that reach the app where it does not listen. If they are nearly all, replaces Unix sockets by TCP,
 * and for a scenario, whose arms do not compare transports, also TCP by Unix sockets.
 *
 * @param {ParsedArm[]} arms
 * @param {string} app
 * @param {AppCommand} command
 * @param {boolean} isScenario
 * @returns {{ kept: ParsedArm[], note: string | null }}
 */
function getReachableArms (arms, app, command, isScenario) {
  const kept = arms.filter(({ topology }) => canReach(topology, command))
  if (kept.length === arms.length) return { kept, note: null }
  const missing = arms.filter(arm => !kept.includes(arm))
  const variable = missing.some(({ topology: { proxy } }) => proxy && usesSocket(proxy)) ? '$SOCKET' : '$PORT'
  const advice = `If ${app} also listens on ${variable}, add ${LISTEN_BOTH}.`
  if (kept.length >= 2) {
    const names = missing.map(({ name }) => name).join(', ')
    return { kept, note: `Left out, because ${app} does not listen on ${variable}: ${names}. ${advice}` }
  }
  const [way, other] = variable === '$SOCKET' ? ['TCP', 'Unix sockets'] : ['Unix sockets', 'TCP']
  const moved = variable === '$SOCKET' || isScenario
    ? arms.map(arm => ({ ...arm, topology: moveTo(way, arm.topology) }))
    : kept
  return {
    kept: moved.filter(({ topology }) => canReach(topology, command)),
    note: `${app} is reached over ${way}, not over ${other}. ${advice}`
  }
}

/**
 * Replaces the connection between proxy and server.
 *
 * @param {string} way `TCP` or `Unix sockets`
 * @param {Topology} topology
 * @returns {Topology}
 */
function moveTo (way, topology) {
  const { proxy } = topology
  if (!proxy?.transport || usesSocket(proxy) === (way !== 'TCP')) return topology
  const transport = way === 'TCP'
    ? isPooled(proxy) ? 'keepalive' : 'tcp'
    : isPooled(proxy) ? 'uds-keepalive' : 'uds'
  return { ...topology, proxy: { ...proxy, transport } }
}

/**
 * @param {Experiment} experiment
 * @param {string} app
 * @param {ParsedArm[]} kept
 * @returns {Experiment}
 */
function withArms ({ contrasts = [], twin, load, unit, ...experiment }, app, kept) {
  const { scenario } = experiment
  const names = new Map(kept.map(({ name }) => [name, name.replace(ARM_OF_APP, app)]))
  const toText = (/** @type {string} */ text) => text.replace(BUILT_IN_APP, 'this app')
  const arms = kept.map(({ name, entry, topology }) => {
    const spec = print({ ...topology, server: topology.server && { ...topology.server, name: app } })
    return [names.get(name), typeof entry === 'string' ? spec : { ...entry, topology: spec }]
  })
  const keptContrasts = contrasts.filter(pair => pair.every(name => names.has(name)))
    .map(([arm, baseline]) => /** @type {[string, string]} */ ([names.get(arm), names.get(baseline)]))
  return {
    ...experiment,
    title: toText(experiment.title),
    question: toText(experiment.question),
    source: null,
    claims: [],
    // The paths of the built-in app are no paths of this app.
    ...unit === 'pages' || scenario !== undefined ? { unit: 'requests', load: withoutPaths(load) } : { unit, load },
    arms: Object.fromEntries(arms),
    // Without any, each arm is compared with the first one.
    ...(keptContrasts.length > 0 || scenario !== undefined) && { contrasts: keptContrasts },
    ...twin !== undefined && names.has(twin) && { twin: names.get(twin) }
  }
}

/** @param {Experiment['load']} [load] */
const withoutPaths = ({ path, paths, ...load } = {}) => load

/**
 * Returns why no app can replace that of an experiment.
 *
 * @param {ParsedArm[]} arms
 * @returns {string | null} null: it can be replaced
 */
function findReason (arms) {
  const withoutApp = arms.find(({ topology }) => !topology.server || hasProxyOrigin(topology))
  if (withoutApp) return `there is no app behind the proxy in its arm "${withoutApp.name}"`
  const servers = [...new Set(arms.flatMap(({ topology: { server } }) => server?.name ?? []))]
  if (servers.length > 1) return `it compares the servers ${servers.join(', ')} with each other`
  for (const { name, entry, topology: { server } } of arms) {
    const path = typeof entry === 'string' ? undefined : entry.load?.path
    if (path !== undefined) return `its arm "${name}" requests ${path}, a path of the app of hopbench`
    const option = Object.keys(server?.options ?? {})[0]
    if (option !== undefined) return `its arm "${name}" sets +${option} of the server, which only modules have`
    if (server?.manager !== 'node') {
      return `its arm "${name}" starts the server under ${server?.manager}, and a command starts its own processes`
    }
  }
  return null
}
