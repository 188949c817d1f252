/** Copies the hashed files of earlier builds into the folder of the new one, before it starts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../machine/files/make-folder.js'
import { readPlainFile } from '../../../machine/files/plain-files.js'
import { run } from '../../../machine/process.js'
import { attempt } from '../../../shared/attempt.js'
import { KEPT_BUILDS, MAX_MANIFEST_BYTES, copyNew, rejectLarge } from './copy-file.js'
import { findHashedFiles } from './hashed-files.js'

/** @import { Build } from '../types.js' */

/** File with the builds in a folder, the newest first. */
const MANIFEST = '.kept-builds.json'
/** Limit of a copy with its packages, on a slow disk. */
const COPY_SECONDS = 120

/**
 * Builds in a folder besides its own. added: files that only they have
 * @typedef {{ added: string[], builds: { build: string, files: string[] }[] }} Manifest
 */

/**
 * Copies a build, and adds the hashed files of the last builds before it. Files of older builds are left out.
 * @param {{ old: Build, next: Build, dir: string }} builds
 * @returns {Promise<string>} folder of the copy
 * @throws {Error} bad-option; the folder cannot be copied
 */
export async function keepFiles ({ old, next, dir }) {
  const folder = mkdtempSync(join(dir, 'kept-'))
  await copyFolder(next.folder, folder)
  const before = readManifest(old.folder)
  const found = findHashedFiles(old.folder).files.map(({ path }) => path)
  const builds = [
    { build: old.label, files: found.filter(path => !before.added.includes(path)) },
    // The manifest lies in a folder of the app, so only files that were found count.
    ...before.builds.map(({ build, files }) => ({ build, files: found.filter(path => files.includes(path)) }))
  ].slice(0, KEPT_BUILDS)
  const paths = [...new Set(builds.flatMap(({ files }) => files))]
  rejectLarge(old.folder, paths)
  const added = paths.filter(path => copyNew(join(old.folder, path), folder, path))
  rmSync(join(folder, MANIFEST), { force: true })
  writeFileSync(join(folder, MANIFEST), JSON.stringify({ added, builds }))
  return folder
}

/**
 * @param {string} folder
 * @returns {Manifest}
 */
const readManifest = folder => attempt(() => {
  const { added, builds } = JSON.parse(String(readPlainFile(join(folder, MANIFEST), { maxBytes: MAX_MANIFEST_BYTES })))
  return {
    added: added.map(String),
    builds: builds.map((/** @type {any} */ { build, files }) => ({ build: String(build), files: files.map(String) }))
  }
}, () => ({ added: [], builds: [] }))

/**
 * Copies a folder by hard links, because packages are large, or as files on another disk.
 * @param {string} from
 * @param {string} to
 */
async function copyFolder (from, to) {
  for (const flags of ['-al', '-a']) {
    const { exit, stderr } = await run(['cp', flags, `${from}/.`, to], { timeoutSeconds: COPY_SECONDS })
    if (exit === 0) return
    if (flags === '-a') throw new Error(`${from} cannot be copied: ${stderr.split('\n')[0]}`)
    rmSync(to, { recursive: true, force: true })
    makeFolder(to)
  }
}
