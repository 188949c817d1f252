/** Dockerfiles of kits for package managers: checked by a linter, and their instructions carried out. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../bench/machine/process.js'
import { pythonEnvironment } from '../../bench/machine/setup/python.js'
import { hopbench, makeWorkspace, project as own } from './cli.js'
import { skipWithout } from './needs.js'
import { OUTSIDE_NPM } from './packed.js'

/** @import { Test } from 'tap' */

const BUILD = 'node -e "require(\'is-odd\'); require(\'fs\').writeFileSync(\'built\', \'\')"'
const MANIFEST = {
  name: 'shop',
  license: 'MIT',
  scripts: { start: 'node server.js', build: BUILD },
  dependencies: { ms: '2.1.3' },
  devDependencies: { 'is-odd': '3.0.1' }
}
/**
 * Package of each manager, the command that writes a lock file, and settings.
 * @type {Record<string, { manager: string | null, lock: string, settings?: Record<string, string> }>}
 */
const MANAGERS = {
  npm: { manager: null, lock: 'npm install --package-lock-only --no-audit' },
  pnpm: { manager: 'pnpm@10', lock: 'pnpm install --lockfile-only' },
  'yarn 1': { manager: 'yarn@1.22.22', lock: 'yarn install && rm -r node_modules' },
  'yarn 4': {
    manager: '@yarnpkg/cli-dist@4',
    lock: 'yarn install --mode=update-lockfile',
    settings: { '.yarnrc.yml': 'nodeLinker: node-modules\nenableTelemetry: false\n', 'yarn.lock': '' }
  }
}
/** Ignored: exact versions of Debian's packages, which leave its archive with the next update. */
const IGNORED = ['DL3008']

/**
 * Makes a project, and a folder for the manager.
 * @param {Test} t
 * @param {{ lock: string, manager: string | null, settings?: Record<string, string> }} manager
 */
async function makeProject (t, { manager, lock, settings = {} }) {
  const workspace = makeWorkspace(t)
  const [dir, prefix] = ['shop', 'prefix'].map(name => join(workspace.dir, name))
  for (const folder of [dir, prefix]) mkdirSync(folder)
  const files = { 'package.json': JSON.stringify(MANIFEST), 'server.js': '', ...settings }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const env = {
    npm_config_prefix: prefix, PATH: `${join(prefix, 'bin')}:${process.env.PATH}`, HOME: workspace.tmp, NODE_OPTIONS: ''
  }
  const sh = async (/** @type {string} */ command) => {
    const { exit, stdout, stderr } = await run([...OUTSIDE_NPM, 'sh', '-c', command],
      { cwd: dir, env, timeoutSeconds: 150 })
    if (exit !== 0) throw new Error(`${command}: ${stdout}${stderr}`)
  }
  if (manager !== null) await sh(`npm install --global --force ${manager}`)
  await sh(lock)
  const config = async (/** @type {string[]} */ args) => {
    const { exit, stderr } = await hopbench(
      ['config', 'nginx:keepalive/app', '--app', 'npm start', '--target', 'docker', '--force', ...args],
      { workspace, cwd: dir })
    if (exit !== 0) throw new Error(stderr)
    return readFileSync(join(dir, 'deploy/Dockerfile'), 'utf8')
  }
  return { dir, sh, config }
}

/**
 * Returns the instructions that concern the packages of the project, in their order.
 * @param {string} dockerfile
 */
export const instructions = dockerfile => [...dockerfile.matchAll(/^RUN (.*)$/gm)].map(([, command]) => command)
  .filter(command => !/^(apt-get|install) /.test(command))

/** @param {string} path */
export async function findFaults (path) {
  const { folder } = await pythonEnvironment({
    program: 'hadolint', requirements: join(own, 'test/support/hadolint/requirements.txt'), least: '3.9'
  })
  const { stdout } = await run([join(folder, 'bin/hadolint'), '--format', 'json', path])
  return JSON.parse(stdout)
    .filter((/** @type {any} */ { code, level }) => level !== 'info' && !IGNORED.includes(code))
}

/**
 * Tests that an image gets the packages of the lock file.
 * @param {Test} t
 * @param {string} name of a package manager
 */
export function testManager (t, name) {
  t.test(`${name}: the image gets the packages of the lock file, and after a build only those for production`,
    { skip: skipWithout('registry', 'hadolint') }, async t => {
      const { dir, sh, config } = await makeProject(t, MANAGERS[name])
      const packages = () => readdirSync(join(dir, 'node_modules')).filter(name => !name.startsWith('.'))

      for (const command of instructions(await config([]))) await sh(command)
      t.strictSame(packages(), ['ms'])
      t.strictSame(await findFaults(join(dir, 'deploy/Dockerfile')), [])

      for (const command of instructions(await config(['--build', 'npm run build']))) await sh(command)
      t.ok(existsSync(join(dir, 'built')), 'the build had the packages for development')
      t.strictSame(packages(), ['ms'])
      t.strictSame(await findFaults(join(dir, 'deploy/Dockerfile')), [])
    })
}
