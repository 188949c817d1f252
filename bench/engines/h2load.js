// h2load of nghttp2: closed loop with keep-alive, HTTP/1.1 over TCP, TLS and Unix sockets, HTTP/2 over TLS.

import { ANY_METHOD, bodyFile } from '../load/request-body.js'

/** @import { EngineFile } from '../types.js' */

/** Where this is not what ALPN ends with, it makes no request. (Later versions call it --alpn-list, and know both.) */
const ONLY_HTTP2 = '--npn-list=h2'
const UNITS = { us: 1e-6, ms: 1e-3, s: 1 }

/** @type {EngineFile} */
export default {
  about: {
    title: 'h2load',
    program: 'h2load',
    packages: { debian: ['nghttp2-client'], fedora: ['nghttp2'], alpine: ['nghttp2'], brew: ['nghttp2'] },
    // Its --rps waits for each client's own answers: that is no open loop.
    unixTarget: true,
    http2: true,
    // Where answers close their connections, version 1.52 opens new ones for ever and never ends.
    paths: true,
    methods: ANY_METHOD,
    counted: 'writes',
    // Its own timeouts end version 1.52 by a failed assertion; with a duration it reports no connection
    // that breaks or is never answered. The kernel shows which clients are served (bench/measure/measure-window.js).
    latencyNote: 'prints mean, deviation and extremes, and no percentiles',
    // SIGINT and SIGTERM end it without a report.
  },

  version: { args: ['--version'], parse: output => /^h2load nghttp2\/(\d[\w.~+-]*)/m.exec(output)?.[1] ?? null },

  command (load, target, { program, dir, maxSeconds }) {
    const headers = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    const socket = target.socketPath === null ? [] : [`--base-uri=unix:${target.socketPath}`]
    const body = bodyFile(load, dir)
    /** @type {Record<string, string | Buffer>} */
    const files = load.paths ? { 'uris.txt': load.paths.map(path => `${target.url}${path}\n`).join('') } : {}
    return {
      files: { ...files, ...body.files },
      processes: [{
        argv: [program, ...target.http2 ? [ONLY_HTTP2, `-m${load.streams ?? 1}`] : ['--h1'], '-t1',
          `-c${load.connections}`, `-D${maxSeconds}`, ...socket, ...headers,
          ...load.method ? ['-H', `:method: ${load.method}`] : [], ...body.file ? ['-d', body.file] : [],
          ...load.paths ? ['-i', `${dir}/uris.txt`] : [target.url + load.path]],
        env: {}
      }]
    }
  },

  parse (results) {
    const { stdout, stderr } = results[0]
    const counts = numbers(
      /^requests: \d+ total, (\d+) started, (\d+) done, \d+ succeeded, \d+ failed, (\d+) errored, (\d+) timeout$/m,
      stdout
    )
    const statuses = numbers(/^status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx$/m, stdout)
    const clients = numbers(/: (\d+) total client\(s\)/, stdout)
    const bytes = numbers(/^traffic: \S+ \((\d+)\) total/m, stdout)
    const finished = /^finished in ([\d.]+)(us|ms|s), ([\d.]+) req\/s/m.exec(stdout)
    if (!counts || !statuses || !clients || !bytes || !finished) {
      throw new TypeError(`h2load printed no report: ${(stdout + stderr).slice(-200)}`)
    }
    const [started, done, errored, timeout] = counts
    const answers = statuses.reduce((sum, count) => sum + count, 0)
    // It divides by the time in which it has counted; "finished in" has its start and end in it, too.
    const seconds = done > 0
      ? done / Number(finished[3])
      : Number(finished[1]) * UNITS[/** @type {keyof UNITS} */ (finished[2])]
    const never = Math.max(0, clients[0] - started)
    return {
      requests: answers,
      errors: {
        // It does not say which 3xx: a 304 is no error, and a redirect the gate has refused.
        non2xx: statuses[2] + statuses[3],
        timeouts: timeout,
        resets: errored - timeout + never,
        mismatches: 0
      },
      bytes: bytes[0],
      seconds,
      latencyMs: null
    }
  }
}

/** @param {RegExp} pattern @param {string} text @returns {number[] | null} */
const numbers = (pattern, text) => pattern.exec(text)?.slice(1).map(Number) ?? null
