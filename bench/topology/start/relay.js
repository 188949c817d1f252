/**
 * Program: joins two addresses, of which one can be a Unix socket that is reachable from another network.
 * HOPBENCH_RELAY: { listen, target, isLogged }.
 */
import { joinSockets } from '../../machine/network/join-sockets.js'

const { listen, target, isLogged = false } = JSON.parse(process.env.HOPBENCH_RELAY ?? '{}')
const log = (/** @type {string} */ event) => () => { if (isLogged) console.log(event) }

const relay = joinSockets(listen, target, { onConnection: log('connection') }).on('listening', log('listening'))
process.on('SIGTERM', () => {
  relay.close() // Removes the file of the socket.
  process.exit(0)
})
