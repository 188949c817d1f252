/** Variables of the commands that install and build a state of `hopbench diff`. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { createEnvironment } from '../../../bench/features/diff/environment.js'
import { run } from '../../../bench/machine/process.js'
import { inEnvironment } from '../../support/provoke.js'

const SECRET = {
  NPM_TOKEN: 'sesame',
  GITHUB_TOKEN: 'sesame',
  AWS_SECRET_ACCESS_KEY: 'sesame',
  DATABASE_URL: 'postgres://a:sesame@b',
  SSH_AUTH_SOCK: '/sesame',
  npm_config_userconfig: '/sesame/.npmrc',
  'npm_config_//r.example/:_authToken': 'sesame',
  NODE_OPTIONS: '--title=sesame',
  XDG_CONFIG_HOME: '/sesame',
  GIT_DIR: '/sesame',
  COOKIE: 'sesame'
}
const PASSED = {
  LANG: 'C',
  CI: 'true',
  NODE_ENV: 'test',
  HTTPS_PROXY: 'http://proxy.example:3128',
  no_proxy: 'localhost',
  npm_config_registry: 'https://r.example/',
  npm_config_cache: '/var/cache/npm'
}

/**
 * Returns the variables that a command gets.
 *
 * @param {string} home
 * @returns {Promise<Record<string, string>>}
 */
async function readVariables (home) {
  const { stdout } = await run(['env', '-0'], { env: createEnvironment(home) })
  return Object.fromEntries(stdout.split('\0').filter(Boolean).map(line => {
    const end = line.indexOf('=')
    return [line.slice(0, end), line.slice(end + 1)]
  }))
}

t.test('a command gets the variables of the list, and no other', async t => {
  inEnvironment(t, { ...SECRET, ...PASSED })
  const variables = await readVariables('/empty')
  t.notMatch(JSON.stringify(variables), 'sesame')
  t.strictSame(Object.keys(SECRET).filter(name => Object.hasOwn(variables, name)), [])
  const found = Object.fromEntries(Object.keys(PASSED).map(name => [name, variables[name]]))
  t.strictSame(found, PASSED)
  t.equal(variables.HOME, '/empty')
  t.equal(variables.PATH, process.env.PATH)
})

t.test('the cache of npm is that of the user', async t => {
  inEnvironment(t, { npm_config_cache: '' })
  delete process.env.npm_config_cache
  t.equal((await readVariables('/empty')).npm_config_cache, join(homedir(), '.npm'))
})
