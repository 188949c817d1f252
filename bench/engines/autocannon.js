// autocannon: closed loop with keep-alive, the default engine. It runs in a program of its own
// (bench/generators/autocannon.js), because its command line can neither check bodies cheaply nor
// be ended with a report at once.
import { fileURLToPath } from 'node:url'

const generator = fileURLToPath(new URL('../generators/autocannon.js', import.meta.url))

/** @type {import('../types.d.ts').EnginePlugin} */
export default {
  about: {
    title: 'autocannon',
    program: 'autocannon',
    packages: null,
    closedLoop: true,
    // Its rate mode inverts coordinated omission and sends each second's quota in a burst.
    rate: false,
    unixTarget: true,
    tls: true,
    freshConnections: false,
    latencyResolutionMicros: 1000,
    stop: 'SIGINT',
    checksBodies: true,
    errorLog: 'errors.jsonl'
  },

  version: { npm: 'autocannon' },

  command (load, target, { dir, maxSeconds }) {
    const order = {
      url: target.url + load.path,
      socketPath: target.socketPath,
      paths: load.paths ?? null,
      connections: load.connections,
      headers: load.headers,
      expectBodyFile: target.expectBody?.file ?? null,
      errorLog: `${dir}/errors.jsonl`,
      maxSeconds
    }
    return { files: {}, processes: [{ argv: [process.execPath, generator], env: { HOPBENCH_GENERATOR: JSON.stringify(order) } }] }
  },

  parse (results) {
    const { stdout, stderr } = results[0]
    /** @type {any} */
    let report
    try {
      report = JSON.parse(stdout)
    } catch {
      throw new TypeError(`autocannon's report is no JSON: ${(stdout + stderr).slice(-200)}`)
    }
    const { timeouts, mismatches, non2xx, errors, requests } = report
    if (![timeouts, mismatches, non2xx, errors, requests?.total].every(Number.isFinite)) {
      throw new TypeError(`autocannon's report lacks its totals: ${stdout.slice(0, 200)}`)
    }
    return {
      requests: requests.total,
      errors: { non2xx, timeouts, mismatches, resets: errors - timeouts },
      bytes: report.throughput?.total ?? null,
      seconds: report.duration ?? null,
      // Frozen for most of its life: its latencies are not anybody's.
      latencyMs: null
    }
  }
}
