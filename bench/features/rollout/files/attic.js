/** Keeps the hashed files of the last builds in a folder beside the builds, by the paths of their URLs. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../machine/files/make-folder.js'
import { readPlainFile } from '../../../machine/files/plain-files.js'
import { attempt } from '../../../shared/attempt.js'
import { KEPT_BUILDS, MAX_MANIFEST_BYTES, copyNew, rejectLarge } from './copy-file.js'
import { findHashedFiles } from './hashed-files.js'

/** @import { BuiltFolder } from '../../../types.js' */
/** @import { Build } from '../types.js' */

/**
 * Adds a build to the attic, and removes the files that only older builds have.
 * @param {{ old: Build, dir: string }} rollout dir: folder of the attic
 * @returns {{ folder: string, built: BuiltFolder[] }} built: folders of builders, by their URLs
 * @throws {Error} bad-option; a system error
 */
export function fillAttic ({ old, dir }) {
  const attic = join(dir, 'attic')
  const folder = join(attic, 'files')
  const manifest = join(attic, 'builds.json')
  makeFolder(folder)
  const { files, built } = findHashedFiles(old.folder)
  rejectLarge(old.folder, files.map(({ path }) => path))
  for (const { path, urls } of files) for (const url of urls) copyNew(join(old.folder, path), folder, url.slice(1))
  /** @type {{ build: string, urls: string[], built: BuiltFolder[] }[]} */
  const before = attempt(() => JSON.parse(String(readPlainFile(manifest, { maxBytes: MAX_MANIFEST_BYTES }))), () => [])
  const builds = [
    { build: old.folder, urls: files.flatMap(({ urls }) => urls), built },
    ...before.filter(({ build }) => build !== old.folder)
  ]
  const kept = builds.slice(0, KEPT_BUILDS)
  const sent = new Set(kept.flatMap(({ urls }) => urls))
  for (const url of builds.slice(KEPT_BUILDS).flatMap(({ urls }) => urls)) {
    if (!sent.has(url)) rmSync(join(folder, url), { force: true })
  }
  writeFileSync(manifest, JSON.stringify(kept))
  return { folder, built: kept.flatMap(({ built }) => built) }
}
