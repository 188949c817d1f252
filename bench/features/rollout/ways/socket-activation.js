// A program in front keeps the port while the app restarts. Connections wait there until the new process listens.
import { fileURLToPath } from 'node:url'
import { shellWord } from '../../../errors.js'
import { replaceInTurn } from './rolling.js'

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
  async start (stage) {
    const { old, port, startApp } = stage
    const app = await startApp(old, { port: await stage.freePort() })
    const start = `HOPBENCH_KEPT=${app.listen.port} exec ${shellWord(process.execPath)} ${shellWord(keeper)}`
    await startApp({ ...old, start }, { port }, { isFront: true })
    return replaceInTurn([app], stage)
  }
}
