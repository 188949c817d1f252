/** Starts the apps to which a configuration passes requests on, in a room: those of the check, or the person's own. */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isHopbenchError } from '../../errors.js'
import { readText } from '../../machine/files/system-files.js'
import { start, waitUntil } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'
import { toListeners } from './model.js'
import { toListenOptions } from './supply.js'

/** @import { AppAddress, AppPlan, RunningApp } from './types.js' */

/** Time limit for an app to listen. */
const START_SECONDS = { check: 15, own: 20 }
const originProgram = fileURLToPath(new URL('../deploy/configs/origin.js', import.meta.url))
const relayProgram = fileURLToPath(new URL('../../topology/start/relay.js', import.meta.url))
/** Argv that enters the host of the apps. */
export const APPS_HOST = ['nsenter', `--target=${process.env.HOPBENCH_APPS}`, '--net', '--']
/** Starts a command in a network of its own, so that several processes can have the same port. */
const OWN_NETWORK = ['unshare', '-n', '--', 'sh', '-c',
  '"$HOPBENCH_IP" link set lo up && cd "$HOPBENCH_FOLDER" && exec sh -c "$HOPBENCH_APP"']
/** Address ::1 in /proc/net/tcp6. */
const LOOPBACK_6 = '00000000000000000000000001000000'
/** Number of starts, for names of logs. */
let starts = 0

/** Returns the name of an app for --app. @param {AppAddress} app */
export const getAppName = ({ upstream, host, port, path }) =>
  upstream ?? path ?? (/^[\d.:]+$|^localhost$/.test(String(host)) ? `${host}:${port}` : String(host))

/**
 * Returns the command that is started in place of the app of the check, if there is one.
 * @param {AppAddress} app
 * @param {Record<string, string>} commands by the name of the app; "": for apps without one
 */
export const findCommand = (app, commands) =>
  [getAppName(app), String(app.host), `${app.host}:${app.port}`, ''].map(name => commands[name]).find(Boolean)

/**
 * Starts an app where the configuration expects it.
 * @param {AppAddress} app
 * @param {AppPlan} plan
 * @returns {Promise<RunningApp>}
 * @throws {HopbenchError} process-died, not-ready
 */
export async function startApp (app, plan) {
  const listen = toListenOptions(app, plan.hosts)
  const isLocal = listen.path !== undefined || /^(?:127\.|::1)/.test(listen.host)
  const enter = isLocal ? [] : APPS_HOST
  const command = findCommand(app, plan.commands)
  if (command !== undefined) return startOwn(command, { app, listen, enter, folder: plan.folder })
  const child = start({
    name: `the app of the check at ${app.host ?? app.path}:${app.port}`,
    argv: [process.execPath, originProgram],
    env: { ORIGIN_OPTIONS: JSON.stringify({ listen, bases: plan.bases, tls: app.isTls ? plan.certificate : null }) },
    enter,
    log: `/tmp/origin-${process.pid}-${starts++}.log`
  })
  await waitUntil(child, () => child.tail().includes('listening'), { timeoutSeconds: START_SECONDS.check })
  return { stop: () => child.stop(), countConnections: null }
}

/**
 * Starts a command, and joins the address that the configuration names with the port of the command.
 * @param {string} command
 * @param {{ app: AppAddress, listen: ReturnType<typeof toListenOptions>, enter: string[], folder: string }} options
 * @returns {Promise<RunningApp>}
 */
async function startOwn (command, { app, listen, enter, folder }) {
  const port = app.port || 3000
  const id = `${process.pid}-${starts++}`
  const child = start({
    name: `"${command}"`,
    argv: OWN_NETWORK,
    env: { PORT: String(port), HOPBENCH_FOLDER: folder, HOPBENCH_APP: command },
    log: `/tmp/own-${id}.log`
  })
  const isEntered = () => getNetwork(child.pid) !== getNetwork('self')
  const readSockets = (/** @type {string} */ name) => isEntered() ? readText(`/proc/${child.pid}/net/${name}`) : ''
  const joined = [child]
  const stop = async () => { for (const program of joined) await program.stop() }
  const join = (/** @type {object} */ relay, /** @type {string[]} */ enter, /** @type {string} */ log) => {
    const env = { HOPBENCH_RELAY: JSON.stringify({ ...relay, isLogged: true }) }
    joined.push(start({ name: 'the relay', argv: [process.execPath, relayProgram], env, enter, log }))
  }
  try {
    const getPorts = () => toListeners(readSockets('tcp') + readSockets('tcp6'))
    await waitUntil(child, () => getPorts().includes(port), { timeoutSeconds: START_SECONDS.own }).catch(error => {
      if (!isHopbenchError(error, 'not-ready')) throw error
      const others = [...new Set(getPorts())].join(', ')
      const seconds = `within ${START_SECONDS.own} s`
      throw new Error(`"${command}" does not listen on PORT=${port} ${seconds}${others && `, but on ${others}`}`)
    })
    const isSix = !toListeners(readSockets('tcp')).includes(port) && readSockets('tcp6').includes(LOOPBACK_6)
    const path = `/tmp/own-${id}.sock`
    const target = { host: isSix ? '::1' : '127.0.0.1', port }
    join({ listen: { path }, target }, ['nsenter', `--target=${child.pid}`, '--net', '--'], `/tmp/inner-${id}.log`)
    join({ listen, target: { path } }, enter, `/tmp/outer-${id}.log`)
    for (const relay of joined.slice(1)) await waitUntil(relay, () => relay.tail().includes('listening'))
  } catch (error) {
    await stop()
    throw error
  }
  return { stop, countConnections: () => readText(`/tmp/outer-${id}.log`).split('connection').length }
}

/** Returns the network of a process. @param {number | 'self'} pid */
const getNetwork = pid => attempt(() => readlinkSync(`/proc/${pid}/ns/net`), () => '')

/**
 * Requests the next event from an app of the check.
 * @param {AppAddress} app
 * @param {Map<string, string>} hosts
 */
export async function sendNextEvent (app, hosts) {
  const listen = toListenOptions(app, hosts)
  const options = { ...'path' in listen ? { socketPath: listen.path } : listen, path: '/next', agent: false }
  const sent = app.isTls ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options)
  sent.on('error', () => {}).end()
  const [response] = await once(sent, 'response').catch(() => [])
  response?.resume()
}
