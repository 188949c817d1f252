import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { ask } from '../configs/client.js'

const EVENTS = 5

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'each server-sent event arrives before the app sends the next one',
  async run (subject) {
    const limit = AbortSignal.timeout(20_000)
    const request = httpRequest({ host: '127.0.0.1', port: subject.port, path: '/events', agent: false, signal: limit })
    request.on('error', () => {}).end()
    let arrived = 0
    try {
      const [response] = await once(request, 'response', { signal: limit })
      for await (const events of response) {
        arrived += String(events).split('data:').length - 1
        if (arrived >= EVENTS) break
        await ask(subject, '/next')
      }
    } catch {}
    request.destroy()
    return arrived === EVENTS ? null : `only ${arrived} of ${EVENTS} events arrived`
  }
}
