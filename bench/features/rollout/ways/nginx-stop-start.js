// The old process ends, and then the new one starts at the same port, behind nginx, which goes on.

/** @import { Way } from '../types.js' */

/** @type {Way} */
export default {
  about: { title: 'stop, then start behind nginx', usedBy: 'systemctl restart behind nginx', emulated: null },
  order: 20,
  hasNginx: true,
  async start ({ old, new: next, freePort, startApp, startNginx }) {
    const listen = { port: await freePort() }
    const app = await startApp(old, listen)
    await startNginx([listen])
    return {
      async replace () {
        const end = await app.end()
        await startApp(next, listen)
        return { ends: [end] }
      }
    }
  }
}
