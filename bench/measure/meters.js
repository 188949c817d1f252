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
    this.server = this.#meterServer()
  }

  /**
   * Opens a meter for each process of the server, because a sample counts those that do the work.
   * @returns {Map<number, CpuMeter>}
   */
  #meterServer () {
    return new Map(this.served.server.map(pid => [pid, new CpuMeter([pid])]))
  }

  /** Looks up the server's processes again if a worker has died, because its manager starts another one.
   * @param {number} lost workers that have died since the start */
  follow (lost) {
    if (this.#lost !== null && this.#lost !== lost) {
      for (const meter of this.server.values()) meter.close()
      this.served = this.running.pids()
      this.server = this.#meterServer()
    }
    this.#lost = lost
  }

  /** Reads the CPU seconds of the proxy as those of one process, and those of each process of the server. */
  read () {
    return {
      proxy: new Map([[0, this.proxy.seconds()]]),
      server: new Map([...this.server].map(([pid, meter]) => [pid, meter.seconds()]))
    }
  }

  servedSeconds () {
    return [...this.server.values()].reduce((sum, meter) => sum + meter.seconds(), this.proxy.seconds())
  }

  close () {
    for (const meter of [this.proxy, ...this.server.values()]) meter.close()
  }
}
