/** The proxy configurations of a run, for a person's own server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileName } from '../measure/kept-files.js'
import { loadPlugin } from '../plugins.js'
import { recommendedConfig } from '../topology/recommended-config.js'

/** @import { ProxyProgram } from '../types.js' */
/** @import { ArmResult, RunRecord } from '../types.js' */

/** @typedef {{ name: string, file: string, text: string }} Config */

/**
 * @param {RunRecord} record
 * @param {string} dir the run's folder
 * @returns {Promise<Config[]>} the recommended first, then the fastest; none of arms without a proxy, and each text
 * once
 */
export async function configsOf (record, dir) {
  const arms = record.arms.filter(({ topology, name, ladder }) =>
    topology.proxy && name !== record.plan.twin?.arm && !ladder?.step
  )
  const isRecommended = (/** @type {ArmResult} */ { name }) => Number(record.recommended?.includes(name) ?? false)
  const fastestFirst = arms.toSorted((a, b) =>
    isRecommended(b) - isRecommended(a) || (b.rps?.median ?? 0) - (a.rps?.median ?? 0))
  const configs = (await Promise.all(fastestFirst.map(arm => ofArm(arm, record, dir)))).flat()
  return configs.filter(({ text }, i) => configs.findIndex(config => config.text === text) === i)
}

/**
 * @param {ArmResult} arm
 * @param {RunRecord} record
 * @param {string} dir
 */
async function ofArm ({ name, topology, load }, { tools }, dir) {
  /** @type {Map<string, ProxyProgram>} */
  const programs = new Map()
  for (const hop of [topology.proxy?.name, topology.server?.name]) {
    if (hop === undefined || !tools[hop]) continue
    const { default: plugin } = await loadPlugin('proxy', hop)
    // Which of its parts are files of their own is known where it runs: what was measured stands in for it.
    if (plugin.modules) return measured(name, dir)
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
function measured (arm, dir) {
  const file = 'httpd.conf'
  try {
    return [{ name: `${arm}, as it was measured`, file, text: readFileSync(join(dir, fileName(arm), file), 'utf8') }]
  } catch {
    // A run that keeps no files beside its record has none to show.
    return []
  }
}
