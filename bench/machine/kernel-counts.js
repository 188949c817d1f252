/** Reads what the kernel counts for processes without counters of their own: system calls, accepted connections, and
 * the sockets of their network. */
import { listNames, listNumbers, readLink, readStat, readText } from './files/system-files.js'

/**
 * @typedef {object} TcpSocket
 * @property {string} address in hexadecimal, as in /proc/net/tcp
 * @property {number} port
 * @property {'listen' | 'established' | 'other'} state
 * @property {number} backlog unread bytes, or connections that are not accepted yet
 * @property {string} inode
 */

/** Time between two looks for listeners. The kernel walks through its whole table for each, which takes 15 ms. */
export const SOCKETS_MS = 50
/** States of a socket in /proc/net/tcp (include/net/tcp_states.h of the kernel). */
/** @type {Record<string, TcpSocket['state']>} */
const STATES = { '01': 'established', '0A': 'listen' }
/** Addresses that receive connections to 127.0.0.1: itself, 0.0.0.0, and their IPv6 forms. */
const REACHABLE = ['0100007F', '00000000', '0'.repeat(32), '0000000000000000FFFF00000100007F']

/**
 * Counts the calls of write(2) and writev(2) by these processes; send(2) and its like are not counted (proc_pid_io(5)).
 * @param {number[]} pids
 * @returns {number | null} null: the kernel does not show it, or all of them have ended
 */
export function writeCalls (pids) {
  const calls = pids.flatMap(pid => /^syscw: (\d+)$/m.exec(readText(`/proc/${pid}/io`))?.[1] ?? []).map(Number)
  return calls.length > 0 ? calls.reduce((a, b) => a + b, 0) : null
}

/**
 * Whether no thread of these processes runs or waits for a core.
 * @param {number[]} pids
 */
export const areSleeping = pids => pids.every(pid => listNumbers(`/proc/${pid}/task`)
  .every(thread => readStat(`/proc/${pid}/task/${thread}/stat`)[0] === 'S'))

/**
 * Counts the TCP connections that all programs in the network of these processes have accepted so far (PassiveOpens of
 * RFC 4022).
 * @param {number[]} pids
 * @returns {number | null} null: the kernel does not show it
 */
export function acceptedInNetwork (pids) {
  for (const pid of pids) {
    const [names, values] = readText(`/proc/${pid}/net/snmp`).split('\n').filter(line => line.startsWith('Tcp:'))
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
    ? readText(`/proc/${pids[0]}/net/unix`).split('\n').filter(line => line.endsWith(` ${listen.path}`))
      .map(line => line.trim().split(/\s+/)[6])
    : findListening(pids).filter(({ port }) => port === listen.port).map(({ inode }) => inode)
  return pids.find(pid => findSocketInodes(pid).some(inode => inodes.includes(inode))) ?? null
}

/**
 * Returns the path of a process's executable. Of a program that a loader started, the kernel names the loader.
 * @param {number} pid
 * @returns {string | null} null: the kernel does not show it
 */
export function getExecutable (pid) {
  const executable = readLink(`/proc/${pid}/exe`)
  if (!/\/ld-linux[^/]*$/.test(executable)) return executable || null
  // Not from the arguments, which nginx overwrites.
  const [, program = executable] = /^\S+ r.*? (\/\S.*\/s?bin\/\S+)$/m.exec(readText(`/proc/${pid}/maps`)) ?? []
  return program
}

/**
 * Finds the addresses at which these processes listen.
 * @param {number[]} pids
 * @returns {Pick<TcpSocket, 'address' | 'port'>[]}
 */
export function findListeners (pids) {
  const sockets = new Set(pids.flatMap(findSocketInodes))
  if (sockets.size === 0) return []
  return findListening(pids).filter(({ inode }) => sockets.has(inode)).map(({ address, port }) => ({ address, port }))
}

/**
 * Whether any program in the network of these processes listens on this port.
 * @param {number[]} pids
 * @param {number} port
 */
export const isTaken = (pids, port) => findListening(pids).some(socket => socket.port === port)

/** Whether a listener receives connections to 127.0.0.1. @param {Pick<TcpSocket, 'address' | 'port'>} listener */
export const isReachable = ({ address }) => REACHABLE.includes(address)

/**
 * Whether a listener receives connections of this machine only: 127.0.0.0/8, ::1, and the IPv6 form of the former.
 * @param {Pick<TcpSocket, 'address'>} listener
 */
export const isLoopback = ({ address }) => /^(?:0{16}FFFF0000)?.{6}7F$|^0{24}01000000$/i.test(address)

/** Prints a listener as address and port. @param {Pick<TcpSocket, 'address' | 'port'>} listener */
export function printListener ({ address, port }) {
  if (address.length === 8) {
    return `${address.match(/../g)?.reverse().map(byte => parseInt(byte, 16)).join('.')}:${port}`
  }
  if (/^0{32}$/.test(address)) return `[::]:${port}`
  return /^0{24}01000000$/.test(address) ? `[::1]:${port}` : `[${address.toLowerCase()}]:${port}`
}

/**
 * Reads the TCP sockets in the network of these processes.
 * @param {number[]} pids all of them in one network, so that the first one that still runs shows it
 * @param {('tcp' | 'tcp6')[]} [tables]
 * @returns {TcpSocket[]}
 */
export function readTcpSockets (pids, tables = ['tcp', 'tcp6']) {
  const pid = pids.find(pid => listNames(`/proc/${pid}/net`).length > 0)
  return tables.flatMap(table => readText(`/proc/${pid}/net/${table}`).split('\n').slice(1).flatMap(line => {
    const [, local, , state, queues, , , , , inode] = line.trim().split(/\s+/)
    if (inode === undefined) return []
    const [address, port] = local.split(':')
    const backlog = parseInt(queues.split(':')[1], 16)
    return [{ address, port: parseInt(port, 16), state: STATES[state] ?? 'other', backlog, inode }]
  }))
}

/** @param {number[]} pids */
const findListening = pids => readTcpSockets(pids).filter(({ state }) => state === 'listen')

/** @param {number} pid */
const findSocketInodes = pid => listNames(`/proc/${pid}/fd`)
  .flatMap(fd => /^socket:\[(\d+)\]$/.exec(readLink(`/proc/${pid}/fd/${fd}`))?.[1] ?? [])
