// The old process ends, and then the new one starts at the same port.

/** @import { Way } from '../types.js' */

/** @type {Way} */
export default {
  about: { title: 'stop, then start', usedBy: 'systemctl restart, docker compose up', emulated: null },
  order: 10,
  hasNginx: false,
  async start ({ old, new: next, port, startApp }) {
    const app = await startApp(old, { port })
    return {
      async replace () {
        const end = await app.end()
        await startApp(next, { port })
        return { ends: [end] }
      }
    }
  }
}
