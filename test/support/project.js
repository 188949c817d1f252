/** A copy of the project into which a test drops files, as a person would. */
import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { project } from './cli.js'

const PARTS = ['bench', 'servers', 'proxy', 'nginx', 'apache', 'results/schema.json', 'package.json', 'package-lock.json']

/**
 * @param {import('./cli.js').Scope} t
 * @param {{ modules?: 'linked' | 'copied' }} [options] copied: for an account that cannot reach the original
 * @returns {string} its folder
 */
export function copyOfProject (t, { modules = 'linked' } = {}) {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'hb-')))
  t.teardown(() => rmSync(copy, { recursive: true, force: true }))
  for (const part of PARTS) cpSync(join(project, part), join(copy, part), { recursive: true })
  if (modules === 'linked') symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
  else cpSync(join(project, 'node_modules'), join(copy, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  chmodSync(copy, 0o755)
  return copy
}
