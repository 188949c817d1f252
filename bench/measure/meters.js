import { CpuMeter } from '../machine/probe.js'

/** @import { Running } from '../types.js' */

/** The CPU meters of what one arm serves with. */
export class Meters {
  /** Workers that had died when the processes were looked up. @type {number | null} null: not asked yet */
  #lost = null

  /** @param {Pick<Running, 'pids'>} running */
  constructor (running) {
    this.running = running
    this.served = running.pids()
    this.proxy = new CpuMeter(this.served.proxy)
    this.server = new CpuMeter(this.served.server)
  }

  /** When a worker has died, its manager has started another one. @param {number} lost so many, since the start */
  follow (lost) {
    if (this.#lost !== null && this.#lost !== lost) {
      this.server.close()
      this.served = this.running.pids()
      this.server = new CpuMeter(this.served.server)
    }
    this.#lost = lost
  }

  /** Seconds of the processes together, as one. */
  read () {
    return { proxy: new Map([[0, this.proxy.seconds()]]), server: new Map([[0, this.server.seconds()]]) }
  }

  servedSeconds () {
    return this.proxy.seconds() + this.server.seconds()
  }

  close () {
    for (const meter of [this.proxy, this.server]) meter.close()
  }
}
