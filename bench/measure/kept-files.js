/** Keeps configurations and logs of arms with their run, without secrets. */
import { existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { cutLongLines, readExcerpt } from '../machine/files/log-excerpt.js'
import { readPlainFile } from '../machine/files/plain-files.js'
import { secretsOf, textWithoutSecrets } from '../shared/secrets.js'
import { makeFolder } from '../machine/files/make-folder.js'

/** @import { Arm, Description } from '../types.js' */

/** Largest configuration that is kept, which is the largest that is read from a run. */
const MAX_CONFIG_BYTES = 2 ** 20

/** Returns whether a file is a log. */
const isLog = (/** @type {string} */ file) => /\.(log|err)$/.test(file)

/** Returns the paths of rendered files, relative to the arm's folder. @param {Description} description */
export const configPaths = ({ proxy, origin }) =>
  [...Object.keys(proxy?.files ?? {}), ...Object.keys(origin?.files ?? {}).map(file => `origin/${file}`)]

/**
 * Copies configurations and logs, including logs of load generators. Ignores a failure to copy, such as a full disk,
 * because it would hide the error for which a run ends.
 * @param {{ arm: Arm, dir: string, configs: string[] }[]} folders
 * @param {string} keepIn
 */
export function keepFiles (folders, keepIn) {
  try {
    for (const { arm, dir, configs } of folders) {
      const logs = findLogs(dir)
      const kept = [...configs.filter(file => existsSync(join(dir, file))), ...logs]
      for (const file of kept) keepFile(dir, file, keepIn, arm)
    }
  } catch {}
}

/**
 * Returns the paths of plain log files below a folder, relative to the folder. Does not follow links, because a server
 * can create some.
 * @param {string} dir
 */
const findLogs = dir => readdirSync(dir, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && isLog(entry.name))
  .map(entry => relative(dir, join(entry.parentPath, entry.name)))

/**
 * Copies a file. Long logs are shortened, and secrets are removed from the output of a command.
 * @param {string} dir
 * @param {string} file relative to dir
 * @param {string} keepIn
 * @param {Arm} arm
 */
function keepFile (dir, file, keepIn, { name, topology, load }) {
  const kept = join(fileName(name), file)
  if (!isLog(file)) return writeKept(keepIn, kept, readPlainFile(join(dir, file), { maxBytes: MAX_CONFIG_BYTES }))
  const text = readExcerpt(join(dir, file))
  const isOutput = topology.server?.command && file.endsWith('.log')
  writeKept(keepIn, kept, cutLongLines(isOutput ? textWithoutSecrets(text, secretsOf(load, process.env)) : text))
}

/**
 * Writes a file into the folder of a run, in place of an earlier one. Follows no link, because the folder of a resumed
 * run may come from another person.
 * @param {string} keepIn
 * @param {string} file relative to keepIn
 * @param {string | Buffer} content
 * @throws {Error} a part of the path is not a folder
 */
export function writeKept (keepIn, file, content) {
  let folder = keepIn
  for (const name of dirname(file).split('/')) {
    folder = join(folder, name)
    makeFolder(folder)
    if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`)
  }
  const path = join(keepIn, file)
  rmSync(path, { force: true })
  writeFileSync(path, content, { flag: 'wx' })
}

/** @param {string} armName */
export const fileName = armName => armName.replace(/[^\w.@+=-]+/g, '_')
