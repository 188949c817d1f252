import { openWebSocket } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'a WebSocket is opened, and its data passes in both directions',
  notOffered: { varnish: 'Varnish passes on no upgrade, because it does not read the requests after one' },
  async run (subject) {
    const socket = await openWebSocket(subject)
    const hasEcho = await socket.echo('echo of the check')
    socket.close()
    return hasEcho ? null : 'the echo did not arrive'
  }
}
