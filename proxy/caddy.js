// Caddy as a reverse proxy, or as a static server. The configuration is made from the templates in caddy/.
import { choice, flag, number } from '../bench/topology/option-specs.js'
import { TRANSPORT_WORDS, templatesIn } from '../bench/topology/templates.js'

/** @import { Address, ProxyPlugin, RenderRequest } from '../bench/types.js' */

const caddyfile = templatesIn(new URL('../caddy/', import.meta.url), 'Caddyfile')

const LB_POLICIES = { 'round-robin': 'round_robin', 'least-conn': 'least_conn' }

/** @type {ProxyPlugin} */
export default {
  about: {
    title: 'Caddy',
    program: 'caddy',
    packages: { debian: ['caddy'], fedora: ['caddy'], alpine: ['caddy'], brew: ['caddy'] },
    static: true,
    options: {
      gzip: flag(false, 'encode: compress on the fly'),
      gzip_comp_level: number(5, 'level of gzip: 1, fast, to 9, small',
        { needs: 'gzip', choices: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
      gzip_min_length: number(512, 'minimum_length: bytes below which nothing is compressed', { needs: 'gzip' }),
      gzip_static: flag(false, 'precompressed: send file.gz beside a file to those who take gzip', { for: 'files' }),
      pool: number('auto', 'keepalive: idle upstream connections kept', { for: 'app' }),
      balance: choice('none', ['none', 'round-robin', 'least-conn'],
        'spread over processes with an address each (server@node:4)', { for: 'app' })
    }
  },

  // "v2.10.0 h1:…"; Debian's says nothing but the number.
  version: { args: ['version'], parse: output => /^v?(\d+\.\d+\.\d+)/m.exec(output)?.[1] ?? null },

  // Placeholders stand in braces, and what stands between backticks can hold none.
  interprets: { signs: ['{', '`'], in: ['root'] },

  render: request => ({ Caddyfile: caddyfile(view(request)) }),

  command: dir => ['run', '--config', `${dir}/Caddyfile`, '--adapter', 'caddyfile'],
  check: dir => ['validate', '--config', `${dir}/Caddyfile`, '--adapter', 'caddyfile'],
  // Whatever it runs with is also written to a person's own configuration (autosave.json), unless that is here.
  env: dir => ({ XDG_CONFIG_HOME: `${dir}/config`, XDG_DATA_HOME: `${dir}/data` }),

  counters: {
    socket: 'status.sock',
    path: '/metrics',
    // What it made itself, such as 502, is an error in its log; what the app answered is in the metrics.
    log: 'proxy.log',
    errorLog: 'proxy.log',
    cost: { requests: 0 },
    parse (body, headers) {
      const atSeconds = Number(headers['x-millis']) / 1000
      if (!Number.isFinite(atSeconds) || !body.includes('go_goroutines')) {
        throw new TypeError(`Caddy's metrics are not its counters: ${body.slice(0, 200)}`)
      }
      // Until the first request there is no such line.
      const seen = (/** @type {string} */ name) =>
        [...body.matchAll(new RegExp(`^caddy_http_${name}\\{(.*)\\} (\\S+)$`, 'gm'))]
          .filter(([, labels]) => /handler="(reverse_proxy|file_server|static_response)",.*server="srv0"/.test(labels))
      const sum = (/** @type {RegExpExecArray[]} */ lines) => lines.reduce((all, [,, count]) => all + Number(count), 0)
      return {
        atSeconds,
        connections: null,
        requests: sum(seen('requests_total')),
        non2xx: sum(seen('request_duration_seconds_count').filter(([, labels]) => !/code="(2..|304)"/.test(labels)))
      }
    },
    parseLogLine (line) {
      const [, at, status] = /^\{.*"ts":([\d.]+),"logger":"http\.log\.error".*"status":(\d+),/.exec(line) ?? []
      return at === undefined ? null : { atSeconds: Number(at), status: Number(status), cache: null }
    }
  }
}

/** The values of the templates. @param {RenderRequest} request */
function view (request) {
  const { listen, upstream, root, options, purpose } = request
  if (listen.kind === 'unix') throw new TypeError('Caddy does not stand behind another proxy here')
  const measure = purpose === 'measure'
  return {
    title: measure
      ? 'Caddy as hopbench runs it'
      : `Caddy ${upstream ? 'in front of a Node server' : 'as a static server'}, as measured by hopbench`,
    notes: measure ? [] : homeNotes(upstream?.addresses ?? []),
    measure,
    files: !upstream,
    site: `:${listen.port}`,
    bind: measure ? listen.host : null,
    // While it is measured no idle connection may be closed, and nothing given up: everything is paused for long, and
    // its time limits go on.
    idle: measure ? '1h' : '75s',
    patience: measure ? '1h' : '60s',
    root,
    precompressed: Boolean(options.gzip_static),
    gzip: Boolean(options.gzip),
    gzipLevel: options.gzip_comp_level,
    gzipMin: options.gzip_min_length,
    ...upstream ? upstreamView(upstream, request, measure) : {}
  }
}

/** @param {NonNullable<RenderRequest['upstream']>} upstream @param {RenderRequest} request @param {boolean} measure */
const upstreamView = ({ addresses, transport }, { options, clients, dir }, measure) => ({
  transportWords: TRANSPORT_WORDS[transport],
  upstreams: addresses.map(address => print(address, measure ? dir : null)).join(' '),
  spread: addresses.length > 1,
  policy: LB_POLICIES[/** @type {keyof typeof LB_POLICIES} */ (options.balance)],
  pooled: transport.endsWith('keepalive'),
  pool: options.pool === 'auto' ? Math.max(128, clients) : options.pool,
  upstreamIdle: measure ? '1h' : '60s'
})

/** @param {Address[]} addresses */
const homeNotes = addresses => addresses.length === 0
  ? ['', "With the site's name in place of the port it fetches a certificate by itself."]
  : [
      '',
      addresses.some(({ kind }) => kind === 'unix')
        ? 'The app listens on the socket below; Caddy\'s user must be allowed to read and write it ' +
          '(server.listen({ path, readableAll: true, writableAll: true }) in Node).'
        : 'The app listens on the address below.',
      "With the site's name in place of the port Caddy fetches a certificate by itself."
    ]

/** While it is measured a socket is named from the folder that it starts in, whose name then means nothing.
 * @param {Address} address @param {string | null} dir while it is measured */
const print = (address, dir) => address.kind === 'unix'
  ? `unix/${dir === null ? address.path : address.path.replace(`${dir}/`, '')}`
  : `${address.host}:${address.port}`
