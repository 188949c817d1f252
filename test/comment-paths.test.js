import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from './support/tap.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['bench', 'proxy', 'servers', 'test']
/** Comments, and the strings that can contain the beginning of one. */
const TOKEN = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
/** A file with or without its folders: "plan.js", "docs/method.md", "./load.js". */
const FILE = /(?<![\w./<@*-])((?:[\w.-]+\/)+[\w.-]+\.(?:d\.ts|js|json|md)|[a-z][\w.-]*\.(?:d\.ts|js))(?![\w/])/g
/** Files that hopbench writes. */
const WRITTEN = /^results\/(check|caches)\.json$/

const files = FOLDERS.flatMap(folder => readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
  .map(name => join(folder, name)))
const names = new Set([...files, ...readdirSync(PROJECT)].map(file => basename(file)))
/** Folders in which a path with folders can begin. */
const STARTS = new Set([...readdirSync(PROJECT), ...readdirSync(join(PROJECT, 'bench'))])

t.test('every file that a comment names exists', async t => {
  for (const file of files.filter(file => /\.(js|d\.ts)$/.test(file) && !/fixtures|user-apps/.test(file))) {
    for (const path of findFiles(readFileSync(join(PROJECT, file), 'utf8'))) {
      if (!isHere(path, file)) t.fail(`${file} names ${path}`)
    }
  }
  t.ok(files.length > 500, `${files.length} files`)
})

t.test('finds a file that does not exist', async t => {
  t.strictSame(findFiles('/** See bench/gone.js and docs/method.md. */ const a = "// x.js" // gone.js'),
    ['bench/gone.js', 'docs/method.md', 'gone.js'])
  t.notOk(isHere('bench/gone.js', 'bench/cli.js'))
  t.notOk(isHere('gone.js', 'bench/cli.js'))
  t.ok(isHere('docs/method.md', 'bench/cli.js'))
})

/**
 * Returns the files that the comments of a source text name.
 * @param {string} source
 */
function findFiles (source) {
  const comments = [...source.matchAll(TOKEN)].map(([token]) => token).filter(token => /^\/[/*]/.test(token))
  return comments.flatMap(comment => [...comment.matchAll(FILE)].map(([, path]) => path))
}

/**
 * @param {string} path as the comment names it
 * @param {string} file with the comment
 */
function isHere (path, file) {
  const [first, ...rest] = path.split('/')
  if (rest.length === 0) return names.has(path)
  const absolute = join(PROJECT, first.startsWith('.') ? dirname(file) : '', path)
  // A path that begins with another folder belongs to another project.
  const isOurs = first.startsWith('.') || STARTS.has(first)
  return !isOurs || WRITTEN.test(path) || [absolute, absolute.replace(/\.js$/, '.d.ts')].some(existsSync)
}
