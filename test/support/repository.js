/** A git repository with the commits of a small app, for tests of `hopbench diff`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../bench/machine/process.js'
import { tempFolder } from './temp.js'

/** @import { Scope } from './cli.js' */

/** Files of the first commit. Its dependency makes an installation necessary. */
const FILES = {
  'package.json': JSON.stringify({
    name: 'demo', private: true, scripts: { start: 'node app.js' }, dependencies: { 'mini-express': '1.0.0' }
  }),
  '.gitignore': 'node_modules\nresults\n',
  'app.js': "require('mini-express')().listen(process.env.PORT)\n"
}
const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false']

/**
 * Runs git in a folder.
 *
 * @param {string} folder
 * @param {...string} args
 */
export async function git (folder, ...args) {
  const { exit, stdout, stderr } = await run(['git', '-C', folder, ...IDENTITY, ...args])
  if (exit !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

/**
 * Makes a repository whose branches main and feature have a commit each. The branch feature is checked out.
 *
 * @param {Scope} t
 * @param {{ files?: Record<string, string>, change?: Record<string, string>, unrelated?: boolean }} [options] files: of
 *   the first commit; change: of the second; unrelated: the branches have no commit in common
 * @returns {Promise<string>} its folder; removed after the test
 */
export async function makeRepository (t, { files = {}, change = {}, unrelated = false } = {}) {
  const folder = tempFolder(t)
  write(folder, { ...FILES, ...files })
  await git(folder, 'init', '--quiet', '--initial-branch=main')
  await git(folder, 'add', '--all')
  await git(folder, 'commit', '--quiet', '--message=First version')
  await git(folder, 'checkout', '--quiet', ...unrelated ? ['--orphan'] : ['-b'], 'feature')
  write(folder, change)
  await git(folder, 'add', '--all')
  await git(folder, 'commit', '--quiet', '--allow-empty', '--message=Second version')
  return folder
}

/**
 * @param {string} folder
 * @param {Record<string, string>} files text by path
 */
function write (folder, files) {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text)
}
