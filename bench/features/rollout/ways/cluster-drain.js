// A primary process of node:cluster starts a worker of the new build, disconnects an old one, and so on.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shellWord } from '../../../errors.js'
import { signalWhenHandled } from '../../../machine/handles-signal.js'
import { waitUntil } from '../../../machine/process.js'
import { findNodeScript, findOtherCommand, linkCurrent } from '../node-script.js'

/** @import { Way } from '../types.js' */

const program = fileURLToPath(new URL('../programs/lead-cluster.js', import.meta.url))
/** Limit for the replacement of two workers, of which each has 10 s for its end. */
const REPLACE_SECONDS = 90

/** @type {Way} */
export default {
  about: {
    title: 'workers of node:cluster one after the other',
    usedBy: 'an app with a primary process of its own',
    emulated: 'the primary process is one of hopbench'
  },
  order: 55,
  hasNginx: false,
  findUnfit: findOtherCommand,
  async start ({ old, new: next, dir, port, startApp, note }) {
    const done = join(dir, 'replaced')
    const order = JSON.stringify({ ...findNodeScript(old), link: linkCurrent(dir, old), done })
    const start = `HOPBENCH_CLUSTER=${shellWord(order)} exec ${shellWord(process.execPath)} ${shellWord(program)}`
    const primary = await startApp({ ...old, start }, { port })
    return {
      async replace () {
        linkCurrent(dir, next)
        note('switch')
        await signalWhenHandled(primary.child, 'SIGUSR2')
        await waitUntil(primary.child, () => existsSync(done), { timeoutSeconds: REPLACE_SECONDS })
        return { ends: [] }
      }
    }
  }
}
