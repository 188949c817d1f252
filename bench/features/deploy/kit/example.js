/** Turns a server of hopbench into an app that can be deployed: its module, data and packages. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pluginFile } from '../../../plan/plugins.js'
import { jsonFixture } from '../../../topology/fixtures/fixtures.js'

const require = createRequire(import.meta.url)
/** Matches imports of packages, but not those of node: modules or files. */
const IMPORT = /(?:^import .* from |\bimport\()'((?:@[\w.-]+\/)?[\w.-]+)'/gm

/**
 * @param {string} name of a server that serves JSON
 * @returns {Record<string, string>} text by file
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
