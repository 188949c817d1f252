/** What makes a server of hopbench's own an app that can be deployed as it is: its module, its data, its packages. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pluginFile } from '../../plugins.js'
import { jsonFixture } from '../../topology/fixtures/fixtures.js'

const require = createRequire(import.meta.url)
/** A package, or the part of one that is imported; none of Node's own. */
const IMPORT = /^import .* from '((?:@[\w.-]+\/)?[\w.-]+)'$/gm

/**
 * @param {string} name of a server of JSON
 * @returns {Record<string, string>} file → text
 */
export function exampleFiles (name) {
  const code = readFileSync(pluginFile('server', name), 'utf8')
  const dependencies = Object.fromEntries([...code.matchAll(IMPORT)].map(([, packaged]) =>
    [packaged, `^${require(`${packaged}/package.json`).version}`]))
  return {
    'app.mjs': code.replace(/^\/\*\* @import .*\n/gm, ''),
    'files/1kb.json': jsonFixture(),
    'package.json': `${JSON.stringify({ name: `${name}-kit`, private: true, dependencies }, null, 2)}\n`
  }
}
