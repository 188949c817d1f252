/** Projects with planted secrets, and the property of the build context that a kit gives them. */
import fc from 'fast-check'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findContext } from '../../bench/features/deploy/kit/context.js'
import { kitFiles } from '../../bench/features/deploy/kit/deploy-kit.js'
import { parse } from '../../bench/plan/spec.js'
import { filesInContext } from './docker-context.js'
import { makeKitFacts } from './made-kit.js'
import { tempFolder } from './temp.js'

/** @import { Test } from 'tap' */
/** @import { ImageContext } from '../../bench/features/deploy/kit/types.js' */

/** A file of a project. @typedef {{ path: string, text: string, isSecret: boolean, isTracked: boolean }} Planted */
/** @typedef {{ files: Planted[], later: string[], hasGit: boolean, ignored: string[] }} Project */

/** Variable in the settings of a package manager. */
const VARIABLE = '$' + '{NPM_TOKEN}'
const TOKEN = `ghp_${'a1B2'.repeat(9)}`
const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B'.repeat(3)}\n-----END PRIVATE KEY-----\n`

/** Files and folders that are secret by their names. */
export const SECRET_FILES = ['.env', '.env.production', '.env-prod', '.env_ci', 'config.env', '.envrc',
  '.git-credentials', '.netrc', '.pgpass',
  '.my.cnf', '.pypirc', '.htpasswd', 'id_rsa', 'id_ed25519', 'cert.p12', 'site.key', 'store.jks', 'vault.kdbx',
  'service-account.json', 'service-account-prod.json', 'serviceAccountKey.json', 'google-credentials.json',
  'client_secret_1.json', 'dump.sql', 'prod-dump.sql', 'db.sql.gz', 'terraform.tfstate', 'terraform.tfstate.backup',
  'prod.tfvars', '.aws/credentials', '.docker/config.json', '.ssh/config', '.kube/config', '.gnupg/pubring.kbx',
  'secrets/prod.json', 'secrets.yml']
/** Files that are secret by their texts. @type {[name: string, text: string][]} */
export const SECRET_TEXTS = [
  ['.npmrc', '//registry.example/:_authToken=abcdefghijkl\n'],
  ['.npmrc', `registry=https://r.example/\n//r.example/:_authToken=${'x'.repeat(30)}\ntoken=${VARIABLE}\n`],
  ['.yarnrc.yml', 'nodeLinker: node-modules\nnpmAuthToken: abcdefghijkl\n'],
  ['.yarnrc', '"//r.example/:_authToken" "abcdefgh"\n_authToken=abcdefgh\n'],
  ['server.pem', KEY],
  ['settings.js', `export const token = '${TOKEN}'\n`],
  ['account.json', JSON.stringify({ type: 'service', text: KEY })],
  ['notes.txt', `aws AKIA${'Z9'.repeat(8)}\n`]
]
/** Files that an app needs. @type {[name: string, text: string][]} */
const NEEDED = [
  ['index.js', "import { token } from './token.js'\n"],
  ['token.js', "export const password = process.env.PASSWORD\nexport const npm_package_version = '1'\n"],
  ['package.json', '{ "name": "shop", "author": "Me", "scripts": { "start": "node index.js" } }'],
  ['[id].js', ''], ['a b.css', ''], ['#1.txt', ''], ['!.txt', ''], ['*.txt', ''], ['schema.sql', 'CREATE TABLE a (b)'],
  ['.npmrc', `registry=https://r.example/\nsave-exact=true\n//r.example/:_authToken=${VARIABLE}\n`],
  ['.yarnrc.yml', `nodeLinker: node-modules\nnpmAuthToken: "${VARIABLE}"\n`],
  ['ca.pem', '-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END CERTIFICATE-----\n'],
  ['environment.js', ''], ['keys.js', ''], ['secrets.js', ''], ['.eslintrc', '']
]
const FOLDERS = ['src', 'lib', 'a b', '[slug]', '#x', '!y', '.hidden', 'Ä', 'config']
/** Lines of an ignore file of a project. */
const IGNORED = ['*.css', 'src', '/lib', '**/*.txt', 'src/**', 'config/*', '**/index.js', '\\[slug]', '# none', '',
  '!src', '!**/index.js', '!config/index.js', '!.env', '!**/.npmrc']

const folders = fc.array(fc.constantFrom(...FOLDERS), { maxLength: 4 })
const inFolder = (/** @type {fc.Arbitrary<string>} */ names) =>
  fc.tuple(folders, names).map(([folder, name]) => [...folder, name].join('/'))
const secretNames = fc.tuple(fc.constantFrom(...SECRET_FILES), fc.constantFrom('as it is', 'as it is', 'upper'))
  .map(([name, style]) => style === 'upper' ? name.toUpperCase() : name)
/** @param {[name: string, text: string][]} files */
const planted = files => fc.tuple(folders, fc.constantFrom(...files))
  .map(([folder, [name, text]]) => ({ path: [...folder, name].join('/'), text }))
const files = fc.oneof(
  { weight: 3, arbitrary: planted(NEEDED).map(file => ({ ...file, isSecret: false })) },
  planted(SECRET_TEXTS).map(file => ({ ...file, isSecret: true })),
  inFolder(secretNames).map(path => ({ path, text: 'x', isSecret: true }))
)
const projects = /** @type {fc.Arbitrary<Project>} */ (fc.record({
  files: fc.uniqueArray(fc.tuple(files, fc.boolean()).map(([file, isTracked]) => ({ ...file, isTracked })),
    { selector: ({ path }) => path, minLength: 1, maxLength: 14 }),
  later: fc.array(inFolder(secretNames), { maxLength: 5 }),
  hasGit: fc.boolean(),
  ignored: fc.oneof(fc.constant([]), fc.array(fc.constantFrom(...IGNORED), { maxLength: 4 }))
}))

/**
 * Writes a project.
 * @param {string} dir
 * @param {Project} project
 */
function writeProject (dir, { files, hasGit, ignored }) {
  mkdirSync(dir)
  for (const { path, text } of files) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  if (ignored.length > 0) writeFileSync(join(dir, '.dockerignore'), ignored.join('\n'))
  if (!hasGit) return
  const git = (/** @type {string[]} */ ...args) => {
    const { status, stderr } = spawnSync('git', ['-C', dir, '--literal-pathspecs', ...args],
      { env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' }, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`)
  }
  const tracked = files.filter(({ isTracked }) => isTracked).map(({ path }) => path)
  git('init', '--quiet')
  if (tracked.length > 0) git('add', '--force', '--', ...tracked)
}

/**
 * Returns the ignore file of a docker kit.
 * @param {ImageContext} context
 */
export function toIgnoreFile (context) {
  const facts = makeKitFacts({ kit: 'deploy/', context })
  return kitFiles({
    topology: parse('./index.js'), spec: './index.js', target: 'docker', proxy: null, clients: 1, trusted: [], facts
  })['Dockerfile.dockerignore']
}

/**
 * Finds the build context of a project.
 * @param {string} project folder
 */
export const findWholeContext = project => findContext({
  project,
  scope: null,
  folders: [],
  needed: [],
  environments: [],
  own: ['deploy/start.sh'],
  kit: { spec: './index.js', target: 'docker' }
})

/**
 * Returns a property of each generated project.
 * @param {string} root for projects
 * @param {(project: Project, dir: string) => Promise<void>} check dir: that of the project
 */
export function ofProjects (root, check) {
  let cases = 0
  return fc.asyncProperty(projects, async project => {
    const dir = join(root, String(cases++))
    try {
      writeProject(dir, project)
      await check(project, dir)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
}

/**
 * Property: no classified secret is in the build context, each file that the app needs is, and no file that the ignore
 * file of the project names. Each secret is reported.
 * @param {string} root for projects
 */
function keepsSecretsOut (root) {
  return ofProjects(root, async ({ files, later, hasGit, ignored }, dir) => {
    const context = await findWholeContext(dir)
    const paths = files.map(({ path }) => path)
    const inside = filesInContext([...paths, ...later, 'deploy/start.sh'], toIgnoreFile(context))
    const permitted = filesInContext(paths, ignored.join('\n'))
    const isTrackedAlone = hasGit && files.some(({ isTracked }) => isTracked)
    const needed = files.filter(({ path, isSecret, isTracked }) =>
      !isSecret && permitted.includes(path) && (isTracked || !isTrackedAlone)).map(({ path }) => path)
    rejectOther([...new Set(inside)], [...needed, 'deploy/start.sh'])
    const reported = [...context.secrets, ...context.untracked.map(path => path.replace(/\/$/, ''))]
    const missing = files.find(({ path, isSecret }) => isSecret && permitted.includes(path) &&
      !reported.some(folder => path === folder || path.startsWith(`${folder}/`)))
    if (missing) throw new Error(`${missing.path} is not reported`)
  })
}

/**
 * @param {string[]} found paths
 * @param {string[]} wanted paths
 */
export function rejectOther (found, wanted) {
  if (JSON.stringify(found.sort()) === JSON.stringify(wanted.sort())) return
  throw new Error(`the context has ${found.join(', ')} in place of ${wanted.join(', ')}`)
}

/**
 * Tests a property. A failure names the seed, which HOPBENCH_SEED repeats.
 * @param {Test} t
 * @param {number} numRuns
 * @param {ReturnType<typeof ofProjects>} [property]
 */
export async function testContexts (t, numRuns, property = keepsSecretsOut(tempFolder(t))) {
  const { HOPBENCH_SEED } = process.env
  const { failed, seed, counterexample, errorInstance } = await fc.check(property,
    { numRuns, ...HOPBENCH_SEED && { seed: Number(HOPBENCH_SEED) } })
  const why = errorInstance instanceof Error ? errorInstance.message : ''
  t.notOk(failed, `HOPBENCH_SEED=${seed}: ${why}: ${JSON.stringify(counterexample)}`)
}
