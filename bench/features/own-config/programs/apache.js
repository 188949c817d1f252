/** Reads configurations of Apache httpd, supplies what they lack, and starts Apache with them. */
import { basename, dirname, resolve } from 'node:path'
import { readOwnText } from '../../../machine/files/own-files.js'
import { addTo, removeDirective, replaceDirective } from '../mend.js'
import { findAll, getValue, toAddress } from '../model.js'
import nginx from './nginx.js'
import { FAILING_RESTART, findSetting, parseLines, supplyFirst, toWords } from './shared.js'

/** @import { Modules } from '../../../types.js' */
/** @import { AppAddress, Directive, MendContext, OwnProgram, OwnSubject, Placed } from '../types.js' */
/** @import { Edit } from '../mend.js' */

const FOLDER = '/etc/apache2'
/** Folder of the official image, and its place in a room, where /usr is read-only. */
const IMAGE = { from: '/usr/local/apache2', to: '/srv/apache2' }
/** Variables of Debian's envvars. */
const ENV = {
  APACHE_RUN_USER: 'www-data',
  APACHE_RUN_GROUP: 'www-data',
  APACHE_RUN_DIR: '/run/apache2',
  APACHE_PID_FILE: '/run/apache2/apache2.pid',
  APACHE_LOCK_DIR: '/run/lock/apache2',
  APACHE_LOG_DIR: '/var/log/apache2'
}
const readPart = (/** @type {string} */ file) => readOwnText(new URL(`apache/${file}`, import.meta.url))
const WRITTEN = ['errorlog', 'customlog', 'transferlog', 'pidfile', 'scoreboardfile']
const PASSES = ['proxypass', 'proxypassmatch', 'rewriterule']
const URL_OF_APP = /^(?:https?|wss?|balancer|unix):/

/** @type {OwnProgram} */
export default {
  name: 'apache',
  title: 'Apache httpd',
  mains: ['httpd.conf', 'apache2.conf'],
  folders: [FOLDER, `${IMAGE.from}/conf`, '/etc/httpd'],
  isOwn: text => /^[ \t]*(?:<VirtualHost\b|ServerRoot\b|LoadModule\b|ProxyPass\b)/im.test(text),
  toMain (text) {
    if (!/^[ \t]*(?:ServerRoot|LoadModule|Include(?:Optional)?[ \t]+mods-enabled)\b/im.test(text)) return null
    const [, root = FOLDER] = /^[ \t]*ServerRoot[ \t]+"?([^"\s]+)/im.exec(text) ?? []
    return root === FOLDER ? `${FOLDER}/apache2.conf` : `${relocate(root)}/conf/httpd.conf`
  },
  around: {
    main: `${FOLDER}/apache2.conf`,
    text: readPart('around.conf'),
    folder: `${FOLDER}/sites-enabled`,
    note: "The apache2.conf around it loads the usual modules, with the settings of Debian's package."
  },
  parse: (text, file) => parseLines(text, file, ([name = '']) =>
    ({ kind: name.startsWith('</') ? 'close' : name.startsWith('<') ? 'open' : 'directive' })).map(withoutBrackets),
  includes: ['include', 'includeoptional'],
  toPath: (path, file) =>
    path.startsWith('/') ? relocate(path) : `${/^\/[^/]+\/[^/]+/.exec(file)?.[0]}/${path}`,
  relocate,
  packaged: {
    names: [],
    // Settings that Certbot makes, as those of its Apache plug-in.
    texts: {
      ...nginx.packaged.texts,
      '/etc/letsencrypt/options-ssl-apache.conf': readPart('options-ssl-apache.conf')
    }
  },
  processes: ['apache2', 'httpd'],
  env: ENV,

  supply (tree, add) {
    for (const folder of [ENV.APACHE_RUN_DIR, ENV.APACHE_LOCK_DIR, ENV.APACHE_LOG_DIR]) add.folder(folder)
    for (const app of findAll(tree, PASSES).flatMap(pass => getApps(tree, pass))) add.app(app)
    for (const { directive } of findAll(tree, WRITTEN)) {
      const path = withValues(getValue(directive))
      if (path.startsWith('/') && !path.startsWith('/dev/')) add.folder(dirname(path))
    }
    const root = getValue(findAll(tree, 'serverroot')[0]?.directive) || FOLDER
    const types = getValue(findAll(tree, 'typesconfig')[0]?.directive) || 'mime.types'
    // Read at a start only, not by the check.
    add.file(resolve(root, types), 'the file', '')
    for (const { directive } of findAll(tree, ['defaultruntimedir', 'cacheroot'])) add.folder(getValue(directive))
    for (const { directive } of findAll(tree, 'documentroot')) {
      const path = withValues(getValue(directive))
      if (path.startsWith('/')) add.pages(path)
    }
  },

  async check (exec, { main }) {
    const checked = await exec(['-t', '-f', main])
    return checked.exit === 0 ? exec(['-t', '-D', 'DUMP_VHOSTS', '-f', main]) : checked
  },

  supplyMissing: (output, add) => supplyFirst(output, [
    [add.account, /bad (?:user|group) name (\S+)/],
    [add.key, /SSLCertificateKeyFile: file '([^']+)' does not exist or is empty/],
    [add.certificate, /SSL\w+: file '([^']+)' does not exist or is empty/],
    [add.folder, /Cannot access directory '([^']+)'/]
  ]),

  toRejection (output) {
    const [, line = '0', file = null, why = output] =
      /^[^]*Syntax error on line (\d+) of (\/\S+?):\s+([^]*)$/.exec(output) ?? []
    const [text] = why.trim().split('\n')
    return { why: text.replace(/^AH\d+: (?:apache2: )?/, '') || 'Apache rejects it', file, line: Number(line) }
  },

  start: main => ['-f', main, '-DFOREGROUND'],

  getSites (tree, dump) {
    const hosts = findAll(tree, 'virtualhost').map(({ directive }) => directive)
    const isActive = (/** @type {Directive} */ { file, line }) => dump === '' || dump.includes(`(${file}:${line})`)
    const ports = findAll(tree, 'listen').map(({ directive }) => toPort(getValue(directive)))
    const top = tree.filter(({ name }) => name !== 'virtualhost')
    const [{ file, to } = { file: '', to: 0 }] = top.slice(-1)
    const main = { name: 'server', args: [], file, line: 1, from: 0, to, children: top }
    return [...hosts, ...findPasses(top).length > 0 ? [main] : []].map(block => {
      const passes = block === main || isActive(block) ? findPasses([block]) : []
      const tls = findAll([block], 'sslengine').some(({ directive }) => /^on$/i.test(getValue(directive)))
      const own = toWords(block).map(toPort).filter(port => port > 0)
      const name = getValue(findAll([block], 'servername')[0]?.directive)
      return {
        host: name.replace(/^\w+:\/\//, '').replace(/:\d+$/, '') || 'example.com',
        listens: (own.length > 0 ? own : ports).map(port => ({ port, tls })),
        passes,
        around: [block],
        bases: [...new Set(passes.flatMap(getBase))].sort((a, b) => b.length - a.length),
        apps: passes.flatMap(pass => getApps(tree, pass))
      }
    })
  },

  checks: {
    'moved-app': {
      sees: 'Every page is 502 or 503 after a container of the app was replaced, until Apache is reloaded.',
      advice: 'Set addressttl=5 in the lines of the app (Apache 2.4.59).'
    },
    'large-upload': { sees: 'Large uploads get 413.', findDecision: findSetting('limitrequestbody') },
    'forged-address': {
      findDecision: findSetting('remoteipheader'),
      mend: context => setHeaders(context, [
        'unset X-Forwarded-For', 'unset X-Forwarded-Host', 'set X-Real-IP "expr=%{REMOTE_ADDR}"',
        ...findHeaders(context.around, 'x-forwarded-proto').length > 0 ? [] : [SCHEME]
      ])
    },
    'kept-host': { mend: setDirective('ProxyPreserveHost', 'On') },
    'https-scheme': {
      mend: context => [
        ...findHeaders(context.around, 'x-forwarded-proto').filter(header => !/expr/.test(toWords(header).join()))
          .map(header => removeDirective(context.texts, header)),
        ...setHeaders(context, [SCHEME])
      ]
    },
    'https-redirect': { advice: 'Set "Redirect permanent / https://…/" with the name of the site at port 80.' },
    'tls-versions': { mend: setDirective('SSLProtocol', '-all +TLSv1.2 +TLSv1.3') },
    websocket: { findMissing: needsUpgrade, advice: 'Set upgrade=websocket in the line of ProxyPass.' },
    events: {
      mend: ({ tree }) => findAll(tree, 'addoutputfilterbytype').map(({ directive }) => directive)
        .filter(directive => toWords(directive).includes('text/event-stream'))
        .map(directive => replaceDirective(directive, ['AddOutputFilterByType', ...toWords(directive)
          .filter(word => word !== 'text/event-stream')].join(' '))),
      advice: 'Set flushpackets=on in the line of ProxyPass.'
    },
    'cache-login': { findMissing: needsCache, mend: setDirective('CacheIgnoreHeaders', 'Set-Cookie') },
    'cache-private': {
      findMissing: needsCache,
      mend: ({ texts, tree }) => findAll(tree, ['cachestoreprivate', 'cachestorenostore', 'cacheignorecachecontrol'])
        .map(({ directive }) => removeDirective(texts, directive))
    },
    'cache-cookies': { findMissing: needsCache, advice: 'Set CacheDisable for paths whose pages depend on a cookie.' },
    failover: { findMissing: needsProcesses, advice: 'Set retry=0 in the lines of BalancerMember.' },
    'rolling-restart': {
      sees: FAILING_RESTART, findMissing: needsProcesses, advice: 'Set retry=0 in the lines of BalancerMember.'
    },
    'idle-websocket': {
      findMissing: needsUpgrade,
      findDecision: findSetting('proxytimeout'),
      mend: ({ passes }) => passes.filter(isUpgrade).map(({ directive }) => directive)
        .filter(({ name }) => name !== 'rewriterule').map(directive => append(directive, 'timeout=3600')),
      advice: 'Set ProxyTimeout 3600.'
    },
    'slow-headers': { mend: setDirective('RequestReadTimeout', 'header=15-30,MinRate=500', 'reqtimeout') }
  }
}

const SCHEME = 'set X-Forwarded-Proto "expr=%{REQUEST_SCHEME}"'

/**
 * Returns a text with the paths of the room: those of the official image, and of the modules of the program.
 * @param {string} text
 * @param {Modules | null} [modules]
 */
function relocate (text, modules) {
  const moved = text.replaceAll(IMAGE.from, IMAGE.to)
  if (!modules) return moved
  return moved.replaceAll(/^([ \t]*LoadModule[ \t]+\w+[ \t]+)"?([^"\s]+)"?/gim, (line, start, path) => {
    const file = basename(path)
    if (modules.files.includes(file)) return `${start}"${modules.folder}/${file}"`
    return modules.builtIn.includes(file.replace(/so$/, 'c')) ? `# ${line}` : line
  })
}

/** Returns a text with the values of Debian's variables. @param {string} text */
const withValues = text => text.replaceAll(/\$\{(\w+)\}/g, (all, name) => Object.entries(ENV)
  .find(([own]) => own === name)?.[1] ?? all)

/**
 * Removes brackets from sections, and writes names in lower case.
 * @param {Directive} directive
 * @returns {Directive}
 */
const withoutBrackets = ({ name, args, children, ...directive }) => ({
  ...directive,
  name: name.replace(/^<|>$/g, '').toLowerCase(),
  args: children
    ? args.map(arg => ({ ...arg, value: arg.value.replace(/>$/, '').replaceAll('"', '') })).filter(({ value }) => value)
    : args,
  ...children ? { children: children.map(withoutBrackets) } : {}
})

/** @param {string} address "*:80" */
const toPort = address => Number(/(?:^|:)(\d+)$/.exec(address)?.[1] ?? 0)

/** Returns the lines that pass requests on. @param {Directive[]} tree */
const findPasses = tree => findAll(tree, PASSES).filter(pass => toUrl(pass) !== undefined)

/** Returns the URL of the app; undefined: the line names none. @param {Placed} pass */
function toUrl ({ directive }) {
  const words = toWords(directive)
  const isProxy = directive.name !== 'rewriterule' || /[[,]P[\],]/.test(words[2] ?? '')
  return isProxy ? words.slice(0, 2).find(word => URL_OF_APP.test(word)) : undefined
}

/** Returns whether a line passes on upgrades. @param {Placed} pass */
const isUpgrade = pass => /^wss?:/.test(toUrl(pass) ?? '') ||
  toWords(pass.directive).some(word => /^upgrade=(?!none)/i.test(word))

/**
 * Returns the lines of the processes to which requests are passed on: those of a balancer, or the line itself.
 * @param {Directive[]} tree
 * @param {Placed[]} passes
 */
const getTargets = (tree, passes) => [...new Set(passes.flatMap(pass => {
  const [name] = /^balancer:\/\/[^/]+/.exec(toUrl(pass) ?? '') ?? []
  const members = findAll(tree, 'proxy').filter(({ directive }) => name && getValue(directive).startsWith(name))
    .flatMap(({ directive }) => findAll([directive], 'balancermember').map(({ directive }) => directive))
  return name ? members : pass.directive.name === 'rewriterule' ? [] : [pass.directive]
}))]

/**
 * Returns the addresses of the app of a line.
 * @param {Directive[]} tree
 * @param {Placed} pass
 * @returns {AppAddress[]}
 */
function getApps (tree, pass) {
  const url = toUrl(pass) ?? ''
  const urls = url.startsWith('balancer:') ? getTargets(tree, [pass]).map(member => getValue(member)) : [url]
  return urls.flatMap(url => {
    const [, path, address] = /^(?:(unix:[^|]+)\||(?:http|ws):\/\/([^/$]+))/.exec(url) ?? []
    const app = toAddress(path ?? address ?? '$')
    return app ? [app] : []
  })
}

/**
 * Returns the path below which requests are passed on.
 * @param {Placed} pass
 * @returns {string[]} at most one
 */
function getBase ({ directive, around }) {
  const location = around.findLast(({ name }) => name === 'location')
  const path = directive.name === 'rewriterule' ? '' : getValue(directive).startsWith('/') ? getValue(directive) : ''
  return [path || (location ? getValue(location) : '')].filter(path => path.startsWith('/'))
    .map(path => path.replace(/\/$/, '')).filter(Boolean)
}

/**
 * Returns lines that set a header of requests.
 * @param {Directive[]} around
 * @param {string} name in lower case
 */
const findHeaders = (around, name) => findAll(around, 'requestheader').map(({ directive }) => directive)
  .filter(directive => getValue(directive, 1).toLowerCase() === name && !/^unset$/i.test(getValue(directive)))

/** @param {OwnSubject} subject */
function needsCache ({ tree }) {
  return findAll(tree, 'cacheenable').length > 0 ? null : 'it has no cache'
}

/** @param {OwnSubject} subject */
function needsUpgrade ({ passes }) {
  return passes.some(isUpgrade) ? null : 'it passes on no upgrade'
}

/** @param {OwnSubject} subject */
function needsProcesses ({ tree, passes }) {
  return passes.some(pass => getApps(tree, pass).length > 1) ? null : 'it names one process of the app'
}

/**
 * Returns an edit that sets a parameter of a worker.
 * @param {Directive} directive
 * @param {string} word "retry=0"
 */
function append (directive, word) {
  const own = directive.args.find(({ value }) => value.startsWith(word.replace(/=.*/, '=')))
  const { file, to } = directive
  return own ? { file, from: own.from, to: own.to, text: word } : { file, from: to, to, text: ` ${word}` }
}

/**
 * Returns the edit that loads a module that the configuration lacks.
 * @param {MendContext} context
 * @param {string} name
 * @returns {Edit[]}
 */
function loadModule ({ tree }, name) {
  const lines = findAll(tree, 'loadmodule').map(({ directive }) => directive)
  const last = lines.at(-1)
  if (!last || lines.some(line => getValue(line) === `${name}_module`)) return []
  const text = `\nLoadModule ${name}_module ${dirname(getValue(last, 1))}/mod_${name}.so`
  return [{ file: last.file, from: last.to, to: last.to, text }]
}

/**
 * Adds lines to the block of a site.
 * @param {MendContext} context
 * @param {string[]} headers arguments of RequestHeader
 */
function setHeaders (context, headers) {
  const block = context.around[context.around.length - 1]
  const known = findAll([block], 'requestheader').map(({ directive }) => toWords(directive).join(' '))
  const missing = headers.filter(line => !known.includes(line.replaceAll('"', '')))
  const lines = missing.map(line => `RequestHeader ${line}`)
  return missing.length === 0 ? [] : [...addTo(context.texts, block, lines), ...loadModule(context, 'headers')]
}

/**
 * Returns edits that set a directive of the site.
 * @param {string} name
 * @param {string} value
 * @param {string} [module] to which the directive belongs
 * @returns {(context: MendContext) => Edit[]}
 */
function setDirective (name, value, module) {
  return context => {
    const block = context.around[context.around.length - 1]
    const own = findAll([block], name.toLowerCase()).map(({ directive }) => directive)
      .filter(({ file }) => context.texts.has(file))
    return [
      ...own.length > 0
        ? own.map(directive => replaceDirective(directive, `${name} ${value}`))
        : addTo(context.texts, block, [`${name} ${value}`]),
      ...module ? loadModule(context, module) : []
    ]
  }
}
