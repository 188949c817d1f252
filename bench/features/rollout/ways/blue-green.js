// The new process starts beside the old one. After its first response nginx reloads with its address, and the old
// process ends after the last request that nginx has sent to it.

/** @import { Stage, Way } from '../types.js' */

/** Limit for open requests, as of a kit (worker_shutdown_timeout). Streams and WebSockets take all of it. */
const DRAIN_SECONDS = 10

/** @type {Way} */
export default {
  about: { title: 'blue-green by a reload of nginx', usedBy: 'scripts on a server of your own', emulated: null },
  order: 60,
  hasNginx: true,
  start: stage => startBeside(stage, { drainSeconds: DRAIN_SECONDS })
}

/**
 * Serves the old build behind nginx, and lets nginx switch to the new one, which starts beside it.
 * @param {Stage} stage
 * @param {{ drainSeconds: number, graceSeconds?: number }} limits drainSeconds: most time for open requests before
 *   SIGTERM; graceSeconds: as of AppProcess.end()
 */
export async function startBeside ({ old, new: next, freePort, startApp, startNginx }, { drainSeconds, graceSeconds }) {
  const app = await startApp(old, { port: await freePort() })
  const nginx = await startNginx([app.listen])
  return {
    async replace () {
      const { listen } = await startApp(next, { port: await freePort() })
      await nginx.setUpstreams([listen])
      await nginx.drain(drainSeconds)
      return { ends: [await app.end(graceSeconds)] }
    }
  }
}
