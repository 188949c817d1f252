/** Writes a static site of stored runs: the answers, and a page for each run and for each checked server. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { getErrorCode, HopbenchError } from '../../errors.js'
import { kindOf } from '../../run/kinds.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { describeFileError, isSystemError } from '../../machine/files/file-failures.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { serverPage, toBadge } from './server-page.js'
import { MARK, SERVERS, siteCss, sitePage, STYLESHEET, toAddress, toRunItem, toServerAddress } from './site-page.js'
import { RUN_NAME } from '../../store/names.js'
import { listRuns } from '../../store/store.js'
import { shieldsBadge, svgBadge } from '../../report/badge.js'
import { attempt } from '../../shared/attempt.js'
import { answers, storedServers } from './answers.js'
import { pageOf } from '../../run/report-file.js'
import { storedRun } from '../../run/stored-run.js'

/** @import { RunItem } from './site-page.js' */

const HOME = 'index.html'
const RUNS = 'runs'
/** Addresses in a page of a run or server. */
const SITE = { home: `../${HOME}`, stylesheet: `../${STYLESHEET}` }
const SERVER_FILE = /^[a-z][\w-]*\.(?:html|json|svg)$/
const END = '.html'
/** Largest home page in which the mark of a site is looked for. */
const MAX_HOME_BYTES = 2 ** 26

/**
 * @param {string} resultsDir folder of runs
 * @param {string} out folder of the site, which is created, or holds an earlier site
 * @returns {Promise<{ dir: string, answers: number, runs: number, bytes: number, skipped: string[] }>} skipped: runs
 * without a valid plan or a trial
 * @throws {HopbenchError} no-runs, site-not-writable, bad-run-file, other-format
 */
export async function writeSite (resultsDir, out) {
  const dir = resolve(callerCwd(), out)
  writing(dir, () => checkFolder(dir))
  const entries = await listRuns(resultsDir)
  const answered = (await answers([resultsDir])).filter(({ records }) => records.length > 0)
  /** @type {Map<string, string>} */
  const files = new Map()
  /** @type {RunItem[]} */
  const items = []
  /** @type {string[]} */
  const skipped = []
  // Reads the runs in sequence, because a record can take 100 MB.
  for (const { run, dir } of entries.toReversed()) {
    const stored = await storedRun(dir, resultsDir).catch(skipUnmeasured)
    if (stored && (stored.record.complete || stored.samples.length > 0)) {
      files.set(toAddress(run), await pageOf({ ...stored, resultsDir }, SITE))
      items.push(toRunItem(stored.record, kindOf(stored.record).answer(stored.record).text, answered))
    } else skipped.push(run)
  }
  if (items.length === 0) throw new HopbenchError('no-runs', { dir: resultsDir })
  const { check, rows: servers } = await storedServers(answered, resultsDir)
  if (check) {
    for (const row of servers) {
      const badge = toBadge(row)
      files.set(toServerAddress(row.name), serverPage({ ...row, check }, SITE))
      files.set(toServerAddress(row.name, 'json'), shieldsBadge(badge))
      files.set(toServerAddress(row.name, 'svg'), svgBadge(badge))
    }
  }
  files.set(STYLESHEET, siteCss)
  files.set(HOME, sitePage(answered, items, servers, kindOf))
  const bytes = writing(dir, () => writeFiles(dir, files))
  return { dir, answers: answered.length, runs: items.length, bytes, skipped }
}

/**
 * Returns null for a run that cannot be read, and throws any other error.
 * @param {unknown} error
 */
function skipUnmeasured (error) {
  if (error instanceof HopbenchError && error.code === 'bad-run-file') return null
  throw error
}

/**
 * Rejects a folder with files that are not of a site, so that a mistyped name overwrites nothing.
 * @param {string} dir
 * @throws {HopbenchError} site-not-writable
 */
function checkFolder (dir) {
  const names = listSortedNames(dir)
  const isSite = names.includes(HOME) && attempt(() =>
    readPlainFile(join(dir, HOME), { maxBytes: MAX_HOME_BYTES }).includes(MARK), () => false)
  if (names.length > 0 && !isSite) {
    const why = `it has files that are not of a site, such as ${names[0]}`
    throw new HopbenchError('site-not-writable', { dir, why })
  }
}

/**
 * @param {string} dir
 * @returns {string[]} empty where the folder does not exist
 */
const listSortedNames = dir => attempt(() => readdirSync(dir).sort(), error => {
  if (getErrorCode(error) === 'ENOENT') return []
  throw error
})

/**
 * Writes the files, the first page last, and removes those of runs and servers that are not stored any more.
 * @param {string} dir
 * @param {Map<string, string>} files
 * @returns {number} bytes
 */
function writeFiles (dir, files) {
  for (const [name, text] of files) {
    makeFolder(dirname(join(dir, name)))
    writeFileSync(join(dir, name), text)
  }
  const old = [
    ...listSortedNames(join(dir, RUNS)).filter(name => name.endsWith(END) && RUN_NAME.test(name.slice(0, -END.length)))
      .map(name => `${RUNS}/${name}`),
    ...listSortedNames(join(dir, SERVERS)).filter(name => SERVER_FILE.test(name)).map(name => `${SERVERS}/${name}`)
  ]
  for (const name of old.filter(name => !files.has(name))) rmSync(join(dir, name))
  return [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

/**
 * Runs an action on the folder of the site, and turns its system errors into an error of hopbench.
 * @template T
 * @param {string} dir
 * @param {() => T} action
 * @returns {T}
 * @throws {HopbenchError} site-not-writable
 */
const writing = (dir, action) => attempt(action, error => {
  if (!isSystemError(error)) throw error
  throw new HopbenchError('site-not-writable', { dir, why: describeFileError(error) }, { cause: error })
})
