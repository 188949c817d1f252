import { exchange } from '../configs/client.js'
import { toHeaders, toRequest } from '../configs/promise.js'

/** Lines of Upgrade of a request. */
const UPGRADES = [['h2c'], ['other'], ['h2c', 'websocket'], ['other', 'websocket'], ['websocket', 'h2c'],
  ['h2c, websocket'], ['websocket, h2c']]
const LINES = ['Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABkAAQAAP__', 'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'no upgrade except one to WebSocket reaches the app, also where a request names both (h2c)',
  async run (subject) {
    for (const upgrades of UPGRADES) {
      const [response] = await exchange(subject, [toRequest([...LINES, ...upgrades.map(name => `Upgrade: ${name}`)])])
      // Envoy rejects some upgrades, and drops the body of a response to another one.
      if (response?.status !== 200 || response.body === '') continue
      const passed = toHeaders(response.body)
        .find(({ name, value }) => name === 'upgrade' && value.toLowerCase() !== 'websocket')
      if (passed) return `Upgrade: ${upgrades.join(' and ')} reached the app as ${passed.value}`
    }
    return null
  }
}
