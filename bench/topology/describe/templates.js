/** Renders configuration text from a folder of templates. */
import Handlebars from 'handlebars'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { parse } from 'node:path'
import { badOption } from '../../errors.js'
import { isPooled, hasProduction } from '../../plan/predicates.js'

/** @import { Address, RenderRequest } from '../../types.js' */

/**
 * @param {URL} folder its snippets, if any, are in snippets/
 * @param {string} main name of the main file
 * @returns {(view: object) => string}
 */
export function templatesIn (folder, main) {
  const read = (/** @type {string} */ file) => readFileSync(new URL(file, folder), 'utf8')
  const handlebars = Handlebars.create()
  handlebars.registerHelper('onOff', value => value ? 'on' : 'off')
  const snippets = new URL('snippets/', folder)
  for (const file of existsSync(snippets) ? readdirSync(snippets) : []) {
    handlebars.registerPartial(parse(file).name, read(`snippets/${file}`))
  }
  const text = handlebars.compile(read(main), { noEscape: true, strict: true })
  return view => text(view).replace(/\n{3,}/g, '\n\n').replace(/ +$/gm, '')
}

/**
 * Reads why directives differ between the measured and the recommended configuration.
 * @param {URL} folder of the templates
 * @returns {Record<string, string>} sentences by the first words of a directive
 */
export const reasonsIn = folder => JSON.parse(readFileSync(new URL('reasons.json', folder), 'utf8'))

/** Ciphers of TLS 1.2 in Mozilla's intermediate configuration (ssl-config.mozilla.org, guideline 6.0). */
export const INTERMEDIATE_CIPHERS = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']
  .flatMap(cipher => [`ECDHE-ECDSA-${cipher}`, `ECDHE-RSA-${cipher}`]).join(':')

/** A host name, also of a private network, in which names with "_" are common. */
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?$/

/**
 * Returns the values of templates about the names of the site.
 * @param {Pick<RenderRequest, 'options' | 'purpose'>} request
 * @returns {{ hosts: string[] | null, hostPattern: string | null, hostWords: string }} null: any host is served
 * @throws {HopbenchError} bad-option
 */
export function toHostView ({ options: { host }, purpose }) {
  if (purpose === 'measure' || host === 'any') {
    const hostWords = 'The host is that of the client. The option +host=example.com limits it to names of the site.'
    return { hosts: null, hostPattern: null, hostWords }
  }
  const hosts = String(host).toLowerCase().split(',')
  const odd = hosts.find(name => !HOST_NAME.test(name))
  if (odd !== undefined) {
    throw badOption('The option host', odd, 'it is not the name of a host', 'Write it without a port, as example.com.')
  }
  const hostPattern = hosts.map(name => name.replaceAll('.', '\\.')).join('|')
  return { hosts, hostPattern, hostWords: 'The host is one of the site.' }
}

/** Comments in a configuration about its upstream transport. */
const TRANSPORT_WORDS = {
  tcp: 'Opens a new TCP connection for every request.',
  keepalive: 'Keeps TCP connections and reuses them.',
  uds: 'Opens a new connection on a Unix domain socket for every request.',
  'uds-keepalive': 'Keeps connections on a Unix domain socket and reuses them.'
}

/**
 * Returns the values of templates about the transport.
 * @param {Pick<NonNullable<RenderRequest['upstream']>, 'transport'>} upstream
 */
export const toTransportView = upstream =>
  ({ transportWords: TRANSPORT_WORDS[upstream.transport], pooled: isPooled(upstream) })

/** Returns whether the text is a recommended configuration, measured or not. @param {RenderRequest} request */
export const isProduction = request => request.purpose === 'home' || hasProduction(request)

/**
 * Returns comments for a recommended configuration about the address of the app.
 * @param {Address[]} addresses
 * @param {string} title of the proxy
 */
export const appNotes = (addresses, title) => addresses.some(({ kind }) => kind === 'unix')
  ? [`The app listens on the socket below; ${title}'s user must be allowed to read and write it`,
      '(server.listen({ path, readableAll: true, writableAll: true }) in Node).']
  : ['The app listens on the address below.']

/**
 * Returns the path of a socket relative to the folder in which the program starts, because special characters in the
 * folder's name then need no escape. In the recommended configuration the path is absolute.
 * @param {string} path
 * @param {string | null} dir null: a recommended configuration
 */
export const toRelative = (path, dir) => dir === null ? path : path.replace(`${dir}/`, '')

/** Escapes a prefix of --files, whose only signs of a regular expression are dots. @param {string} prefix */
export const escapePrefix = prefix => prefix.replaceAll('.', '\\.')
