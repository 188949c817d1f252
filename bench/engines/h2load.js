// h2load of nghttp2: closed loop with keep-alive, HTTP/1.1 over TCP, TLS and Unix sockets, HTTP/2 over TLS.
import { headerArguments, noReport } from '../load/engine-reports.js'
import { withAddress } from '../load/generators/peer.js'
import { ANY_METHOD, toBodyFile } from '../load/request-body.js'

/** @import { EngineFile } from '../types.js' */

/** Makes h2load fail if ALPN selects another protocol. Later versions have --alpn-list, and still support this name. */
const ONLY_HTTP2 = '--npn-list=h2'
/** @type {Record<string, number>} */
const UNIT_SECONDS = { us: 1e-6, ms: 1e-3, s: 1 }

/** @type {EngineFile} */
export default {
  about: {
    title: 'h2load',
    program: 'h2load',
    packages: { debian: ['nghttp2-client'], fedora: ['nghttp2'], alpine: ['nghttp2'], brew: ['nghttp2'] },
    // Has no rate, because with --rps each client waits for its responses, which is no open loop.
    unixTarget: true,
    takesAddress: true,
    http2: true,
    // Has no new connections, because version 1.52 does not end if responses close their connections.
    // Has no requests, because headers, method and body are those of all paths.
    paths: true,
    methods: ANY_METHOD,
    counted: 'writes',
    countedBytes: 8 * 1024
    // Has no timeouts, because they end version 1.52 by a failed assertion. With a duration it does not report
    // connections that break or get no response, so bench/measure/measure-window.js reads those of the kernel.
    // Has no `stop`, because signals end h2load without a report.
  },

  version: { args: ['--version'], parse: output => /^h2load nghttp2\/(\d[\w.~+-]*)/m.exec(output)?.[1] ?? null },

  command (load, target, { program, dir, maxSeconds }) {
    const socket = target.socketPath === null ? [] : [`--base-uri=unix:${target.socketPath}`]
    const { host } = new URL(withAddress(load, target).target.url)
    const peer = target.address === undefined ? [] : [`--connect-to=${host}`]
    const body = toBodyFile(load, dir)
    /** @type {Record<string, string | Buffer>} */
    const files = load.paths ? { 'uris.txt': load.paths.map(path => `${target.url}${path}\n`).join('') } : {}
    return {
      files: { ...files, ...body.files },
      processes: [{
        argv: [program, ...target.http2 ? [ONLY_HTTP2, `-m${load.streams ?? 1}`] : ['--h1'], '-t1',
          `-c${load.connections}`, `-D${maxSeconds}`, ...socket, ...peer, ...headerArguments(load.headers),
          ...load.method ? ['-H', `:method: ${load.method}`] : [], ...body.file ? ['-d', body.file] : [],
          ...load.paths ? ['-i', `${dir}/uris.txt`] : [target.url + load.path]]
      }]
    }
  },

  parse (results) {
    const { stdout } = results[0]
    const counts = numbers(
      /^requests: \d+ total, (\d+) started, (\d+) done, \d+ succeeded, \d+ failed, (\d+) errored, (\d+) timeout$/m,
      stdout
    )
    const statuses = numbers(/^status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx$/m, stdout)
    const clients = numbers(/: (\d+) total client\(s\)/, stdout)
    const bytes = numbers(/^traffic: \S+ \((\d+)\) total/m, stdout)
    const finished = /^finished in ([\d.]+)(us|ms|s), ([\d.]+) req\/s/m.exec(stdout)
    if (!counts || !statuses || !clients || !bytes || !finished) throw noReport('h2load', results[0])
    const [started, done, errored, timeout] = counts
    const responses = statuses.reduce((sum, count) => sum + count, 0)
    // Derived from the rate, because "finished in" includes the start and the end of h2load.
    const seconds = done > 0 ? done / Number(finished[3]) : Number(finished[1]) * UNIT_SECONDS[finished[2]]
    const unconnected = Math.max(0, clients[0] - started)
    return {
      requests: responses,
      errors: {
        // Excludes 3xx, because 304 is no error, and the gate has rejected redirects.
        non2xx: statuses[2] + statuses[3],
        timeouts: timeout,
        resets: errored - timeout + unconnected,
        mismatches: 0
      },
      bytes: bytes[0],
      seconds,
      latencyMs: null
    }
  }
}

/**
 * @param {RegExp} pattern
 * @param {string} text
 */
const numbers = (pattern, text) => pattern.exec(text)?.slice(1).map(Number) ?? null
