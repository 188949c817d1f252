/** Servers that differ by a known amount of CPU time for each request: the same one, and some work. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pluginFile } from '../../plugins.js'

/** The one that is copied. */
export const ORIGINAL = 'express-json'
/** Shares of its CPU time per request; nothing, for arms that are to be equal. */
export const MORE = [0, 0.03, 0.05, 0.1]

/** The work is CPU time and no pause: whoever waits would not be slower under load.
 * @param {string} dir takes the module @param {number} share for its name @param {number} micros more for every request
 * @returns {string} the file */
export function writePlanted (dir, share, micros) {
  const file = join(dir, `more-${Math.round(share * 100)}.js`)
  const original = JSON.stringify(pathToFileURL(pluginFile('server', ORIGINAL)).href)
  writeFileSync(file, `import original from ${original}
export { about } from ${original}

export default async context => {
  const app = await original(context)
  return (req, res) => {
    const until = process.hrtime.bigint() + ${Math.round(micros * 1000)}n
    while (process.hrtime.bigint() < until);
    app(req, res)
  }
}
`)
  return file
}
