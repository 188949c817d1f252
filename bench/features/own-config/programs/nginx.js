/** Reads configurations of nginx, supplies what they lack, and starts them. */
import { rmSync, existsSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { dirname } from 'node:path'
import { readOwnText } from '../../../machine/files/own-files.js'
import { getAllowedAddress, getBases, listUntried, toShape } from '../blocks.js'
import { ANY, chooseHost, findServer, getNames } from '../hosts.js'
import {
  findAll, getApps, getInForce, getPasses, getProxyServers, getUpgrades, getValue, isName, toAbsolute
} from '../model.js'
import { parseConfig } from '../syntax.js'
import { supplyFirst } from './shared.js'

/** @import { Directive, OwnProgram } from '../types.js' */

const FOLDER = '/etc/nginx'
const MAIN = `${FOLDER}/nginx.conf`
/** Files of nginx's package that configurations include. */
const PACKAGED = ['mime.types', 'fastcgi_params', 'fastcgi.conf', 'scgi_params', 'uwsgi_params', 'proxy_params',
  'koi-utf', 'koi-win', 'win-utf', 'snippets/fastcgi-php.conf']
const readPart = (/** @type {string} */ file) => readOwnText(new URL(`nginx/${file}`, import.meta.url))
/** Files that Certbot makes on a server: its settings (of its nginx plug-in), and the group ffdhe2048 of RFC 7919. */
const OF_CERTBOT = Object.fromEntries(['options-ssl-nginx.conf', 'ssl-dhparams.pem']
  .map(file => [`/etc/letsencrypt/${file}`, readPart(file)]))
/** Directives that name files or folders to write. */
const WRITTEN = ['access_log', 'error_log', 'pid', 'lock_file', 'proxy_cache_path', 'fastcgi_cache_path', 'proxy_store',
  'client_body_temp_path', 'proxy_temp_path', 'fastcgi_temp_path', 'uwsgi_temp_path', 'scgi_temp_path']
const CERTIFICATES = ['ssl_certificate', 'ssl_trusted_certificate', 'ssl_client_certificate', 'proxy_ssl_certificate',
  'proxy_ssl_trusted_certificate']
const KEYS = ['ssl_certificate_key', 'proxy_ssl_certificate_key']
/** Words at the top of files that are not only a part of one. */
const TOP = ['http', 'events', 'stream']
/** Words by which a text is taken for nginx's. */
const KNOWN = [...TOP, 'server', 'upstream', 'location', 'map', 'include', 'load_module', 'user', 'worker_processes']

/** @type {OwnProgram} */
export default {
  name: 'nginx',
  title: 'nginx',
  mains: ['nginx.conf'],
  folders: [FOLDER],
  isOwn: (text, name) => name === 'nginx.conf' || parseConfig(text, name).some(({ name }) => KNOWN.includes(name)),
  toMain: text => parseConfig(text, MAIN).some(({ name }) => TOP.includes(name)) ? MAIN : null,
  around: {
    main: MAIN,
    text: readPart('around.conf'),
    folder: `${FOLDER}/conf.d`,
    note: 'The nginx.conf around it has the settings of the official image.'
  },
  parse: parseConfig,
  includes: ['include'],
  toPath: toAbsolute,
  packaged: { names: PACKAGED.map(name => `${FOLDER}/${name}`), texts: OF_CERTBOT },
  processes: ['nginx'],

  supply (tree, add) {
    for (const app of getPasses(tree).flatMap(pass => getApps(tree, pass))) add.app(app)
    for (const listen of getProxyServers(tree).flatMap(({ listens }) => listens)) add.listener(listen)
    for (const path of getPaths(tree, ['auth_basic_user_file'])) add.login(path)
    // A certificate whose key is not there is replaced, because the new key does not fit it.
    const missing = findAll(tree, KEYS).filter(({ directive }) => !existsSync(toAbsolute(getValue(directive))))
    for (const { around } of missing) {
      for (const path of getPaths(around.at(-1)?.children ?? [], CERTIFICATES)) rmSync(path, { force: true })
    }
    for (const path of getPaths(tree, CERTIFICATES)) add.certificate(path)
    for (const path of getPaths(tree, KEYS)) add.key(path)
    for (const path of getPaths(tree, WRITTEN)) add.folder(dirname(path))
    for (const path of getPaths(tree, ['root', 'alias'])) add.pages(path)
  },

  getNames: tree => [
    ...findAll(tree, ['upstream', 'proxy_ssl_name']).map(({ directive }) => getValue(directive)),
    ...getPasses(tree).flatMap(pass => getApps(tree, pass)).map(({ host }) => String(host))
  ].filter(isName),

  check: (exec, { main }) => exec(['-t', '-q', '-c', main]),

  supplyMissing: (output, add) => supplyFirst(getEmergency(output), [
    [add.host, /host not found in (?:upstream|"?resolver"?|"proxy_pass"|.*?) "?([^":/ ]+)/],
    [add.key, /cannot load certificate key "([^"]+)"/],
    [add.certificate, /(?:cannot load certificate|SSL_load_client_CA_file\(|load_verify_locations\()\W*"([^"]+)"/],
    [path => add.folder(dirname(path)), /mkdir\(\) "([^"]+)" failed \(2:/],
    [path => add.file(path, 'the file', ''), /open\(\) "([^"]+\.(?:log|pid))" failed \(2:/]
  ]),

  toRejection (output) {
    const [, why, file = null, line = '0'] =
      /^(?:nginx: |\S+ \S+ )?(?:\[emerg\] )?(?:\d+#\d+: )?(.*?)(?: in (\/\S+?):(\d+))?$/s
        .exec(getEmergency(output)) ?? []
    return { why: why || 'nginx rejects it without a reason', file, line: Number(line) }
  },

  start: (main, root, tree) => ['-c', main, ...hasDaemon(tree) ? [] : ['-g', 'daemon off;']],
  hasDaemon,

  getSites (tree, _, host = null) {
    const servers = getProxyServers(tree)
    const keys = servers.flatMap(({ listens }) => listens.map(({ key }) => key))
    return servers.map(server => {
      const { around, passes, allPasses, listens } = server
      const upgrades = getUpgrades(passes)
      const plain = passes.filter(pass => !upgrades.includes(pass))
      const name = host ?? chooseHost(servers, server)
      const reached = listens.filter(({ key }) => name !== null && findServer(servers, key, name) === server)
      const apps = allPasses.flatMap(pass => getApps(tree, pass))
      return {
        host: name ?? getNames(server)[0] ?? ANY,
        listens: reached,
        passes: host !== null && reached.length === 0 ? [] : passes,
        around,
        // A location of WebSockets can be for them alone.
        bases: [...getBases(plain), ...getBases(upgrades)],
        // A block can pass requests on to another one.
        apps: apps.filter(({ host, port, path }) =>
          ![path, `${host}:${port}`, isName(host) ? null : `*:${port}`].some(key => keys.includes(String(key)))),
        shape: toShape(tree, server),
        hasAccounts: passes.some(({ around }) => getInForce(around, 'auth_basic_user_file').length > 0),
        allowed: getAllowedAddress(passes.flatMap(({ around }) => getInForce(around, 'allow'))),
        ...apps.length === 0 ? { why: 'the address in its proxy_pass depends on the request' } : {},
        ...listens.length > 0 && reached.length === 0
          ? { why: 'other blocks at its port take the requests of all its names' }
          : {}
      }
    })
  },

  listUntried,

  getNameServers: tree => findAll(tree, 'resolver').map(({ directive }) => getValue(directive)).filter(isIPv4)
}

/** Returns whether nginx can leave its first process. @param {Directive[]} tree */
function hasDaemon (tree) {
  return tree.some(({ name }) => name === 'daemon')
}

/** Returns the line of the error. @param {string} output */
const getEmergency = output => output.split('\n').find(line => line.includes('[emerg]')) ?? ''

/**
 * Returns paths without variables that directives name.
 * @param {Directive[]} tree
 * @param {string[]} names
 */
const getPaths = (tree, names) => [...new Set(findAll(tree, names).map(({ directive }) => getValue(directive))
  .filter(path => path && path !== 'off' && !/[$:]/.test(path) && path !== 'stderr' && !path.startsWith('/dev/'))
  .map(toAbsolute))]
