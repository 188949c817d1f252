/** Supplies what a configuration needs and this room lacks, until its program accepts it. Runs in a room. */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname } from 'node:path'
import { makeFolder } from '../../machine/files/make-folder.js'
import { isFolder, readText } from '../../machine/files/system-files.js'
import { run } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { AS_SERVED_USER, SERVED_USER } from '../../machine/network/lab.js'
import { findCertificate } from '../../topology/certificates.js'
import { isName, readTree } from './model.js'
import { getProgram } from './programs/index.js'

/** @import { AppAddress, AppPlan, Directive, Exec, OwnProgram, Rejection, RoomRequest, Supplier } from './types.js' */

/** Most rounds in which a program names something that is missing. */
const MAX_ROUNDS = 40
const CHECK_SECONDS = 20
const CHECK_OUT = '/tmp/check.out'
const CHECK_LOG = '/tmp/check.log'
/** Runs a command with files as its output, because nginx cannot open /dev/stderr if it is a socket of Node. */
const CHECK = `exec "$@" > ${CHECK_OUT} 2> ${CHECK_LOG}`
/** First address of hosts that are found by name. */
const FIRST_HOST = '10.214.0.'
const MAX_NAMES = 250
/** Account that is added to files of accounts, in the format of nginx, and the header of its requests. */
export const LOGIN = {
  line: 'hopbench:{PLAIN}hopbench\n',
  header: `Basic ${Buffer.from('hopbench:hopbench').toString('base64')}`
}
const PAGE = '<!doctype html><title>a page of the site</title>\n'
/** Argv that maps the account of a program to root in a namespace without power over this room. */
const AS_ROOT = ['unshare', '-Ur']

/** Returns the argv that enters the account of a program. @param {OwnProgram} program */
export const enterAs = ({ account }) => [...account === 'root' ? AS_ROOT : AS_SERVED_USER, '--']

/**
 * Supplies everything that the configuration names, and then what its program reports as missing.
 * @param {Pick<RoomRequest, 'program' | 'main' | 'files' | 'argv' | 'root'>} request
 * @returns {Promise<{ tree: Directive[], supplied: string[], hosts: Map<string, string>, rejected: Rejection | null,
 *   certificate: AppPlan['certificate'], dump: string }>} rejected: what cannot be supplied; certificate: of apps with
 *   TLS; dump: standard output of the program's own check
 */
export async function supply ({ program: name, main, files: paths, argv, root }) {
  const program = getProgram(name)
  const tree = readTree(main, new Map(paths.map(path => [path, readText(path)])), program)
  /** @type {Map<string, string>} */
  const hosts = new Map([['localhost', '127.0.0.1']])
  /** @type {string[]} */
  const supplied = []
  writeHosts(hosts)
  const files = await findCertificate('ecdsa-p256', '/tmp/certificates', undefined,
    program.getNames?.(tree).slice(0, MAX_NAMES))
  const certificate = { cert: readText(files.certFile), key: readText(files.keyFile) }
  /** @type {Set<string>} */
  const addresses = new Set()
  const add = makeSupplier(program, { hosts, supplied, certificate, addresses })
  program.supply(tree, add)
  for (const address of addresses) await addAddress(address)
  let isLate = false
  /** @type {Exec} */
  const exec = async args => {
    const { exit, timedOut } = await run(['sh', '-c', CHECK, 'sh', ...enterAs(program), ...argv, ...args],
      { env: program.env, timeoutSeconds: CHECK_SECONDS })
    isLate = timedOut
    const stdout = readText(CHECK_OUT)
    return { exit, stdout, output: stdout + readText(CHECK_LOG) }
  }
  const toResult = (/** @type {Rejection | null} */ rejected, dump = '') =>
    ({ tree, supplied, hosts, certificate, rejected, dump })
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { exit, stdout, output } = await program.check(exec, { main, root, tree, add })
    if (exit === 0) return toResult(null, stdout)
    if (isLate) return toResult({ why: 'its own check does not end', file: null, line: 0 })
    if (!program.supplyMissing(output, add)) return toResult(program.toRejection(output))
  }
  return toResult({ why: `more than ${MAX_ROUNDS} things are missing`, file: null, line: 0 })
}

/**
 * Returns functions that supply something and list it.
 * @param {OwnProgram} program
 * @param {{ hosts: Map<string, string>, supplied: string[], certificate: AppPlan['certificate'],
 *   addresses: Set<string> }} room
 * @returns {Supplier}
 */
function makeSupplier ({ account }, { hosts, supplied, certificate: { cert, key }, addresses }) {
  const addFile = (/** @type {string} */ path, /** @type {string} */ what, /** @type {string} */ text) => {
    if (existsSync(path) || !tryFolder(dirname(path)) || !tryWrite(path, text)) return false
    supplied.push(`${what} ${path}`)
    return true
  }
  const addHost = (/** @type {string} */ name) => {
    if (hosts.has(name) || hosts.size > MAX_NAMES) return false
    hosts.set(name, `${FIRST_HOST}${hosts.size}`)
    writeHosts(hosts)
    supplied.push(`the host ${name}`)
    return true
  }
  return {
    host: addHost,
    file: addFile,
    app ({ host, path }) {
      if (host && isName(host)) addHost(host)
      if (path) tryFolder(dirname(path))
    },
    list (what) { if (!supplied.includes(what)) supplied.push(what) },
    folder: tryFolder,
    certificate: path => addFile(path, 'a certificate for the run,', cert),
    key: path => addFile(path, 'the key', key),
    both: path => addFile(path, 'a certificate for the run with its key,', `${cert}\n${key}`),
    account (name) {
      if (readText('/etc/passwd').includes(`\n${name}:`)) return false
      const id = account === 'root' ? 0 : SERVED_USER
      appendFileSync('/etc/passwd', `\n${name}:x:${id}:${id}::/:/bin/false\n`)
      appendFileSync('/etc/group', `\n${name}:x:${id}:\n`)
      supplied.push(`the account ${name}`)
      return true
    },
    login (path) {
      if (!tryFolder(dirname(path)) || !tryWrite(path, `\n${LOGIN.line}`)) return
      supplied.push(`the account hopbench in ${path}`)
    },
    listener ({ host, path }) {
      if (path) tryFolder(dirname(path))
      if (!host) return
      if (isName(host)) addHost(host)
      const address = hosts.get(host) ?? host
      if (!isIP(address) || /^(?:127\.|::1$)/.test(address) || addresses.has(address)) return
      addresses.add(address)
      supplied.push(`the address ${address}`)
    },
    pages (path) {
      if (!existsSync(path) && tryFolder(path.endsWith('/') || !/\.\w+$/.test(path) ? path : dirname(path))) {
        supplied.push(`the folder ${path}`)
      }
      if (isFolder(path)) addFile(`${path.replace(/\/$/, '')}/index.html`, 'the page', PAGE)
    }
  }
}

/**
 * Appends a text to a file if it can, because /proc and read-only folders take none. Returns whether it did.
 * @param {string} path
 * @param {string} text
 */
const tryWrite = (path, text) => attempt(() => {
  appendFileSync(path, text, { mode: 0o600 })
  return true
}, () => false)

/** Makes a folder if it can. Returns whether it exists. @param {string} path */
const tryFolder = path => attempt(() => {
  makeFolder(path)
  return true
}, () => false)

/** Adds an address to the host of the program. @param {string} address */
export const addAddress = address => run([String(process.env.HOPBENCH_IP), 'addr', 'add', address, 'dev', 'lo'])

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
