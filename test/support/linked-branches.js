/** Branches whose trees hold links, and folders outside of their checkouts that `hopbench diff` must not change. */
import fc from 'fast-check'
import {
  lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync
} from 'node:fs'
import { join, relative } from 'node:path'
import * as sides from '../../bench/features/diff/sides.js'
import { getAppFolder } from '../../bench/features/diff/targets.js'
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

/** Mode of a link in git. */
const LINK = '120000'
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
 * @param {{ hasGit: boolean }} options hasGit: git makes the checkouts, which takes most of the time of a case
 */
export async function testLinks (t, cases, { hasGit }) {
  await t.test('preparing and removing a checkout changes nothing outside', async t => {
    const places = await makePlaces(t)
    const { commit, prepareSides } = hasGit ? { commit: commitBranch, ...sides } : await replaceGit(t)
    const before = describeOutside(places)
    /** @type {Record<string, number>} */
    const ends = {}
    // A smaller example would fail at once after a failure, because the places have changed.
    await fc.assert(fc.asyncProperty(branches, async branch => {
      await commit(places, branch)
      const end = await prepareAndRemove(prepareSides, branch)
      ends[end] = (ends[end] ?? 0) + 1
      const change = findChange(before, describeOutside(places))
      if (change !== null) throw new Error(`${change} has changed`)
      if (readdirSync(places.temp).length > 0) throw new Error('a temporary folder is left')
    }), { numRuns: cases, seed: SEED, endOnFailure: true })
    // A commit without the folder of --cwd, or with a file in its place, is rejected, too.
    t.strictSame(Object.keys(ends).filter(end => ends[end] > cases / 10).sort(), ['linked-checkout', 'prepared'])
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
 * Returns the entries of a branch in the order in which they are written. A later entry replaces an earlier one.
 *
 * @param {Places} places
 * @param {Branch} branch
 * @returns {Entry[]}
 */
const toEntries = (places, { links, isLocked }) => [
  ...Object.entries({ ...FILES, 'package-lock.json': isLocked ? LOCK : '{}' })
    .map(([path, text]) => ({ path, mode: '100644', text })),
  ...links.map(({ path, target }) => ({ path, mode: LINK, text: toTarget(places, path, target) }))
]

/**
 * Commits a tree to the branch "linked".
 *
 * @param {Places} places
 * @param {Branch} branch
 */
async function commitBranch (places, branch) {
  const input = [
    'commit refs/heads/linked', 'committer Test <test@example.org> 0 +0000', 'data 4', 'tree', 'deleteall',
    ...toEntries(places, branch).flatMap(({ path, mode, text }) =>
      [`M ${mode} inline ${path}`, `data ${Buffer.byteLength(text)}`, text]),
    ''
  ].join('\n')
  const argv = ['git', '-C', places.repository, 'fast-import', '--force', '--quiet']
  const { exit, stderr } = await run(argv, { input })
  if (exit !== 0) throw new Error(`git fast-import: ${stderr}`)
}

/**
 * Replaces git: the checkouts of the branch are written directly.
 *
 * @param {Test} t
 */
async function replaceGit (t) {
  /** @type {Entry[]} */
  let entries = []
  /** @type {Places} */
  let places
  const toCommit = (/** @type {string} */ inside) =>
    ({ label: 'linked', ref: 'linked', commit: 'linked', changes: 0, top: null, inside })
  /** @type {typeof sides} */
  const { prepareSides } = await t.mockImport('../../bench/features/diff/sides.js', {
    '../../bench/features/diff/git.js': {
      checkOut: async (/** @type {string} */ _top, /** @type {string} */ _commit, /** @type {string} */ dir) => {
        for (const entry of entries) writeEntry(dir, entry)
        return () => rmSync(dir, { recursive: true, force: true })
      }
    },
    '../../bench/features/diff/targets.js': {
      getAppFolder,
      findTargets: async (/** @type {string[]} */ words, /** @type {{ cwd: string }} */ { cwd }) => {
        const inside = cwd === '.' ? '' : cwd
        const base = toCommit(inside)
        const head = words.length > 1 ? base : { ...base, commit: null, top: places.repository }
        return { base, head, repository: places.repository }
      }
    }
  })
  const commit = async (/** @type {Places} */ made, /** @type {Branch} */ branch) => {
    places = made
    entries = toEntries(places, branch)
  }
  return { commit, prepareSides }
}

/**
 * Writes an entry as git does: it replaces all that has its path, and links and files above it.
 *
 * @param {string} dir
 * @param {Entry} entry
 */
function writeEntry (dir, { path, mode, text }) {
  const folders = path.split('/').map((_, i, names) => join(dir, ...names.slice(0, i)))
  for (const folder of folders) {
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue
    rmSync(folder, { force: true })
    mkdirSync(folder)
  }
  rmSync(join(dir, path), { recursive: true, force: true })
  if (mode === LINK) symlinkSync(text, join(dir, path))
  else writeFileSync(join(dir, path), text)
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
 * @param {typeof sides.prepareSides} prepareSides
 * @param {Branch} branch
 * @returns {Promise<string>} prepared, or the code of the error
 */
async function prepareAndRemove (prepareSides, { cwd, isPair, build }) {
  try {
    const { close } = await prepareSides(isPair ? ['linked', 'linked'] : ['linked'], {
      app: 'node app.js', cwd, build: isPair ? build : undefined
    }, () => {})
    close()
    return 'prepared'
  } catch (error) {
    // Code that is loaded again for a replacement has another class of errors.
    if (error instanceof Error && error.name === 'HopbenchError' && 'code' in error) return String(error.code)
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
