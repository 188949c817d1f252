/** Lists the experiments, servers and proxies that the page offers. */
import { GROUPS } from '../../plan/experiment.js'
import { transports } from '../../plan/spec.js'
import { loadExperiments, loadPlugin, pluginNames } from '../../plugins.js'

/**
 * @param {string[]} apps names of the apps that the page may start
 * @returns {Promise<{ groups: { title: string, experiments: { name: string, title: string }[] }[],
 *   servers: { name: string, title: string }[], fronts: string[] }>} groups: experiments by question; fronts: proxies
 *   with each of their ways to the server, as in a topology
 */
export async function listChoices (apps) {
  const experiments = (await loadExperiments()).map(({ name, experiment: { title, group = 'other' } }) =>
    ({ name, title, group }))
  const groups = Object.entries(GROUPS).map(([group, title]) =>
    ({ title, experiments: experiments.filter(experiment => experiment.group === group) }))
  const servers = await Promise.all(pluginNames('server').map(async name =>
    ({ name, title: String((await loadPlugin('server', name)).about.title) })))
  const fronts = await Promise.all(pluginNames('proxy').map(async name => {
    const { default: { about } } = await loadPlugin('proxy', name)
    return (about.transports ?? transports).map((/** @type {string} */ transport) => `${name}:${transport}`)
  }))
  return {
    groups: groups.filter(({ experiments }) => experiments.length > 0),
    servers: [...apps.map(name => ({ name, title: 'your app' })), ...servers],
    fronts: fronts.flat()
  }
}
