/**
 * The servers under PM2, in cluster mode:
 *
 *   npm ci                                                     installs PM2 and the servers' packages, once
 *   npx pm2 start ecosystem.config.js                          starts all servers
 *   npx pm2 start ecosystem.config.js --only express-json-3003 starts one server
 *   npx pm2 scale express-json-3003 4                          runs it in four processes
 *   npx pm2 delete ecosystem.config.js                         ends all servers
 *
 * The name contains the port on 127.0.0.1: 3001 for the first server in servers/, 3002 for the second …
 * The suite uses this file, too: HOPBENCH_LAUNCH replaces the list by one app.
 *
 * PM2 loads this file by require() and reads `apps`, so it has no top-level await and no default export.
 */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeFixtures } from './bench/topology/fixtures/fixtures.js'

/** @import { LaunchOrder } from './bench/topology/types.js' */

const FIRST_PORT = 3001
/** Idle timeout of connections, above that of proxies, because with Node's 5 s both ends could close at once. */
const KEEP_ALIVE_SECONDS = 75
/** Failed starts after which PM2 gives up. */
const STARTS = 4
/**
 * Time within which an exit counts as a failed start. With PM2's default of 1 s, PM2 would restart a server
 * forever on a busy machine.
 */
const START_MS = 10_000

const inProject = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const given = process.env.HOPBENCH_LAUNCH

export const apps = given ? [measured(JSON.parse(given))] : everyServer()

/**
 * @param {string} name
 * @param {LaunchOrder} order
 */
function app (name, order) {
  return {
    name,
    // A relative path, because PM2 treats an absolute path with a space as a shell command. Node's permission model
    // allows only a working folder that a confined server can read.
    cwd: inProject('./servers'),
    script: '../bench/topology/launch.js',
    exec_mode: 'cluster',
    instances: order.instances,
    max_restarts: STARTS,
    min_uptime: START_MS,
    // PM2 would run git in this folder at each start of a process.
    vizion: false,
    ...order.nodeArgs?.length && { node_args: order.nodeArgs },
    // Turns off PM2's additions to workers, because they open an inspector, which Node's permission model rejects.
    ...order.unreadableFile !== undefined && { pmx: false },
    env: { NODE_ENV: 'production', HOPBENCH_LAUNCH: JSON.stringify(order) }
  }
}

/**
 * Writes the output of all workers into the log of the topology, which is searched after a failed start.
 * @param {LaunchOrder} order
 */
function measured (order) {
  const log = process.env.HOPBENCH_LOG
  return { ...app('measured', order), out_file: log, error_file: log, merge_logs: true }
}

function everyServer () {
  const root = writeFixtures(inProject('./.tools/files'))
  return readdirSync(inProject('./servers')).filter(file => file.endsWith('.js')).sort().map((file, i) => {
    const port = FIRST_PORT + i
    return app(`${file.slice(0, -3)}-${port}`, {
      module: inProject(`./servers/${file}`),
      root,
      listen: { kind: 'tcp', host: '127.0.0.1', port },
      instances: 1,
      control: null,
      backlog: 511,
      keepAliveSeconds: KEEP_ALIVE_SECONDS
    })
  })
}
