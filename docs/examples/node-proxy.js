// A reverse proxy of thirty lines on node:http.
import { isPooled } from '../bench/plan/predicates.js'

const program = ({ listen, upstream, pooled, dir }) => `
import http from 'node:http'
const agent = new http.Agent({ keepAlive: ${pooled}, maxSockets: Infinity })
const upstream = ${JSON.stringify(upstream)}
let requests = 0
let connections = 0
const proxy = http.createServer((req, res) => {
  requests++
  const { connection, ...headers } = req.headers
  const onward = http.request({ ...upstream, agent, path: req.url, method: req.method, headers }, answer => {
    const { connection, ...rest } = answer.headers
    res.writeHead(answer.statusCode, rest)
    answer.pipe(res)
  })
  onward.on('error', () => { res.writeHead(502).end() })
  req.pipe(onward)
})
proxy.keepAliveTimeout = 3600000
proxy.on('connection', () => { connections++ })
proxy.listen(${JSON.stringify(listen)})
http.createServer((req, res) => {
  res.setHeader('X-Seconds', (performance.timeOrigin + performance.now()) / 1000)
  res.end(JSON.stringify({ requests, connections }))
}).listen(${JSON.stringify(`${dir}/counters.sock`)})
process.on('SIGTERM', () => process.exit(0))
`

const place = address =>
  address.kind === 'unix' ? { socketPath: address.path } : { host: address.host, port: address.port }

export default {
  about: { title: 'a proxy in Node', program: 'node', packages: { debian: ['nodejs'] }, options: {}, static: false },
  version: { args: ['--version'], parse: output => /v(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? null },
  render: ({ listen, upstream, dir }) => ({
    'proxy.mjs': program({
      listen, upstream: place(upstream.addresses[0]), pooled: isPooled(upstream), dir
    })
  }),
  command: dir => [`${dir}/proxy.mjs`],
  check: dir => ['--check', `${dir}/proxy.mjs`],
  counters: {
    socket: 'counters.sock',
    path: '/',
    log: 'noted.log',
    errorLog: 'proxy.log',
    // The counters of the proxy are read from a server of their own: reading them costs no request.
    cost: { requests: 0 },
    parse: (body, headers) => ({ ...JSON.parse(body), atSeconds: Number(headers['x-seconds']) }),
    parseLogLine: () => null
  }
}
