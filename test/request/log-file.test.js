/** Tests the reader of access logs: requests that are written in a format are read back. */
import { deepStrictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from '../support/tap.js'
import { compileLogFormat, FORMATS } from '../../bench/request/log-formats.js'
import { withLogLines } from '../../bench/request/log-lines.js'
import { readLog } from '../../bench/request/log-file.js'
import { PROJECT } from '../../bench/plan/plugins.js'

/** @typedef {{ path: string, status: number, agent: string, bytes: number }} Request */
/** A format. write: returns a line; custom: log_format of nginx. @typedef {{ name: string, write: (request: Request) =>
 * string, custom?: string }} Writer */

const TIME = '10/Oct/2026:13:55:36 +0000'
const ISO = '2026-10-10T13:55:36.123456Z'
/** Escapes a value as nginx does. @param {string} text */
const escape = text => Buffer.from(text).toString('latin1').replace(/["\\]|[^\x20-\x7e]/g, byte =>
  `\\x${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
/** Escapes a value as Apache does. @param {string} text */
const escapeApache = text => escape(text).replace(/\\x(22|5C)/g, (_, digits) => digits === '22' ? '\\"' : '\\\\')
/** @param {Request} request */
const toCombined = ({ path, status, agent, bytes }) =>
  `203.0.113.4 - - [${TIME}] "GET ${escape(path)} HTTP/1.1" ${status} ${bytes} "-" "${escape(agent)}"`
/** @param {Request} request */
const toHeroku = ({ path, status, bytes }) => `at=info method=GET path="${path}" host=shop.example.com request_id=0 ` +
  `fwd="203.0.113.4" dyno=web.1 connect=0ms service=2ms status=${status} bytes=${bytes} protocol=https`
/** @param {Request} request */
const splitPath = ({ path }) => {
  const [stem, query] = path.split(/\?(.*)/s)
  return { stem, query }
}
/** @param {Request} request */
const toCloudFront = request => {
  const { stem, query } = splitPath(request)
  return ['2026-10-10', '13:55:36', 'FRA', request.bytes, '203.0.113.4', 'GET', 'd1.cloudfront.net', stem,
    request.status, '-', encodeURIComponent(request.agent), query ?? '-', '-', 'Hit', 'id==', 'shop.example.com',
    'https', 1, '0.001', '-', 'TLSv1.3', '-', 'Hit', 'HTTP/2.0', '-', '-',
    1, '0.001', 'Hit', '-', 0, '-', '-'].join('\t')
}

/** @type {Writer[]} */
const WRITERS = [
  { name: 'list of paths', write: ({ path }) => path },
  { name: 'nginx or Apache', write: toCombined },
  {
    name: 'nginx or Apache',
    write: ({ path, status, agent }) =>
      `::1 - a b [${TIME}] "GET ${escapeApache(path)} HTTP/2.0" ${status} - "-" "${escapeApache(agent)}"`
  },
  { name: 'Apache with virtual hosts', write: request => `shop.example.com:443 ${toCombined(request)}` },
  { name: 'Traefik', write: request => `${toCombined(request)} 1 "shop@docker" "http://172.18.0.3:3000" 3ms` },
  {
    name: 'Application Load Balancer',
    write: ({ path, status, agent, bytes }) =>
      `h2 ${ISO} app/lb/1 203.0.113.4:2817 10.0.0.1:80 0.000 0.001 0.000 ${status} ${status} 34 ${bytes} ` +
      `"GET https://shop.example.com:443${path} HTTP/2.0" "${escapeApache(agent)}" - - arn "-" "-" "-" 0 ${ISO}`
  },
  { name: 'CloudFront', write: toCloudFront },
  { name: 'Heroku router', write: toHeroku },
  {
    name: 'Caddy',
    write: ({ path, status, agent, bytes }) => JSON.stringify({
      level: 'info',
      ts: 1791640536.5,
      logger: 'http.log.access',
      msg: 'handled request',
      size: bytes,
      status,
      request: { method: 'GET', host: 'shop.example.com', uri: path, headers: { 'User-Agent': [agent] } }
    })
  },
  {
    name: 'Traefik, JSON',
    write: ({ path, status, agent }) => JSON.stringify({
      DownstreamStatus: status,
      RequestHost: 'shop.example.com',
      RequestMethod: 'GET',
      RequestPath: path,
      'request_User-Agent': agent,
      time: ISO
    })
  },
  {
    name: 'nginx, JSON',
    write: ({ path, status }) => JSON.stringify({ time: ISO, request: `GET ${path} HTTP/1.1`, status: String(status) })
  },
  {
    name: 'nginx, JSON',
    write: ({ path, status }) => JSON.stringify({ request_method: 'GET', request_uri: path, status })
  },
  {
    name: 'nginx, JSON',
    write: request => {
      const { stem, query = '' } = splitPath(request)
      return JSON.stringify({ request_method: 'GET', uri: stem, args: query, status: request.status })
    }
  },
  {
    name: 'pino',
    write: ({ path, status }) => JSON.stringify({ req: { method: 'GET', url: path }, res: { statusCode: status } })
  },
  { name: 'JSON', write: ({ path, status }) => JSON.stringify({ method: 'GET', url: path, status }) },
  { name: 'JSON', write: ({ path, status }) => JSON.stringify({ method: 'GET', path, status }) },
  {
    name: '--log-format',
    custom: '$msec|$status|$request_method|$request_uri|$http_user_agent',
    write: ({ path, status, agent }) => `1791640536.500|${status}|GET|${path}|${escape(agent)}`
  },
  {
    name: '--log-format',
    custom: '$remote_addr "$http_user_agent" <$request> = $status in $request_time',
    write: ({ path, status, agent }) => `::1 "${escape(agent)}" <GET ${path} HTTP/1.1> = ${status} in 0.001`
  }
]

/** Prefixes of collectors. @type {Record<string, (line: string) => string>} */
const PREFIXES = {
  none: line => line,
  'docker compose': line => `web-1  | ${line}`,
  docker: line => JSON.stringify({ log: `${line}\n`, stream: 'stdout', time: ISO }),
  containerd: line => `${ISO} stdout F ${line}`,
  'containerd, in two parts': line => `${ISO} stdout P ${line.slice(0, 9)}\n${ISO} stdout F ${line.slice(9)}`,
  'kubectl logs --timestamps': line => `${ISO} ${line}`,
  'kubectl logs --prefix': line => `[pod/web-1/nginx] ${line}`,
  journald: line => `Oct 10 13:55:36 web nginx[12]: ${line}`,
  'journald, short-iso': line => `2026-10-10T13:55:36+0000 web nginx[12]: ${line}`,
  'journald, JSON': line => JSON.stringify({ MESSAGE: line, _PID: '12' }),
  'syslog, RFC 3164': line => `<190>Oct  1 13:55:36 web nginx: ${line}`,
  'syslog, RFC 5424': line => `<190>1 ${ISO} web nginx 12 - - ${line}`,
  'heroku logs': line => `2026-10-10T13:55:36.123456+00:00 heroku[router]: ${line}`
}

const segments = fc.array(fc.stringMatching(/^[\w.~-]{0,9}(?:%[2-7][0-9A-F])?$/), { minLength: 1, maxLength: 4 })
const urlPath = fc.tuple(segments, fc.option(fc.stringMatching(/^[\w.~%&=+/]{1,20}$/)))
  .map(([parts, query]) => `/${parts.join('/').replace(/^\/+/, '')}${query === null ? '' : `?${query}`}`)
/** Requests whose responses are neither errors nor redirects. */
const request = fc.record({
  path: urlPath,
  status: fc.constantFrom(200, 200, 206, 304),
  agent: fc.string({ unit: 'binary', maxLength: 20 }),
  bytes: fc.nat()
})

/** @param {Request[]} requests */
const countPaths = requests => {
  /** @type {Record<string, number>} */
  const counts = {}
  for (const { path } of requests) counts[path] = (counts[path] ?? 0) + 1
  return counts
}

t.test('reads back random requests from each format, with the prefix of each collector', async t => {
  const file = join(t.testdir({}), 'access.log')
  t.strictSame([...new Set(WRITERS.map(({ name }) => name))].sort(),
    [...new Set([...FORMATS.map(({ name }) => name), '--log-format'])].sort(), 'each format has a writer')
  for (const { name, write, custom } of WRITERS) {
    for (const [prefix, add] of Object.entries(PREFIXES)) {
      if (name === 'list of paths' && prefix !== 'none') continue
      fc.assert(fc.property(fc.array(request, { minLength: 1, maxLength: 8 }), fc.boolean(), (requests, isPacked) => {
        const text = `\uFEFF${requests.map(each => add(write(each))).join('\r\n')}\r\n\n# comment\n`
        writeFileSync(file, isPacked ? gzipSync(text) : text)
        const { mix, about, notes } = readLog(file, { keepsQueries: true, logFormat: custom })
        const used = `${name}; lines used: ${requests.length} of ${requests.length}`
        // An assertion of tap takes longer than the reading.
        deepStrictEqual([Object.fromEntries(mix), notes, about],
          [countPaths(requests), [], name === 'list of paths' ? null : used])
      }), { numRuns: 10 })
      t.pass(`${name}, ${prefix}`)
    }
  }
})

t.test('random bytes, and damaged lines of each format, neither fail nor take more than linear time', async t => {
  const file = join(t.testdir({}), 'access.log')
  const damaged = fc.tuple(fc.constantFrom(...WRITERS), request, fc.constantFrom(...Object.values(PREFIXES)), fc.nat(),
    fc.uint8Array({ maxLength: 9 })).map(([{ write }, each, add, at, bytes]) => {
    const line = Buffer.from(add(write(each)))
    const cut = at % line.length
    return Buffer.concat([line.subarray(0, cut), bytes, line.subarray(cut + bytes.length)])
  })
  fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 500 }), damaged), content => {
    writeFileSync(file, content)
    for (const { custom } of WRITERS) {
      const { mix } = readLog(file, { keepsQueries: true, logFormat: custom })
      const wrong = [...mix.keys()].filter(path => !/^\/[\x21-\x7e]*$/.test(path))
      deepStrictEqual(wrong, [])
    }
  }), { numRuns: 300 })
  const parts = ['\\', '"', ' ', '{', '[', '"a":', '/', 'at=info path="', '<1>1 ', 'a ', `${ISO} `, '$', '|', '://@']
  for (const part of parts) {
    writeFileSync(file, `${part.repeat(60_000 / part.length)}\n`.repeat(20))
    t.equal(readLog(file).mix.size <= 1, true, `lines of ${part}`)
  }
})

t.test('decodes the escapes of nginx, and encodes what a request line cannot hold', async t => {
  const file = join(t.testdir({}), 'access.log')
  const line = (/** @type {string} */ target) => `203.0.113.4 - - [${TIME}] "GET ${target} HTTP/1.1" 200 5 "-" "-"`
  const targets = { '/\\x22a\\x5C': '/%22a%5C', '/\\xE4': '/%E4', '/a b': '/a%20b', '/%zz': '/%zz', '/x\\"y': '/x%22y' }
  writeFileSync(file, Object.keys(targets).map(line).join('\n'))
  t.strictSame([...readLog(file).mix.keys()], Object.values(targets))
  writeFileSync(file, Buffer.from('/\xe4.png\n', 'latin1'))
  t.strictSame([...readLog(file).mix.keys()], ['/%E4.png'], 'a name in Latin-1')
  writeFileSync(file, '{"method":"GET","url":"/\\ud800"}\n')
  t.strictSame([...readLog(file).mix.keys()], ['/%EF%BF%BD'], 'half of a surrogate pair')
})

t.test('leaves out lines by reason, with their share', async t => {
  const file = join(t.testdir({}), 'access.log')
  const line = (/** @type {string} */ text, status = 200) => `203.0.113.4 - - [${TIME}] "${text}" ${status} 5 "-" "-"`
  writeFileSync(file, [
    line('GET http://shop.example/a HTTP/1.1'), line('GET http://shop.example:80 HTTP/1.1'),
    line('GET /a HTTP/1.1', 304),
    line('GET http://evil.example/b HTTP/1.1'), line('GET /gone HTTP/1.1', 404), line('GET /old HTTP/1.1', 301),
    line('\\x16\\x03\\x01', 400), line('-', 400), line('OPTIONS * HTTP/1.1'), line('HEAD / HTTP/1.1'),
    `203.0.113.4 - - [${TIME.slice(0, 9)}`, 'x'.repeat(70_000)
  ].join('\n'))
  t.strictSame(readLog(file), {
    mix: new Map([['/a', 2], ['/', 1]]),
    about: 'nginx or Apache; lines used: 3 of 12',
    notes: [
      '2 lines (16.7 %) with a response that is an error or a redirect', '2 lines (16.7 %) without a request',
      '2 lines (16.7 %) with another method than GET', '2 lines (16.7 %) that no format fits',
      '1 line (8.3 %) to other hosts than shop.example'
    ]
  })
})

t.test('reads the columns that a log names, and the time of a line or its prefix', async t => {
  const file = join(t.testdir({}), 'access.log')
  const columns = '#Version: 1.0\n#Fields: sc-status cs-method cs-uri-stem cs-uri-query\n'
  writeFileSync(file, `${columns}200 GET /a x=1\n404 GET /b -\n`)
  t.strictSame([...readLog(file, { keepsQueries: true }).mix], [['/a?x=1', 1]])
  const each = { path: '/', status: 200, agent: '', bytes: 1 }
  writeFileSync(file, [toCombined(each), PREFIXES['heroku logs'](toHeroku(each)), toCloudFront(each)].join('\n'))
  t.strictSame(withLogLines(file, FORMATS, lines => [...lines].map(line => line?.fields.time)),
    [TIME, '2026-10-10T13:55:36.123456+00:00', '2026-10-10T13:55:36Z'])
})

t.test('a log_format without a request has no reader', async t => {
  t.equal(compileLogFormat('$remote_addr $status'), null)
  t.equal(compileLogFormat(''), null)
})

t.test('a file with gzip may end early', async t => {
  const file = join(t.testdir({}), 'access.log.gz')
  const packed = gzipSync(`${'/a\n'.repeat(1000)}/b`, { level: 0 })
  writeFileSync(file, packed.subarray(0, packed.length - 10))
  t.strictSame([...readLog(file).mix.keys()], ['/a'])
})

t.test('reads a log of 100 MB in bounded memory, whose sample keeps the proportions', async t => {
  const dir = t.testdir({})
  const file = join(dir, 'access.log')
  const fd = openSync(file, 'w')
  const [before, after] = toCombined({ path: '/often', status: 200, agent: 'x'.repeat(100), bytes: 1 }).split('/often')
  for (let written = 0, i = 0; written < 100e6;) {
    const lines = Array.from({ length: 5000 }, () => `${before}${i++ % 4 === 0 ? '/often' : `/${i}`}${after}`)
    written += writeSync(fd, `${lines.join('\n')}\n`)
  }
  closeSync(fd)
  const url = pathToFileURL(join(PROJECT, 'bench/request/log-file.js'))
  const script = `import { readLog } from ${JSON.stringify(url)}
    const { mix } = readLog(${JSON.stringify(file)})
    console.log(JSON.stringify({ often: mix.get('/often'), paths: mix.size }))`
  const { stdout, stderr, status } =
    spawnSync(process.execPath, ['--max-old-space-size=64', '--input-type=module', '-e', script], { encoding: 'utf8' })
  t.equal(status, 0, stderr)
  const { often, paths } = JSON.parse(stdout)
  t.equal(often + paths - 1, 100_000)
  t.ok(Math.abs(often - 25_000) < 1000, `a quarter of the sample: ${often}`)
})
