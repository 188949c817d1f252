/** Creates the environment of the commands that install and build, without the user's secrets. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Matches the variables that these commands get: folders of programs, language, temporary folder, and the way to a
 * registry. Excludes all others, because the scripts of a branch could send a token to another machine.
 */
const PASSED = new RegExp('^(PATH|LANG|LC_\\w+|TMPDIR|CI|NODE_ENV|COREPACK_HOME|VOLTA_HOME|NODE_EXTRA_CA_CERTS|' +
  '(https?|all|no)_proxy|npm_config_(cache|registry|cafile|proxy|https?_proxy|noproxy))$', 'i')

/**
 * Returns the variables that differ from those of this process.
 *
 * @param {string} home a new folder, in which tools find no settings and no tokens of the account
 * @returns {NodeJS.ProcessEnv} undefined: the variable is not set
 */
export const createEnvironment = home => ({
  ...Object.fromEntries(Object.keys(process.env).filter(name => !PASSED.test(name)).map(name => [name, undefined])),
  HOME: home,
  // npm verifies each file of its cache by the lock file.
  npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
  // Corepack would ask on the terminal before it downloads a manager.
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  // Husky would write to the configuration of the repository.
  HUSKY: '0'
})
