import { request as httpRequest } from 'node:http'
import { once } from 'node:events'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'other machines can reach the proxy: it listens on all addresses',
  async run ({ port }) {
    // A proxy that listens on 127.0.0.1 only cannot be reached at 127.0.0.2, which on Linux is this machine too.
    const signal = AbortSignal.timeout(5000)
    const request = httpRequest({ host: '127.0.0.2', port, path: '/page', agent: false, signal })
    request.end()
    try {
      const [response] = await once(request, 'response')
      response.resume()
      return response.statusCode === 200 ? null : `status ${response.statusCode}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
}
