/** Reads Caddyfiles, supplies what they lack, and starts Caddy with them. */
import { writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { parseJson } from '../../../machine/files/system-files.js'
import { removeDirective, replaceArgument, replaceDirective } from '../mend.js'
import { findAll, getValue, toAddress } from '../model.js'
import { FAILING_RESTART, addInside, findSetting, parseLines, supplyFirst, toWords } from './shared.js'

/** @import { AppAddress, Directive, MendContext, OwnProgram, OwnSubject, Placed } from '../types.js' */
/** @import { Edit } from '../mend.js' */

const MAIN = '/etc/caddy/Caddyfile'
/** The configuration as Caddy adapts it, with certificates of Caddy's own authority. */
const ADAPTED = '/tmp/caddy.json'
const TRUSTED = /^\+?(?:x-forwarded-(?:for|host|proto)|x-real-ip)$/i
const HANDLERS = ['handle', 'handle_path', 'route']

/** @type {OwnProgram} */
export default {
  name: 'caddy',
  title: 'Caddy',
  mains: ['Caddyfile'],
  folders: ['/etc/caddy'],
  isOwn: (text, name) => /^Caddyfile|\.caddy(?:file)?$/i.test(name) ||
    /^[ \t]+(?:reverse_proxy|file_server|handle_path|php_fastcgi)\b[^;]*$/m.test(text),
  toMain: () => MAIN,
  parse,
  includes: ['import'],
  toPath: (path, file) => posix.resolve(posix.dirname(file), path),
  packaged: { names: [] },
  processes: ['caddy'],
  env: { HOME: '/tmp', XDG_DATA_HOME: '/tmp/caddy', XDG_CONFIG_HOME: '/tmp/caddy' },
  isLate: true,

  supply (tree, add) {
    for (const { directive } of findAll(tree, 'root')) {
      const path = toWords(directive).at(-1) ?? ''
      if (path.startsWith('/') && !path.includes('{')) add.pages(path)
    }
  },

  async check (exec, { main, tree, add }) {
    const adapted = await exec(['adapt', '--config', main, '--adapter', 'caddyfile'])
    if (adapted.exit !== 0) return adapted
    const config = parseJson(adapted.stdout) ?? {}
    for (const app of getDials(config)) add.app(app)
    if (getBlocks(tree).some(({ listens }) => listens.some(({ tls }) => tls))) {
      add.list("certificates of Caddy's own authority in place of a public one")
    }
    writeFileSync(ADAPTED, JSON.stringify(toPrivate(config)))
    const { exit, output } = await exec(['validate', '--config', ADAPTED])
    return { exit, output, stdout: adapted.stdout }
  },

  supplyMissing: (output, add) => supplyFirst(output, [
    [add.both, /loading certificates: open (\S+): no such file/],
    [add.certificate, /open (\S+\.(?:pem|crt|ca)): no such file/],
    [path => add.folder(posix.dirname(path)), /open (\S+): no such file or directory/]
  ]),

  toRejection (output) {
    const error = output.split('\n').findLast(line => line.startsWith('Error: '))?.slice('Error: '.length) ?? ''
    const [place, file = null, line = '0'] = /(?:, at )?(\/\S+?):(\d+)(?:: )?/.exec(error) ?? []
    const why = error.replace(place ?? '\0', '').replace('adapting config using caddyfile: ', '')
    return { why: why.replace(/[. ]+$/, '') || 'Caddy rejects it without a reason', file, line: Number(line) }
  },

  start: () => ['run', '--config', ADAPTED],

  getSites (tree, dump) {
    const config = parseJson(dump)
    return getBlocks(tree).map(({ block, listens, names, redirectPort }) => {
      const passes = findAll(expand([block], getSnippets(tree)), 'reverse_proxy')
      const [name = ''] = names
      return {
        host: name.replace(/^\*\./, 'www.') || 'example.com',
        listens,
        passes,
        around: [block],
        bases: [...new Set(passes.flatMap(getBase))].sort((a, b) => b.length - a.length),
        apps: getDials(getRoutes(config, name)),
        ...redirectPort === null ? {} : { redirectPort }
      }
    })
  },

  checks: {
    'moved-app': {},
    'large-upload': { sees: 'Large uploads get 413.', findDecision: findSetting('max_size') },
    'forged-address': {
      findDecision: findSetting('trusted_proxies'),
      mend: ({ texts, passes }) => [
        ...getHeaders(passes, TRUSTED).filter(header => /\{(?:http\.request\.)?header\.|\{>/.test(getValue(header, 1)))
          .filter(header => !/x-real-ip/i.test(getValue(header))).map(header => removeDirective(texts, header)),
        ...getUnique(passes).flatMap(({ directive }) => {
          const [own] = getHeaders([{ directive, around: [] }], /^x-real-ip$/i)
          return own
            ? [replaceArgument(own, 1, '{remote_host}')]
            : addInside(texts, directive, ['header_up X-Real-IP {remote_host}'])
        })
      ]
    },
    'kept-host': { mend: setHeader('host', '{host}') },
    'https-scheme': { mend: setHeader('x-forwarded-proto', '{scheme}') },
    'https-redirect': { advice: 'Leave out auto_https, so that Caddy redirects.' },
    'tls-versions': {
      mend: ({ around }) => findAll(around, 'protocols').map(({ directive }) =>
        replaceDirective(directive, 'protocols tls1.2 tls1.3'))
    },
    websocket: { advice: 'Pass on the headers Connection and Upgrade: leave out header_up -Upgrade.' },
    events: {
      findDecision: findSetting('flush_interval'),
      mend: ({ texts, passes }) => getUnique(passes).flatMap(({ directive }) =>
        addInside(texts, directive, ['flush_interval -1'])),
      advice: 'Leave text/event-stream out of the types that encode compresses (match).'
    },
    failover: { findMissing: needsProcesses, mend: keepTrying },
    'rolling-restart': { sees: FAILING_RESTART, findMissing: needsProcesses, mend: keepTrying },
    'idle-websocket': {
      sees: 'Live parts of pages stop: a WebSocket without messages is closed.',
      findDecision: findSetting('stream_timeout'),
      advice: 'Set stream_timeout to more than the pauses of the app.'
    },
    'slow-headers': {
      mend: ({ texts, tree, around: [{ file }] }) => {
        const global = tree.filter(({ name }) => name === '{')
        const [own] = findAll(global, 'read_header')
        if (own) return [replaceDirective(own.directive, 'read_header 15s')]
        // From the innermost block outwards. What is missing is put around the line.
        let lines = ['read_header 15s']
        for (const [name, opening] of [['timeouts', 'timeouts {'], ['servers', 'servers {'], ['{', '{']]) {
          const [block] = findAll(global, name)
          if (block) return addInside(texts, block.directive, lines)
          lines = [opening, ...lines.map(line => `\t${line}`), '}']
        }
        return [{ file, from: 0, to: 0, text: [...lines, '', ''].join('\n') }]
      }
    }
  }
}

/**
 * Returns the directives of a Caddyfile, whose only site can lack braces.
 * @param {string} text
 * @param {string} file
 */
function parse (text, file) {
  const directives = parseLines(text, file, words => {
    const last = words[words.length - 1] ?? ''
    return words[0] === '}'
      ? { kind: 'close' }
      : { kind: last === '{' ? 'open' : 'directive', isJoined: last.endsWith(',') }
  }).map(withoutBrace)
  const [first, ...others] = directives
  const isBare = first && !first.children && first.name !== 'import' && others.length > 0
  return isBare ? [{ ...first, to: others[others.length - 1].to, children: others }] : directives
}

/**
 * Removes the brace from the arguments of a block.
 * @param {Directive} directive
 * @returns {Directive}
 */
const withoutBrace = ({ args, children, ...directive }) => children
  ? { ...directive, args: args.filter(({ value }) => value !== '{'), children: children.map(withoutBrace) }
  : { ...directive, args }

/**
 * Returns the blocks of sites with their names and ports.
 * @param {Directive[]} tree
 */
function getBlocks (tree) {
  const global = tree.find(({ name }) => name === '{')
  const getPort = (/** @type {string} */ name, /** @type {number} */ port) =>
    Number(getValue(global?.children?.find(directive => directive.name === name))) || port
  const [http, https] = [getPort('http_port', 80), getPort('https_port', 443)]
  const auto = getValue(global?.children?.find(({ name }) => name === 'auto_https'))
  return tree.filter(({ name, children }) => children && name !== '{' && !name.startsWith('(')).map(block => {
    const hasTls = block.children?.some(({ name }) => name === 'tls')
    const sites = [block.name, ...toWords(block)].flatMap(word => word.split(',')).filter(Boolean).map(address => {
      const [, scheme, name = '', number] = /^(?:(https?):\/\/)?([^:/]*)(?::(\d+))?/.exec(withValues(address)) ?? []
      const isTls = scheme ? scheme === 'https' : (name !== '' || hasTls) && Number(number) !== http
      return { name, port: Number(number) || (isTls || (!scheme && !name) ? https : http), tls: Boolean(isTls) }
    })
    return {
      block,
      names: sites.map(({ name }) => name),
      listens: sites.map(({ port, tls }) => ({ port, tls })),
      redirectPort: sites.some(({ tls }) => tls) && !auto ? http : null
    }
  })
}

/** Returns a text with the values of variables of the environment. @param {string} text */
const withValues = text => text.replaceAll(/\{\$(\w+)(?::([^}]*))?\}/g,
  (_, name, otherwise = '') => process.env[name] ?? otherwise)

/** Returns the snippets by name. @param {Directive[]} tree */
const getSnippets = tree => new Map(tree.filter(({ name }) => name.startsWith('('))
  .map(({ name, children = [] }) => [name.slice(1, -1), children]))

/**
 * Puts the directives of snippets in place of their imports.
 * @param {Directive[]} directives
 * @param {Map<string, Directive[]>} snippets
 * @returns {Directive[]}
 */
const expand = (directives, snippets) => directives.flatMap(directive => {
  const name = directive.name === 'import' ? getValue(directive) : ''
  const own = snippets.get(name)
  if (own) return expand(own, new Map([...snippets].filter(([other]) => other !== name)))
  return directive.children ? { ...directive, children: expand(directive.children, snippets) } : directive
})

/** Returns the upstreams that a directive names. @param {Placed} pass */
const getUpstreams = ({ directive: { args, children = [] } }) => [
  ...args.map(({ value }) => value).filter((value, i) => i > 0 || !/^(?:[@/]|\*$)/.test(value)),
  ...children.filter(({ name }) => name === 'to').flatMap(toWords)
]

/**
 * Returns the path below which requests are passed on.
 * @param {Placed} pass
 * @returns {string[]} at most one
 */
function getBase ({ directive, around }) {
  const matchers = around[0]?.children?.filter(({ name }) => name.startsWith('@')) ?? []
  const words = [...around.filter(({ name }) => HANDLERS.includes(name)), directive].map(block => getValue(block))
  const toPaths = (/** @type {Directive} */ matcher) =>
    [toWords(matcher), ...matcher.children?.map(child => [child.name, ...toWords(child)]) ?? []]
      .flatMap(([name, path]) => name === 'path' ? [path] : [])
  const paths = words.flatMap(word => word.startsWith('/')
    ? [word]
    : matchers.filter(({ name }) => name === word).flatMap(toPaths))
  return paths.slice(-1).map(path => path.replace(/\*$/, '').replace(/\/$/, '')).filter(Boolean)
}

/** Requires several upstreams. @param {OwnSubject} subject */
function needsProcesses ({ passes, block: { base } }) {
  const isSpread = passes.some(pass => (getBase(pass)[0] ?? '') === base && getUpstreams(pass).length > 1)
  return isSpread ? null : 'it names one process of the app'
}

/** Returns each directive once, which several sites can import. @param {Placed[]} passes */
const getUnique = passes =>
  [...new Map(passes.map(pass => [`${pass.directive.file} ${pass.directive.from}`, pass])).values()]

/**
 * Returns the headers that are set for the app.
 * @param {Placed[]} passes
 * @param {RegExp} name
 */
const getHeaders = (passes, name) => getUnique(passes).flatMap(({ directive: { children = [] } }) =>
  children.filter(child => child.name === 'header_up' && name.test(getValue(child))))

/**
 * Returns edits that set a header where the configuration sets another value.
 * @param {string} name
 * @param {string} value
 * @returns {(context: MendContext) => Edit[]}
 */
function setHeader (name, value) {
  return ({ passes }) =>
    getHeaders(passes, new RegExp(`^${name}$`, 'i')).map(header => replaceArgument(header, 1, value))
}

/**
 * Lets requests try another process for a while.
 * @param {MendContext} context
 * @returns {Edit[]}
 */
function keepTrying ({ texts, passes }) {
  return getUnique(passes).filter(pass => getUpstreams(pass).length > 1).flatMap(({ directive }) => {
    const lines = ['lb_try_duration 5s', 'lb_try_interval 100ms', 'fail_duration 200ms']
    const own = directive.children?.filter(({ name }) => lines.some(line => line.startsWith(name))) ?? []
    return [
      ...own.map(setting => replaceDirective(setting, String(lines.find(line => line.startsWith(setting.name))))),
      ...addInside(texts, directive, lines.filter(line => !own.some(({ name }) => line.startsWith(name))))
    ]
  })
}

/**
 * Returns the configuration with certificates of Caddy's own authority, and without an endpoint for administration.
 * @param {any} config
 */
function toPrivate ({ apps = {}, ...config }) {
  const { tls = {}, pki = {} } = apps
  const policies = (tls.automation?.policies ?? [{}]).map((/** @type {object} */ policy) =>
    ({ ...policy, issuers: [{ module: 'internal' }] }))
  const authorities = pki.certificate_authorities
  const local = { ...authorities?.local, install_trust: false }
  return {
    ...config,
    admin: { disabled: true },
    apps: {
      ...apps,
      tls: { ...tls, automation: { ...tls.automation, policies } },
      pki: { ...pki, certificate_authorities: { ...authorities, local } }
    }
  }
}

/**
 * Returns the routes of a host.
 * @param {any} config as Caddy adapts it
 * @param {string} name "": those of any host
 */
function getRoutes (config, name) {
  const routes = Object.values(config?.apps?.http?.servers ?? {}).flatMap(({ routes = [] }) => routes)
  return routes.filter(({ match = [] }) => name
    ? match.some((/** @type {{ host?: string[] }} */ { host }) => host?.includes(name))
    : !match.some((/** @type {{ host?: string[] }} */ { host }) => host))
}

/**
 * Returns the apps to which requests are passed on over HTTP.
 * @param {any} value part of a configuration as Caddy adapts it
 * @returns {AppAddress[]}
 */
function getDials (value) {
  if (typeof value !== 'object' || value === null) return []
  if (value.handler === 'reverse_proxy' && value.transport?.tls) return []
  const { name, port, source, dial } = value
  const text = source === 'a' ? `${name}:${port}` : dial
  const address = typeof text === 'string' ? toAddress(text.replace(/^unix\//, 'unix:')) : null
  return address ? [address] : Object.values(value).flatMap(getDials)
}
