/** Renders the recommended proxy configurations of a stored run. */
import { join } from 'node:path'
import { fileName } from '../measure/kept-files.js'
import { loadPlugin } from '../plugins.js'
import { readConfigFile } from '../store/store.js'
import { hasProxyOrigin } from '../topology/proxy-origin.js'
import { recommendedConfig } from '../topology/recommended-config.js'

/** @import { ProxyProgram } from '../types.js' */
/** @import { ArmResult, RunRecord } from '../types.js' */

/**
 * @param {RunRecord} record
 * @param {string} dir the run's folder
 * @returns {Promise<{ name: string, file: string, text: string }[]>} different configurations: those of recommended
 * arms, then of the fastest arms; without those of proxies that never started
 */
export async function configsOf (record, dir) {
  const arms = record.arms.filter(({ topology, name, ladder }) =>
    topology.proxy && name !== record.plan.twin?.arm && !ladder?.step
  )
  const isRecommended = (/** @type {ArmResult} */ { name }) => Number(record.recommended?.includes(name) ?? false)
  const fastestFirst = arms.toSorted((a, b) =>
    isRecommended(b) - isRecommended(a) || (b.rps?.median ?? 0) - (a.rps?.median ?? 0))
  const configs = (await Promise.all(fastestFirst.map(arm => renderConfigs(arm, record, dir)))).flat()
  return configs.filter(({ text }, i) => configs.findIndex(config => config.text === text) === i)
}

/**
 * @param {ArmResult} arm
 * @param {RunRecord} record
 * @param {string} dir
 */
async function renderConfigs ({ name, topology, load }, { tools }, dir) {
  /** @type {Map<string, ProxyProgram>} */
  const programs = new Map()
  const hops = [topology.proxy, hasProxyOrigin(topology) ? topology.server : null].flatMap(hop => hop?.name ?? [])
  // A proxy that never started has no recorded version, on which its directives depend.
  if (hops.some(hop => !tools[hop])) return []
  for (const hop of hops) {
    const { default: plugin } = await loadPlugin('proxy', hop)
    // The paths of loadable modules depend on the machine, so the stored configuration is shown as it was measured.
    if (plugin.modules) return readMeasuredConfig(name, dir)
    programs.set(hop, { plugin, program: '', env: {}, version: tools[hop] })
  }
  return recommendedConfig(topology, { clients: load.connections, programs }).map(({ file, text, behind }) => ({
    name: behind ? `${name}, behind it` : name,
    file,
    text
  }))
}

/**
 * @param {string} arm
 * @param {string} dir
 */
async function readMeasuredConfig (arm, dir) {
  const file = 'httpd.conf'
  const text = await readConfigFile(dir, join(fileName(arm), file))
  // The folder of a stored run can have no files besides the record.
  return text === null ? [] : [{ name: `${arm}, as it was measured`, file, text }]
}
