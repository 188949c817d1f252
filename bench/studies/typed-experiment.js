/** What a person typed → an experiment: one of the project's, or topologies beside each other. */
import { HopbenchError } from '../errors.js'
import { nearest } from '../shared/nearest.js'
import { tlsOf } from '../plan/tls.js'
import { isOwn, parse, print, withCommands } from '../plan/word.js'
import { loadPlugin, pluginNames } from '../plugins.js'
import { PATHS } from '../topology/fixtures/fixtures.js'
import { hasProxyOrigin } from '../topology/proxy-origin.js'
import { isExperimentFile, ownExperiment } from './own-experiment.js'
import { isUrl, urlFrom } from './urls.js'

/** @import { AppCommand, Experiment, Topology } from '../types.js' */

/** The name by which topologies call what --app starts. */
export const APP = 'app'

/**
 * @param {AppCommand | null} command
 * @returns {(word: string) => Topology} reads words in which `app` stands for it
 */
export const readerFor = command => word => withCommands(parse(word), command ? { [APP]: command } : {})

/** parse: reads its words.
 * @typedef {{ name: string, experiment: Experiment, parse: (word: string) => Topology }} Asked */

/**
 * @param {string[]} words
 * @param {AppCommand | null} command what `app` in a topology stands for; null: nothing
 * @returns {Promise<Asked>}
 */
export async function experimentFrom (words, command = null) {
  const read = readerFor(command)
  const experiments = pluginNames('experiment')
  if (words.length === 0 && !command) {
    throw new HopbenchError('bad-option', {
      option: 'hopbench run', why: `it takes an experiment (${experiments.join(', ')}) or topologies`
    })
  }
  const wanted = words.length === 0 && command ? usualWords(command) : words
  if (wanted.length === 1 && isExperimentFile(wanted[0])) return ownExperiment(wanted[0])
  const [first] = wanted
  if (wanted.length === 1 && experiments.includes(first)) {
    return { name: first, experiment: (await loadPlugin('experiment', first)).default, parse: read }
  }
  const arms = wanted.map(word => isUrl(word) ? urlFrom(word) : topologyFrom(word, command !== null))
  const twice = arms.find(({ name }, i) => arms.findIndex(other => other.name === name) !== i)
  if (twice) {
    throw new HopbenchError('bad-option', {
      option: 'A further topology', value: twice.name, why: 'it is typed twice', remedy: 'Name it once.'
    })
  }
  return { name: 'typed', experiment: await experimentOf(arms, read), parse: read }
}

/** @typedef {{ name: string, origin?: string, path?: string }} TypedArm origin, path: of a URL */

/** What is compared when nobody says: the app, and a proxy in front of it. @param {AppCommand} command */
export const usualWords = ({ listen }) =>
  [APP, `nginx:${listen.includes('unix') ? 'uds-keepalive' : 'keepalive'}/${APP}`]

/**
 * @param {string} word
 * @param {boolean} hasApp
 * @returns {TypedArm}
 */
function topologyFrom (word, hasApp) {
  const servers = [...pluginNames('server'), ...hasApp ? [APP] : []]
  // A bare word can only be an experiment or a server: the nearer name of both is the better advice.
  if (/^[a-z0-9-]+$/i.test(word) && !servers.includes(word)) {
    throw new HopbenchError('unknown-experiment', {
      name: word, nearest: nearest(word, [...pluginNames('experiment'), ...servers])
    })
  }
  return { name: print(parse(word)) }
}

/**
 * @param {TypedArm[]} arms
 * @param {(word: string) => Topology} read
 * @returns {Promise<Experiment>}
 */
async function experimentOf (arms, read) {
  const names = arms.map(({ name }) => name)
  const topologies = arms.map(({ name, origin }) => read(origin ?? name))
  const path = await usualPath(topologies)
  return {
    title: names.join(' against '),
    question: names.length === 1
      ? `What does ${names[0]} do?`
      : `How do ${names.slice(1).join(' and ')} compare with ${names[0]}?`,
    source: null,
    arms: Object.fromEntries(arms.map(({ name, origin, path }) =>
      [name, origin === undefined ? name : { topology: origin, load: { path } }])),
    // What is up already can be neither frozen nor counted from here.
    protocol: arms.some(({ origin }) => origin !== undefined) ? 'window' : 'gang',
    unit: 'requests',
    // The usual engine speaks HTTP/1.1 only.
    load: { path, ...topologies.some(topology => tlsOf(topology)?.http2) && { engine: 'h2load' } },
    cores: topologies.some(hasMoreProcesses) ? 'shared' : 'split'
  }
}

/** What is requested by default: the published page of servers that all serve files, else "/".
 * @param {Topology[]} topologies */
export async function usualPath (topologies) {
  const files = await Promise.all(topologies.map(async topology => {
    const { server, url } = topology
    if (url !== undefined || (server && isOwn(server))) return false
    if (!server || hasProxyOrigin(topology)) return true
    return (await loadPlugin('server', server.name)).about.serves.includes('static')
  }))
  return files.every(Boolean) ? PATHS.page : '/'
}

/** Pinned to the cores that the load leaves, more processes could not win. @param {Topology} topology */
const hasMoreProcesses = ({ proxy, server }) =>
  (server !== null && server.instances !== 1) || [proxy, server].some(hop => Number(hop?.options.workers ?? 1) > 1)
