/** Branches whose trees hold links, and folders outside of their checkouts that `hopbench diff` must not change. */
import fc from 'fast-check'
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isHopbenchError } from '../../bench/errors.js'
import { prepareSides } from '../../bench/features/diff/sides.js'
import { run } from '../../bench/machine/process.js'
import { SEED } from './fuzz-cases.js'
import { inEnvironment, program } from './provoke.js'
import { makeRepository } from './repository.js'
import { tempFolder } from './temp.js'

/** @import { Test } from 'tap' */

/** @typedef {{ sandbox: string, repository: string, canary: string, temp: string, bin: string }} Places */
/** @typedef {{ path: string, mode: string, text: string }} Entry of a commit; mode: of git; text: content or target */
/** @typedef {{ kind: string, name: string, climbs: number, other: string }} Target */
/** @typedef {{ links: { path: string, target: Target }[], isLocked: boolean, cwd: string, isPair: boolean,
 *   build: string | undefined }} Branch isLocked: has the lock file of the working tree; isPair: head is the branch */

const MANIFEST = JSON.stringify({ workspaces: ['packages/*'], dependencies: { a: '1.0.0' } })
const LOCK = '{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0"}}}'
/** Files of each branch below its links. */
const FILES = { 'package.json': MANIFEST, 'app.js': '', 'lib/a.js': '', 'packages/api/package.json': '{}' }
/** Paths of links. A link can replace a folder of another one, or be inside of it. */
const PATHS = ['node_modules', 'node_modules/a', 'node_modules/.cache', 'Node_Modules', '.cache', '.yarn', '.npmrc',
  '.pnp.cjs', 'package.json', 'package-lock.json', 'packages', 'packages/api', 'packages/api/node_modules',
  'packages/api/node_modules/.cache', 'packages/web', 'lib', 'lib/node_modules', 'lib/deep/link', 'app.js', 'data']
/** Names in the canary. The last is missing. */
const NAMES = ['', '/.cache', '/node_modules', '/package.json', '/node_modules/.package-lock.json', '/api', '/missing']
/**
 * A package manager that follows links as real ones do: it removes packages, writes packages, and writes those of each
 * workspace. Removes only what the canary has, so that a wrong hopbench harms no other folder.
 */
const MANAGER = `case "$1" in --version) exit 0 ;; esac
rm -rf node_modules/.cache node_modules/a
mkdir -p node_modules && echo new > node_modules/.package-lock.json
for folder in packages/*/ lib/; do
  [ -d "$folder" ] && mkdir -p "$folder/node_modules" && echo new > "$folder/node_modules/b"
done
echo new > .pnp.cjs
mkdir -p .yarn && echo new > .yarn/state
exit 0`

/** @type {fc.Arbitrary<Target>} */
const targets = fc.record({
  kind: fc.constantFrom('absolute', 'relative', 'parent', 'working tree', 'inside', 'missing', 'other link'),
  name: fc.constantFrom(...NAMES),
  climbs: fc.integer({ min: 0, max: 3 }),
  other: fc.constantFrom(...PATHS)
})
/** @type {fc.Arbitrary<Branch>} */
const branches = fc.record({
  links: fc.uniqueArray(fc.record({ path: fc.constantFrom(...PATHS), target: targets }), {
    maxLength: 4, selector: ({ path }) => path
  }),
  isLocked: fc.boolean(),
  cwd: fc.constantFrom('.', '.', '.', 'packages/api', 'lib'),
  isPair: fc.boolean(),
  build: fc.constantFrom(undefined, undefined, 'echo built > built')
})

/**
 * Tests that the preparation and the removal of a checkout change nothing outside of it.
 *
 * @param {Test} t
 * @param {number} cases
 */
export async function testLinks (t, cases) {
  await t.test('preparing and removing a checkout changes nothing outside', async t => {
    const places = await makePlaces(t)
    const before = describeOutside(places)
    /** @type {Record<string, number>} */
    const ends = {}
    // A smaller example would fail at once after a failure, because the places have changed.
    await fc.assert(fc.asyncProperty(branches, async branch => {
      await commitBranch(places, branch)
      const end = await prepareAndRemove(branch)
      ends[end] = (ends[end] ?? 0) + 1
      const change = findChange(before, describeOutside(places))
      if (change !== null) throw new Error(`${change} has changed`)
      if (readdirSync(places.temp).length > 0) throw new Error('a temporary folder is left')
    }), { numRuns: cases, seed: SEED, endOnFailure: true })
    t.ok(ends.prepared > cases / 10, `${ends.prepared} of ${cases} were prepared`)
    t.ok(ends['linked-checkout'] > cases / 10, `${ends['linked-checkout']} of ${cases} were rejected`)
  })

  await t.test('the package manager of the test changes the canary through a link', async t => {
    const places = await makePlaces(t)
    const before = describeOutside(places)
    const folder = join(places.temp, 'app')
    mkdirSync(folder)
    symlinkSync(places.canary, join(folder, 'node_modules'))
    const { exit } = await run([join(places.bin, 'npm'), 'ci'], { cwd: folder })
    t.equal(exit, 0)
    t.match(findChange(before, describeOutside(places)), /^canary/)
  })
}

/**
 * Makes a repository with installed packages, a canary beside it, and a folder for temporary files.
 *
 * @param {Test} t
 * @returns {Promise<Places>}
 */
async function makePlaces (t) {
  const sandbox = tempFolder(t)
  const repository = await makeRepository(t, { files: { 'package.json': MANIFEST, 'package-lock.json': LOCK } })
  const [canary, temp, bin] = ['canary', 'tmp', 'bin'].map(name => join(sandbox, name))
  for (const folder of [temp, bin]) mkdirSync(folder)
  for (const folder of [canary, join(canary, 'api'), repository]) {
    mkdirSync(join(folder, 'node_modules/a'), { recursive: true })
    mkdirSync(join(folder, 'node_modules/.cache'))
    mkdirSync(join(folder, '.cache'))
    for (const file of ['node_modules/.cache/kept', 'node_modules/a/index.js', '.cache/kept']) {
      writeFileSync(join(folder, file), 'kept', { mode: 0o640 })
    }
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), LOCK)
    writeFileSync(join(folder, 'package.json'), MANIFEST)
  }
  for (const folder of ['packages/api', 'lib']) mkdirSync(join(repository, folder), { recursive: true })
  program(bin, 'npm', MANAGER)
  inEnvironment(t, {
    INIT_CWD: repository, HOPBENCH_DIFF: '', TMPDIR: temp, PATH: `${bin}:${process.env.PATH}`
  })
  return { sandbox, repository, canary, temp, bin }
}

/**
 * Commits a tree to the branch "linked".
 *
 * @param {Places} places
 * @param {Branch} branch
 */
async function commitBranch (places, { links, isLocked }) {
  const files = { ...FILES, 'package-lock.json': isLocked ? LOCK : '{}' }
  /** @type {Entry[]} */
  const entries = [
    ...Object.entries(files).map(([path, text]) => ({ path, mode: '100644', text })),
    ...links.map(({ path, target }) => ({ path, mode: '120000', text: toTarget(places, path, target) }))
  ]
  const input = [
    'commit refs/heads/linked', 'committer Test <test@example.org> 0 +0000', 'data 4', 'tree', 'deleteall',
    ...entries.flatMap(({ path, mode, text }) =>
      [`M ${mode} inline ${path}`, `data ${Buffer.byteLength(text)}`, text]),
    ''
  ].join('\n')
  const argv = ['git', '-C', places.repository, 'fast-import', '--force', '--quiet']
  const { exit, stderr } = await run(argv, { input })
  if (exit !== 0) throw new Error(`git fast-import: ${stderr}`)
}

/**
 * Returns the text of a link.
 *
 * @param {Places} places
 * @param {string} path of the link
 * @param {Target} target
 */
function toTarget ({ canary, repository }, path, { kind, name, climbs, other }) {
  const toTop = '../'.repeat(path.split('/').length - 1)
  switch (kind) {
    case 'absolute': return canary + name
    // A checkout is in a temporary root, which is beside the canary's folder.
    case 'relative': return `${toTop}../../../canary${name}`
    case 'parent': return `${toTop}${'../'.repeat(climbs)}.`
    case 'working tree': return `${repository}/node_modules`
    case 'inside': return `${toTop}lib`
    case 'missing': return 'nowhere'
    default: return `${toTop}${other}`
  }
}

/**
 * Prepares the comparison with the branch, and removes its checkouts.
 *
 * @param {Branch} branch
 * @returns {Promise<string>} prepared, or the code of the error
 */
async function prepareAndRemove ({ cwd, isPair, build }) {
  try {
    const { close } = await prepareSides(isPair ? ['linked', 'linked'] : ['linked'], {
      app: 'node app.js', cwd, build: isPair ? build : undefined
    }, () => {})
    close()
    return 'prepared'
  } catch (error) {
    if (isHopbenchError(error)) return error.code
    throw error
  }
}

/**
 * Returns type, mode, time and content of everything outside of the checkouts.
 *
 * @param {Places} places
 * @returns {Map<string, string>}
 */
const describeOutside = ({ canary, repository, sandbox }) => new Map([canary, repository].flatMap(top => {
  const parent = top === canary ? sandbox : join(repository, '..')
  return listAll(top).filter(path => !path.startsWith(join(repository, '.git'))).map(path => {
    const { mode, mtimeNs, ino } = lstatSync(path, { bigint: true })
    return /** @type {[string, string]} */ ([relative(parent, path), `${mode} ${mtimeNs} ${ino} ${readContent(path)}`])
  })
}))

/**
 * Lists a folder and everything below it.
 *
 * @param {string} path
 * @returns {string[]}
 */
const listAll = path => [
  path, ...lstatSync(path).isDirectory() ? readdirSync(path).flatMap(name => listAll(join(path, name))) : []
]

/** @param {string} path */
function readContent (path) {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return readlinkSync(path)
  return stats.isFile() ? readFileSync(path, 'utf8') : ''
}

/**
 * @param {Map<string, string>} before
 * @param {Map<string, string>} after
 * @returns {string | null} first path that differs; null: nothing differs
 */
const findChange = (before, after) =>
  [...before.keys(), ...after.keys()].find(path => before.get(path) !== after.get(path)) ?? null
