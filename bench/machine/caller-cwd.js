/** Where the person stood: npm changes into the folder of the project whose script it runs. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Where hopbench is installed in another project, that one's script runs where it was called: INIT_CWD counts in a
 * clone only.
 * @returns {string} absolute path
 */
export const callerCwd = () =>
  relative(PROJECT, process.cwd()) === '' ? process.env.INIT_CWD ?? process.cwd() : process.cwd()
