// openssl s_time: TLS handshakes, each on a new connection, full or resumed.
import { noReport } from '../load/engine-reports.js'

/** @import { EngineFile } from '../types.js' */

/** Most processes, each with one connection. More processes would only wait for each other. */
const MAX_PROCESSES = 16

/** @type {EngineFile} */
export default {
  about: {
    title: 'openssl s_time',
    program: 'openssl',
    packages: { debian: ['openssl'], fedora: ['openssl'], alpine: ['openssl'], brew: ['openssl'] },
    plain: false,
    keepAlive: false,
    freshConnections: true,
    resumption: 'chosen',
    headers: false,
    mostConnections: MAX_PROCESSES,
    // s_time counts whole seconds only.
    timesItself: false
    // Has no `stop`, because signals end s_time without a report.
  },

  version: { args: ['version'], parse: output => /^(?:OpenSSL|LibreSSL) (\S+)/m.exec(output)?.[1] ?? null },

  command (load, target, { program, maxSeconds }) {
    const { host } = new URL(target.url)
    const argv = [program, 's_time', '-connect', host, load.resume ? '-reuse' : '-new', '-www', load.path, '-time',
      `${maxSeconds}`]
    return { files: {}, processes: Array.from({ length: load.connections }, () => ({ argv })) }
  },

  parse (results) {
    const reports = results.map(result => {
      const match = /^(\d+) connections in \d+ real seconds, (\d+) bytes read per connection$/m.exec(result.stdout)
      if (!match) throw noReport('openssl s_time', result)
      return { connections: Number(match[1]), bytes: Number(match[1]) * Number(match[2]) }
    })
    return {
      requests: reports.reduce((sum, { connections }) => sum + connections, 0),
      // s_time does not read statuses, and ends at the first failed connection.
      errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
      bytes: reports.reduce((sum, { bytes }) => sum + bytes, 0),
      seconds: null,
      latencyMs: null
    }
  }
}
