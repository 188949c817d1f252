import { openWebSocket } from '../client.js'

/** @type {import('../types.js').Behaviour} */
export default {
  title: 'a WebSocket is opened, and its data passes in both directions',
  async run (subject) {
    const socket = await openWebSocket(subject)
    const hasEcho = await socket.echo('echo of the check')
    socket.close()
    return hasEcho ? null : 'the echo did not arrive'
  }
}
