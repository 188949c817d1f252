/** Measures for an advice in workers, or reads the results if the advice is resumed. */
import { dirname, join } from 'node:path'
import { HopbenchError, shellWord } from '../../errors.js'
import { describeFileError, isSystemError } from '../../machine/files/file-failures.js'
import { OTHER_NODE, YOURS, hasOption } from '../../plan/changed-spec.js'
import { printPrefix } from '../../plan/file-prefixes.js'
import { isForeign } from '../../plan/foreign.js'
import { runtimes, toProductionLine } from '../../plan/runtimes.js'
import { isNumber } from '../../shared/format.js'
import { now } from '../../machine/clocks.js'
import { storedRun } from '../../run/stored-run.js'
import { callWorker } from '../../run/call-worker.js'
import { toFailure } from './compare.js'
import { findRuntime } from '../../machine/setup/runtime.js'
import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { constants, gzipSync } from 'node:zlib'
import { APP_OPTIONS, pick } from './request.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { walkFolder } from '../../machine/files/walk-folder.js'
import { isCompressibleFile } from '../../shared/http/compressible-files.js'

/** @import { AdviceFacts, FilePrefix, RunRecord } from '../../types.js' */
/** @import { AdviseWorld } from './study.js' */
/** @import { RunFlags } from '../../request/types.js' */
/** @import { AdviseFlags, AdviseRequest } from './request.js' */
/** @import { FeedEvent } from '../../report/progress-feed.js' */

/** Most entries of a folder, as --files accepts them. */
const MAX_ENTRIES = 100_000

/**
 * @typedef {object} Given
 * @property {AdviseRequest} request
 * @property {AdviseFlags} options
 * @property {string} dir for files that the commands read
 * @property {string} sharedDir for copies of files
 * @property {string[] | null} page paths of a page view, as they were compared; null: nothing was compared yet
 */

/**
 * Returns the options of a run.
 * @param {string[]} words topologies
 * @param {Given} given
 * @param {number} budget in seconds, without --quick
 * @returns {RunFlags}
 */
function toRunOptions (words, given, budget) {
  const { quick, mix, prefixes, paths } = given.request
  return {
    ...toCommonOptions(words, given),
    ...quick ? { quick } : { budget },
    // With folders of files a run requests the page of the path and the files by itself.
    ...prefixes.length > 0 && !mix ? { path: paths[0] } : toMixOptions(given)
  }
}

/**
 * Returns the options of a sizing.
 * @param {string} spec
 * @param {Given} given with a load
 * @returns {import('../size/request.js').SizeFlags}
 */
function toSizeOptions (spec, given) {
  const { load: { rps, p99Ms }, platform: { provider } } = given.request
  return {
    ...toCommonOptions([spec], given),
    ...toMixOptions(given),
    quick: true,
    rps: Number(rps),
    p99: Number(p99Ms) / 1000,
    ...provider && { provider: [provider] }
  }
}

/**
 * @param {string[]} words topologies
 * @param {Given} given
 * @returns {RunFlags}
 */
const toCommonOptions = (words, { request, options, sharedDir }) => ({
  ...pick(options, [...APP_OPTIONS, 'quietApp', 'warmUp', 'seed', 'results']),
  app: [request.run],
  ...toCopies(words, request, join(sharedDir, 'files')),
  lab: options.lab
})

/**
 * Returns the options that name several requests. A list of one path is compared decoded, so that a proxy may compress
 * the response.
 * @param {Given} given
 * @returns {Partial<RunFlags>}
 */
function toMixOptions ({ request: { mix, paths, headers }, options: { header = [] }, dir, page }) {
  if (mix) return mix
  const file = join(dir, 'paths.txt')
  writeFileSync(file, `${(page ?? [paths[0]]).join('\n')}\n`)
  const hasEncodings = Object.keys(headers).some(name => name.toLowerCase() === 'accept-encoding')
  return { paths: file, ...!hasEncodings && { header: [...header, 'Accept-Encoding: gzip'] } }
}

/**
 * Copies folders that were not copied before. Leaves out hidden files, which no proxy serves.
 *
 * @param {FilePrefix[]} prefixes
 * @param {string} dir
 * @returns {FilePrefix[]} with the folders of the copies
 * @throws {Error} the system error of a file that cannot be read or written
 */
export const copyCompressed = (prefixes, dir) => prefixes.map(({ prefix, folder }, i) => {
  const copy = join(dir, String(i))
  if (existsSync(copy)) return { prefix, folder: copy }
  for (const { path, entry } of walkFolder(folder, MAX_ENTRIES)) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue
    const [from, to] = [join(folder, path), join(copy, path)]
    makeFolder(dirname(to))
    copyFileSync(from, to)
    const { size } = statSync(to)
    if (isCompressibleFile(path, size)) {
      const bytes = readPlainFile(to, { maxBytes: size })
      writeFileSync(`${to}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
    }
  }
  return { prefix, folder: copy }
})

/**
 * Returns the options of a run that name copies of its folders with compressed files, if a topology sends them.
 *
 * @param {string[]} words of its topologies
 * @param {{ prefixes: FilePrefix[] }} request
 * @param {string} dir for the copies, which are made once
 * @returns {Pick<RunFlags, 'files' | 'filesHidden'>}
 * @throws {Error} as copyCompressed()
 */
function toCopies (words, { prefixes }, dir) {
  if (!words.some(spec => hasOption(spec, 'gzip_static'))) return {}
  // Copies have no hidden files.
  return { files: copyCompressed(prefixes, dir).map(printPrefix), filesHidden: undefined }
}

/** failure: a sentence; null: none. @typedef {{ record: RunRecord | null, failure: string | null }} Measured */
/**
 * A measurement. name: of the files of its output; seconds: budget; onEvent: is called with the progress of a run.
 *
 * @typedef {{ name: string, words: string[], options: RunFlags, seconds: number,
 *   onEvent?: (event: FeedEvent) => void }} Order
 */

/**
 * Budget of a comparison, in seconds: three starts, with two of which an interval is several times as wide. Eight
 * minutes have room for three comparisons and two sizings.
 */
const FULL_SECONDS = 100
/** Time that a quick comparison takes at most by itself, in seconds. */
const QUICK_SECONDS = 76
/** Limit of a quick sizing, in seconds. */
const SIZE_SECONDS = 120

/** Seconds that a task may exceed its budget: programs are installed, apps start, and a sizing ends its window. */
const SPARE_SECONDS = 300

/** Measurements of an advice. */
export class Measurements {
  #request
  #world
  /** Names of the runs, by what they measured. @type {Record<string, string>} */
  runs
  /** Paths of a page view, as they were compared. @type {string[] | null} */
  page = null
  /** Time that the next comparison takes, as the last one that succeeded, in seconds; 0: there was none yet. */
  nextSeconds = 0
  /** Connections of the load; null: as many as a run has by default. @type {number | null} */
  #connections = null

  /**
   * @param {AdviseRequest} request
   * @param {AdviseWorld} world
   */
  constructor (request, world) {
    this.#request = request
    this.#world = world
    this.runs = { ...world.store.stored?.runs }
  }

  /**
   * Compares topologies. If the connections are too many for a slow app, this and later comparisons have fewer.
   * @param {string} name of the rule
   * @param {string[]} words topologies, the baseline first
   * @param {object} situation
   * @param {AdviceFacts} situation.facts
   * @param {(seconds: number, record: RunRecord) => boolean} situation.isWorthAgain whether a second comparison of this
   *   length ends in time, and the first one leaves the decision open
   * @returns {Promise<Measured>}
   */
  async compare (name, words, { facts, isWorthAgain }) {
    const begun = now()
    this.nextSeconds ||= this.#request.quick ? QUICK_SECONDS : FULL_SECONDS
    try {
      const otherApps = words.includes(OTHER_NODE)
        ? [await toOtherNode(facts, this.#request.run, this.#world.printProgress)]
        : []
      const arms = { otherApps, config: facts.own?.config ?? null }
      const first = await this.#run(name, words, arms)
      const { record } = first
      const seconds = now() - begun
      // The time of a failed comparison predicts that of the next one badly.
      if (record) this.nextSeconds = seconds
      const fewer = findFewerConnections(record)
      if (record === null || fewer === null || this.#world.bench.interrupted() > 0) return first
      if (!isWorthAgain(seconds, record)) return first
      this.#connections = fewer
      const again = await this.#run(name, words, arms)
      return again.record ? again : first
    } catch (error) {
      // Node cannot be fetched, or the folders cannot be copied: the other decisions do not need it.
      if (!(error instanceof HopbenchError) && !isSystemError(error)) throw error
      return { record: null, failure: error instanceof HopbenchError ? toFailure(error) : describeFileError(error) }
    }
  }

  /**
   * Sizes a topology.
   * @param {string} spec
   * @returns {Promise<Measured>}
   */
  size (spec) {
    return this.#runOrRead('size', `size ${spec}`, {
      name: 'size', words: [spec], options: toSizeOptions(spec, this.#given()), seconds: SIZE_SECONDS
    })
  }

  /**
   * @param {string} name of the rule
   * @param {string[]} words topologies
   * @param {{ otherApps: string[], config: string | null }} arms otherApps: the app under another line of Node, as
   *   --app takes it; config: path of YOURS
   */
  async #run (name, words, { otherApps, config }) {
    const { quick } = this.#request
    const connections = this.#connections
    const fewer = connections === null ? [] : ['--connections', String(connections)]
    const topologies = words.filter(word => word !== YOURS)
    const isOwn = config !== null && topologies.length < words.length
    const options = toRunOptions(topologies, this.#given(), FULL_SECONDS)
    const measured = await this.#runOrRead(isOwn ? 'config' : 'run', ['compare', ...words, ...fewer].join(' '), {
      name: [name, ...fewer.slice(1)].join('-'),
      words: [...isOwn ? [config] : [], ...topologies],
      options: { ...options, app: [options.app ?? [], otherApps].flat(), ...connections !== null && { connections } },
      seconds: quick ? QUICK_SECONDS : FULL_SECONDS,
      // A quick comparison soon has its result.
      ...!quick && { onEvent: this.#tellFirstBlock() }
    })
    this.page ??= measured.record?.plan?.arms[0]?.load.paths ?? null
    return measured
  }

  /** Returns a function that prints the first estimates of a run, which decide nothing yet. */
  #tellFirstBlock () {
    const { printProgress, startedSeconds } = this.#world
    let isTold = false
    return (/** @type {FeedEvent} */ event) => {
      const known = event.event === 'block' && !isTold ? event.contrasts.filter(({ ratio }) => isNumber(ratio)) : []
      if (known.length === 0) return
      isTold = true
      const texts = known.map(({ arm, baseline, ratio }) => `${arm} ${ratio.toFixed(2)} times ${baseline}`)
      printProgress(`so far: ${texts.join(', ')} (${Math.round(now() - startedSeconds)} s)`)
    }
  }

  /** Returns what the options of a run follow from. */
  #given () {
    const { options, bench: { dir, sharedDir } } = this.#world
    return { request: this.#request, options, dir, sharedDir, page: this.page }
  }

  /**
   * Measures, or reads the result if the advice is resumed.
   * @param {'run' | 'size' | 'config'} task
   * @param {string} key of the run in the record
   * @param {Order} order
   * @returns {Promise<Measured>}
   */
  async #runOrRead (task, key, { words, options, ...order }) {
    const {
      bench: { dir, interrupted, call = callWorker }, options: { results }, printProgress,
      startedSeconds
    } = this.#world
    const stored = this.runs[key]
    // The run may have been deleted, or replaced by one of another account.
    const earlier = stored ? await storedRun(stored, results).then(({ record }) => record, () => null) : null
    if (earlier?.complete && !isForeign(earlier.plan)) return { record: earlier, failure: null }
    printProgress(`measuring: ${order.name} (${Math.round(now() - startedSeconds)} s)`)
    const { result, error } = await call(task, { words, options }, {
      ...order, dir, interrupted, seconds: order.seconds + SPARE_SECONDS
    })
    if (result === null) return { record: null, failure: toFailure(error) }
    this.runs[key] = result.record.run
    return { record: result.record, failure: null }
  }
}

/**
 * Returns the number of connections that a run recommends in place of its own.
 * @param {RunRecord | null} record
 * @returns {number | null} null: its connections were not too many
 */
function findFewerConnections (record) {
  const warning = record?.warnings?.find(({ code }) => code === 'batches')
  return warning && 'params' in warning && 'fewer' in warning.params ? warning.params.fewer : null
}

/**
 * Returns the command of the app under the line of Node for production, as --app takes it. That Node precedes the one
 * on PATH, so that npm and its scripts use it, too.
 *
 * @param {AdviceFacts} facts
 * @param {string} run command of the app
 * @param {(line: string) => void} printProgress prints that Node is fetched
 * @returns {Promise<string>}
 * @throws {HopbenchError} those of fetching a runtime
 */
async function toOtherNode ({ machine: { node }, today }, run, printProgress) {
  const name = `node-${toProductionLine(node, today)}`
  const { program } = await findRuntime(name, runtimes[name], { printProgress })
  return `${OTHER_NODE}=export PATH=${shellWord(dirname(program))}:"$PATH"; ${run}`
}
