/** Writes the page of a stored run: report.html in its folder. */
import { join } from 'node:path'
import { kindOf } from './kinds.js'
import { renderPage } from '../report/page/page.js'
import { replaceFile } from '../machine/files/atomic-write.js'
import { lastCheck } from '../store/check-results.js'
import { storing } from '../machine/files/file-failures.js'
import { proxyHops } from '../measure/find-programs.js'
import { fileName } from '../measure/kept-files.js'
import { loadPlugin } from '../plan/plugins.js'
import { attempt } from '../shared/attempt.js'
import { getProgramKey, readVersion } from '../shared/releases.js'
import { readConfigFile } from '../store/store.js'
import { recommendedConfig } from '../topology/describe/recommended-config.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { ArmResult, ProxyProgram, RunRecord, Sample } from '../types.js' */

const REPORT = 'report.html'

/**
 * @param {{ record: RunRecord, samples: Sample[], dir: string, resultsDir?: string }} stored
 * @param {Parameters<typeof renderPage>[1]} [site] of which the page is a part
 * @returns {Promise<string>} HTML
 */
export async function pageOf ({ record, samples, dir, resultsDir }, site) {
  const [configs, check] = [await configsOf(record, dir), await lastCheck(resultsDir)]
  return renderPage({ record, kind: kindOf(record), samples, configs, check }, site)
}

/**
 * @param {Parameters<typeof pageOf>[0]} stored
 * @returns {Promise<string>} path of the file
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export async function writeReport (stored) {
  const html = await pageOf(stored)
  await storing(stored.dir, () => replaceFile(join(stored.dir, REPORT), html), { file: REPORT })
  return join(stored.dir, REPORT)
}

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
  const hops = proxyHops(topology)
  // A proxy that never started has no recorded version, on which its directives depend.
  if (hops.some(hop => !tools[getProgramKey(hop)])) return []
  for (const hop of hops) {
    const key = getProgramKey(hop)
    const { default: plugin } = await loadPlugin('proxy', hop.name)
    // The paths of loadable modules depend on the machine, so the stored configuration is shown as it was measured.
    if (plugin.modules) return readMeasuredConfig(name, dir)
    programs.set(key, { plugin, program: '', env: {}, version: readVersion(tools[key]) })
  }
  // A topology can have an option for measurements that no recommended configuration has.
  const files = attempt(() => recommendedConfig(topology, { clients: load.connections, programs }), () => [])
  return files.map(({ file, text, behind }) => ({ name: behind ? `${name}, behind it` : name, file, text }))
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
