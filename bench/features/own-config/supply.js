/** Supplies what a configuration needs and this room lacks, until nginx accepts the configuration. Runs in a room. */
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname } from 'node:path'
import { makeFolder } from '../../machine/files/make-folder.js'
import { isFolder, readText } from '../../machine/files/system-files.js'
import { run } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { AS_SERVED_USER } from '../../machine/network/lab.js'
import { findCertificate } from '../../topology/certificates.js'
import { findAll, getApps, getPasses, getProxyServers, getValue, isName, readTree, toAbsolute } from './model.js'

/** @import { Certificate } from '../deploy/configs/types.js' */
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
/** Account that is added to each file of accounts, in nginx's format, and the header of its requests. */
export const ACCOUNT = {
  line: 'hopbench:{PLAIN}hopbench\n',
  header: `Basic ${Buffer.from('hopbench:hopbench').toString('base64')}`
}
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
 * @returns {Promise<{ tree: Directive[], supplied: string[], hosts: Map<string, string>, certificate: Certificate,
 *   rejected: Rejection | null }>} rejected: what cannot be supplied
 */
export async function supply ({ main, files, nginx }) {
  const tree = readTree(main, new Map(files.map(path => [path, readText(path)])))
  const apps = getPasses(tree).flatMap(pass => getApps(tree, pass))
  const names = [
    ...['upstream', 'proxy_ssl_name'].flatMap(name => findAll(tree, name)).map(({ directive }) => getValue(directive)),
    ...apps.map(({ host }) => String(host))
  ].filter(isName).slice(0, MAX_NAMES)
  const certificate = await findCertificate('ecdsa-p256', '/tmp/certificates', undefined, names)
  /** @type {Map<string, string>} */
  const hosts = new Map([['localhost', '127.0.0.1']])
  /** @type {string[]} */
  const supplied = []
  const add = makeAdder({ hosts, supplied, certificate })
  writeHosts(hosts)
  for (const { host, path } of apps) {
    if (host && isName(host)) add.host(host)
    if (path) tryFolder(dirname(path))
  }
  await supplyListeners(tree, hosts, add)
  supplyFiles(tree, add)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const argv = [...AS_SERVED_USER, '--', ...nginx, '-t', '-q', '-c', main]
    const { exit, timedOut } = await run(['sh', '-c', CHECK, 'sh', ...argv], { timeoutSeconds: CHECK_SECONDS })
    if (exit === 0) return { tree, supplied, hosts, certificate, rejected: null }
    const line = readText(CHECK_LOG).split('\n').find(line => line.includes('[emerg]')) ?? ''
    if (timedOut || !findRemedy(line, add)?.()) {
      const rejected = toRejection(timedOut ? 'its own check does not end' : line)
      return { tree, supplied, hosts, certificate, rejected }
    }
  }
  const why = `more than ${MAX_ROUNDS} things are missing`
  return { tree, supplied, hosts, certificate, rejected: { why, file: null, line: 0 } }
}

/**
 * Returns functions that add what is missing, and list it. They return false if it cannot be added.
 * @param {{ hosts: Map<string, string>, supplied: string[], certificate: Certificate }} room
 */
function makeAdder ({ hosts, supplied, certificate }) {
  const file = (/** @type {string} */ path, /** @type {string} */ title, /** @type {string} */ text) => {
    if (existsSync(path) || !tryFolder(dirname(path))) return false
    writeFileSync(path, text, { mode: 0o600 })
    supplied.push(`${title} ${path}`)
    return true
  }
  return {
    file,
    host (/** @type {string} */ name) {
      if (hosts.has(name) || hosts.size > MAX_NAMES) return false
      hosts.set(name, `${FIRST_HOST}${hosts.size}`)
      writeHosts(hosts)
      supplied.push(`the host ${name}`)
      return true
    },
    certificate: (/** @type {string} */ path) =>
      file(path, 'a certificate for the run,', readText(certificate.certFile)),
    key: (/** @type {string} */ path) => file(path, 'the key', readText(certificate.keyFile)),
    folder (/** @type {string} */ path) {
      if (!existsSync(path) && tryFolder(path)) supplied.push(`the folder ${path}`)
    },
    account (/** @type {string} */ path) {
      if (!tryFolder(dirname(path))) return
      appendFileSync(path, `\n${ACCOUNT.line}`, { mode: 0o600 })
      supplied.push(`the account hopbench in ${path}`)
    },
    async address (/** @type {string} */ address) {
      await addAddress(address)
      supplied.push(`the address ${address}`)
    }
  }
}

/** @typedef {ReturnType<typeof makeAdder>} Adder */

/**
 * Supplies the addresses at which server blocks listen.
 * @param {Directive[]} tree
 * @param {Map<string, string>} hosts
 * @param {Adder} add
 */
async function supplyListeners (tree, hosts, add) {
  for (const { host, path } of getProxyServers(tree).flatMap(({ listens }) => listens)) {
    if (path) tryFolder(dirname(path))
    if (host && isName(host)) add.host(host)
    const address = hosts.get(String(host)) ?? String(host)
    if (isIP(address) && !/^(?:127\.|::1$)/.test(address)) await add.address(address)
  }
}

/**
 * Supplies certificates, accounts, folders and pages.
 * @param {Directive[]} tree
 * @param {Adder} add
 */
function supplyFiles (tree, add) {
  // A certificate whose key is not there is replaced, because the new key does not fit it.
  const missing = findAll(tree, KEYS).filter(({ directive }) => !existsSync(toAbsolute(getValue(directive))))
  for (const { around } of missing) {
    for (const path of getPaths(around.at(-1)?.children ?? [], CERTIFICATES)) rmSync(path, { force: true })
  }
  for (const path of getPaths(tree, CERTIFICATES)) add.certificate(path)
  for (const path of getPaths(tree, KEYS)) add.key(path)
  for (const path of getPaths(tree, ['auth_basic_user_file'])) add.account(path)
  for (const path of getPaths(tree, Object.keys(WRITTEN))) tryFolder(dirname(path))
  for (const path of getPaths(tree, ['root', 'alias'])) {
    add.folder(path.endsWith('/') || !/\.\w+$/.test(path) ? path : dirname(path))
    if (isFolder(path)) add.file(`${path.replace(/\/$/, '')}/index.html`, 'the page', PAGE)
  }
}

/**
 * Returns what supplies something that nginx reports as missing.
 * @param {string} line of nginx
 * @param {Adder} add
 */
function findRemedy (line, add) {
  const [, host] = /host not found in (?:upstream|"?resolver"?|"proxy_pass"|.*?) "?([^":/ ]+)/.exec(line) ?? []
  if (host) return () => add.host(host)
  const [, key] = /cannot load certificate key "([^"]+)"/.exec(line) ?? []
  if (key) return () => add.key(key)
  const [, certificate] = /(?:cannot load certificate|SSL_load_client_CA_file\(|load_verify_locations\()\W*"([^"]+)"/
    .exec(line) ?? []
  if (certificate) return () => add.certificate(certificate)
  const [, folder] = /mkdir\(\) "([^"]+)" failed \(2:/.exec(line) ?? []
  if (folder) return () => tryFolder(dirname(folder))
  const [, log] = /open\(\) "([^"]+\.(?:log|pid))" failed \(2:/.exec(line) ?? []
  if (log) return () => add.file(log, 'the file', '')
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

/** Adds an address to the host of nginx. @param {string} address */
export const addAddress = address => run([String(process.env.HOPBENCH_IP), 'addr', 'add', address, 'dev', 'lo'])

/** Writes the addresses of hosts for programs that look them up. @param {Map<string, string>} hosts by name */
export function writeHosts (hosts) {
  writeFileSync('/etc/nsswitch.conf', 'hosts: files\n')
  writeFileSync('/etc/hosts', [...hosts].map(([name, address]) => `${address} ${name}\n`).join(''))
}

/**
 * Returns the address at which an app listens.
 * @param {Pick<AppAddress, 'host' | 'port' | 'path'>} app
 * @param {Map<string, string>} hosts
 */
export const toListenOptions = ({ host, port, path }, hosts) =>
  path === null ? { host: hosts.get(String(host)) ?? String(host), port } : { path }
