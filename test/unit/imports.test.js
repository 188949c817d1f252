import { readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** Node's own modules that reach outside: no pure module may use them. */
const IO = /^node:(fs|fs\/promises|net|http|https|child_process|timers|timers\/promises|os|dgram|worker_threads|process|events)$/

/** @type {Record<string, RegExp>} what a file under this path may import of the project; the first that fits counts */
const MAY_IMPORT = {
  'servers/': /^bench\/types\.d\.ts$/,
  'proxy/': /^bench\/types\.d\.ts$/,
  'bench/experiments/': /^bench\/(types\.d\.ts|sources\.js)$/,
  'bench/engines/': /^bench\/(types\.d\.ts|engines\/|stats\/|generators\/)/,
  'bench/errors.js': /^bench\/errors\//,
  'bench/errors/': /^bench\/(types\.d\.ts|errors\/words\.js)$/,
  'bench/generators/locust/': /^bench\/types\.js$/,
  'bench/log-kinds.js': /^bench\/types\.js$/,
  'bench/users.js': /^bench\/(types\.d\.ts|stats\/)/,
  'bench/stats/': /^bench\/stats\//,
  'bench/adaptive/': /^bench\/(types\.d\.ts|types\.js|adaptive\/|measure\/rig\.js|stats\/|summary\.js)/,
  'bench/topology/word.js': /^bench\/(types\.d\.ts|types\.js|errors\.js|nearest\.js)$/,
  'bench/topology/describe.js': /^bench\/(types\.d\.ts|launch\.js|errors\.js|topology\/(options|workers)\.js)$/,
  'bench/topology/workers.js': /^bench\/(types\.d\.ts|errors\.js)$/,
  'bench/topology/options.js': /^bench\/(types\.d\.ts|errors\.js|nearest\.js)$/,
  'bench/plan.js': /^bench\/(types\.d\.ts|types\.js|adaptive\/|claims\/arms\.js|errors\.js|stats\/|verdict\.js|summary\.js)/,
  'bench/summary.js': /^bench\/(types\.d\.ts|types\.js|errors\.js|stats\/|summary\/|verdict\.js)/,
  'bench/summary/': /^bench\/(log-kinds\.js|users\.js|types\.d\.ts|types\.js|stats\/|verdict\.js)/,
  'bench/verdict.js': /^bench\/(types\.d\.ts|types\.js|errors\.js|stats\/)/,
  'bench/capabilities.js': /^bench\/(types\.d\.ts|errors\.js)$/,
  'bench/agreement/comparison.js': /^bench\/(types\.d\.ts|stats\/|summary\/|verdict\.js)/,
  'bench/claims/claims.js': /^bench\/(types\.d\.ts|types\.js|claims\/|report\/(units|format)\.js|stats\/|verdict\.js|summary\.js)/,
  'bench/compare.js': /^bench\/(types\.js|compare\/|stats\/|summary\.js)/,
  'bench/compare/': /^bench\/(types\.js|stats\/)/,
  'bench/page/configs.js': /^bench\/(types\.d\.ts|plugins\.js|take-home\.js|measure\/stage\.js|topology\/describe\.js)/,
  'bench/page/': /^bench\/(types\.d\.ts|types\.js|page\/|report\/|verdict\.js|check\/failures\.js)/,
  'bench/report/': /^bench\/(log-kinds\.js|types\.d\.ts|types\.js|report\/|compare\.js|stats\/power\.js|verdict\.js|topology\/word\.js)/
}
/** No I/O, no clock, no randomness but a generator that is passed in. */
const PURE = ['bench/stats/', 'bench/adaptive/', 'bench/topology/word.js', 'bench/topology/describe.js', 'bench/topology/options.js', 'bench/topology/workers.js',
  'bench/errors.js', 'bench/errors/', 'bench/plan.js', 'bench/summary.js', 'bench/summary/', 'bench/users.js', 'bench/log-kinds.js', 'bench/generators/locust/report.js', 'bench/verdict.js', 'bench/claims/claims.js', 'bench/claims/arms.js', 'bench/claims/errors.js', 'bench/compare.js', 'bench/compare/', 'bench/report/', 'bench/page/view.js', 'bench/page/draw.js', 'bench/page/csv.js', 'bench/page/tables.js', 'bench/page/chain.js', 'bench/page/matrix.js', 'bench/request/values.js', 'bench/capabilities.js', 'bench/agreement/comparison.js', 'bench/selftest/resolution.js', 'bench/lab/script.js', 'bench/confinement/', 'bench/hosts/ssh.js', 'bench/hosts/merge.js']
/** The progress line is the report's only moving part. */
const NOT_PURE = ['bench/report/progress.js']

const files = ['bench', 'servers', 'proxy'].flatMap(walk)

t.test('nobody imports what is not theirs to import', async t => {
  for (const file of files) {
    const rule = Object.keys(MAY_IMPORT).find(prefix => file.startsWith(prefix))
    if (!rule) continue
    for (const target of importsOf(file).filter(target => target.startsWith('.'))) {
      const path = normalize(join(dirname(file), target))
      if (path === 'package.json') continue
      t.match(path, MAY_IMPORT[rule], `${file} imports ${path}`)
    }
  }
})

t.test('whoever throws an error imports the whole catalog, not a part of it', async t => {
  for (const file of files.filter(file => !file.startsWith('bench/errors'))) {
    for (const target of importsOf(file).filter(target => target.startsWith('.'))) t.notMatch(normalize(join(dirname(file), target)), /^bench\/errors\//, file)
  }
})

t.test('pure modules touch neither files nor network, clock nor chance', async t => {
  for (const file of files.filter(file => PURE.some(prefix => file.startsWith(prefix)) && !NOT_PURE.includes(file))) {
    for (const target of importsOf(file)) t.notMatch(target, IO, `${file} imports ${target}`)
    const code = readFileSync(join(project, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    t.notMatch(code, /Date\.now\(|new Date\(\)|performance\.now|Math\.random|process\.(env|argv|stdout|stderr)/, `${file} asks nobody for the time or a number`)
  }
})

t.test('only process.js starts processes, only cli.js and bootstrap.js read argv', async t => {
  for (const file of files) {
    const imports = importsOf(file)
    if (file !== 'bench/process.js' && file !== 'bench/setup/install.js') {
      t.notOk(imports.some(target => /^(node:)?child_process$|^execa$/.test(target)), `${file} starts no process`)
    }
    if (file !== 'bench/bootstrap.js') t.notMatch(readFileSync(join(project, file), 'utf8'), /process\.argv/, `${file} does not read argv`)
  }
})

t.test('plug-in folders hold plug-ins only', async t => {
  for (const folder of ['servers', 'proxy', 'bench/engines', 'bench/experiments']) {
    for (const name of readdirSync(join(project, folder))) t.match(name, /^[a-z][a-z0-9-]*\.js$/, `${folder}/${name}`)
  }
})

/** @param {string} folder @returns {string[]} */
function walk (folder) {
  return readdirSync(join(project, folder)).flatMap(name => {
    const path = join(folder, name)
    if (statSync(join(project, path)).isDirectory()) return walk(path)
    return name.endsWith('.js') ? [relative('.', path)] : []
  })
}

/** @param {string} file */
function importsOf (file) {
  const code = readFileSync(join(project, file), 'utf8')
  return [...code.matchAll(/^(?:import|export)\s(?:[^'"]*?from\s)?['"]([^'"]+)['"]|[^.\w]import\(['"]([^'"]+)['"]\)/gm)].map(match => match[1] ?? match[2])
}
