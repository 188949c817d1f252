/**
 * Behaviours that configurations of one's own are tried with: what visitors see where one fails, when a configuration
 * does not offer it, and the edits that mend it. Those without `run` are in ../deploy/behaviours/.
 */
import {
  findAll, findUpstream, getAliases, getApps, getBlock, getInForce, getPassAt, getShortened, getUpgrades, getValue,
  isName, toTarget
} from './model.js'
import {
  addBefore, addTo, removeDirective, replaceArgument, replaceDirective, setDirective, setHeaders
} from './mend.js'
import * as runs from './runs.js'

/** @import { Directive, OwnProgram, OwnSubject, Placed, Check, MendContext } from './types.js' */

/** Most of a body that an upload of the check has. */
const BODY = '20m'
/** Types of files that are compressed, without that of streams of events. */
const COMPRESSED = 'text/plain text/css text/javascript application/javascript application/json image/svg+xml'
const LONG = '1h'
const TLS = 'TLSv1.2 TLSv1.3'

/** Returns directives of this name that are in force where requests are passed on, each once. */
const inForce = (/** @type {Placed[]} */ passes, /** @type {string} */ name) =>
  [...new Set(passes.flatMap(({ around }) => getInForce(around, name)))]

/**
 * Returns the setting with which a configuration decides itself, or null: what it states is no failure.
 * @param {string} name
 */
const findSetting = name => (/** @type {OwnSubject} */ { passes }) => {
  const [directive] = inForce(passes, name)
  return directive ? `it sets ${name} ${getValue(directive)} itself (line ${directive.line})` : null
}

/** Returns the limit of requests that a configuration has, or null. @param {OwnSubject} subject */
export const findLimit = subject => findSetting('limit_req')(subject) ?? findSetting('limit_conn')(subject)

/** Returns passes where a cache is in force. @param {Placed[]} passes */
const getCached = passes => passes.filter(({ around }) => {
  const [directive] = getInForce(around, 'proxy_cache')
  return directive && getValue(directive) !== 'off'
})

const needsCache = (/** @type {OwnSubject} */ { passes }) => getCached(passes).length > 0 ? null : 'it has no cache'
const needsTls = (/** @type {OwnSubject} */ { tls }) => tls ? null : 'it has no TLS'
const needsUpgrade = (/** @type {OwnSubject} */ { passes }) =>
  getUpgrades(passes).length > 0 ? null : 'it passes on no upgrade'
const needsProcesses = (/** @type {OwnSubject} */ subject) => {
  const { tree, passes, block } = subject
  const apps = getApps(tree, getPassAt(passes, `${block.base}/page`))
  return apps.length > 1 ? findLimit(subject) : 'it names one process of the app'
}

/**
 * Sets a directive where it is in force, or else in the server block.
 * @param {string} name
 * @param {string} value
 */
const setInForce = (name, value) => (/** @type {MendContext} */ { texts, around }) => {
  const own = getInForce(around, name).filter(({ file }) => texts.has(file))
  return own.length > 0
    ? own.map(directive => replaceDirective(directive, `${name} ${value};`))
    : addTo(texts, around[around.length - 1], [`${name} ${value};`])
}

/**
 * Keeps requests with cookies or credentials out of a cache.
 * @param {MendContext} context
 */
const keepCookiesOut = ({ texts, passes }) => [...new Set(getCached(passes).map(getBlock))].flatMap(block =>
  ['proxy_cache_bypass', 'proxy_no_cache'].flatMap(name => {
    const own = block.children?.find(child => child.name === name)
    return setDirective(texts, block, name,
      ['$http_cookie $http_authorization', ...own?.args.map(({ value }) => value) ?? []].join(' '))
  }))

/**
 * Removes names from the headers of the app that a cache ignores.
 * @param {string[]} names
 */
const heed = names => (/** @type {MendContext} */ { texts, passes }) =>
  inForce(getCached(passes), 'proxy_ignore_headers').map(directive => {
    const kept = directive.args.map(({ value }) => value).filter(value => !names.includes(value.toLowerCase()))
    return kept.length > 0
      ? replaceDirective(directive, `proxy_ignore_headers ${kept.join(' ')};`)
      : removeDirective(texts, directive)
  })

/**
 * Returns the upstream blocks to which requests are passed on.
 * @param {Directive[]} tree
 * @param {Placed[]} passes
 */
const getUpstreams = (tree, passes) =>
  [...new Set(passes.map(pass => findUpstream(tree, toTarget(pass).target)).filter(upstream => upstream !== undefined))]

/**
 * Address of this host: a Unix socket, the loopback, or a name without a dot, as in compose.yaml. It refuses a
 * connection at once while its process restarts. nginx must skip another host, which may be gone without an answer.
 */
const OF_THIS_HOST = /^(?:unix:|127\.|\[::1\]|[^.:[\]]+(?::\d+)?$)/

/** Lets the upstream block send requests to a process that has failed once. @param {MendContext} context */
const keepServers = ({ tree, passes }) => getUpstreams(tree, passes)
  .flatMap(({ children = [] }) => children.filter(({ name }) => name === 'server'))
  .filter(({ args: [address] }) => OF_THIS_HOST.test(address.value))
  .map(server => {
    const words = server.args.map(({ value }) => value).filter(value => !/^(?:max_fails|fail_timeout)=/.test(value))
    return replaceDirective(server, `server ${words.join(' ')} max_fails=0;`)
  })

/** @type {Check[]} */
export const CHECKS = [
  {
    name: 'alias-folder',
    isOfSite: true,
    title: 'no request leaves the folder of an alias',
    sees: 'Anyone can read files beside the folder, such as .env.',
    findMissing: subject => getAliases(subject).length > 0 ? null : 'it has no alias',
    run: runs.aliasFolder,
    mend: ({ around }) => getAliases({ around })
      .filter(({ path, folder }) => !path.endsWith('/') && folder.endsWith('/'))
      .map(({ location, path }) => replaceArgument(location, 0, `${path}/`))
  },
  {
    name: 'kept-path',
    title: 'an app gets the paths of all its requests whole',
    sees: 'Routes of the app below this path get 404, because their first part is missing.',
    findMissing: subject => getShortened(subject).length > 0 ? null : 'its apps get whole paths, or each gets the rest',
    run: runs.keptPath,
    mend: context => getShortened(context).map(({ directive }) =>
      replaceArgument(directive, 0, getValue(directive).replace(/\/$/, '')))
  },
  {
    name: 'moved-app',
    isOfSite: true,
    title: 'an app that comes back at another address is found again',
    sees: 'Every page is 502 after a container of the app was replaced, until nginx is reloaded.',
    isDisturbing: true,
    requires: ({ apps, hasContainers }) => hasContainers && apps.some(({ host }) => isName(host))
      ? null
      : 'its apps do not have the names of containers',
    run: runs.movedApp,
    mend: ({ texts, tree, passes, around }) => {
      const moved = passes.map(pass => ({ pass, ...toTarget(pass) })).filter(({ pass: { directive }, target }) =>
        isName(target.split(':')[0]) && !getValue(directive).includes('$') && !findUpstream(tree, target))
      const toVariable = (/** @type {string} */ target) => `$app_${target.replaceAll(/\W/g, '_')}`
      const targets = [...new Set(moved.map(({ target }) => target))]
      if (targets.length === 0) return []
      return [
        ...addTo(texts, around[around.length - 1], [
          ...getInForce(around, 'resolver').length > 0 ? [] : ['resolver 127.0.0.11 valid=5s;'],
          ...targets.map(target => `set ${toVariable(target)} ${target};`)
        ]),
        ...moved.flatMap(({ pass, scheme, target, path }) => [
          ...path === null
            ? []
            : [addBefore(texts, pass.directive, `rewrite ^${getValue(getBlock(pass))}(.*)$ ${path}$1 break;`)],
          replaceArgument(pass.directive, 0, `${scheme}://${toVariable(target)}`)
        ])
      ]
    }
  },
  {
    name: 'plain-connection',
    title: 'only requests for an upgrade reach the app with Connection: upgrade',
    sees: 'Pages are slower: nginx opens a new connection to the app for each request.',
    run: runs.plainConnection,
    mend: ({ texts, tree, passes, around }) => {
      const variable = '$connection_upgrade'
      const map = `map $http_upgrade ${variable} { default upgrade; '' ''; }`
      const [http] = around
      const hasMap = findAll(tree, 'map').some(({ directive }) => getValue(directive, 1) === variable)
      const place = texts.has(http.file) ? addBefore(texts, around[1], map) : null
      return [
        ...hasMap ? [] : [place ?? { file: around[1].file, from: 0, to: 0, text: `${map}\n` }],
        ...inForce(passes, 'proxy_set_header').filter(directive => getValue(directive).toLowerCase() === 'connection')
          .map(directive => replaceArgument(directive, 1, variable)),
        ...getUpstreams(tree, passes).filter(({ children = [] }) => !children.some(({ name }) => name === 'keepalive'))
          .flatMap(upstream => addTo(texts, upstream, ['keepalive 32;']))
      ]
    }
  },
  {
    name: 'large-upload',
    sees: 'Uploads above 1 MB get 413.',
    findDecision: findSetting('client_max_body_size'),
    mend: setInForce('client_max_body_size', BODY)
  },
  {
    name: 'forged-address',
    title: 'the app sees no address, scheme or host that a client invented',
    sees: 'A visitor can claim any address, and passes limits and blocks by address.',
    findDecision: findSetting('set_real_ip_from'),
    run: runs.forgedAddress,
    mend: ({ texts, passes }) => setHeaders(texts, passes, {
      'X-Forwarded-For': '$remote_addr',
      'X-Real-IP': '$remote_addr',
      'X-Forwarded-Proto': '$scheme',
      'X-Forwarded-Host': '$host'
    })
  },
  {
    name: 'kept-host',
    title: 'the app sees the host that the client names',
    sees: 'Links, redirects and checks of origins use the name of the app in place of that of the site.',
    findMissing: ({ apps, passes }) => {
      const isOther = passes.every(pass => toTarget(pass).scheme === 'https')
      const site = apps.find(({ host, upstream }) =>
        isOther && upstream === null && host?.includes('.') && isName(host))
      return site ? `its app is another site, ${site.host}, which has a host of its own` : null
    },
    findDecision: ({ passes, block }) => {
      const header = getInForce(getPassAt(passes, `${block.base}/headers`).around, 'proxy_set_header')
        .find(directive => /^(?:x-forwarded-)?host$/i.test(getValue(directive)))
      return header && !getValue(header, 1).startsWith('$')
        ? `it sets ${getValue(header)} ${getValue(header, 1)} itself (line ${header.line})`
        : null
    },
    run: runs.keptHost,
    mend: ({ texts, passes }) => setHeaders(texts, passes, { Host: '$host' })
  },
  {
    name: 'https-scheme',
    sees: 'The app takes https for http: secure cookies are not set, and redirects to https loop.',
    requires: needsTls,
    mend: ({ texts, passes }) => setHeaders(texts, passes, { 'X-Forwarded-Proto': '$scheme' })
  },
  {
    name: 'https-redirect',
    title: 'clients that come by HTTP are sent to the same page by HTTPS',
    isOfSite: true,
    run: runs.httpsRedirect,
    sees: 'Visitors who type the address without https are not sent to https.',
    requires: ({ tls }) => tls?.redirectPort ? null : 'the site has no block for http',
    mend: () => []
  },
  {
    name: 'tls-versions',
    isOfSite: true,
    sees: 'Connections with TLS 1.0 and 1.1, which are broken, are accepted, or TLS 1.3 is missing.',
    requires: needsTls,
    mend: setInForce('ssl_protocols', TLS)
  },
  {
    name: 'websocket',
    title: 'a WebSocket is opened, and its data passes in both directions',
    sees: 'Live parts of pages do not work: their WebSocket is refused.',
    findMissing: needsUpgrade,
    run: runs.webSocket,
    mend: ({ texts, passes }) => [...new Set(getUpgrades(passes).map(getBlock))].flatMap(block =>
      addTo(texts, block, ['proxy_http_version 1.1;']))
  },
  {
    name: 'events',
    title: 'each server-sent event arrives before the app sends the next one, also compressed',
    sees: 'Live updates and streamed replies arrive late, or all at once at the end.',
    findDecision: findSetting('proxy_buffering'),
    run: runs.events,
    // Without chunks, which HTTP/1.1 has, and over TLS, nginx waits until a buffer is full. A cache needs buffers.
    mend: ({ texts, passes, base, tls }) => {
      const pass = getPassAt(passes, `${base}/events`)
      if (tls) return getCached([pass]).length > 0 ? [] : setDirective(texts, getBlock(pass), 'proxy_buffering', 'off')
      const isNew = getInForce(pass.around, 'proxy_http_version').some(directive => getValue(directive) === '1.1')
      const types = inForce([pass], 'gzip_types')
        .filter(({ args }) => args.some(({ value }) => /^(?:\*|text\/event-stream)$/.test(value)))
      return [
        ...isNew
          ? types.length > 0 ? [] : setDirective(texts, getBlock(pass), 'proxy_buffering', 'off')
          : setDirective(texts, getBlock(pass), 'proxy_http_version', '1.1'),
        ...types.map(directive => replaceDirective(directive, `gzip_types ${COMPRESSED};`))
      ]
    }
  },
  {
    name: 'cache-login',
    title: 'no response from the cache sets a cookie',
    sees: 'A visitor gets the session of another visitor: Set-Cookie is stored and replayed.',
    findMissing: needsCache,
    run: runs.cacheLogin,
    mend: heed(['set-cookie'])
  },
  {
    name: 'cache-private',
    title: 'responses with private or no-store are not shared',
    sees: 'A page that the app marks as private is sent to other visitors.',
    findMissing: needsCache,
    run: runs.cachePrivate,
    mend: heed(['cache-control', 'expires'])
  },
  {
    name: 'cache-cookies',
    title: 'visitors with different cookies do not get each other\'s pages',
    sees: 'A visitor who is logged in gets the page of another one.',
    findMissing: needsCache,
    run: runs.cacheCookies,
    mend: keepCookiesOut
  },
  {
    name: 'cache-errors',
    title: 'an error of the app is not kept in the cache',
    sees: 'An error of one moment is shown to all visitors until it expires.',
    findMissing: needsCache,
    run: runs.cacheErrors,
    mend: ({ passes }) => inForce(getCached(passes), 'proxy_cache_valid').flatMap(directive => {
      const values = directive.args.map(({ value }) => value)
      const codes = values.slice(0, -1).filter(value => /^[23]/.test(value))
      return values.slice(0, -1).some(value => /^(?:any|5..)$/.test(value))
        ? [replaceDirective(directive, `proxy_cache_valid ${codes.join(' ') || '200 301 302'} ${values.at(-1)};`)]
        : []
    })
  },
  {
    name: 'failover',
    sees: 'Some pages fail or take long after a process of the app has ended.',
    isDisturbing: true,
    findMissing: needsProcesses,
    mend: keepServers
  },
  {
    name: 'rolling-restart',
    isOfSite: true,
    sees: 'Pages are 502 while the processes of the app are restarted one after the other.',
    isDisturbing: true,
    findMissing: needsProcesses,
    mend: keepServers
  },
  {
    name: 'idle-websocket',
    title: 'a WebSocket stays open that is idle for a minute',
    sees: 'Live parts of pages stop: a WebSocket without messages is closed after 60 s.',
    isSlow: true,
    findMissing: needsUpgrade,
    findDecision: findSetting('proxy_read_timeout'),
    run: runs.idleWebSocket,
    mend: ({ texts, passes }) => [...new Set(getUpgrades(passes).map(getBlock))].flatMap(block =>
      ['proxy_read_timeout', 'proxy_send_timeout'].flatMap(name => setDirective(texts, block, name, LONG)))
  },
  {
    name: 'slow-headers',
    isOfSite: true,
    sees: 'A few slow clients can keep all connections.',
    isSlow: true,
    mend: setInForce('client_header_timeout', '30s')
  }
]

/**
 * Returns the behaviours that a program can offer, with its own ways to mend them.
 * @param {OwnProgram} program
 * @returns {Check[]}
 */
export const getChecks = ({ checks }) => !checks
  ? CHECKS
  : CHECKS.filter(({ name }) => checks[name]).map(({ findMissing, findDecision, ...check }) =>
    ({ ...check, mend: () => [], ...checks[check.name] }))

/**
 * @param {string} name
 * @param {OwnProgram} program
 */
export const findCheck = (name, program) =>
  /** @type {Check} */ (getChecks(program).find(check => check.name === name))
