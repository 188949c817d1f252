// A program in front keeps the port while the app restarts. Connections wait there until the new process listens.
import { fileURLToPath } from 'node:url'
import { shellWord } from '../../../errors.js'

/** @import { Way } from '../types.js' */

const keeper = fileURLToPath(new URL('../programs/keep-port.js', import.meta.url))

/** @type {Way} */
export default {
  about: {
    title: 'stop, then start behind a kept socket',
    usedBy: 'a .socket unit of systemd',
    emulated: 'a program keeps the socket, because $PORT passes none to the app'
  },
  order: 40,
  hasNginx: false,
  async start ({ old, new: next, port, freePort, startApp }) {
    const listen = { port: await freePort() }
    const app = await startApp(old, listen)
    const start = `HOPBENCH_KEPT=${listen.port} exec ${shellWord(process.execPath)} ${shellWord(keeper)}`
    await startApp({ ...old, start }, { port }, { isFront: true })
    return {
      async replace () {
        const end = await app.end()
        await startApp(next, listen)
        return { ends: [end] }
      }
    }
  }
}
