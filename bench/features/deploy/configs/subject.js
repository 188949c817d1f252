/** Starts the subjects of the check: proxies with their recommended configuration, and deploy kits. */
import { connect } from 'node:net'
import { openNetwork } from '../../../machine/network/lab.js'
import { waitUntilListening } from '../../../topology/start/wait-until-listening.js'
import { HOST, ask } from './client.js'
import { startKit } from './kit-subject.js'
import { startProxy } from './proxy-subject.js'

/** @import { Child, Network } from '../../../machine/types.js' */
/** @import { Subject, SubjectOptions } from './types.js' */

/** Lowest ports to try. Of each kind, the first free one is used. */
const PORTS = { front: 18100, origin: 13100, admin: 16082, redirect: 19100 }
/** Ports between those of two processes of the app. */
const ORIGIN_STEP = 10
/** Timeout for a subject to listen. Dozens of subjects start at once. */
const START_SECONDS = 60

/**
 * Starts a subject and its app. The proxy listens on all addresses, as its recommended configuration demands.
 * @param {SubjectOptions} options
 * @returns {Promise<Subject>}
 * @throws {HopbenchError} proxy-refused, process-died, not-ready
 */
export async function startSubject (options) {
  const { subject: { name, kind }, behaviour, dir } = options
  const network = await openNetwork({ name, dir, private: false })
  /** @type {Child[]} */
  const children = []
  const stop = async () => {
    for (const child of children.toReversed()) await child.stop()
    await network.close()
  }
  try {
    const ports = await choosePorts(network, behaviour.processes ?? 1)
    const started = kind === 'kit'
      ? await startKit(options, ports, network)
      : await startProxy(options, ports, network, child => children.push(child))
    children.push(started.child)
    const address = /** @type {const} */ ({ kind: 'tcp', host: HOST, port: ports.front })
    const subject = { name, port: ports.front, exited: started.child.exited, stop, ...started.subject }
    const isUp = kind === 'proxy' && options.program.plugin.listensEarly
      ? () => isRouting(subject)
      : () => isListening(ports.front)
    await waitUntilListening(started.child, address, isUp, START_SECONDS)
    return subject
  } catch (error) {
    await stop()
    throw error
  }
}

/** @typedef {Awaited<ReturnType<typeof choosePorts>>} Ports */

/**
 * Reserves the ports of the proxy and of each process of the app.
 * @param {Network} network
 * @param {number} processes of the app
 */
async function choosePorts (network, processes) {
  const origins = []
  for (let i = 0; i < processes; i++) origins.push(await network.port(PORTS.origin + ORIGIN_STEP * i))
  return {
    front: await network.port(PORTS.front),
    admin: await network.port(PORTS.admin),
    redirect: await network.port(PORTS.redirect),
    origin: origins[0],
    origins
  }
}

/**
 * Returns whether a program accepts connections on a port.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
const isListening = port => new Promise(resolve => {
  const socket = connect(port, HOST)
  socket.on('error', () => resolve(false)).on('connect', () => {
    socket.destroy()
    resolve(true)
  })
})

/**
 * Returns whether a proxy that listens before it has its routes has them. Without routes the proxy sends 404, or no
 * certificate.
 * @param {Subject} subject
 */
async function isRouting (subject) {
  const { status } = await ask(subject, '/pid')
  return status !== 0 && status !== 404
}
