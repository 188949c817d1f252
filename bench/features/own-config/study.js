/** Tries a configuration of one's own in rooms: reads it, tries behaviours of its server blocks, and mends it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { makeTempDir } from '../../machine/files/temp.js'
import { parseJson, readText } from '../../machine/files/system-files.js'
import { run } from '../../machine/process.js'
import { textWithoutSecrets } from '../../shared/secrets.js'
import { loadBehaviours } from '../deploy/index.js'
import { findCheck, getChecks } from './checks.js'
import { readTree } from './model.js'
import { applyEdits, toPatch } from './mend.js'
import { getPackageRoot, runInRoom, writeRoomFiles } from './room.js'

/** @import { ProxyProgram } from '../../types.js' */
/** @import { Tool } from '../../machine/types.js' */
/** @import { Check, GixyFinding, Outcome, OwnFinding, OwnRecord, ProxyBlock, Reading } from './types.js' */
/** @import { Rejection, RoomFile, RoomRequest, Source } from './types.js' */

/** Limit of the whole check. */
const SECONDS = 90
/** Limit for reading a configuration and finding its blocks. */
export const READ_SECONDS = 30
const GIXY_SECONDS = 20
/** Rooms at once, besides those of slow behaviours, which mostly wait. */
const AT_ONCE = 2
const laneProgram = fileURLToPath(new URL('./lane.js', import.meta.url))
/**
 * @typedef {object} StudyOptions
 * @property {string} path as typed
 * @property {ProxyProgram} program
 * @property {Tool} ip
 * @property {string} temp folder for files of the check
 * @property {string | null} host of requests; null: of each block
 * @property {Record<string, string>} apps commands by the name of the app; "": for all others
 * @property {string} folder in which the commands run
 * @property {boolean} [isQuick] leaves out behaviours that last a minute
 * @property {(line: string) => void} printProgress
 */
/**
 * Opens a room, and returns its results, and why it ended.
 * @typedef {(what: Pick<RoomRequest, 'block' | 'behaviours' | 'isAtOnce'>, seconds: number) =>
 *   Promise<{ results: any[], why: string }>} Open
 */

/**
 * Tries a configuration.
 * @param {Source} source
 * @param {StudyOptions} options
 * @returns {Promise<OwnRecord>}
 */
export async function checkOwn (source, options) {
  const started = performance.now()
  const getSeconds = () => (performance.now() - started) / 1000
  const files = addPackaged(source, getPackageRoot(options.program.program))
  const open = prepareRooms(source, files, options)
  const checks = getChecks(source.program)
  const read = await open({ block: null, behaviours: [], isAtOnce: false }, READ_SECONDS)
  const reading = toReading(read)
  const { blocks } = reading
  const cells = await tryBlocks(blocks, checks, options, (what, seconds) => open(what, seconds - getSeconds()))
  const behaviours = await loadBehaviours()
  const titles = new Map(checks.map(({ name, title }) => [name, title ?? behaviours.get(name)?.title ?? name]))
  const shown = new Map(source.files.flatMap(({ path, shown }) => shown === null ? [] : [[path, shown]]))
  const toShown = (/** @type {string} */ file) => shown.get(file) ?? file
  const showPlace = (/** @type {Rejection} */ place) =>
    ({ ...place, file: place.file === null ? null : toShown(place.file) })
  return {
    schema: 1,
    path: options.path,
    root: source.root,
    program: source.program.title,
    version: options.program.version,
    checkedAt: new Date().toISOString(),
    seconds: getSeconds(),
    notes: source.notes,
    supplied: reading.supplied,
    apps: Object.fromEntries(Object.entries(options.apps)
      .map(([name, command]) => [name, textWithoutSecrets(command)])),
    gixy: source.program.name === 'nginx' ? await runGixy(files) : [],
    rejected: reading.rejected && showPlace(reading.rejected),
    skipped: reading.skipped.map(showPlace),
    blocks: blocks.map(block => ({ ...block, file: toShown(block.file) })),
    behaviours: [...titles].map(([name, title]) => ({ name, title })),
    cells: checks.flatMap(({ name }) => cells.filter(({ behaviour }) => behaviour === name)),
    ...mend(source, files, blocks, cells.filter(({ outcome }) => outcome === 'fails'), shown)
  }
}

/**
 * Returns the findings of gixy; none if it is not installed.
 * @param {RoomFile[]} files the main file first
 * @returns {Promise<GixyFinding[]>}
 */
async function runGixy (files) {
  const dump = files.map(({ path, text }) => `# configuration file ${path}:\n${text}\n`).join('')
  const { stdout } = await run(['gixy', '-f', 'json', '-'], { input: dump, timeoutSeconds: GIXY_SECONDS })
  const findings = parseJson(stdout)
  return Array.isArray(findings)
    ? findings.map(({ plugin, severity, summary }) =>
      ({ plugin: String(plugin), severity: String(severity), summary: String(summary) }))
    : []
}

/**
 * Returns what was read of a configuration, or why nothing was.
 * @param {{ results: any[], why: string }} read
 * @returns {Reading}
 */
export const toReading = ({ results: [reading], why }) =>
  reading ?? { rejected: { why, file: null, line: 0 }, supplied: [], blocks: [], skipped: [] }

/**
 * Writes the files of the rooms, and returns what opens one and returns the lines of its result.
 * @param {Source} source
 * @param {RoomFile[]} files
 * @param {StudyOptions} options
 * @returns {Open}
 */
export function prepareRooms ({ program: { name, relocate = text => text }, main, hasContainers }, files, options) {
  const { program, ip, temp, apps, folder, host } = options
  const staged = writeRoomFiles(makeTempDir(temp, 'files'), files.map(file =>
    ({ ...file, text: relocate(file.text, program.modules ?? null) })))
  const packageRoot = getPackageRoot(program.program)
  let rooms = 0
  return async (what, seconds) => {
    const dir = makeTempDir(temp, `room-${rooms++}`)
    const paths = files.map(({ path }) => path)
    const argv = [program.program]
    const asked = { apps, folder, host, ...what }
    const request = { program: name, main, files: paths, argv, root: packageRoot, hasContainers, ...asked }
    writeFileSync(join(dir, 'request.json'), JSON.stringify(request))
    const { stdout, stderr, timedOut } = await runInRoom({
      program: laneProgram,
      dir,
      files: staged,
      ip: { ...ip, env: { ...ip.env, ...program.env } },
      folders: [...packageRoot === '/' ? [] : [packageRoot], ...Object.keys(apps).length > 0 ? [folder] : []],
      seconds
    })
    const last = stderr.split('\n').find(line => /Error\b/.test(line)) ?? stderr.trim().split('\n').at(-1)
    return {
      results: stdout.split('\n').flatMap(line => line.startsWith('{') ? [JSON.parse(line)] : []),
      why: timedOut ? `it took more than ${Math.round(seconds)} s` : `its room ended (${last})`
    }
  }
}

/**
 * Tries the behaviours of all blocks: slow ones of all blocks at once, and beside them the others of a few blocks.
 * @param {ProxyBlock[]} blocks
 * @param {Check[]} all
 * @param {StudyOptions} options
 * @param {Open} open
 */
async function tryBlocks (blocks, all, { isQuick = false, printProgress }, open) {
  const checks = all.filter(({ isSlow }) => !isQuick || !isSlow)
    .toSorted((a, b) => Number(a.isDisturbing ?? false) - Number(b.isDisturbing ?? false))
  const tryIn = async (/** @type {ProxyBlock} */ block, /** @type {boolean} */ isSlow) => {
    const names = checks.filter(check => (check.isSlow ?? false) === isSlow).map(({ name }) => name)
    if (names.length === 0) return []
    const { results, why } = await open({ block, behaviours: names, isAtOnce: isSlow }, SECONDS)
    const outcomes = /** @type {Outcome[]} */ (results)
    printProgress(`${block.host}: ${outcomes.length} of ${names.length} behaviours tried`)
    return names.map(behaviour => outcomes.find(outcome => outcome.behaviour === behaviour) ??
    /** @type {Outcome} */ ({ block: block.index, behaviour, outcome: 'not-offered', detail: `not tried: ${why}` }))
  }
  const quick = Readable.from(blocks).map(block => tryIn(block, false), { concurrency: AT_ONCE }).toArray()
  return (await Promise.all([...blocks.map(block => tryIn(block, true)), quick.then(cells => cells.flat())])).flat()
}

/**
 * Adds the files of the program's package, and those of Certbot, that a configuration does not bring.
 * @param {Source} source
 * @param {string} packageRoot
 * @returns {RoomFile[]}
 */
export function addPackaged ({ files, program: { packaged: { names, texts = {} } } }, packageRoot) {
  const packaged = names.map(path => [path, readText(join(packageRoot, path))])
  const added = [...packaged.filter(([, text]) => text !== ''), ...Object.entries(texts)]
    .map(([path, text]) => /** @type {RoomFile} */ ({ path, shown: null, text, encoding: 'utf8' }))
  return [...files, ...added.filter(({ path }) => !files.some(file => file.path === path))]
}

/**
 * Mends what fails: each failure alone, and all of them one after the other.
 * @param {Source} source
 * @param {{ path: string, text: string }[]} files
 * @param {ProxyBlock[]} blocks
 * @param {Outcome[]} failures
 * @param {Map<string, string>} shown
 * @returns {{ findings: OwnFinding[], patch: string }}
 */
function mend ({ program, main, files: own }, files, blocks, failures, shown) {
  const before = new Map(own.filter(({ path }) => shown.has(path)).map(({ path, text }) => [path, text]))
  const all = new Map(files.map(({ path, text }) => [path, text]))
  const checks = getChecks(program)
  const mendOne = (/** @type {Map<string, string>} */ texts, /** @type {Outcome} */ { block, behaviour }) => {
    const { base, tls } = blocks.find(({ index }) => index === block) ?? { base: '', tls: false }
    const tree = readTree(main, new Map([...all, ...texts]), program)
    const { around, passes } = program.getSites(tree, '')[block]
    const edits = findCheck(behaviour, program).mend({ texts, tree, around, passes, base, tls })
    return { edits, texts: applyEdits(texts, edits) }
  }
  const order = checks.map(({ name }) => name)
  let mended = before
  const findings = failures.toSorted((a, b) => order.indexOf(a.behaviour) - order.indexOf(b.behaviour)).map(failure => {
    const { sees, advice = 'No change of this file alone mends it.' } = findCheck(failure.behaviour, program)
    const { edits, texts } = mendOne(before, failure)
    mended = mendOne(mended, failure).texts
    const places = edits.filter(({ file }) => shown.has(file)).map(({ file, from }) =>
      ({ file: String(shown.get(file)), line: (before.get(file) ?? '').slice(0, from).split('\n').length }))
    const { file, line } = blocks.find(({ index }) => index === failure.block) ?? { file: '', line: 0 }
    return {
      ...failure,
      sees,
      advice,
      places: places.length === 0
        ? [{ file: shown.get(file) ?? file, line }]
        : [...new Map(places.map(place => [`${place.file}:${place.line}`, place])).values()]
            .sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line),
      patch: toPatch(before, texts, shown)
    }
  })
  return { findings, patch: toPatch(before, mended, shown) }
}
