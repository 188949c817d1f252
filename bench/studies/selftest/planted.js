/** Servers that differ by a known amount of CPU time for each request: the same one, and some work. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pluginFile } from '../../plugins.js'

/** The one that is copied. */
export const ORIGINAL = 'express-json'

/**
 * A number of turns and no length of time: what slows the machine down slows the request and its work alike. Its text
 * is copied.
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

/** How many turns take a microsecond here, the quickest of some tries: nominal, a pilot measures the cost a request.
 */
export function turnsPerMicro () {
  let x = 1
  const tries = Array.from({ length: 8 }, () => {
    const at = performance.now()
    x = work(x, TRIED_TURNS)
    return (performance.now() - at) * 1000
  })
  return (known ??= TRIED_TURNS / Math.min(...tries))
}

/**
 * The work is CPU time and no pause: a server that waits would not be slower under load.
 *
 * @param {string} dir takes the module
 * @param {string} name of the file, without .js
 * @param {number} micros more for every request, nominal
 * @returns {string} the file
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
