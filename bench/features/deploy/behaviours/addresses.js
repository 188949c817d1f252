import { ask } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'other machines can reach the proxy: it listens on all addresses',
  async run ({ port, tls }) {
    // A proxy that listens on 127.0.0.1 only cannot be reached at 127.0.0.2, which on Linux is this machine too.
    const { status, body } = await ask({ host: '127.0.0.2', port, tls }, '/page', { limitMs: 5000 })
    return status === 200 ? null : `status ${status}: ${body.slice(0, 60)}`
  }
}
