/** Formats of access logs and of the prefixes that collectors of logs put before their lines (pure). */
import { attempt } from '../shared/attempt.js'
import { isTooDeep } from '../shared/nesting.js'

/**
 * Fields of a line, as written. request: a whole request line, in place of method and target.
 * @typedef {{ request?: string, method?: string, target?: string, query?: string, status?: string, host?: string,
 *   time?: string }} Fields
 */
/** Returns the fields of a line; null: another format. @typedef {(line: string) => Fields | null} Parse */
/**
 * A format of lines. isEscaped: values have the escapes of nginx or Apache.
 * @typedef {{ name: string, parse: Parse, isEscaped?: boolean }} Format
 */

/** Variables of nginx by the field that they hold. Other variables are skipped. @type {Record<string, keyof Fields>} */
const VARIABLES = {
  request: 'request',
  request_method: 'method',
  request_uri: 'target',
  uri: 'target',
  document_uri: 'target',
  args: 'query',
  query_string: 'query',
  status: 'status',
  host: 'host',
  http_host: 'host',
  time: 'time',
  time_local: 'time',
  time_iso8601: 'time',
  msec: 'time'
}
/** Values of fields that decide between formats. @type {Record<string, RegExp>} */
const VALUES = {
  status: /^(?:\d{3}|-)$/,
  host: /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i,
  port: /^\d+$/,
  type: /^(?:https?|h2|wss?|grpcs)$/,
  address: /^\S+$/,
  ident: /^\S+$/,
  // A name may have a space. More words belong to the prefix of a collector.
  user: /^\S+(?: \S+)?$/
}
/** Formats of text in the notation of nginx's log_format. A line may go on after the format. */
const TEXTS = [
  ['Traefik', '$address $ident $user [$time] "$request" $status $size "$referer" "$agent" $count "$router" "$server" '],
  ['Application Load Balancer', '$type $time $elb $address $target_address $wait $run $send $status $target_status ' +
    '$received $sent "$request" "$agent"'],
  ['Apache with virtual hosts', '$host:$port $address $ident $user [$time] "$request" $status $size'],
  ['nginx or Apache', '$address $ident $user [$time] "$request" $status $size']
]
/** Formats of objects by the paths of their fields. @type {[name: string, paths: Fields][]} */
const OBJECTS = [
  ['Caddy', { method: 'request.method', target: 'request.uri', status: 'status', host: 'request.host' }],
  ['Traefik, JSON', {
    method: 'RequestMethod', target: 'RequestPath', status: 'DownstreamStatus', host: 'RequestHost'
  }],
  ['nginx, JSON', { request: 'request', status: 'status', host: 'host' }],
  ['nginx, JSON', { method: 'request_method', target: 'request_uri', status: 'status', host: 'host' }],
  ['nginx, JSON', { method: 'request_method', target: 'uri', query: 'args', status: 'status', host: 'host' }],
  ['pino', { method: 'req.method', target: 'req.url', status: 'res.statusCode', host: 'req.headers.host' }],
  ['JSON', { method: 'method', target: 'url', status: 'status', host: 'host' }],
  ['JSON', { method: 'method', target: 'path', status: 'status', host: 'host' }]
]
/** Columns of CloudFront's standard log up to the last one that is read. */
const CLOUDFRONT = 'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) ' +
  'cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header'
/** A field of Heroku's router. */
const KEY_VALUE = /(?:^| )(method|path|host|status)=("(?:[^"\\]|\\.)*"|[^\s"]+)/g
/** Fields of objects with the time of a request, by nginx, Caddy, pino, Bunyan and Logstash. */
const TIMES = ['time', 'timestamp', '@timestamp', 'ts', 'time_iso8601', 'time_local', 'msec']

/** A time of ISO 8601, as containers and collectors write it. */
const TIME = String.raw`\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?`
const TAG = String.raw`[\w./-]+(?:\[[\w.]+\])?: `
/** Prefixes of collectors: docker compose, containerd, kubectl, syslog (RFC 5424 and RFC 3164) and journald. */
const PREFIXES = [
  /^[\w.-]+ {1,40}\| /,
  /^\[pod\/[^\]]+\] /,
  new RegExp(String.raw`^${TIME} std(?:out|err) [FP] `),
  /^(?:\d+ )?<\d{1,3}>1 \S+ \S+ \S+ \S+ \S+ (?:-|\[[^\]]*\]) ?\uFEFF?/,
  new RegExp(String.raw`^(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:\S+ )?${TAG}`),
  new RegExp(String.raw`^(?:<\d{1,3}>)?${TIME} (?:\S+ )?${TAG}`),
  new RegExp(`^${TIME} `)
]
const PART = / std(?:out|err) P $/
const HAS_TIME = new RegExp(TIME)

/**
 * Compiles a log_format of nginx. Takes linear time for each line, because a value ends at the text that follows it.
 * @param {string} text
 * @returns {Parse | null} null: the format has no request and no path
 */
export function compileLogFormat (text) {
  const [start, ...rest] = text.split(/\$(?:\{(\w+)\}|(\w+))/)
  /** @type {{ name: string, end: string }[]} */
  const parts = []
  for (let i = 0; i < rest.length; i += 3) parts.push({ name: rest[i] ?? rest[i + 1], end: rest[i + 2] })
  const fields = parts.map(({ name }) => VARIABLES[name])
  if (!fields.includes('request') && !fields.includes('target')) return null
  return line => {
    if (!line.startsWith(start)) return null
    /** @type {Fields} */
    const found = {}
    let at = start.length
    for (const { name, end } of parts) {
      const to = findEnd(line, end, at)
      const value = to < 0 ? null : line.slice(at, to)
      if (value === null || VALUES[name]?.test(value) === false) return null
      const field = VARIABLES[name]
      // $request_uri has the query that $uri lacks.
      if (field !== undefined && (found[field] === undefined || name === 'request_uri')) found[field] = value
      at = to + end.length
    }
    return found
  }
}

/**
 * Returns where a value ends: before the text that follows it. A quote after a backslash belongs to the value.
 * @param {string} line
 * @param {string} end
 * @param {number} start
 * @returns {number} negative: the text does not follow
 */
function findEnd (line, end, start) {
  if (end === '') return line.length
  for (let at = line.indexOf(end, start); at >= 0; at = line.indexOf(end, at + 1)) {
    let escapes = 0
    while (end.startsWith('"') && line[at - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return at
  }
  return -1
}

/**
 * @param {Fields} paths
 * @returns {Parse}
 */
const toObjectParse = paths => line => {
  const object = toObject(line)
  if (object === null) return null
  /** @type {Fields} */
  const found = {}
  const time = TIMES.find(name => ['string', 'number'].includes(typeof object[name])) ?? ''
  for (const [field, path] of Object.entries({ ...paths, time })) {
    const value = path.split('.').reduce((/** @type {any} */ inner, key) => inner?.[key], object)
    if (!['string', 'number'].includes(typeof value)) continue
    found[/** @type {keyof Fields} */ (field)] = String(value)
  }
  return found.request ?? (found.method && found.target) ?? (paths.time && found.time) ? found : null
}

/** The last parsed line, because several formats read it. @type {{ line: string, object: any }} */
let parsed = { line: '', object: null }

/**
 * @param {string} line
 * @returns {any} an object, or null
 */
function toObject (line) {
  if (parsed.line === line) return parsed.object
  const value = line.startsWith('{') ? attempt(() => JSON.parse(line), () => null) : null
  parsed = { line, object: value === null || isTooDeep(value) ? null : value }
  return parsed.object
}

/**
 * Returns the format of a table whose columns are named.
 * @param {string} names of W3C's extended log format, as after "#Fields:"
 * @returns {Format}
 */
export function toTable (names) {
  const columns = names.trim().split(/\s+/)
  const name = columns.includes('x-edge-location') ? 'CloudFront' : 'W3C'
  return {
    name,
    parse (line) {
      const values = line.split(line.includes('\t') ? '\t' : ' ')
      const get = (/** @type {string} */ column) => values[columns.indexOf(column)]
      const [method, status] = [get('cs-method'), get('sc-status')]
      if (values.length < columns.length || !/^[A-Z]+$/.test(method) || !/^\d{3}$/.test(status)) return null
      const host = get('x-host-header') ?? get('cs(Host)')
      const time = `${get('date')}T${get('time')}Z`
      return { method, status, target: get('cs-uri-stem'), query: get('cs-uri-query'), host, time }
    }
  }
}

/** @type {Parse} */
function parseKeyValues (line) {
  if (!/^[\w.]+=/.test(line)) return null
  const found = Object.fromEntries([...line.matchAll(KEY_VALUE)].map(([, key, value]) =>
    [key, value.startsWith('"') ? value.slice(1, -1) : value]))
  return found.method && found.path ? { ...found, target: found.path } : null
}

/** @type {Parse} */
const parseListed = line => /^(?:\/|https?:\/\/)/i.test(line) ? { method: 'GET', target: line.trim() } : null

/** All formats, in the order in which a line is tried. @type {Format[]} */
export const FORMATS = [
  { name: 'list of paths', parse: parseListed },
  ...OBJECTS.map(([name, paths]) => ({ name, parse: toObjectParse(paths) })),
  ...TEXTS.map(([name, text]) => ({ name, isEscaped: true, parse: /** @type {Parse} */ (compileLogFormat(text)) })),
  toTable(CLOUDFRONT),
  { name: 'Heroku router', parse: parseKeyValues }
]

/** Objects with a time, but without a request, as an app may log them. @type {Format} */
export const TIMED_OBJECT = { name: 'JSON with a time', parse: toObjectParse({ time: 'time' }) }

/**
 * Removes the prefix of a collector.
 * @param {string} line
 * @returns {{ text: string, isPart: boolean, time?: string } | null} isPart: the next line continues it; null: there
 *   is no prefix
 */
export function withoutPrefix (line) {
  const { log, MESSAGE, message } = toObject(line) ?? {}
  const inner = [log, MESSAGE, message].find(value => typeof value === 'string')
  if (inner !== undefined) return { text: inner.replace(/\r?\n$/, ''), isPart: inner === log && !log.endsWith('\n') }
  const [prefix] = PREFIXES.flatMap(pattern => pattern.exec(line)?.[0] ?? [])
  if (prefix === undefined) return null
  return { text: line.slice(prefix.length), isPart: PART.test(prefix), time: HAS_TIME.exec(prefix)?.[0] }
}
