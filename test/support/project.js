/** Copies of the project to which a test adds files. */
import { chmodSync, cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { project } from './cli.js'
import { tempFolder } from './temp.js'

/** @import { Scope } from './cli.js' */

const PARTS = ['bench', 'servers', 'proxy', 'nginx', 'results/schema.json', 'results/experiment.schema.json',
  'package.json', 'package-lock.json', 'compared-lock.json', 'ecosystem.config.js']

/**
 * @param {Scope} t
 * @param {{ modules?: 'linked' | 'copied' | 'none', name?: string }} [options] copied: for an account without access to
 *   the original; name: name of the folder; default: random
 * @returns {string} its folder
 */
export function copyOfProject (t, { modules = 'linked', name = '' } = {}) {
  const made = tempFolder(t)
  const copy = join(made, name)
  for (const part of PARTS) cpSync(join(project, part), join(copy, part), { recursive: true })
  if (modules === 'linked') symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
  if (modules === 'copied') {
    cpSync(join(project, 'node_modules'), join(copy, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  }
  for (const dir of [made, copy]) chmodSync(dir, 0o755)
  return copy
}
