// wrk: closed loop with keep-alive, about three times as fast as autocannon on one core, and so
// the engine for targets that would outrun it.

/** Its own totals as JSON; its percentiles are left out, because wrk invents samples for slow requests. */
const REPORT = `
done = function(summary)
  local e = summary.errors
  io.write(string.format(
    '{"requests":%d,"bytes":%d,"micros":%d,"status":%d,"timeout":%d,"connect":%d,"read":%d,"write":%d}\\n',
    summary.requests, summary.bytes, summary.duration, e.status, e.timeout, e.connect, e.read, e.write))
end
`

/**
 * One request after the other from a list; every thread begins at the front.
 * @param {string[]} paths as they stand in a request line
 */
const sequence = paths => `
local paths = { ${paths.map(path => JSON.stringify(encodeURI(decodeURI(path)))).join(', ')} }
local at = 0
request = function()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
`

/** @type {import('../types.d.ts').EnginePlugin} */
export default {
  about: {
    title: 'wrk',
    program: 'wrk',
    packages: { debian: ['wrk'] },
    closedLoop: true,
    rate: false,
    unixTarget: false,
    tls: true,
    freshConnections: false,
    latencyResolutionMicros: null,
    stop: 'SIGINT',
    checksBodies: false,
    errorLog: null
  },

  // It prints its version with its help, and ends with 1.
  version: { args: ['--version'], parse: output => /^wrk (?:debian\/)?v?(\d[\w.~+-]*)/m.exec(output)?.[1] ?? null },

  command (load, target, { program, dir, maxSeconds }) {
    const headers = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    return {
      files: { 'report.lua': REPORT + (load.paths ? sequence(load.paths) : '') },
      processes: [{
        // Its own timeout of 2 s would count every freeze as one.
        argv: [program, '-t1', `-c${load.connections}`, `-d${maxSeconds}s`, '--timeout', `${maxSeconds}s`,
          '-s', `${dir}/report.lua`, ...headers, target.url + load.path],
        env: {}
      }]
    }
  },

  parse (results) {
    const { stdout, stderr } = results[0]
    const line = stdout.split('\n').find(line => line.startsWith('{"requests"'))
    if (!line) throw new TypeError(`wrk printed no report: ${(stdout + stderr).slice(-200)}`)
    const report = JSON.parse(line)
    const numbers = [report.requests, report.bytes, report.micros, report.status, report.timeout, report.connect, report.read, report.write]
    if (!numbers.every(Number.isFinite)) throw new TypeError(`wrk's report lacks its totals: ${line}`)
    return {
      requests: report.requests,
      errors: { non2xx: report.status, timeouts: report.timeout, mismatches: 0, resets: report.connect + report.read + report.write },
      bytes: report.bytes,
      seconds: report.micros / 1e6,
      latencyMs: null
    }
  }
}
