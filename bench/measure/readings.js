/** Reads what both ends of an arm's chain have counted, and what its processes have used. */
import { bytesThrough, linkBytes } from './net.js'

/** @import { FrontCounts, Running, Unit } from '../types.js' */
/** @import { LoadedArm, Reading, StagedArm } from './shapes.js' @import { Meters } from './meters.js' */

/** @typedef {{ arm: LoadedArm, meters: Meters, unit: Unit }} Read */
/** @typedef {Reading & { atSeconds: number, units: number, front: FrontCounts }} LoadReading */

/** Counts of both ends: where there is no proxy, the server's are the front's.
 * @param {Running} running @returns {Promise<Reading & { front: FrontCounts }>} */
export async function readCounts (running) {
  const origin = await running.origin()
  const front = running.proxied || !origin ? await running.front() : origin
  return { front, origin, noted: running.noted(), cpu: { proxy: new Map(), server: new Map() }, linkBytes: null }
}

/** The front's counts and everybody's CPU time, under load. @param {Read} what @returns {Promise<LoadReading>} */
export async function readUnderLoad ({ arm: { staged, generator }, meters, unit }) {
  const front = await staged.running.front()
  const served = {
    front,
    origin: null,
    units: unitsOf(staged, front, unit),
    linkBytes: linkBytes(staged.network, meters.served),
    cpu: meters.read(),
    atSeconds: performance.now() / 1000
  }
  return { ...served, noted: staged.running.noted(), load: await generator.cpu() }
}

/** How much of the unit the front has served so far. Connections are those it has accepted: with one request on each,
 * they are TLS handshakes too.
 * @param {Pick<StagedArm, 'running' | 'network'>} staged @param {FrontCounts} front @param {Unit} unit */
export function unitsOf ({ running, network }, front, unit) {
  if (unit === 'requests') return front.requests
  if (unit === 'bytes') return bytesThrough(running.pids(), network.link?.device)
  if (front.connections === null) throw new Error('its front does not count the connections that it accepts')
  return front.connections
}
