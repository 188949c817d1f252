/** Reads configurations of HAProxy, supplies what they lack, and starts HAProxy with them. */
import { isIPv4 } from 'node:net'
import { dirname } from 'node:path'
import { addBefore, addTo, replaceDirective } from '../mend.js'
import { findAll, getValue, toAddress } from '../model.js'
import { FAILING_RESTART, parseLines, supplyFirst, toWords } from './shared.js'

/** @import { AppAddress, Directive, MendContext, OwnProgram, OwnSubject, Placed } from '../types.js' */
/** @import { Edit } from '../mend.js' */

const FOLDER = '/etc/haproxy'
/** Folder in the official image, which is read-only in a room. */
const IMAGE_FOLDER = '/usr/local/etc/haproxy'
const RESOLV_CONF = '/etc/resolv.conf'
/** Name server of Docker's networks. */
const DOCKER_DNS = '127.0.0.11'
const ERRORS = [400, 403, 408, 500, 502, 503, 504]
const SECTIONS = ['global', 'defaults', 'frontend', 'backend', 'listen', 'resolvers', 'peers', 'cache', 'userlist',
  'program', 'mailers', 'http-errors', 'ring', 'fcgi-app', 'log-forward', 'crt-store', 'traces']
/** Condition of a host or a path, with its first value. */
const HOST = /hdr(?:_\w+)?\(host\)(?:,\w+)*(?: -\w+(?: (?:str|beg|end|dom|sub)\b)?)* ([\w.-]+)/i
const PATH = /path(?:_beg|_dir)?(?: -\w+(?: beg\b)?)* (\/[\w/.-]*)/

/** @type {OwnProgram} */
export default {
  name: 'haproxy',
  title: 'HAProxy',
  mains: ['haproxy.cfg'],
  folders: [FOLDER, IMAGE_FOLDER],
  isOwn: (text, name) => name === 'haproxy.cfg' ||
    (/^(?:frontend|backend|listen)[ \t]+[^\s{]+/m.test(text) && /^\s+(?:bind|server)[ \t][^{;]*$/m.test(text)),
  toMain: () => `${FOLDER}/haproxy.cfg`,
  parse: (text, file) =>
    parseLines(text, file, ([name]) => ({ kind: SECTIONS.includes(name) ? 'section' : 'directive' })),
  includes: [],
  toPath: path => path,
  relocate: text => text.replaceAll(IMAGE_FOLDER, FOLDER),
  packaged: { names: ERRORS.map(code => `${FOLDER}/errors/${code}.http`) },
  account: 'root',
  processes: ['haproxy'],

  supply (tree, add) {
    for (const app of findServers(tree).flatMap(toApp)) add.app(app)
    for (const [name, ...words] of findAll(tree, ['bind', 'chroot', 'pidfile', 'stats', 'server-state-file'])
      .map(({ directive }) => [directive.name, ...toWords(directive)])) {
      const path = words.find(word => /^(?:unix@)?\//.test(word))?.replace('unix@', '')
      if (path && !(name === 'stats' && words[0] === 'uri')) add.folder(name === 'chroot' ? path : dirname(path))
    }
    if (findAll(tree, 'parse-resolv-conf').length > 0) {
      add.file(RESOLV_CONF, 'the file', `nameserver ${DOCKER_DNS}\n`)
    }
  },

  check: (exec, { main }) => exec(['-c', '-f', main]),

  supplyMissing: (output, add) => supplyFirst(output, [
    [add.account, /cannot find (?:user|group) id for '([^']+)'/],
    [add.host, /could not resolve address '([^':]+)/],
    [add.both, /'(\/[^']+\.(?:pem|crt|cer|cert))' *: No such file/]
  ]),

  toRejection (output) {
    const [, file = null, line = '0', why = 'HAProxy rejects it without a reason'] =
      /^\[ALERT\].*?\) : (?:config : )?(?:parsing \[(\S+?):(\d+)\] ?: )?(.*?)\.?$/m.exec(output) ?? []
    return { why, file, line: Number(line) }
  },

  start: main => ['-db', '-f', main],

  getSites (tree) {
    const backends = new Map(tree.filter(({ name }) => name === 'backend').map(backend => [getValue(backend), backend]))
    const fronts = tree.filter(({ name }) => ['frontend', 'listen'].includes(name))
    const redirects = fronts.filter(front => getChildren(front, ['redirect', 'http-request'])
      .some(child => /redirect scheme https/.test(toText(child))))
    return fronts.flatMap(front => {
      const defaults = tree.slice(0, tree.indexOf(front)).findLast(({ name }) => name === 'defaults')
      const listens = getListens(front)
      const redirectPort = [...redirects, front].flatMap(getListens).find(({ tls }) => !tls)?.port ?? null
      return getRules(front).map(({ to, condition }) => {
        const backend = to === null ? front : backends.get(to)
        const around = [...defaults ? [defaults] : [], ...backend && backend !== front ? [backend] : [], front]
        const isHttp = around.toReversed().flatMap(block => getChildren(block, ['mode'])).slice(0, 1)
          .every(mode => getValue(mode) === 'http') && around.some(block => getChildren(block, ['mode']).length > 0)
        const passes = backend && isHttp ? findServers([backend]) : []
        return {
          host: HOST.exec(condition)?.[1].replace(/^\./, 'www.') ?? 'example.com',
          listens,
          passes,
          around,
          bases: PATH.exec(condition)?.slice(1).map(path => path.replace(/\/$/, '')).filter(Boolean) ?? [],
          apps: passes.filter(({ directive }) => !toWords(directive).includes('ssl')).flatMap(toApp),
          isBelow: PATH.test(condition),
          redirectPort
        }
      })
    })
  },

  getNameServers: tree => [
    ...findAll(tree, 'nameserver').map(({ directive }) => getValue(directive, 1).replace(/:\d+$/, '')).filter(isIPv4),
    ...findAll(tree, 'parse-resolv-conf').map(() => DOCKER_DNS)
  ],

  checks: {
    'moved-app': {
      sees: 'Every page is 503 after a container of the app was replaced, until HAProxy is reloaded.',
      mend: ({ texts, tree, passes }) => {
        const own = tree.find(({ name }) => name === 'resolvers')
        const name = own ? getValue(own) : 'docker'
        const servers = passes.filter(({ directive }) => !toWords(directive).includes('resolvers'))
        const [{ directive: { file } }] = passes
        const end = (texts.get(file) ?? '').length
        const section = `\nresolvers ${name}\n    nameserver dns ${DOCKER_DNS}:53\n    hold valid 5s\n`
        return [
          ...servers.map(({ directive }) => append(directive, `resolvers ${name} init-addr libc,none`)),
          ...own || servers.length === 0 ? [] : [{ file, from: end, to: end, text: section }]
        ]
      }
    },
    'large-upload': { sees: 'Large uploads fail.' },
    'forged-address': {
      mend: context => {
        const { around } = context
        const has = (/** @type {RegExp} */ rule) => around.flatMap(listLines).some(line => rule.test(line))
        const isOwn = has(/^http-request (?:set|add)-header x-forwarded-proto/i) && !hasScheme(context)
        const isAdded = has(/^option forwardfor/)
        return addRules(context, [
          `http-request ${isAdded ? 'del-header X-Forwarded-For' : 'set-header X-Forwarded-For %[src]'}`,
          'http-request set-header X-Real-IP %[src]',
          'http-request set-header X-Forwarded-Host %[req.hdr(host)]',
          ...isOwn ? ['http-request del-header X-Forwarded-Proto'] : SCHEME
        ])
      }
    },
    'kept-host': { advice: 'Leave out the rule that sets Host.' },
    'https-scheme': { mend: context => hasScheme(context) ? [] : addRules(context, SCHEME) },
    'https-redirect': {
      advice: 'Set "http-request redirect scheme https code 308 unless { ssl_fc }" in the frontend of port 80.'
    },
    'tls-versions': { advice: 'Set "ssl-default-bind-options ssl-min-ver TLSv1.2" in the section global.' },
    websocket: { advice: 'Leave out rules that remove Connection or Upgrade, and "option httpclose".' },
    events: {
      mend: ({ tree }) => findAll(tree, 'compression').map(({ directive }) => directive)
        .filter(directive => toWords(directive).includes('text/event-stream'))
        .map(directive => replaceDirective(directive,
          `compression ${toWords(directive).filter(word => word !== 'text/event-stream').join(' ')}`)),
      advice: 'Set "option http-no-delay" in the backend of the stream.'
    },
    failover: { findMissing: needsProcesses, mend: redispatch },
    'rolling-restart': { sees: FAILING_RESTART, findMissing: needsProcesses, mend: redispatch },
    'idle-websocket': {
      sees: 'Live parts of pages stop: a WebSocket without messages is closed after "timeout client".',
      findDecision: ({ around }) => {
        const own = findTimeout(around, 'tunnel')
        return own ? `it sets timeout tunnel ${getValue(own, 1)} itself (line ${own.line})` : null
      },
      mend: setTimeoutTo('tunnel', '1h')
    },
    'slow-headers': { mend: setTimeoutTo('http-request', '15s') }
  }
}

/** Rules that set the scheme of a request. */
const SCHEME = ['http-request set-header X-Forwarded-Proto http',
  'http-request set-header X-Forwarded-Proto https if { ssl_fc }']

/** Returns whether the frontend has these rules. @param {MendContext} context */
const hasScheme = ({ around }) => listLines(around[around.length - 1]).includes(SCHEME[1])

/** Returns the lines of a section without their indentation. @param {Directive} section */
const listLines = ({ children = [] }) => children.map(child => `${child.name} ${toText(child)}`)

/** Returns the words of a directive as a text. @param {Directive} directive */
const toText = directive => toWords(directive).join(' ')

/**
 * Returns the directives of a section with one of these names.
 * @param {Directive} section
 * @param {string[]} names
 */
const getChildren = ({ children = [] }, names) => children.filter(({ name }) => names.includes(name))

/** Returns the lines that name an app. @param {Directive[]} tree */
const findServers = tree => findAll(tree, ['server', 'server-template'])

/**
 * Returns the address of an app.
 * @param {Placed} server
 * @returns {AppAddress[]} at most one
 */
function toApp ({ directive }) {
  const text = getValue(directive, directive.name === 'server' ? 1 : 2).replace(/^ipv[46]@/, '')
  const address = toAddress(text.replace(/^(?:unix@)?\//, 'unix:/'))
  return address ? [address] : []
}

/** Returns the TCP ports of a frontend. @param {Directive} front */
const getListens = front => getChildren(front, ['bind']).flatMap(bind => {
  const [addresses, ...words] = toWords(bind)
  return addresses.split(',').flatMap(address => {
    const [, port] = /^(?!unix@|quic|\/)[^]*:(\d+)$/.exec(address) ?? []
    return port ? [{ port: Number(port), tls: words.includes('ssl') }] : []
  })
})

/**
 * Returns the rules by which a frontend chooses a backend, with the text of their condition.
 * @param {Directive} front
 * @returns {{ to: string | null, condition: string }[]} to: null: the servers of the section itself
 */
function getRules (front) {
  const lists = new Map(getChildren(front, ['acl']).map(acl => [getValue(acl), toWords(acl).slice(1).join(' ')]))
  const rules = getChildren(front, ['use_backend', 'default_backend']).map(rule => {
    const [to, ...condition] = toWords(rule)
    return { to, condition: condition.map(word => lists.get(word) ?? word).join(' ') }
  })
  return findServers([front]).length > 0 ? [...rules, { to: null, condition: '' }] : rules
}

/** Requires a backend with several servers. @param {OwnSubject} subject */
function needsProcesses ({ passes }) {
  return passes.length > 1 || passes.some(({ directive }) => directive.name === 'server-template')
    ? null
    : 'it names one process of the app'
}

/**
 * Appends words to a line.
 * @param {Directive} directive
 * @param {string} words
 */
const append = ({ file, to }, words) => ({ file, from: to, to, text: ` ${words}` })

/**
 * Adds rules that are missing before those of a section.
 * @param {Pick<MendContext, 'texts' | 'around'>} context
 * @param {string[]} lines
 */
function addRules ({ texts, around }, lines) {
  const front = around[around.length - 1]
  const [first] = getChildren(front, ['http-request', 'use_backend', 'default_backend', 'server'])
  const missing = lines.filter(line => !listLines(front).includes(line))
  return first ? missing.map(line => addBefore(texts, first, line)) : addTo(texts, front, missing)
}

/** Sends a request that met the end of a process to another one. @param {MendContext} context */
function redispatch ({ texts, passes }) {
  const backend = passes[0].around[passes[0].around.length - 1]
  const lines = ['option redispatch 1', 'retry-on conn-failure empty-response',
    'http-request disable-l7-retry unless { method GET HEAD OPTIONS }']
  return addRules({ texts, around: [backend] }, lines)
}

/**
 * Returns the line of a timeout in the innermost section.
 * @param {Directive[]} around
 * @param {string} name
 */
const findTimeout = (around, name) => around.toReversed().flatMap(block => getChildren(block, ['timeout']))
  .find(timeout => getValue(timeout) === name)

/**
 * Returns edits that set a timeout beside the others.
 * @param {string} name
 * @param {string} value
 * @returns {(context: MendContext) => Edit[]}
 */
function setTimeoutTo (name, value) {
  return ({ texts, around }) => {
    const own = findTimeout(around, name)
    if (own) return [replaceDirective(own, `timeout ${name} ${value}`)]
    const beside = around.find(block => getChildren(block, ['timeout']).length > 0) ?? around[around.length - 1]
    return addTo(texts, beside, [`timeout ${name} ${value}`])
  }
}
