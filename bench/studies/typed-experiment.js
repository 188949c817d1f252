/** What a person typed → an experiment: one of the project's, or topologies beside each other. */
import { HopbenchError } from '../errors.js'
import { nearest } from '../plan/nearest.js'
import { tlsOf } from '../plan/tls.js'
import { isPath, parse, print } from '../plan/word.js'
import { loadPlugin, pluginNames } from '../plugins.js'
import { PATHS } from '../topology/fixtures/fixtures.js'
import { hasProxyOrigin } from '../topology/proxy-origin.js'

/** @import { Experiment, Topology } from '../types.js' */

/** @param {string[]} words @returns {Promise<{ name: string, experiment: Experiment }>} */
export async function experimentFrom (words) {
  if (words.length === 0) {
    throw new HopbenchError('bad-option', {
      option: 'hopbench run',
      why: `it takes an experiment (${pluginNames('experiment').join(', ')}) or topologies`
    })
  }
  const experiments = pluginNames('experiment')
  if (words.length === 1 && experiments.includes(words[0])) {
    return { name: words[0], experiment: (await loadPlugin('experiment', words[0])).default }
  }
  const canonical = words.map(word => {
    // A bare word can only be an experiment or a server: the nearer name of both is the better advice.
    if (/^[a-z0-9-]+$/i.test(word) && !pluginNames('server').includes(word)) {
      throw new HopbenchError('unknown-experiment', {
        name: word,
        nearest: nearest(word, [...experiments, ...pluginNames('server')])
      })
    }
    return print(parse(word))
  })
  const twice = canonical.find((word, i) => canonical.indexOf(word) !== i)
  if (twice) {
    throw new HopbenchError('bad-option', {
      option: 'A further topology',
      value: twice,
      why: 'it is typed twice',
      remedy: 'Name it once.'
    })
  }
  return {
    name: 'typed',
    experiment: {
      title: canonical.join(' against '),
      question: canonical.length === 1
        ? `What does ${canonical[0]} do?`
        : `How do ${canonical.slice(1).join(' and ')} compare with ${canonical[0]}?`,
      source: null,
      arms: Object.fromEntries(canonical.map(word => [word, word])),
      protocol: 'gang',
      unit: 'requests',
      load: {
        path: await usualPath(canonical.map(parse)),
        // The usual engine speaks HTTP/1.1 only.
        ...canonical.map(parse).some(topology => tlsOf(topology)?.http2) && { engine: 'h2load' }
      },
      cores: canonical.map(parse).some(hasMoreProcesses) ? 'shared' : 'split'
    }
  }
}

/** What is asked for when nobody says: the published page of servers that all serve files, else "/".
 * @param {Topology[]} topologies */
export async function usualPath (topologies) {
  const files = await Promise.all(topologies.map(async topology => {
    const { server } = topology
    if (!server || hasProxyOrigin(topology)) return true
    return !isPath(server.name) && (await loadPlugin('server', server.name)).about.serves.includes('static')
  }))
  return files.every(Boolean) ? PATHS.page : '/'
}

/** Pinned to the cores that the load leaves, more processes could not win. @param {Topology} topology */
const hasMoreProcesses = ({ proxy, server }) =>
  (server !== null && server.instances !== 1) || [proxy, server].some(hop => Number(hop?.options.workers ?? 1) > 1)
