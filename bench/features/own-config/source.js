/** Reads a configuration from a file, a folder, a compose.yaml, or the text of `nginx -T`. */
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { isUtf8 } from 'node:buffer'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import { parse } from 'yaml'
import { badOption } from '../../errors.js'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { attempt } from '../../shared/attempt.js'
import { listing } from '../../shared/format.js'
import { isWithin } from '../../shared/paths.js'
import { readTree } from './model.js'
import { getProgram, PROGRAMS } from './programs/index.js'

/** @import { Directive, OwnProgram, RoomFile, Source } from './types.js' */

const COMPOSE = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
/** Endings of files beside those of sites, whose names can be those of hosts. */
const NO_SITE = /\.(?:md|txt|html?|[cm]?js|ts|json|ya?ml|sh|bak|old|orig|save|dist|sample|template|disabled)$|~$/
const SKIPPED = /^(?:node_modules$|\.)/
/** Limits of the files that are read from a folder. */
const MAX_FILES = 2000
const MAX_BYTES = 4_000_000
const MAX_DEPTH = 8
/** First bytes of a program or a library, which is not copied because a program could load it. */
const ELF = '\x7fELF'

/**
 * Reads a configuration.
 * @param {string} path as typed; "-": the text of `nginx -T` is given
 * @param {{ cwd: string, input?: string }} options
 * @returns {Source}
 * @throws {HopbenchError} bad-option
 */
export function readSource (path, { cwd, input = '' }) {
  if (path === '-') return { ...fromDump(input), root: cwd, hasContainers: false }
  const start = attempt(() => realpathSync(resolve(cwd, path)), () => {
    throw badOption('A configuration', path, 'there is no such file or folder', 'Check the path.')
  })
  const isFolder = statSync(start).isDirectory()
  const folder = isFolder ? start : dirname(start)
  const root = isWithin(realpathSync(cwd), start) ? realpathSync(cwd) : folder
  const names = isFolder ? readdirSync(folder) : []
  const main = PROGRAMS.flatMap(({ mains }) => mains).find(name => names.includes(name))
  const compose = isFolder
    ? COMPOSE.find(name => !main && names.includes(name))
    : COMPOSE.includes(basename(start)) || /\.ya?ml$/.test(start) ? basename(start) : undefined
  if (compose) return { ...fromCompose(join(folder, compose), root), root, hasContainers: true }
  const found = isFolder ? fromFolder(folder, main, root) : fromFile(start, root)
  if (!found) {
    const titles = listing(PROGRAMS.map(({ title }) => title))
    throw badOption('A configuration', path, `hopbench reads those of ${titles}`)
  }
  return { ...found, root, hasContainers: false }
}

/**
 * Adds a main file, unless there is one.
 * @param {OwnProgram} program
 * @param {string | null} main path in the room
 * @param {RoomFile[]} files
 */
const withMain = (program, main, files) => main === null && program.around
  ? {
      program,
      main: program.around.main,
      files: [toUtf8File(program.around.main, null, program.around.text), ...files],
      notes: [program.around.note]
    }
  : { program, main: main ?? files[0].path, files, notes: [] }

/**
 * Returns the program of a text; undefined: none is known.
 * @param {string} text
 * @param {string} file
 */
const findProgram = (text, file) => PROGRAMS.find(({ isOwn }) => isOwn(text, basename(file)))

/**
 * @param {string} file
 * @param {string} root
 */
function fromFile (file, root) {
  const content = readFile(file)
  const program = content && findProgram(content.text, file)
  if (!content || !program) return null
  const shown = relative(root, file)
  const main = program.toMain(content.text, basename(file))
  if (main === null) {
    return withMain(program, null, [{ path: toPart(program, file), shown, ...content }])
  }
  const others = walk(dirname(file), dirname(main), root).filter(other => other.shown !== shown && other.path !== main)
  const files = [{ path: main, shown, ...content }, ...others]
  // Reads only those files of the folder that the configuration includes or names.
  const tree = readTree(main, new Map(files.map(({ path, text }) => [path, text])), program)
  const used = new Set(collectFiles(tree))
  const texts = files.filter(({ path }) => used.has(path)).map(({ text }) => text).join('\n')
  return withMain(program, main,
    files.filter(({ path }) => path === main || used.has(path) || texts.includes(`/${basename(path)}`)))
}

/**
 * Returns the path in the room of a part of a configuration.
 * @param {OwnProgram} program
 * @param {string} file
 */
const toPart = ({ around, folders }, file) =>
  `${around?.folder ?? folders[0]}/${basename(file).replace(/(?:\.conf)?$/, '.conf')}`

/**
 * @param {Directive[]} tree
 * @returns {string[]}
 */
const collectFiles = tree => tree.flatMap(({ file, children = [] }) => [file, ...collectFiles(children)])

/**
 * @param {string} folder
 * @param {string | undefined} mainName name of the main file
 * @param {string} root
 */
function fromFolder (folder, mainName, root) {
  if (mainName !== undefined) {
    const text = readFile(join(folder, mainName))?.text ?? ''
    const program = findProgram(text, mainName)
    if (!program) return null
    const main = program.toMain(text, mainName) ?? `${program.folders[0]}/${mainName}`
    const files = walk(folder, dirname(main), root)
    return withMain(program, main, files.map(file => file.shown === relative(root, join(folder, mainName))
      ? { ...file, path: main }
      : file))
  }
  for (const program of PROGRAMS.filter(({ around }) => around)) {
    const files = walk(folder, program.folders[0], root)
    const isSite = (/** @type {RoomFile} */ { path, text }) => !NO_SITE.test(path) &&
      program.isOwn(text, basename(path)) && program.toMain(text, basename(path)) === null
    if (!files.some(isSite) && !files.some(({ path }) => path.includes('/sites-enabled/'))) continue
    return withMain(program, null, files.map(file => dirname(file.path) === program.folders[0] && isSite(file)
      ? { ...file, path: toPart(program, file.path) }
      : file))
  }
  return null
}

/**
 * Returns the files of a folder. Follows links within the folder only.
 * @param {string} folder
 * @param {string} target path in the room
 * @param {string} root
 * @returns {RoomFile[]}
 */
function walk (folder, target, root) {
  /** @type {RoomFile[]} */
  const files = []
  let bytes = 0
  const read = (/** @type {string} */ path, /** @type {string} */ inRoom, /** @type {number} */ depth) => {
    if (files.length >= MAX_FILES || depth > MAX_DEPTH) return
    for (const name of readdirSync(path).sort()) {
      if (SKIPPED.test(name)) continue
      const real = findReal(join(path, name))
      if (!real || !isWithin(folder, real)) continue
      const stats = statSync(real)
      if (stats.isDirectory()) read(real, `${inRoom}/${name}`, depth + 1)
      if (!stats.isFile() || files.length >= MAX_FILES || bytes + stats.size > MAX_BYTES) continue
      const content = readFile(real)
      if (content === null) continue
      bytes += stats.size
      files.push({ path: `${inRoom}/${name}`, shown: relative(root, real), ...content })
    }
  }
  read(folder, target, 0)
  return files
}

/** Returns the file to which links lead; null: there is none. @param {string} path */
const findReal = path => attempt(() => realpathSync(path), () => null)

/**
 * Reads a file as text; null: it cannot be read, is too long, or is a program.
 * @param {string} file
 * @returns {Pick<RoomFile, 'text' | 'encoding'> | null}
 */
function readFile (file) {
  const bytes = attempt(() => readPlainFile(file, { maxBytes: MAX_BYTES, followsLinks: true }), () => null)
  if (!bytes) return null
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  const text = bytes.toString(encoding)
  return text.startsWith(ELF) ? null : { text, encoding }
}

/**
 * @param {string} path
 * @param {string | null} shown
 * @param {string} text
 * @returns {RoomFile}
 */
const toUtf8File = (path, shown, text) => ({ path, shown, text, encoding: 'utf8' })

/** Reads the text of `nginx -T`. @param {string} text */
function fromDump (text) {
  const parts = text.split(/^# configuration file (\/.*):$/m).slice(1)
  const files = parts.flatMap((path, i) => i % 2 === 0
    ? [toUtf8File(posix.normalize(path), path.slice(1), parts[i + 1].replace(/^\n/, ''))]
    : [])
  if (files.length === 0) throw badOption('A configuration', '-', 'standard input has no text of `nginx -T`')
  return { program: getProgram('nginx'), main: files[0].path, files, notes: [] }
}

/**
 * Reads the files that the service of a proxy mounts.
 * @param {string} file
 * @param {string} root
 */
function fromCompose (file, root) {
  const { program, mounts, others } = findProxyService(readFile(file)?.text ?? '')
  const files = mounts.flatMap(({ source, target }) => {
    const path = findReal(resolve(dirname(file), source))
    if (!path) return []
    const inRoom = program?.relocate?.(target, null) ?? target
    const content = readFile(path)
    if (content !== null) return [{ path: inRoom, shown: relative(root, path), ...content }]
    return statSync(path).isDirectory() ? walk(path, inRoom.replace(/\/$/, ''), root) : []
  })
  const isMain = (/** @type {RoomFile} */ { path, text }) =>
    program?.mains.includes(basename(path)) && program.toMain(text, basename(path))
  if (!program || !files.some(({ path }) => isInFolder(program, path))) {
    throw badOption('A configuration', basename(file),
      `no service mounts a file into ${listing(PROGRAMS.flatMap(({ folders }) => folders))}`)
  }
  const main = files.find(isMain)?.path ?? null
  const source = withMain(program, main, files)
  const note = 'Another service with a configuration is not tried: name its file or folder.'
  return others > 0 ? { ...source, notes: [...source.notes, note] } : source
}

/**
 * Returns whether a path is in a folder of a program.
 * @param {OwnProgram} program
 * @param {string} path
 */
const isInFolder = ({ folders, relocate = text => text }, path) =>
  folders.some(folder => [folder, relocate(folder, null)].some(folder => isWithin(folder, path)))

/** Returns a table of a compose.yaml, or an empty one in place of another value. @param {any} value */
const toTable = value => /** @type {Record<string, any>} */ (
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {})

/**
 * @param {unknown} value
 * @returns {value is string}
 */
const isPath = value => typeof value === 'string' && value.includes('/')

/** @param {unknown} value */
const toList = value => Array.isArray(value) ? value : []

/**
 * Returns the paths of a volume: "./a:/b:ro", or a table.
 * @param {any} volume
 * @returns {{ source: unknown, target: unknown }}
 */
function toMount (volume) {
  const [from, to] = typeof volume === 'string' ? volume.split(':') : []
  const { source = from, target = to } = toTable(volume)
  return { source, target }
}

/**
 * Returns the mounts of the service that mounts a file into the folder of a program.
 * @param {string} text of a compose.yaml
 * @returns {{ program: OwnProgram | null, mounts: { source: string, target: string }[], others: number }} others:
 *   further services that mount one
 */
export function findProxyService (text) {
  const { services, configs } = toTable(attempt(() => parse(text), () => null))
  const all = Object.values(toTable(services)).map(toTable).map(({ volumes, configs: used }) => [
    ...toList(volumes).map(toMount),
    ...toList(used).map(toTable).map(({ source, target }) =>
      ({ source: toTable(toTable(configs)[source]).file, target }))
  ].flatMap(({ source, target }) => isPath(source) && isPath(target) ? [{ source, target }] : []))
  for (const program of PROGRAMS) {
    const [mounts, ...others] = all.filter(mounts => mounts.some(({ target }) => isInFolder(program, target)))
    if (mounts) return { program, mounts, others: others.length }
  }
  return { program: null, mounts: [], others: 0 }
}
