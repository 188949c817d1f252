// The new process starts, the router switches to it after a health check, and the old process gets SIGTERM at once.

/** @import { Way } from '../types.js' */

/** Time from SIGTERM to SIGKILL on Kubernetes (terminationGracePeriodSeconds), Heroku and Render. */
const GRACE_SECONDS = 30

/** @type {Way} */
export default {
  about: {
    title: 'switch of a platform',
    usedBy: 'Kubernetes, Render, Fly.io, Heroku with preboot',
    emulated: 'nginx is in the place of the router, whose delays and timeouts are its own'
  },
  order: 70,
  hasNginx: true,
  async start ({ old, new: next, freePort, startApp, startNginx }) {
    const app = await startApp(old, { port: await freePort() })
    const nginx = await startNginx([app.listen])
    return {
      async replace () {
        const { listen } = await startApp(next, { port: await freePort() })
        await nginx.setUpstreams([listen])
        return { ends: [await app.end(GRACE_SECONDS)] }
      }
    }
  }
}
