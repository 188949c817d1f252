/** Writes servers that use a known amount of additional CPU time per request. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { planExperiment } from '../../plan/plan.js'
import { parse } from '../../plan/spec.js'
import { aboutProtocol, pluginFile } from '../../plan/plugins.js'

/** @import { Plan } from '../../types.js' */

/** Server to which the work is added. */
export const ORIGINAL = 'express-json'
/**
 * Number of requests of a process that cost more in a server with a planted warm-up. V8 compiles the code of Express
 * until a process has served 20,000 to 215,000 requests (docs/method.md).
 */
export const EARLY_REQUESTS = 100_000
/** Additional cost of each of them, as a share: the largest that was seen while V8 compiled (docs/method.md). */
export const EARLY_MORE = 0.4

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
 * @param {number} [early] nominal CPU time per request among the first EARLY_REQUESTS of the process
 * @returns {string} path of the file
 */
export function writePlanted (dir, name, micros, early = micros) {
  const file = join(dir, `${name}.js`)
  const original = JSON.stringify(pathToFileURL(pluginFile('server', ORIGINAL)).href)
  const [turns, earlyTurns] = [micros, early].map(value => value === 0 ? 0 : Math.round(value * turnsPerMicro()))
  writeFileSync(file, `import original from ${original}
export { about } from ${original}

${work}
export const countTurns = served => served < ${EARLY_REQUESTS} ? ${earlyTurns} : ${turns}
let x = 1
let served = 0
export default async context => {
  const app = await original(context)
  return (req, res) => {
    x = work(x, countTurns(served++))
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
  return { ...planExperiment(name, { ...experiment, ...common }, options, { parse, protocol }), startBlocks }
}
