/** Directory from which hopbench was started. npm changes into the project's folder before it runs a script. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Returns the directory from which hopbench was started. INIT_CWD is used in a clone only: a hopbench installed in
 * another project already runs in the caller's directory.
 * @returns {string} absolute path
 */
export const callerCwd = () =>
  relative(PROJECT, process.cwd()) === '' ? process.env.INIT_CWD ?? process.cwd() : process.cwd()
