/** Writes servers that use a known amount of additional CPU time per request. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { planExperiment } from '../../plan/plan.js'
import { parse } from '../../plan/word.js'
import { aboutProtocol, pluginFile } from '../../plugins.js'

/** @import { Plan } from '../../types.js' */

/** Server to which the work is added. */
export const ORIGINAL = 'express-json'

/**
 * Work of a number of loop turns. A duration would stay constant when the machine slows the request down. The source
 * text of this function is copied into the servers.
 *
 * @param {number} x
 * @param {number} turns
 */
function work (x, turns) {
  for (let i = 0; i < turns; i++) x = Math.imul(x ^ i, 0x9E3779B1)
  return x
}
const TRIED_TURNS = 2e6

/** @type {number | undefined} */
let known

/**
 * Number of loop turns per microsecond on this machine, from the fastest of several tries. A nominal value: a pilot
 * measures the actual cost per request.
 */
export function turnsPerMicro () {
  let x = 1
  const micros = Array.from({ length: 8 }, () => {
    const at = performance.now()
    x = work(x, TRIED_TURNS)
    return (performance.now() - at) * 1000
  })
  return (known ??= TRIED_TURNS / Math.min(...micros))
}

/**
 * Writes the module of a server with additional CPU work. A pause instead would not make it slower under load.
 *
 * @param {string} dir
 * @param {string} name of the file, without .js
 * @param {number} micros nominal CPU time per request
 * @returns {string} path of the file
 */
export function writePlanted (dir, name, micros) {
  const file = join(dir, `${name}.js`)
  const original = JSON.stringify(pathToFileURL(pluginFile('server', ORIGINAL)).href)
  const turns = micros === 0 ? 0 : Math.round(micros * turnsPerMicro())
  writeFileSync(file, `import original from ${original}
export { about } from ${original}

${work}
let x = 1
export default async context => {
  const app = await original(context)
  return (req, res) => {
    x = work(x, ${turns})
    app(req, res)
  }
}
`)
  return file
}

/**
 * Builds the plan of arms that run at the same time.
 *
 * @param {string} name
 * @param {{ title: string, question: string, arms: Record<string, string>, startBlocks: number }} experiment
 * @param {Parameters<typeof planExperiment>[2]} options
 * @returns {Promise<Plan>}
 */
export async function createGangPlan (name, { startBlocks, ...experiment }, options) {
  const common = /** @type {const} */ ({ source: null, protocol: 'gang', unit: 'requests', load: { path: '/' } })
  const protocol = await aboutProtocol('gang')
  const plan = planExperiment(name, { ...experiment, ...common }, options, { parse, protocol })
  return { ...plan, startBlocks }
}
