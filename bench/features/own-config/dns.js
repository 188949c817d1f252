/** Program: a name server for the hosts in /etc/hosts, at the addresses in DNS_ADDRESSES. */
import { createSocket } from 'node:dgram'
import { isIPv4 } from 'node:net'
import { readText } from '../../machine/files/system-files.js'

// RFC 1035, 4.1.
const HEADER_BYTES = 12
const PORT = 53
const FOUND = 0x8180
const NOT_FOUND = 0x8183
const TYPE_A = 1
/** Answer: a pointer to the name, type A, class IN, a lifetime of 1 s, and the length of an address. */
const ANSWER = [0xc0, 0x0c, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4]

/**
 * Returns the response to a query.
 * @param {Buffer} query
 * @param {Map<string, string>} hosts addresses by name
 */
export function respond (query, hosts) {
  const labels = []
  let at = HEADER_BYTES
  while (query[at] > 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]))
    at += 1 + query[at]
  }
  const end = at + 5
  const address = hosts.get(labels.join('.').toLowerCase())
  const isKnown = address !== undefined && isIPv4(address)
  const hasAnswer = isKnown && query[at + 2] === TYPE_A
  const response = Buffer.from(query.subarray(0, end))
  response.writeUInt16BE(isKnown ? FOUND : NOT_FOUND, 2)
  response.writeUInt16BE(hasAnswer ? 1 : 0, 6)
  response.fill(0, 8, HEADER_BYTES)
  return hasAnswer
    ? Buffer.concat([response, Buffer.from([...ANSWER, ...address.split('.').map(Number)])])
    : response
}

const readHosts = () => new Map(readText('/etc/hosts').split('\n').map(line => {
  const [address, name = ''] = line.split(' ')
  return [name.toLowerCase(), address]
}))

for (const address of (process.env.DNS_ADDRESSES ?? '').split(' ').filter(Boolean)) {
  const socket = createSocket('udp4')
  socket.on('error', () => {}).bind(PORT, address)
  socket.on('message', (query, { port, address }) => {
    if (query.length > HEADER_BYTES) socket.send(respond(query, readHosts()), port, address)
  })
}
