/** What a trial says that was not made, or broke off. */

/** Code of a trial in which a process of the arm ended by itself: the arm is lost. */
export const DIED = 'process-died'
/** What a trial that was not made, or broke off, has to say besides its reason. */
export const EMPTY = {
  requests: 0,
  seconds: 0,
  rps: 0,
  errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
  cpuSeconds: { load: 0, proxy: 0, server: 0, idle: 0 },
  memoryMiB: { proxy: 0, server: 0 },
  proof: {
    upstreamConnectionsPerRequest: null,
    cacheHitRatio: null,
    cacheExpiries: null,
    socketType: /** @type {const} */ ('none')
  }
}
