/** Import order of bench/. docs/architecture.md describes the rooms. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'
import t from '../support/tap.js'
import { PROJECT } from '../../bench/plan/plugins.js'
import { OWN_CODE } from '../../bench/topology/confinement/confinement.js'

/** @typedef {{ file: string, target: string, isType: boolean }} Import target: a file of the project, or a package */

/** Rooms of the kernel. Each may import those before it. `base` holds errors and types, `entry` starts a command. */
const ORDER = ['base', 'shared', 'plan', 'machine', 'store', 'topology', 'load', 'measure', 'judge', 'report',
  'request', 'run', 'entry']
/** Pure rooms, which may import fewer. @type {Record<string, string[]>} */
const FEWER = { judge: ['base', 'shared', 'plan'], report: ['base', 'shared', 'plan', 'judge'] }
/** Folders of plug-ins, which may import the same as the room that loads them. @type {Record<string, string>} */
const LOADED_BY = { servers: 'topology', proxy: 'topology', engines: 'load', experiments: 'plan', scenarios: 'measure' }
/** Rooms of files outside the folder with the name of their room. The catalog has the errors of all features. */
const PLACES = Object.entries({
  base: /^bench\/((errors|types)\b|features\/[\w-]+\/errors\.)/,
  entry: /^bench\/(bootstrap|cli|worker|tasks)\./
})
/** Features, each a folder. The kernel imports none of them. */
const FEATURES = readdirSync(join(PROJECT, 'bench/features')).map(name => `features/${name}`)
/** Pairs of features of which one imports the other, at most. */
const MAX_PAIRS = 15

/** Courses of docs/architecture.md, with the file of the task that begins each. */
const COURSES = { 'The course of a run': 'bench/run/run-request.js' }
/** File that performs the tasks in a worker, and file that reports their records. */
const [WORKER, REPORT] = ['bench/worker.js', 'bench/run/show-record.js']
/** Folder of plug-ins that a file loads by their names. */
const LOADS = { file: 'bench/measure/rigs/rig.js', folder: 'bench/measure/protocols/' }

/** Files without I/O, clock and random numbers. Progress gets the time from its stream. */
const PURE = /^bench\/((errors|types|shared|plan|judge|report)\b(?!.*\/browser\/)|run\/pipeline)/
/** Exceptions: the loader reads folders of plug-ins and their schema, and templates are part of the code. */
const READS_FILES = ['bench/plan/plugins.js', 'bench/report/templates.js']
/** Node's own modules that reach outside. */
const IO = new RegExp('^node:(fs|fs/promises|net|http|https|child_process|timers|timers/promises|os|dgram|' +
  'worker_threads|process|events)$')
const CLOCK_OR_CHANCE = /Date\.now\(|new Date\(\)|performance\.now|Math\.random|process\.(env|argv|stdout|stderr)/

const files = ['bench', 'servers', 'proxy'].flatMap(walk)
const imports = files.flatMap(readImports)
const ours = imports.filter(({ target }) => files.includes(target))

/**
 * Imports against the order, by rooms, and circles of imports. This list only shrinks: a new import against the order
 * is an error, and so is an entry of the list without an import.
 * @type {{ imports: Record<string, string[]>, rooms: string[][], types: string[][] }}
 */
const KNOWN = JSON.parse(readFileSync(join(PROJECT, 'test/contract/import-order.json'), 'utf8'))

/** Server that starts the same file as the database of its rows. */
const DATABASE = 'servers/express-page.js'

t.test('every import besides those of the list follows the order of the rooms', async t => {
  const against = ours.filter(({ file, target }) => !mayImport(roomOf(file), roomOf(target)))
  /** @type {Record<string, string[]>} */
  const found = {}
  for (const { file, target } of against) {
    const pair = `${roomOf(file)} to ${roomOf(target)}`
    found[pair] = [...new Set([...found[pair] ?? [], `${file} imports ${target}`])].sort()
  }
  t.strictSame(found, KNOWN.imports)
})

t.test('imports in the order of the rooms have no circle besides those of the list', async t => {
  const pairs = ours.map(({ file, target }) => [roomOf(file), roomOf(target)])
  t.strictSame(findCircles(pairs.filter(([from, to]) => mayImport(from, to))), KNOWN.rooms)
})

t.test('a feature imports another one only through its index.js, or its types', async t => {
  const between = ours.filter(({ file, target }) => roomOf(file) !== roomOf(target) &&
    [file, target].every(name => FEATURES.includes(roomOf(name))))
  const code = between.filter(({ isType }) => !isType)
  t.strictSame(code.filter(({ target }) => !target.endsWith('/index.js')), [])
  const pairs = new Set(between.map(({ file, target }) => `${roomOf(file)} ${roomOf(target)}`))
  t.ok(pairs.size <= MAX_PAIRS, [...pairs].join(', '))
})

t.test('files of types import each other in no circle besides those of the list', async t => {
  const types = ours.filter(({ file, target }) => [file, target].every(name => name.endsWith('.d.ts')))
  t.strictSame(findCircles(types.map(({ file, target }) => [file, target])), KNOWN.types)
})

t.test('finds imports against the order, circles, and every form of an import', async t => {
  t.ok(mayImport('topology', 'machine'))
  t.notOk(mayImport('machine', 'topology'))
  t.notOk(mayImport('report', 'machine'), 'a pure room')
  t.notOk(mayImport('run', 'features/size'), 'a feature')
  t.ok(mayImport('features/size', 'run'))
  t.ok(mayImport('engines', 'load'))
  t.notOk(mayImport('engines', 'measure'))
  t.notOk(mayImport('load', 'engines'), 'a plug-in')
  t.strictSame(findCircles([['a', 'b'], ['b', 'c'], ['c', 'a'], ['c', 'd'], ['d', 'd']]), [['a', 'b', 'c']])
  t.strictSame(parseImports('bench/plan/x.js', `import './a.js'
    export { b } from '../b.js'
    /** @import { C } from './c.js' */
    /** @import { D } from './d.js' */
    const e = () => import('./e.js')
    /** @param {import('./f.js').F} f */
    const g = f => 'from "./none.js"'
    /** @import { H } from 'h' */`), [
    { file: 'bench/plan/x.js', target: 'bench/plan/a.js', isType: false },
    { file: 'bench/plan/x.js', target: 'bench/b.js', isType: false },
    { file: 'bench/plan/x.js', target: 'bench/plan/c.js', isType: true },
    { file: 'bench/plan/x.js', target: 'bench/plan/d.js', isType: true },
    { file: 'bench/plan/x.js', target: 'bench/plan/e.js', isType: false },
    { file: 'bench/plan/x.js', target: 'bench/plan/f.js', isType: true },
    { file: 'bench/plan/x.js', target: 'h', isType: true }
  ])
})

t.test('every file is in a room or a folder of plug-ins, and every pattern of a room matches a file', async t => {
  const rooms = [...ORDER, ...Object.keys(LOADED_BY), ...FEATURES]
  t.strictSame(files.filter(file => !rooms.includes(roomOf(file))), [])
  t.strictSame(rooms.filter(room => !files.some(file => roomOf(file) === room)), [])
})

t.test('docs/architecture.md lists the rooms of the kernel in their order', async t => {
  const page = readFileSync(join(PROJECT, 'docs/architecture.md'), 'utf8')
  const shown = [...page.matchAll(/^\| `bench\/(\w+)\/` \|/gm)].map(([, room]) => room)
  t.strictSame(shown, ORDER.filter(room => files.some(file => file.startsWith(`bench/${room}/`))))
})

t.test('the courses in docs/architecture.md name files that exist and that their first file reaches', async t => {
  const page = readFileSync(join(PROJECT, 'docs/architecture.md'), 'utf8')
  const started = ours.filter(({ file }) => file === WORKER).map(({ target }) => target)
  for (const [title, first] of Object.entries(COURSES)) {
    const named = findPaths(page.split(`\n## ${title}\n`)[1].split('\n## ')[0])
    t.strictSame(named.filter(path => !existsSync(join(PROJECT, path))), [], title)
    t.strictSame([first, REPORT].filter(file => !named.includes(file) || !started.includes(file)), [], title)
    t.match(named[0], /^bench\/features\/\w+\/command\.js$/)
    const reached = [WORKER, ...findReached([named[0], REPORT])]
    t.ok(reached.includes(first), title)
    t.strictSame(named.filter(path => !reached.some(file => file === path || isBelow(file, path))), [], title)
  }
})

t.test('each feature has a README.md that docs/architecture.md links, and whose files exist', async t => {
  const page = readFileSync(join(PROJECT, 'docs/architecture.md'), 'utf8')
  t.strictSame([...page.matchAll(/\]\(\.\.\/bench\/(features\/[\w-]+)\/README\.md\)/g)].map(([, name]) => name).sort(),
    FEATURES.toSorted())
  for (const feature of FEATURES) {
    const text = readFileSync(join(PROJECT, 'bench', feature, 'README.md'), 'utf8')
    const named = findNames(text)
    t.ok(named.length > 0, feature)
    const toFile = (/** @type {string} */ name) =>
      join(PROJECT, name.startsWith('bench/') ? '' : `bench/${feature}`, name)
    t.strictSame(named.filter(name => !existsSync(toFile(name))), [], feature)
  }
})

t.test('finds the paths of a course, the names of a README.md, and the files that imports reach', async t => {
  t.strictSame(findPaths(' gate   bench/a/b.js   200 (bench/c.js)\n rig  bench/d/'),
    ['bench/a/b.js', 'bench/c.js', 'bench/d/'])
  t.strictSame(findNames('`a.js`, `b/`, `--all`, `c d.js`, `--x-…`, `bench/e.hbs`'), ['a.js', 'b/', 'bench/e.hbs'])
  t.ok(findReached(['bench/run/run-request.js']).includes('bench/measure/stage.js'))
  t.notOk(findReached(['bench/run/run-request.js']).includes('bench/features/size/study.js'))
})

t.test('code outside bench/errors/ imports the whole catalog of errors', async t => {
  const parts = ours.filter(({ file, target }) => target.startsWith('bench/errors/') && roomOf(file) !== 'base')
  t.strictSame(parts, [])
})

t.test('pure files use no files, network, clock or random numbers', async t => {
  const pure = files.filter(file => PURE.test(file) && !READS_FILES.includes(file))
  t.strictSame(imports.filter(({ file, target, isType }) => !isType && pure.includes(file) && IO.test(target)), [])
  t.strictSame(pure.filter(file => CLOCK_OR_CHANCE.test(read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''))), [])
})

t.test('only machine/processes/ starts processes, and only bootstrap.js reads argv', async t => {
  const starters = imports.filter(({ target, isType }) => !isType && /^(node:)?child_process$|^execa$/.test(target))
    .map(({ file }) => file)
  t.strictSame([...new Set(starters)], ['bench/machine/processes/groups.js',
    'bench/machine/processes/run.js', 'bench/machine/setup/install.js', DATABASE])
  t.strictSame(files.filter(file => read(file).includes('process.argv')), ['bench/bootstrap.js', DATABASE])
})

t.test('the types of each test in a browser are checked', async t => {
  t.strictSame(walk('test/browser').filter(file => !read(file).startsWith('// @ts-check\n')), [])
})

t.test('plug-in folders contain only plug-ins, and folders with parts of a plug-in', async t => {
  for (const folder of ['servers', 'proxy', 'bench/features/advise/rules', 'bench/engines', 'bench/experiments',
    'bench/scenarios', 'bench/measure/protocols']) {
    const names = readdirSync(join(PROJECT, folder))
    for (const name of names.filter(name => !names.includes(`${name}.js`))) {
      t.match(name, /^[a-z][a-z0-9-]*\.js$/, `${folder}/${name}`)
    }
  }
})

t.test('a confined server can read every module that it loads', async t => {
  const loaded = new Set(['ecosystem.config.js', 'bench/topology/launch.js', 'bench/topology/launch-cluster.js',
    ...files.filter(file => file.startsWith('servers/'))])
  for (const file of loaded) {
    const modules = readImports(file).filter(({ target, isType }) => !isType && files.includes(target))
    for (const { target } of modules) loaded.add(target)
    t.ok(OWN_CODE.some(path => file === path || file.startsWith(`${path}/`)), file)
  }
  t.ok(loaded.has('bench/shared/random.js'))
})

/**
 * Returns the files and folders of bench/ that a text names.
 * @param {string} text
 */
function findPaths (text) {
  return [...text.matchAll(/\bbench\/[\w./-]+/g)].map(([path]) => path)
}

/**
 * Returns the files and folders in code spans of a text.
 * @param {string} text Markdown
 */
function findNames (text) {
  return [...text.matchAll(/`((?![-.])[\w./-]+(?:\.\w+|\/))`/g)].map(([, name]) => name)
}

/**
 * @param {string} file
 * @param {string} folder with a slash at its end
 */
function isBelow (file, folder) {
  return folder.endsWith('/') && file.startsWith(folder)
}

/**
 * Returns files with all that they import, directly or not, without types.
 * @param {string[]} starts
 */
function findReached (starts) {
  const reached = new Set(starts)
  for (const from of reached) {
    for (const { file, target, isType } of ours) if (file === from && !isType) reached.add(target)
    if (from === LOADS.file) files.filter(file => isBelow(file, LOADS.folder)).forEach(file => reached.add(file))
  }
  return [...reached]
}

/**
 * Returns all source files below a folder, sorted.
 * @param {string} folder
 */
function walk (folder) {
  return readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(js|d\.ts)$/.test(name)).map(name => join(folder, name)).sort()
}

/** @param {string} file */
function read (file) {
  return readFileSync(join(PROJECT, file), 'utf8')
}

/**
 * Returns the room, the feature or the folder of plug-ins that a file belongs to.
 * @param {string} file
 * @returns {string}
 */
function roomOf (file) {
  const place = PLACES.find(([, pattern]) => pattern.test(file))
  const feature = /^bench\/(features\/[\w-]+)\//.exec(file)
  if (feature && !place) return feature[1]
  const [top, next] = file.split('/')
  return place?.[0] ?? (top === 'bench' ? next.replace(/\.js$/, '') : top)
}

/**
 * Returns whether files of a room may import files of another room.
 * @param {string} from
 * @param {string} to
 */
function mayImport (from, to) {
  if (from === to) return true
  // An entry finds commands and tasks, which are in features.
  if (from === 'entry') return true
  if (FEATURES.includes(from)) return FEATURES.includes(to) || ORDER.includes(to)
  const room = LOADED_BY[from] ?? from
  return to === room || (FEWER[room] ?? ORDER.slice(0, ORDER.indexOf(room))).includes(to)
}

/**
 * Returns the groups of nodes that reach each other, each sorted.
 * @param {string[][]} edges from, to
 */
function findCircles (edges) {
  /** @type {(from: string, seen?: Set<string>) => Set<string>} */
  const reach = (from, seen = new Set()) => {
    for (const [node, to] of edges) {
      if (node !== from || to === from || seen.has(to)) continue
      reach(to, seen.add(to))
    }
    return seen
  }
  const reached = new Map([...new Set(edges.flat())].sort().map(node => [node, reach(node)]))
  const circles = [...reached].map(([node, others]) =>
    ({ node, circle: [...others].filter(other => reached.get(other)?.has(node)).sort() }))
  return circles.filter(({ node, circle }) => circle[0] === node).map(({ circle }) => circle)
}

/** @param {string} file */
function readImports (file) {
  return parseImports(file, read(file))
}

/**
 * Returns the imports of a source text, with those of types in its comments.
 * @param {string} file
 * @param {string} text
 */
function parseImports (file, text) {
  /** @type {Import[]} */
  const found = []
  /** @type {(node: ts.Node & { jsDoc?: ts.Node[] }, isType: boolean) => void} */
  const visit = (node, isType) => {
    const specifier = getSpecifier(node)
    if (specifier && ts.isStringLiteralLike(specifier)) {
      found.push({ file, target: toTarget(file, specifier.text), isType })
    }
    for (const comment of node.jsDoc ?? []) visit(comment, true)
    ts.forEachChild(node, child => visit(child, isType))
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest), file.endsWith('.d.ts'))
  return found
}

/**
 * Returns the node that names the imported module. undefined: the node imports nothing.
 * @param {ts.Node} node
 */
function getSpecifier (node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isJSDocImportTag(node)) {
    return node.moduleSpecifier
  }
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isCall ? node.arguments[0] : undefined
}

/**
 * Returns the file of a relative specifier, and any other specifier unchanged.
 * @param {string} file
 * @param {string} specifier
 */
function toTarget (file, specifier) {
  if (!specifier.startsWith('.')) return specifier
  const target = normalize(join(dirname(file), specifier))
  const types = target.replace(/\.js$/, '.d.ts')
  return files.includes(types) ? types : target
}
