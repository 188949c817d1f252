/** Ways in which PM2 or a primary process starts the Node script of a build in node:cluster, below a link to it. */
import { existsSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError, shellWord } from '../../errors.js'
import { signalWhenHandled } from '../../machine/handles-signal.js'
import { run, waitUntil } from '../../machine/process.js'
import { readManifest } from '../../request/project-paths.js'
import { pm2Folder } from '../../topology/server-packages.js'
import { listStarted } from '../deploy/index.js'

/** @import { Build, Stage } from './types.js' */

/** @typedef {{ nodeArgs: string[], script: string, args: string[], env: Record<string, string> }} NodeScript */

const PRIMARY = fileURLToPath(new URL('programs/lead-cluster.js', import.meta.url))
/** Limit for the replacement of two workers, of which each has 10 s for its end. */
const REPLACE_SECONDS = 90
/** Limit of a reload of two processes, whose starts PM2 awaits for 3 s each, and whose ends for 1.6 s. */
const RELOAD_SECONDS = 60

/**
 * Returns the script that a build's command starts under Node.
 * @param {Build} build
 * @returns {NodeScript | null} null: the command starts something else, or several programs
 */
function findNodeScript ({ start, folder }) {
  const [started, ...others] = listStarted(start, readManifest(folder))
  if (!started) return null
  const { program, args, env, inherited, isBackground } = started
  const at = args.findIndex(word => !word.startsWith('-'))
  if (others.length > 0 || program !== 'node' || isBackground || at === -1) return null
  return { nodeArgs: args.slice(0, at), script: args[at], args: args.slice(at + 1), env: { ...inherited, ...env } }
}

/**
 * Returns why a way that starts scripts in node:cluster cannot replace builds.
 * @param {{ old: Build, new: Build }} builds
 * @returns {string | null} null: it can
 */
export function findOtherCommand ({ old, new: next }) {
  const other = [old, next].find(build => findNodeScript(build) === null)
  if (other) return `"${other.start}" is not the start of one script by node`
  const [first, second] = [old, next].map(build => JSON.stringify(findNodeScript(build)))
  return first === second ? null : 'both builds start different scripts'
}

/**
 * Lets the link "current" lead to a build, as tools of deployments do, at once.
 * @param {string} dir of the link
 * @param {Build} build
 * @returns {string} path of the link
 */
function linkCurrent (dir, { folder }) {
  const link = join(dir, 'current')
  symlinkSync(folder, `${link}.new`)
  renameSync(`${link}.new`, link)
  return link
}

/** Serves the old build by two workers of a primary process. @param {Stage} stage */
export async function startCluster ({ old, new: next, dir, port, startApp, note }) {
  const done = join(dir, 'replaced')
  const order = JSON.stringify({ ...findNodeScript(old), link: linkCurrent(dir, old), done })
  const start = `HOPBENCH_CLUSTER=${shellWord(order)} exec ${shellWord(process.execPath)} ${shellWord(PRIMARY)}`
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

/** Serves the old build by two processes of PM2. @param {Stage} stage */
export async function startPm2 (stage) {
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
