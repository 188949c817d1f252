import { CpuMeter } from '../machine/probe.js'

/** @import { Running } from '../types.js' */

/** Measures the CPU time of an arm's served processes. */
export class Meters {
  /** Workers that had died when the processes were looked up. @type {number | null} null: not read yet */
  #lost = null

  /** @param {Pick<Running, 'pids'>} running */
  constructor (running) {
    this.running = running
    this.served = running.pids()
    this.proxy = new CpuMeter(this.served.proxy)
    this.server = new CpuMeter(this.served.server)
  }

  /** Looks up the server's processes again if a worker has died, because its manager starts another one.
   * @param {number} lost workers that have died since the start */
  follow (lost) {
    if (this.#lost !== null && this.#lost !== lost) {
      this.server.close()
      this.served = this.running.pids()
      this.server = new CpuMeter(this.served.server)
    }
    this.#lost = lost
  }

  /** Reads the CPU seconds of each role as those of one process. */
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
