/**
 * The servers under PM2, in cluster mode:
 *
 *   npm ci                                                     once: PM2 and the servers' packages
 *   npx pm2 start ecosystem.config.js                          all of them
 *   npx pm2 start ecosystem.config.js --only express-json-3003 one of them
 *   npx pm2 scale express-json-3003 4                          in four processes
 *   npx pm2 delete ecosystem.config.js                         ends them
 *
 * The name says the port on 127.0.0.1: 3001 for the first server in servers/, 3002 for the second …
 * The suite starts its own measurements from this file too: HOPBENCH_LAUNCH narrows it to one app.
 *
 * PM2 loads it by require() and reads `apps`: no top-level await, no default export.
 */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeFixtures } from './bench/topology/fixtures/fixtures.js'

/** @import { LaunchOrder } from './bench/types.js' */

const FIRST_PORT = 3001
/** Node's default of 5 s is below that of proxies: both ends would close at once. */
const KEEP_ALIVE_SECONDS = 75
/** A server that dies at its start so often is given up. */
const STARTS = 4
/** PM2's own second is too short for a start on a busy machine: it would be started for ever. */
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
    // Relative: PM2 takes a path with a space in it for a command of the shell. To a folder that a confined server may
    // read: Node's permission model lets it change to no other.
    cwd: inProject('./servers'),
    script: '../bench/topology/launch.js',
    exec_mode: 'cluster',
    instances: order.instances,
    max_restarts: STARTS,
    min_uptime: START_MS,
    ...order.nodeArgs?.length && { node_args: order.nodeArgs },
    // What PM2 adds to a worker asks for an inspector, which Node's permission model refuses.
    ...order.hidden !== undefined && { pmx: false },
    env: { NODE_ENV: 'production', HOPBENCH_LAUNCH: JSON.stringify(order) }
  }
}

/**
 * All that its workers print goes into the log of the topology, where a failed start is looked for.
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
      controlDir: null,
      backlog: 511,
      keepAliveSeconds: KEEP_ALIVE_SECONDS
    })
  })
}
