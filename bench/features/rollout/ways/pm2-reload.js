// PM2 in cluster mode replaces its two processes one after the other: `pm2 reload` after a link leads to the new build.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError, shellWord, toSentence } from '../../../errors.js'
import { run } from '../../../machine/process.js'
import { pm2Folder } from '../../../topology/server-packages.js'
import { findNodeScript, findOtherCommand, linkCurrent } from '../node-script.js'

/** @import { NodeScript } from '../node-script.js' */
/** @import { Way } from '../types.js' */

/** Limit of a reload of two processes, whose starts PM2 awaits for 3 s each, and whose ends for 1.6 s. */
const RELOAD_SECONDS = 60

/** @type {Way} */
export default {
  about: { title: 'pm2 reload', usedBy: 'PM2 in cluster mode', emulated: null },
  order: 50,
  hasNginx: false,
  findUnfit: async builds => await findOtherCommand(builds) ?? await pm2Folder().then(() => null, toSentence),
  async start (stage) {
    const { old, new: next, dir, port, network, startApp, note } = stage
    const { nodeArgs, script, args, env } = /** @type {NodeScript} */ (findNodeScript(old))
    const file = join(dir, 'ecosystem.config.cjs')
    const app = {
      name: 'app',
      cwd: linkCurrent(dir, old),
      script,
      args,
      node_args: nodeArgs,
      env,
      exec_mode: 'cluster',
      instances: 2,
      // PM2 would run git in the folder.
      vizion: false
    }
    writeFileSync(file, `module.exports = { apps: [${JSON.stringify(app)}] }\n`)
    const programs = join(await pm2Folder(), 'bin')
    const words = [process.execPath, join(programs, 'pm2-runtime'), 'start', file, '--no-auto-exit']
    const start = `PM2_DISABLE_VERSION_CHECK=1 exec ${words.map(shellWord).join(' ')}`
    const manager = await startApp({ ...old, start }, { port })
    return {
      async replace () {
        linkCurrent(dir, next)
        note('switch')
        const argv = [...network.enterServed, process.execPath, join(programs, 'pm2'), 'reload', 'all']
        const { exit, stdout, stderr } = await run(argv, { env: manager.env, timeoutSeconds: RELOAD_SECONDS })
        if (exit === 0) return { ends: [] }
        throw new HopbenchError('process-died', {
          name: 'pm2 reload', how: `ended with exit code ${exit}`, output: stderr || stdout
        })
      }
    }
  }
}
