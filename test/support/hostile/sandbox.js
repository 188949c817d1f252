/** Makes folders for a process that reads hostile inputs, and finds files that appear outside of them. */
import { mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { chdir } from 'node:process'

/** Name of the stored run of each case. */
export const RUN = '2024-05-06T07-08-09Z-uds'

/** @typedef {ReturnType<typeof makeSandbox>} Sandbox */

/**
 * Makes the folders, and enters the folder of the project. A path with up to four ".." is still inside `root`, so that
 * a file there is found.
 * @param {string} root existing empty folder
 */
export function makeSandbox (root) {
  const base = realpathSync(root)
  const home = join(base, 'a/b/c')
  const results = join(home, 'results')
  const project = join(home, 'project')
  for (const dir of [results, join(home, 'tmp'), join(project, 'public')]) mkdirSync(dir, { recursive: true })
  writeFileSync(join(project, 'my-app.js'), 'export default (req, res) => res.end()\n')
  writeFileSync(join(project, 'package.json'), '{ "name": "@acme/my-shop" }\n')
  writeFileSync(join(project, 'public/index.html'), 'index')
  writeFileSync(join(project, 'public/a b.png'), 'image')
  const folders = { HOME: home, TMPDIR: join(home, 'tmp'), INIT_CWD: project, HOPBENCH_CACHE: join(home, 'cache') }
  Object.assign(process.env, folders)
  chdir(project)
  const run = join(results, RUN)
  /** Folders that a case may write to. They are emptied after each case. */
  const own = [run, join(project, 'in'), join(project, 'deploy')]
  const list = () => listFiles(base, own).join('\n')
  const empty = () => own.forEach(dir => rmSync(dir, { recursive: true, force: true }))
  const before = list()
  return {
    root: base,
    results,
    project,
    run,
    /**
     * Writes an input file of a case.
     * @param {string} dir folder of `own`
     * @param {Record<string, string>} files
     */
    write (dir, files) {
      mkdirSync(dir, { recursive: true })
      for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
    },
    /**
     * Empties the folders of `own`.
     * @returns {string | null} files that appeared or disappeared elsewhere; null: nothing has changed
     */
    settle () {
      empty()
      const now = list()
      if (now === before) return null
      return now.split('\n').filter(file => !before.split('\n').includes(file)).join(', ') || now
    }
  }
}

/**
 * Lists all files and folders below a folder. Excludes some of its folders.
 * @param {string} base
 * @param {string[]} without excluded folders
 * @param {string} [dir]
 * @returns {string[]}
 */
const listFiles = (base, without, dir = base) => readdirSync(dir, { withFileTypes: true }).flatMap(entry => {
  const path = join(dir, entry.name)
  if (without.includes(path)) return []
  return [relative(base, path), ...entry.isDirectory() ? listFiles(base, without, path) : []]
})
