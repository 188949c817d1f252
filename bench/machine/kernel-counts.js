/** What the kernel counts of processes that count nothing themselves: their system calls, the connections that were
 * accepted in their network, and where they listen. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'

/** @typedef {{ address: string, port: number }} Listener address: as /proc/net/tcp has it, in hexadecimal */

const LISTEN = '0A' // A state of a socket in /proc/net/tcp (include/net/tcp_states.h of the kernel).
/** Addresses at which 127.0.0.1 is answered: itself, 0.0.0.0, and their like of IPv6. */
const REACHABLE = ['0100007F', '00000000', '0'.repeat(32), '0000000000000000FFFF00000100007F']

/**
 * Counts the calls of write(2) and writev(2) by these processes; send(2) and its like are not counted (proc_pid_io(5)).
 * @param {number[]} pids
 * @returns {number | null} null: the kernel does not show it, or all of them have ended
 */
export function writeCalls (pids) {
  const calls = pids.flatMap(pid => /^syscw: (\d+)$/m.exec(read(`/proc/${pid}/io`))?.[1] ?? []).map(Number)
  return calls.length > 0 ? calls.reduce((a, b) => a + b, 0) : null
}

/**
 * Whether no thread of these processes runs or waits for a core.
 * @param {number[]} pids
 */
export const areSleeping = pids => pids.flatMap(pid => list(`/proc/${pid}/task`).map(thread =>
  // The state follows the name, which is in parentheses and may contain some (proc_pid_stat(5)).
  read(`/proc/${pid}/task/${thread}/stat`).split(') ').at(-1)?.[0])).every(state => state === 'S')

/** TCP connections that were accepted so far in the network of these processes, by all programs in it (PassiveOpens of
 * RFC 4022). @param {number[]} pids @returns {number | null} null: the kernel does not show it */
export function acceptedInNetwork (pids) {
  for (const pid of pids) {
    const [names, values] = read(`/proc/${pid}/net/snmp`).split('\n').filter(line => line.startsWith('Tcp:'))
      .map(line => line.split(' '))
    const at = names?.indexOf('PassiveOpens') ?? -1
    if (at > 0) return Number(values[at])
  }
  return null
}

/**
 * Finds the process that listens at an address.
 * @param {number[]} pids
 * @param {import('../types.js').Address} listen
 * @returns {number | null} PID; null: none of these processes listens there, or the kernel does not show it
 */
export function findListeningProcess (pids, listen) {
  const inodes = listen.kind === 'unix'
    ? read(`/proc/${pids[0]}/net/unix`).split('\n').filter(line => line.endsWith(` ${listen.path}`))
      .map(line => line.trim().split(/\s+/)[6])
    : rowsOf(pids).filter(({ port }) => port === listen.port).map(({ inode }) => inode)
  return pids.find(pid => socketsOf(pid).some(inode => inodes.includes(inode))) ?? null
}

/**
 * Returns the path of a process's executable.
 * @param {number} pid
 * @returns {string | null} null: the kernel does not show it
 */
export function getExecutable (pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return null
  }
}

/** Where these processes listen. @param {number[]} pids @returns {Listener[]} */
export function listenersOf (pids) {
  const sockets = new Set(pids.flatMap(socketsOf))
  return rowsOf(pids).filter(({ inode }) => sockets.has(inode)).map(({ address, port }) => ({ address, port }))
}

/** Does anybody listen there, in the network of these processes? @param {number[]} pids @param {number} port */
export const isTaken = (pids, port) => rowsOf(pids).some(row => row.port === port)

/** Can 127.0.0.1 be answered there? @param {Listener} listener */
export const isReachable = ({ address }) => REACHABLE.includes(address)

/** As a person writes it. @param {Listener} listener */
export const printListener = ({ address, port }) =>
  address.length === 8
    ? `${address.match(/../g)?.reverse().map(byte => parseInt(byte, 16)).join('.')}:${port}`
    : `[${/^0{32}$/.test(address) ? '::' : /^0{24}01000000$/.test(address) ? '::1' : address.toLowerCase()}]:${port}`

/** Processes that have this variable in their environment, whatever group they are in.
 * @param {string} name @param {string} value @returns {number[]} */
export const processesWith = (name, value) => list('/proc').map(Number).filter(pid =>
  Number.isInteger(pid) && pid !== process.pid && read(`/proc/${pid}/environ`).split('\0').includes(`${name}=${value}`))

/** @param {number[]} pids @returns {(Listener & { inode: string })[]} */
function rowsOf (pids) {
  // All of them are in one network: the first that is still there shows them.
  const pid = pids.find(pid => read(`/proc/${pid}/net/tcp`) !== '')
  return ['tcp', 'tcp6'].flatMap(table => read(`/proc/${pid}/net/${table}`).split('\n').slice(1).flatMap(line => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
    if (state !== LISTEN) return []
    const [address, port] = local.split(':')
    return [{ address, port: parseInt(port, 16), inode }]
  }))
}

/** @param {number} pid @returns {string[]} inodes */
const socketsOf = pid => list(`/proc/${pid}/fd`).flatMap(fd => {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
  } catch {
    return []
  }
})

/** @param {string} file */
function read (file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** @param {string} dir */
function list (dir) {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
