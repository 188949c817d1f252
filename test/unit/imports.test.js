import { readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import t from '../support/tap.js'
import { PROJECT } from '../../bench/plugins.js'
import { OWN_CODE } from '../../bench/topology/confinement/confinement.js'

/**
 * Rooms that each room may import, besides itself. A test below compares the table with docs/architecture.md.
 * @type {Record<string, string[]>}
 */
const MAY_IMPORT = {
  commands: [
    'studies', 'report', 'store', 'judge', 'measure', 'load', 'topology', 'plan', 'machine', 'plugins', 'kinds'
  ],
  studies: [
    'report', 'store', 'judge', 'measure', 'load', 'topology', 'plan', 'machine', 'plugins', 'pipeline', 'kinds'
  ],
  report: ['judge', 'plan'],
  store: ['plan', 'machine'],
  judge: ['plan'],
  measure: ['load', 'topology', 'plan', 'machine', 'plugins'],
  load: ['plan', 'machine', 'plugins'],
  topology: ['plan', 'machine', 'plugins'],
  plan: [],
  machine: [],
  shared: []
}
/** Files at the root of bench/, and the folders of plug-ins. */
const BESIDE = {
  bootstrap: ['machine', 'cli'],
  cli: ['commands'],
  kinds: [],
  pipeline: ['judge', 'plan'],
  plugins: ['plan'],
  errors: [],
  types: [],
  engines: ['load'],
  experiments: [],
  scenarios: ['load', 'measure'],
  advice: ['judge', 'plan'],
  servers: [],
  proxy: ['plan', 'topology']
}
/** Rooms and files that every room may import. */
const COMMON = ['errors', 'shared', 'types']
/** Rooms without I/O, clock and random numbers. Progress gets the time from its stream. */
const PURE = ['report', 'judge', 'plan', 'shared', 'pipeline', 'errors']
/** The only file of a pure room that reads files: its templates, which are part of its code. */
const READS_ITS_TEMPLATES = 'bench/report/templates.js'

/** Node's own modules that reach outside. */
const IO = new RegExp('^node:(fs|fs/promises|net|http|https|child_process|timers|timers/promises|os|dgram|' +
  'worker_threads|process|events)$')
const CLOCK_OR_CHANCE = /Date\.now\(|new Date\(\)|performance\.now|Math\.random|process\.(env|argv|stdout|stderr)/

const files = ['bench', 'servers', 'proxy'].flatMap(walk)

t.test('every import follows the table', async t => {
  for (const file of files) {
    const room = roomOf(file)
    const allowed = [room, ...COMMON, ...MAY_IMPORT[room] ?? BESIDE[/** @type {keyof typeof BESIDE} */ (room)] ?? []]
    for (const target of importsOf(file)) {
      if (target === 'package.json') continue
      t.ok(allowed.includes(roomOf(target)), `${file} imports ${target}`)
    }
  }
})

t.test('bench/ has eleven rooms, folders of plug-ins and shapes beside them, and seven files', async t => {
  const entries = readdirSync(join(PROJECT, 'bench'), { withFileTypes: true })
  const folders = entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
  const beside = ['advice', 'engines', 'errors', 'experiments', 'scenarios', 'types']
  t.same(folders.sort(), [...Object.keys(MAY_IMPORT), ...beside].sort())
  t.same(entries.filter(entry => entry.isFile()).map(({ name }) => name).sort(),
    ['bootstrap.js', 'cli.js', 'errors.js', 'kinds.js', 'pipeline.js', 'plugins.js', 'types.d.ts'])
})

t.test('docs/architecture.md shows the same table', async t => {
  const page = readFileSync(join(PROJECT, 'docs/architecture.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `bench\/(\w+)\/` \|.*\| ([^|]*) \|$/gm)]
  const shown = rows.map(([, room, may]) => [room, may.match(/\w+/g)?.sort() ?? []])
  t.same(Object.fromEntries(shown),
    Object.fromEntries(Object.entries(MAY_IMPORT).map(([room, may]) => [room, [...may].sort()])))
})

t.test('imports are at most ten levels deep and have no cycles', async t => {
  /** @type {Map<string, string[]>} */
  const below = new Map()
  for (const file of files) {
    const room = roomOf(file)
    below.set(room, [...new Set([...below.get(room) ?? [], ...importsOf(file).map(roomOf)])].filter(to => to !== room))
  }
  /** @type {(room: string, path: string[]) => number} */
  const level = (room, path) => {
    t.notOk(path.includes(room), `no cycle through ${room}`)
    return path.includes(room) ? 0 : 1 + Math.max(0, ...(below.get(room) ?? []).map(to => level(to, [...path, room])))
  }
  const deepest = Math.max(...[...below.keys()].map(room => level(room, [])))
  t.ok(deepest <= 10, `${deepest} levels`)
})

t.test('code outside bench/errors/ imports the whole catalog of errors', async t => {
  for (const file of files.filter(file => roomOf(file) !== 'errors')) {
    for (const target of importsOf(file)) t.notMatch(target, /^bench\/errors\//, file)
  }
})

t.test('pure rooms use no files, network, clock or random numbers', async t => {
  const pure = files.filter(file => PURE.includes(roomOf(file)) && !file.includes('/browser/'))
  for (const file of pure.filter(file => file !== READS_ITS_TEMPLATES)) {
    for (const target of specifiersOf(file)) t.notMatch(target, IO, `${file} imports ${target}`)
    const code = readFileSync(join(PROJECT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    t.notMatch(code, CLOCK_OR_CHANCE, `${file} reads neither clock nor random numbers`)
  }
})

t.test('only machine/processes/ starts processes, and only bootstrap.js reads argv', async t => {
  const starters = ['groups', 'run', 'start'].map(name => `bench/machine/processes/${name}.js`)
  starters.push('bench/machine/setup/install.js')
  for (const file of files) {
    if (!starters.includes(file)) {
      const isStarter = specifiersOf(file).some(target => /^(node:)?child_process$|^execa$/.test(target))
      t.notOk(isStarter, `${file} starts no process`)
    }
    if (file === 'bench/bootstrap.js') continue
    t.notMatch(readFileSync(join(PROJECT, file), 'utf8'), /process\.argv/, `${file} does not read argv`)
  }
})

t.test('the types of each test in a browser are checked', async t => {
  const folder = join(PROJECT, 'test/browser')
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.js'))) {
    t.match(readFileSync(join(folder, file), 'utf8'), /^\/\/ @ts-check\n/, file)
  }
})

t.test('plug-in folders contain only plug-ins, and folders with parts of a plug-in', async t => {
  for (const folder of ['servers', 'proxy', 'bench/advice', 'bench/engines', 'bench/experiments', 'bench/scenarios',
    'bench/measure/protocols']) {
    const names = readdirSync(join(PROJECT, folder))
    for (const name of names.filter(name => !names.includes(`${name}.js`))) {
      t.match(name, /^[a-z][a-z0-9-]*\.js$/, `${folder}/${name}`)
    }
  }
})

t.test('a confined server can read every module that it loads', async t => {
  const loaded = new Set(['ecosystem.config.js', 'bench/topology/launch.js', 'bench/topology/launch-cluster.js',
    ...walk('servers')])
  for (const file of loaded) {
    const targets = modulesOf(file).filter(target => target.startsWith('.'))
    for (const target of targets) loaded.add(normalize(join(dirname(file), target)))
    t.ok(OWN_CODE.some(path => file === path || file.startsWith(`${path}/`)), file)
  }
  t.ok(loaded.has('bench/shared/random.js'))
})

/**
 * Returns all source files below a folder.
 * @param {string} folder
 * @returns {string[]}
 */
function walk (folder) {
  return readdirSync(join(PROJECT, folder)).flatMap(name => {
    const path = join(folder, name)
    if (statSync(join(PROJECT, path)).isDirectory()) return walk(path)
    return /\.(js|d\.ts)$/.test(name) ? [relative('.', path)] : []
  })
}

/**
 * Returns the folder below bench/, or the name of a file at its root.
 * @param {string} path relative to the project
 * @returns {string}
 */
function roomOf (path) {
  const [top, next] = path.split('/')
  return top === 'bench' ? next.replace(/\.(d\.ts|js)$/, '') : top
}

/**
 * Returns the files of the project that a file imports, including types.
 * @param {string} file
 * @returns {string[]}
 */
function importsOf (file) {
  return specifiersOf(file).filter(target => target.startsWith('.'))
    .map(target => normalize(join(dirname(file), target)))
}

/** @param {string} file */
function specifiersOf (file) {
  const types = /@import\s+\{[^}]*\}\s+from\s+'([^']+)'/g
  return [...modulesOf(file), ...[...readCode(file).matchAll(types)].map(([, specifier]) => specifier)]
}

/**
 * Returns what a file imports, without types.
 * @param {string} file
 */
function modulesOf (file) {
  const imports = /^(?:import|export)\s(?:[^'"]*?from\s)?['"]([^'"]+)['"]|[^.\w]import\(['"]([^'"]+)['"]\)/gm
  return [...readCode(file).matchAll(imports)].map(match => match[1] ?? match[2])
}

/** @param {string} file */
function readCode (file) {
  return readFileSync(join(PROJECT, file), 'utf8')
}
