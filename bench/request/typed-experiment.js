/** Turns typed words into an experiment: one of hopbench, one in a file, or a comparison of topologies. */
import { badOption, HopbenchError } from '../errors.js'
import { servesFiles } from '../measure/gate/reference.js'
import { nearest } from '../shared/nearest.js'
import { toQuestion } from '../plan/experiment.js'
import { getTlsSettings } from '../plan/tls.js'
import { parse, print, withCommands } from '../plan/spec.js'
import { findExperiment, loadExperiments, pluginNames } from '../plan/plugins.js'
import { PATHS } from '../topology/fixtures/fixtures.js'
import { withOwnApp } from './experiment-with-app.js'
import { defaultTopologies, refuseUnused } from './own-apps.js'
import { isExperimentFile, ownExperiment } from './own-experiment.js'
import { isUrl, urlFrom } from './urls.js'

/** @import { Experiment, Topology } from '../types.js' */
/** @import { Apps } from './own-apps.js' */

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
  const parseWord = readerFor(apps)
  const topologies = words.length === 0 ? defaultTopologies(apps, hasFiles) : words
  const [first] = topologies
  if (first === undefined) {
    const names = (await loadExperiments()).map(({ name }) => name)
    throw badOption('hopbench run', undefined, `it takes an experiment (${names.join(', ')}) or topologies`)
  }
  if (topologies.length === 1 && isExperimentFile(first)) return ownExperiment(first, apps)
  const isName = topologies.length === 1 && !Object.hasOwn(apps, first)
  const experiment = isName ? await findExperiment(first) : null
  if (experiment) return { ...withOwnApp(first, experiment, apps), parse: parseWord }
  const arms = await Promise.all(topologies.map(spec =>
    isUrl(spec) ? urlFrom(spec) : topologyFrom(spec, apps)))
  refuseDuplicates(arms)
  refuseUnused(apps, arms.flatMap(({ name }) => isUrl(name) ? [] : parse(name)))
  return { name: 'typed', experiment: await createExperiment(arms, parseWord), parse: parseWord }
}

/** @param {{ name: string }[]} arms */
export function refuseDuplicates (arms) {
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
 * @param {(spec: string) => Topology} parseWord
 * @returns {Promise<Experiment>}
 */
async function createExperiment (arms, parseWord) {
  const names = arms.map(({ name }) => name)
  const topologies = arms.map(({ name, origin }) => parseWord(origin ?? name))
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
