/** Reads a configuration of nginx from a file, a folder, a compose.yaml, or the text of `nginx -T`. */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { isUtf8 } from 'node:buffer'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import { badOption } from '../../errors.js'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { attempt } from '../../shared/attempt.js'
import { isWithin } from '../../shared/paths.js'
import { readTree } from './model.js'
import { parseConfig } from './syntax.js'

/** @import { Directive, RoomFile, Source } from './types.js' */

const FOLDER = '/etc/nginx'
const MAIN = `${FOLDER}/nginx.conf`
const COMPOSE = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
/** Endings of files beside those of sites, whose names can be those of hosts. */
const NO_SITE = /\.(?:md|txt|html?|[cm]?js|ts|json|ya?ml|sh|bak|old|orig|save|dist|sample|template|disabled)$|~$/
const SKIPPED = /^(?:node_modules$|\.)/
/** Limits of the files that are read from a folder. */
const MAX_FILES = 2000
const MAX_BYTES = 4_000_000
const MAX_DEPTH = 8
/** First bytes of a program or a library, which is not copied because nginx could load it. */
const ELF = '\x7fELF'

/** Configuration around a file of conf.d, with the settings of the official image. */
const AROUND = `user nginx;
worker_processes auto;
error_log /var/log/nginx/error.log notice;
pid /run/nginx.pid;
events { worker_connections 1024; }
http {
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    log_format main '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
                    '"$http_referer" "$http_user_agent" "$http_x_forwarded_for"';
    access_log /var/log/nginx/access.log main;
    sendfile on;
    keepalive_timeout 65;
    include /etc/nginx/conf.d/*.conf;
    include /etc/nginx/sites-enabled/*;
}
`

/**
 * Reads a configuration.
 * @param {string} path as typed; "-": the text of `nginx -T` is given
 * @param {{ cwd: string, input?: string }} options
 * @returns {Source}
 * @throws {HopbenchError} bad-option
 */
export function readSource (path, { cwd, input = '' }) {
  if (path === '-') return { ...fromDump(input), root: cwd, hasContainers: false }
  const start = realpathSync(resolve(cwd, path))
  const isFolder = statSync(start).isDirectory()
  const folder = isFolder ? start : dirname(start)
  const root = isWithin(realpathSync(cwd), start) ? realpathSync(cwd) : folder
  const compose = isFolder
    ? COMPOSE.map(name => join(folder, name)).find(file => !existsSync(join(folder, 'nginx.conf')) && existsSync(file))
    : COMPOSE.includes(basename(start)) || /\.ya?ml$/.test(start) ? start : undefined
  if (compose) return { ...fromCompose(compose, root), root, hasContainers: true }
  const files = isFolder ? fromFolder(folder, root) : fromFile(start, root)
  if (files.length === 0) throw badOption('A configuration', path, 'it has no configuration of nginx')
  return { ...withMain(files), root, hasContainers: false }
}

/** Adds the main file of the official image, unless there is one. @param {RoomFile[]} files */
const withMain = files => files.some(({ path }) => path === MAIN)
  ? { main: MAIN, files, notes: [] }
  : {
      main: MAIN,
      files: [toUtf8File(MAIN, null, AROUND), ...files],
      notes: ['The nginx.conf around it has the settings of the official image.']
    }

/**
 * @param {string} file
 * @param {string} root
 */
function fromFile (file, root) {
  const content = readFile(file)
  if (content === null) return []
  const shown = relative(root, file)
  const isMain = parseConfig(content.text, file).some(({ name }) => ['http', 'events', 'stream'].includes(name))
  if (!isMain) {
    return [{ path: `${FOLDER}/conf.d/${basename(file).replace(/(?:\.conf)?$/, '.conf')}`, shown, ...content }]
  }
  const others = walk(dirname(file), FOLDER, root).filter(({ path }) => path !== `${FOLDER}/${basename(file)}`)
  const files = [{ path: MAIN, shown, ...content }, ...others.filter(({ path }) => path !== MAIN)]
  // Reads only those files of the folder that the file includes.
  const tree = readTree(MAIN, new Map(files.map(({ path, text }) => [path, text])))
  const used = new Set(collectFiles(tree))
  return files.filter(({ path }) => path === MAIN || used.has(path))
}

/**
 * @param {Directive[]} tree
 * @returns {string[]}
 */
const collectFiles = tree => tree.flatMap(({ file, children = [] }) => [file, ...collectFiles(children)])

/**
 * @param {string} folder
 * @param {string} root
 */
function fromFolder (folder, root) {
  const files = walk(folder, FOLDER, root)
  if (files.some(({ path }) => path === MAIN)) return files
  const isSite = (/** @type {RoomFile} */ { path, text }) => !NO_SITE.test(path) &&
    parseConfig(text, path).some(({ name, children }) => children && ['server', 'upstream'].includes(name))
  return files.some(isSite) || files.some(({ path }) => path.includes('/sites-enabled/'))
    ? files.map(file => dirname(file.path) === FOLDER && isSite(file)
      ? { ...file, path: `${FOLDER}/conf.d/${basename(file.path).replace(/(?:\.conf)?$/, '.conf')}` }
      : file)
    : []
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
  return { main: files[0].path, files, notes: [] }
}

/**
 * Reads the files that a service with nginx mounts. Services are found by their indentation.
 * @param {string} file
 * @param {string} root
 */
function fromCompose (file, root) {
  const mounts = parseMounts(readFile(file)?.text ?? '')
  const files = mounts.flatMap(({ source, target }) => {
    const path = findReal(resolve(dirname(file), source))
    if (!path) return []
    const content = readFile(path)
    if (content !== null) return [{ path: target, shown: relative(root, path), ...content }]
    return statSync(path).isDirectory() ? walk(path, target.replace(/\/$/, ''), root) : []
  })
  if (!files.some(({ path }) => isWithin(FOLDER, path))) {
    throw badOption('A configuration', basename(file), `no service mounts a file into ${FOLDER}`)
  }
  return withMain(files)
}

/**
 * Returns the mounts of the service that mounts a file into the folder of nginx.
 * @param {string} text of a compose.yaml
 * @returns {{ source: string, target: string }[]}
 */
export function parseMounts (text) {
  /** @type {{ source: string, target: string }[][]} */
  const services = []
  let indent = -1
  let isIn = false
  for (const line of text.split('\n').filter(line => line.trim() && !line.trim().startsWith('#'))) {
    const depth = line.search(/\S/)
    if (depth === 0) {
      isIn = /^services:/.test(line)
      indent = -1
    } else if (isIn) {
      if (indent < 0) indent = depth
      if (depth === indent) services.push([])
      const short = [...line.matchAll(/["']?(\.{0,2}\/[^:"'\],\s]*):(\/[^:"'\],\s]+)(?::[\w,]+)?["']?/g)]
      services.at(-1)?.push(...short.map(([, source, target]) => ({ source, target })))
      const [, source] = /\bsource: *["']?([^"',}\s]+)/.exec(line) ?? []
      const [, target] = /\btarget: *["']?([^"',}\s]+)/.exec(line) ?? []
      if (source) services.at(-1)?.push({ source, target: target ?? '' })
      const last = services.at(-1)?.at(-1)
      if (target && !source && last?.target === '') last.target = target
    }
  }
  return services.find(mounts => mounts.some(({ target }) => isWithin(FOLDER, target))) ?? []
}
