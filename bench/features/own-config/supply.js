/** Supplies what a configuration needs and this room lacks, until nginx accepts the configuration. Runs in a room. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../machine/files/make-folder.js'
import { isFolder, readText } from '../../machine/files/system-files.js'
import { run } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { AS_SERVED_USER } from '../../machine/network/lab.js'
import { findCertificate } from '../../topology/certificates.js'
import { findAll, getApps, getPasses, getValue, isName, readTree, toAbsolute } from './model.js'

/** @import { AppAddress, Directive, Rejection, RoomRequest } from './types.js' */

/** Most rounds in which nginx names something that is missing. */
const MAX_ROUNDS = 40
const CHECK_SECONDS = 20
const CHECK_LOG = '/tmp/check.log'
/** Runs a command with a file as its output, because nginx cannot open /dev/stderr if it is a socket of Node. */
const CHECK = `exec "$@" > ${CHECK_LOG} 2>&1`
/** First address of hosts that are found by name. */
const FIRST_HOST = '10.214.0.'
const MAX_NAMES = 250
const PAGE = '<!doctype html><title>a page of the site</title>\n'
/** Directives that name files or folders to write, with the position of their path. */
const WRITTEN = {
  access_log: 0,
  error_log: 0,
  pid: 0,
  lock_file: 0,
  proxy_cache_path: 0,
  fastcgi_cache_path: 0,
  client_body_temp_path: 0,
  proxy_temp_path: 0,
  fastcgi_temp_path: 0,
  uwsgi_temp_path: 0,
  scgi_temp_path: 0,
  proxy_store: 0
}
const CERTIFICATES = ['ssl_certificate', 'ssl_trusted_certificate', 'ssl_client_certificate', 'proxy_ssl_certificate',
  'proxy_ssl_trusted_certificate']
const KEYS = ['ssl_certificate_key', 'proxy_ssl_certificate_key']

/**
 * Supplies everything that the configuration names, and then what nginx reports as missing.
 * @param {RoomRequest} request
 * @returns {Promise<{ tree: Directive[], supplied: string[], hosts: Map<string, string>, rejected: Rejection | null }>}
 * rejected: what cannot be supplied
 */
export async function supply ({ main, files, nginx }) {
  const tree = readTree(main, new Map(files.map(path => [path, readText(path)])))
  const certificate = await findCertificate('ecdsa-p256', '/tmp/certificates')
  /** @type {Map<string, string>} */
  const hosts = new Map([['localhost', '127.0.0.1']])
  /** @type {string[]} */
  const supplied = []
  const addHost = (/** @type {string} */ name) => {
    if (hosts.has(name) || hosts.size > MAX_NAMES) return false
    hosts.set(name, `${FIRST_HOST}${hosts.size}`)
    writeHosts(hosts)
    supplied.push(`the host ${name}`)
    return true
  }
  const addFile = (/** @type {string} */ path, /** @type {string} */ what, /** @type {string} */ text) => {
    if (existsSync(path) || !tryFolder(dirname(path))) return false
    writeFileSync(path, text, { mode: 0o600 })
    supplied.push(`${what} ${path}`)
    return true
  }
  const addCertificate = (/** @type {string} */ path) =>
    addFile(path, 'a certificate for the run,', readText(certificate.certFile))
  const addKey = (/** @type {string} */ path) =>
    addFile(path, 'the key', readText(certificate.keyFile))
  writeHosts(hosts)
  for (const { host, path } of getPasses(tree).flatMap(pass => getApps(tree, pass))) {
    if (host && isName(host)) addHost(host)
    if (path) tryFolder(dirname(path))
  }
  // A certificate whose key is not there is replaced, because the new key does not fit it.
  const missing = findAll(tree, KEYS).filter(({ directive }) => !existsSync(toAbsolute(getValue(directive))))
  for (const { around } of missing) {
    for (const path of getPaths(around.at(-1)?.children ?? [], CERTIFICATES)) rmSync(path, { force: true })
  }
  for (const path of getPaths(tree, CERTIFICATES)) addCertificate(path)
  for (const path of getPaths(tree, KEYS)) addKey(path)
  for (const path of getPaths(tree, Object.keys(WRITTEN))) tryFolder(dirname(path))
  for (const path of getPaths(tree, ['root', 'alias'])) {
    if (!existsSync(path) && tryFolder(path.endsWith('/') || !/\.\w+$/.test(path) ? path : dirname(path))) {
      supplied.push(`the folder ${path}`)
    }
    if (isFolder(path)) addFile(`${path.replace(/\/$/, '')}/index.html`, 'the page', PAGE)
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const argv = [...AS_SERVED_USER, '--', ...nginx, '-t', '-q', '-c', main]
    const { exit, timedOut } = await run(['sh', '-c', CHECK, 'sh', ...argv], { timeoutSeconds: CHECK_SECONDS })
    if (exit === 0) return { tree, supplied, hosts, rejected: null }
    const line = readText(CHECK_LOG).split('\n').find(line => line.includes('[emerg]')) ?? ''
    const add = findRemedy(line, { addHost, addFile, addCertificate, addKey })
    if (timedOut || !add?.()) {
      return { tree, supplied, hosts, rejected: toRejection(timedOut ? 'its own check does not end' : line) }
    }
  }
  return { tree, supplied, hosts, rejected: { why: `more than ${MAX_ROUNDS} things are missing`, file: null, line: 0 } }
}

/**
 * Returns what supplies something that nginx reports as missing.
 * @param {string} line of nginx
 * @param {{ addHost: (name: string) => boolean, addFile: (path: string, what: string, text: string) => boolean,
 *   addCertificate: (path: string) => boolean, addKey: (path: string) => boolean }} add
 */
function findRemedy (line, { addHost, addFile, addCertificate, addKey }) {
  const [, host] = /host not found in (?:upstream|"?resolver"?|"proxy_pass"|.*?) "?([^":/ ]+)/.exec(line) ?? []
  if (host) return () => addHost(host)
  const [, key] = /cannot load certificate key "([^"]+)"/.exec(line) ?? []
  if (key) return () => addKey(key)
  const [, certificate] = /(?:cannot load certificate|SSL_load_client_CA_file\(|load_verify_locations\()\W*"([^"]+)"/
    .exec(line) ?? []
  if (certificate) return () => addCertificate(certificate)
  const [, folder] = /mkdir\(\) "([^"]+)" failed \(2:/.exec(line) ?? []
  if (folder) return () => tryFolder(dirname(folder))
  const [, log] = /open\(\) "([^"]+\.(?:log|pid))" failed \(2:/.exec(line) ?? []
  if (log) return () => addFile(log, 'the file', '')
  return null
}

/**
 * Returns why a configuration cannot be tried, with its line.
 * @param {string} message
 * @returns {Rejection}
 */
function toRejection (message) {
  const [, why, file = null, line = '0'] =
    /^(?:nginx: |\S+ \S+ )?(?:\[emerg\] )?(?:\d+#\d+: )?(.*?)(?: in (\/\S+?):(\d+))?$/s.exec(message) ?? []
  return { why: why || 'nginx rejects it without a reason', file, line: Number(line) }
}

/**
 * Returns paths without variables that directives name.
 * @param {Directive[]} tree
 * @param {string[]} names
 */
const getPaths = (tree, names) => [...new Set(findAll(tree, names).map(({ directive }) => getValue(directive))
  .filter(path => path && path !== 'off' && !/[$:]/.test(path) && path !== 'stderr' && !path.startsWith('/dev/'))
  .map(toAbsolute))]

/** Makes a folder if it can. Returns whether it exists. @param {string} path */
const tryFolder = path => attempt(() => {
  makeFolder(path)
  return true
}, () => false)

/** Writes the addresses of hosts for programs that look them up. @param {Map<string, string>} hosts by name */
export function writeHosts (hosts) {
  writeFileSync('/etc/nsswitch.conf', 'hosts: files\n')
  writeFileSync('/etc/hosts', [...hosts].map(([name, address]) => `${address} ${name}\n`).join(''))
}

/**
 * Returns the address at which an app listens.
 * @param {AppAddress} app
 * @param {Map<string, string>} hosts
 */
export const toListenOptions = ({ host, port, path }, hosts) =>
  path === null ? { host: hosts.get(String(host)) ?? String(host), port } : { path }
