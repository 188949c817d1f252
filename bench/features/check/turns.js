/** Turns of probes: side by side, except those that run alone. */
export class Turns {
  /** Probes that run. @type {Set<Promise<unknown>>} */
  #running = new Set()
  /** End of the last probe that runs alone. @type {Promise<unknown>} */
  #alone = Promise.resolve()

  /**
   * Runs an action. One that runs alone waits for all before it, and those after it wait for its end.
   *
   * @template Result
   * @param {() => Promise<Result>} action
   * @param {boolean} isAlone
   * @returns {Promise<Result>}
   */
  async take (action, isAlone) {
    const before = isAlone ? Promise.allSettled([this.#alone, ...this.#running]) : this.#alone
    const result = before.then(action)
    const end = result.catch(() => {})
    this.#running.add(end)
    end.then(() => this.#running.delete(end))
    if (isAlone) this.#alone = end
    return result
  }
}
