// openssl s_time: nothing but TLS handshakes, each on a new connection, full or resumed.

/** @import { EngineFile } from '../types.js' */

/** Each of its processes has one connection at a time. More of them than this only wait for one another. */
const MOST_PROCESSES = 16

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
    mostConnections: MOST_PROCESSES,
    // It counts whole seconds, and runs until the clock shows another one.
    timesItself: false,
    latencyNote: 'counts handshakes and times none of them',
    // A signal ends it without a report.
  },

  version: { args: ['version'], parse: output => /^(?:OpenSSL|LibreSSL) (\S+)/m.exec(output)?.[1] ?? null },

  command (load, target, { program, maxSeconds }) {
    const { host } = new URL(target.url)
    const argv = [program, 's_time', '-connect', host, load.resume ? '-reuse' : '-new', '-www', load.path, '-time',
      `${maxSeconds}`]
    return { files: {}, processes: Array.from({ length: load.connections }, () => ({ argv, env: {} })) }
  },

  parse (results) {
    const reports = results.map(({ stdout, stderr }) => {
      const match = /^(\d+) connections in \d+ real seconds, (\d+) bytes read per connection$/m.exec(stdout)
      if (!match) throw new TypeError(`openssl s_time printed no report: ${(stdout + stderr).slice(-200)}`)
      return { connections: Number(match[1]), bytes: Number(match[1]) * Number(match[2]) }
    })
    return {
      requests: reports.reduce((sum, { connections }) => sum + connections, 0),
      // It looks at no status, and ends at the first connection that fails.
      errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
      bytes: reports.reduce((sum, { bytes }) => sum + bytes, 0),
      seconds: null,
      latencyMs: null
    }
  }
}
