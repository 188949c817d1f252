/**
 * Runs a recommended configuration on its own ports 80 and 443, as printed, or after the steps of its note about TLS.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openNetwork } from '../../bench/machine/network/lab.js'
import { run, start, waitUntil } from '../../bench/machine/process.js'
import { makeTempRoot } from '../../bench/machine/files/temp.js'
import { findTool } from '../../bench/machine/tools.js'
import { findProxies } from '../../bench/measure/find-programs.js'
import { armFrom } from '../../bench/request/request.js'
import { findCertificate } from '../../bench/topology/certificates.js'
import { describeAtHome } from '../../bench/topology/describe/recommended-config.js'

/** @import { Test } from 'tap' */
/** @import { ProxyDescription, ProxyProgram } from '../../bench/types.js' */

/**
 * An app on port 3000 whose responses are the headers of their requests, and for /seen the paths of all requests. It
 * accepts requests that Node would reject, so that only the proxy can reject them.
 */
const APP = `const seen = []
require('node:http').createServer({ insecureHTTPParser: true }, (req, res) => {
  seen.push(req.url)
  res.setHeader('X-Path', req.url)
  res.setHeader('X-Powered-By', 'a framework 1.2.3')
  if (req.url === '/scheme') res.setHeader('Cache-Control', 'max-age=60')
  res.end(JSON.stringify(req.url === '/seen' ? seen : req.headers))
}).listen(3000, '127.0.0.1', () => console.log('listening'))`

/**
 * Sends the requests in TEST_REQUESTS, and prints their responses: to a URL; `alpn`: prints the protocol that is
 * selected; `raw`: sends the text to port 80 and prints the response after half a second, or when the proxy has closed
 * the connection.
 */
const CLIENT = `
const { once } = require('node:events')
const { text } = require('node:stream/consumers')
const send = async ({ url, headers }) => {
  const request = require(url.startsWith('https') ? 'node:https' : 'node:http').get(url, { agent: false, headers })
  const [response] = await Promise.race([once(request, 'response'),
    once(request, 'upgrade').then(([{ statusCode, headers }]) => [{ statusCode, headers, upgraded: true }])])
  const body = response.upgraded ? '' : await text(response)
  return { status: response.statusCode, headers: response.headers, body }
}
const sendRaw = async raw => {
  const socket = require('node:net').connect(80, '127.0.0.1')
  let received = ''
  socket.on('data', data => { received += data }).on('error', () => {})
  socket.write(raw)
  await new Promise(resolve => {
    setTimeout(resolve, 500)
    socket.on('close', resolve)
  })
  socket.destroy()
  return received
}
const select = async ALPNProtocols => {
  const socket = require('node:tls').connect({ host: 'localhost', servername: 'localhost', port: 443, ALPNProtocols })
  await once(socket, 'secureConnect')
  socket.destroy()
  return socket.alpnProtocol
}
;(async () => {
  const responses = []
  for (const request of JSON.parse(process.env.TEST_REQUESTS)) {
    responses.push(await (request.alpn ? select(request.alpn) : request.raw ? sendRaw(request.raw) : send(request)))
  }
  console.log(JSON.stringify(responses))
  process.exit(0)
})()`

/**
 * Removes the # of each line on which no space follows it.
 * @param {string} text
 */
export const uncomment = text => text.replace(/^(\s*)#(?=[^\s#])/gm, '$1')

/** Folders of nginx that only root can write. */
const TEMP_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

/** Lines of /proc/net/tcp for listeners on the ports 80 and 443. */
const LISTENING = [/:0050 \S+ 0A/, /:01BB \S+ 0A/]

/** Steps of each note beyond the removal of #. @type {Record<string, (text: string) => string>} */
const STEPS = {
  apache: text => text.replace(/^(Listen|<VirtualHost) \*:80/gm, '$1 *:443'),
  // Caddy would add its authority, which signs the certificate of localhost, to those that this machine trusts.
  caddy: text => text.replace(/^http:\/\/:80 /m, 'localhost ').replace(/^\{$/m, '{\n\tskip_install_trust')
}

/**
 * Starts a proxy with its recommended configuration in a network of its own. The name of the site is localhost.
 * @param {Test} t ends the processes
 * @param {string} spec
 * @param {object} options
 * @param {boolean} options.tls after the steps of the note in the configuration
 * @param {string} [options.code] of a program for Node in place of the proxy
 * @returns {Promise<(requests: object[]) => Promise<any[]>>} sends requests
 */
export async function startRecommended (t, spec, { tls, code }) {
  const temp = makeTempRoot()
  const dir = temp.path
  const network = await openNetwork({
    name: spec, dir, private: true, sysctl: { 'net.ipv4.ip_unprivileged_port_start': '0' }
  })
  /** @type {{ stop: () => Promise<unknown> }[]} */
  const children = []
  t.teardown(async () => {
    for (const child of children.toReversed()) await child.stop()
    await network.close()
    temp.remove()
  })
  const arm = await armFrom(spec, { connections: 10 })
  const programs = await findProxies([arm])
  const { proxy } = describeAtHome(arm.topology, { clients: 10, programs }, 'home')
  const name = String(arm.topology.proxy?.name)
  const certificate = await findCertificate('ecdsa-p256', dir)
  const pem = [certificate.certFile, certificate.keyFile].map(file => readFileSync(file, 'utf8'))
  writeFileSync(join(dir, 'site.pem'), name === 'haproxy' || name === 'varnish' ? pem.join('\n') : pem[0])
  writeFileSync(join(dir, 'site.key'), pem[1])
  const launch = (/** @type {string} */ program, /** @type {string[]} */ argv, env = {}) => {
    const child = start({
      name: program, argv, env, cwd: dir, enter: network.enterServed, log: join(dir, `${program}.log`)
    })
    children.push(child)
    return child
  }
  const app = launch('app', [process.execPath, '-e', APP])
  await waitUntil(app, () => app.tail().includes('listening'))
  const program = /** @type {ProxyProgram} */ (programs.get(name))
  const prepared = await prepare(name, /** @type {ProxyDescription} */ (proxy), program, { dir, tls })
  const child = code === undefined
    ? launch(name, ...prepared)
    : launch('planted', [process.execPath, '-e', code])
  const servers = [child, ...tls && name === 'varnish' ? [await launchHitch(launch, dir)] : []]
  const authority = name === 'caddy'
    ? join(dir, 'data/caddy/pki/authorities/local/root.crt')
    : certificate.certFile
  const tryToSend = (/** @type {object[]} */ requests) => run([...network.enter, process.execPath, '-e', CLIENT], {
    env: { TEST_REQUESTS: JSON.stringify(requests), NODE_EXTRA_CA_CERTS: authority }
  })
  const send = async (/** @type {object[]} */ requests) => {
    const { stdout, stderr } = await tryToSend(requests)
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout)
  }
  for (const server of servers) {
    await waitUntil(server, async () => {
      const open = await run([...network.enter, 'sh', '-c', 'cat /proc/net/tcp /proc/net/tcp6'])
      return LISTENING.slice(0, tls ? 2 : 1).every(pattern => pattern.test(open.stdout))
    })
  }
  await waitUntil(child, async () => {
    // Caddy listens before it has its certificate.
    if (tls && name === 'caddy') return (await tryToSend([{ alpn: ['http/1.1'] }])).stdout !== ''
    const url = `${tls ? 'https' : 'http'}://localhost/`
    return !program.plugin.listensEarly || (await tryToSend([{ url }])).stdout.includes('"status":200')
  })
  return send
}

/**
 * Writes the configuration. Returns the command line and the environment of the proxy.
 * @param {string} name
 * @param {ProxyDescription} proxy
 * @param {ProxyProgram} program
 * @param {{ dir: string, tls: boolean }} options
 * @returns {Promise<[string[], Record<string, string>]>}
 */
async function prepare (name, proxy, program, { dir, tls }) {
  for (const folder of ['cache', 'log', 'run']) mkdirSync(join(dir, folder), { recursive: true })
  const relocate = (/** @type {string} */ text) => text
    .replaceAll('/run/app', dir)
    .replaceAll('/var/log/nginx', `${dir}/log`)
    .replace('daemon off;', `daemon off; pid ${dir}/nginx.pid;`)
    .replace(/^http \{$/m, `http {\n${TEMP_PATHS.map(part => `${part}_temp_path ${dir}/run/${part};\n`).join('')}`)
    .replaceAll(/\/etc\/(haproxy|hitch|traefik|ssl\/certs|ssl\/private)\//g, `${dir}/`)
    .replaceAll('/etc/varnish/default.vcl', `${dir}/default.vcl`)
    .replaceAll(`"${program.modules?.installed}/`, `"${program.modules?.folder}/`)
    .replaceAll(/\/var\/cache\/apache2\/[\w-]+/g, `${dir}/cache`)
    .replaceAll('/run/apache2', `${dir}/run`)
    .replaceAll('/var/log/apache2', `${dir}/log`)
    .replaceAll('"/etc/apache2"', `"${dir}"`)
    // The accounts of Debian's packages do not exist on this machine.
    .replaceAll(/^ *(user|group)( =)? "?_?(haproxy|hitch)"?$/gm, '')
    .replaceAll(/^(User|Group) www-data$/gm, '')
  const follow = (/** @type {string} */ text) => tls ? uncomment(STEPS[name]?.(text) ?? text) : text
  for (const [file, text] of Object.entries(proxy.files)) writeFileSync(join(dir, file), relocate(follow(text)))
  if (name !== 'varnish') return [proxy.argv.map(relocate), mapValues(proxy.env, relocate)]
  // The first ExecStart of the drop-in is empty, which removes that of the package. systemd runs the second one.
  const unit = readFileSync(join(dir, 'varnish.service.conf'), 'utf8').replace(/^ *#.*\n/gm, '')
  const [, , ...args] = unit.replaceAll('\\\n', ' ').split('ExecStart=')[2].trim().split(/\s+/)
  return [[program.program, '-F', ...args, '-n', join(dir, 'varnish')], proxy.env]
}

/**
 * @param {Record<string, string>} values
 * @param {(value: string) => string} change
 */
const mapValues = (values, change) => Object.fromEntries(Object.entries(values).map(([key, value]) =>
  [key, change(value)]))

/**
 * Starts hitch, which ends TLS in front of Varnish, with the printed configuration.
 * @param {(program: string, argv: string[], env?: Record<string, string>) => ReturnType<typeof start>} launch
 * @param {string} dir
 */
async function launchHitch (launch, dir) {
  const { path, env } = await findTool({ program: 'hitch', packages: { debian: ['hitch'] } })
  return launch('hitch', [path, `--config=${join(dir, 'hitch.conf')}`], env)
}
