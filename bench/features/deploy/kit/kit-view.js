/** Computes the values of the templates of a deploy kit (pure). */
import { HopbenchError, shellWord } from '../../../errors.js'
import { hasTls, isOn, usesBrotli, usesSocket } from '../../../plan/predicates.js'
import { PAGE, toHashRules } from '../../../shared/http/hashed-names.js'
import { TEXT_ENDS } from '../../../shared/http/compressible-files.js'
import { hideQuoted } from './start-script.js'
import { TARGETS } from './targets.js'

/** @import { BuiltFolder } from '../../../types.js' */
/** @import { BuildSecret, KitFacts, KitRequest } from './types.js' */

/** Pipes, background, subshells, groups, comments and quotes without an end: the last program is unknown. */
const UNCLEAR = /[|`(){}#'"\\]|(?<!&)&(?!&)/
/** Words that only the shell itself carries out. */
const OF_SHELL = new Set(['!', '.', ':', '[', '[[', 'alias', 'bg', 'break', 'case', 'cd', 'command', 'continue', 'do',
  'done', 'elif', 'else', 'esac', 'eval', 'exec', 'exit', 'export', 'fg', 'fi', 'for', 'function', 'if', 'local',
  'read', 'readonly', 'return', 'set', 'shift', 'source', 'then', 'time', 'trap', 'ulimit', 'umask', 'unset', 'until',
  'wait', 'while'])
const ASSIGNMENTS = /^\s*(?:[A-Za-z_]\w*=\S*\s+)*/

export const DEBIAN = 'bookworm'
/** Port of an app behind nginx that listens on $PORT. */
export const APP_PORT = 3000
/** Folder of the app's socket in the containers of docker. */
export const CONTAINER_RUN = '/run/app'
/** Requests in flight above which the router of Fly.io prefers other machines, if there is no sizing: ten times the
 * default of 20, because Node handles requests concurrently. */
const IN_FLIGHT = 200
/** Requests in flight that an instance accepts, as a multiple of the limit above, because requests arrive in bursts. */
const BURST = 5
const HTTPS_PORT = 443
/** Time for an app behind nginx to end. Short, because nginx has finished all requests before. */
const APP_DRAIN_SECONDS = 3
const APP_KEEP_ALIVE_SECONDS = 75
/** Time after which systemd kills: for nginx or an app alone, and above that for an app behind nginx to end. */
const [STOP_SECONDS, STOP_SPARE_SECONDS] = [30, 2]
/** Length of a group's name, with room for "-nginx" in the 31 characters of a name of an account. */
const MAX_ACCOUNT = 24
/** Names of offerings in lower case, as in "pro plus" and "standard-2x". */
const OFFERING = /^[a-z0-9][a-z0-9 ._+-]*$/
/** Accounts of the images: that of nginx on Debian, and that of Node's images. */
const [WWW_DATA, NODE] = [33, 1000]
/** Commands that a RUN instruction can contain as they are. */
const PLAIN_COMMAND = /^[\w@%+=:,./][\w@%+=:,./ &;|'"-]*$/

/**
 * Lists the folders whose files are compressed ahead of time, relative to the project.
 * @param {Pick<KitRequest, 'topology' | 'facts'>} request
 */
export const listCompressed = ({ topology: { proxy }, facts: { files, root } }) => isOn(proxy?.options.gzip_static)
  ? [...files.map(({ folder }) => folder), ...root === null ? [] : [root]]
  : []

/**
 * Returns the name of nginx's unit. Beside an app nginx has a unit and an account of its own.
 * @param {Pick<KitRequest, 'topology' | 'facts'>} request
 */
export const getNginxUnit = ({ topology: { server }, facts: { name } }) => server === null ? name : `${name}-nginx`

/**
 * Returns the values of the templates.
 * @param {KitRequest} request
 * @param {BuiltFolder[]} [built] folders of builders
 */
export function toView (request, built = []) {
  const { topology, spec, target, facts, proxy, keepBuilds } = request
  const { run, httpPort, drainSeconds, accessLog } = TARGETS[target]
  const { name, kit, settings, sized, image, files } = facts
  const nginx = proxy !== null
  // The folder of the kit is the whole context of an image that contains nothing but nginx.
  const isAlone = image !== null && nginx && files.length === 0
  return {
    ...settings,
    title: `${spec} on ${target}`,
    comments: [`${spec} on ${target}.`, ...sized],
    sized,
    name,
    kit: isAlone ? '' : kit,
    up: isAlone ? '.' : toContext(kit),
    context: toContext(kit),
    folders: files.map(({ folder }) => folder),
    allowed: facts.context?.allowed ?? [],
    excluded: facts.context?.excluded ?? [],
    exceptions: facts.context?.exceptions ?? [],
    compressed: listCompressed(request),
    textNames: TEXT_ENDS.map(end => `-iname '*.${end}'`).join(' -o '),
    run: image !== null && nginx ? '/run/nginx' : run.replace('NAME', name),
    port: getPort(request),
    httpPort: hasTls(topology) ? httpPort : null,
    hasSocketUnit: nginx && target === 'systemd',
    isSplit: nginx && target === 'systemd' && topology.server !== null,
    isNginxAlone: nginx && topology.server === null,
    nginxUnit: getNginxUnit(request),
    account: `kit-${name}`.slice(0, MAX_ACCOUNT),
    stopSeconds: nginx && topology.server !== null ? APP_DRAIN_SECONDS + STOP_SPARE_SECONDS : STOP_SECONDS,
    ports: [getPort(request), ...hasTls(topology) ? [httpPort] : []],
    nginx,
    logsToOutput: accessLog.startsWith('/dev/'),
    brotli: usesBrotli(topology.proxy),
    drainSeconds,
    home: `/srv/${name}`,
    tls: hasTls(topology),
    hasSecrets: hasTls(topology) || listBuildSecrets(facts.node).length > 0,
    hasCacheVolume: nginx && image === null,
    hasVolumes: usesSocket(topology.proxy) || keepBuilds !== undefined,
    ...toKeptView(request, built),
    ...toAppView(request),
    ...toImageView(facts),
    ...toHealthView(request),
    buildpacks: JSON.stringify([...facts.buildpacks, ...nginx ? ['heroku-community/nginx'] : []].map(url => ({ url }))),
    ...toOfferingView(settings)
  }
}

/**
 * Returns which files the kit keeps for pages of earlier builds.
 * @param {KitRequest} request
 * @param {BuiltFolder[]} built
 */
function toKeptView ({ facts: { files, root }, keepBuilds = 0 }, built) {
  const folders = root === null ? files : [{ prefix: '', folder: root }]
  return {
    keepBuilds,
    oldestLine: keepBuilds + 2,
    keptFolders: folders.map(({ prefix, folder }) =>
      ({ folder: shellWord(`./${folder}`), prefix, prefixPattern: prefix.replaceAll('.', '\\.') })),
    pageEre: shellWord(toExtended(PAGE)),
    hashEres: toHashRules(built).map(patterns => patterns.map(pattern => shellWord(toExtended(pattern))))
  }
}

/** Returns a pattern as an extended regular expression of POSIX. @param {string} pattern */
const toExtended = pattern => pattern.replaceAll('(?:', '(').replaceAll('\\w', 'A-Za-z0-9_')

/**
 * Returns the port of the front. An image of the project alone may have a port of its own.
 * @param {KitRequest} request
 */
function getPort ({ topology, target, facts: { image, command }, proxy }) {
  if (hasTls(topology) && target === 'systemd') return HTTPS_PORT
  return image && !proxy && typeof command?.way === 'number' ? command.way : TARGETS[target].port
}

/**
 * Returns the path from the folder of the kit to the project.
 * @param {string} kit
 */
const toContext = kit => kit.replace(/[^/]+\//g, '../').replace(/\/$/, '') || '.'

/** Returns how the app is started and where it listens. @param {KitRequest} request */
function toAppView ({ topology, target, facts, proxy }) {
  const { drainSeconds, keepAliveSeconds } = TARGETS[target]
  const { app, command, image, node, settings: { processes, heapMiB } } = facts
  const nginx = proxy !== null
  const hasApp = image === null && topology.server !== null
  const isSocket = usesSocket(topology.proxy)
  const port = typeof command?.way === 'number' ? command.way : APP_PORT
  const isBehindPort = hasApp && nginx && !isSocket
  const parts = [...hasApp ? ['the app'] : [], ...nginx ? ['nginx'] : []]
  return {
    story: `Starts ${parts.join(' and ')}, passes signals on, and ends when ${parts.length > 1 ? 'either' : 'it'} ` +
      'ends, with its exit code.',
    hasApp,
    both: hasApp && nginx,
    module: app,
    command: hasApp && command ? shellWord(withExec(command.run)) : null,
    supervised: nginx || command !== null,
    socket: isSocket,
    appPort: isBehindPort ? port : null,
    portHex: isBehindPort && command ? port.toString(16).toUpperCase().padStart(4, '0') : null,
    followsName: image !== null && nginx && !isSocket,
    readySeconds: command?.readySeconds ?? null,
    readyTenths: command ? Math.ceil(command.readySeconds * 10) : null,
    heapOption: node && heapMiB ? `--max-old-space-size=${heapMiB}` : null,
    concurrency: processes > 1 ? processes : null,
    // Behind nginx it must be longer than the 60 s for which nginx keeps upstream connections.
    keepAliveSeconds: nginx ? APP_KEEP_ALIVE_SECONDS : keepAliveSeconds,
    appDrainSeconds: nginx ? APP_DRAIN_SECONDS : drainSeconds
  }
}

/**
 * Returns how the image of the app is built.
 * @param {KitFacts} facts
 */
function toImageView ({ kit, node, python, image, command }) {
  const isSocket = command?.way === 'unix'
  const run = withExec(command?.run ?? '')
  return {
    ownImage: image !== null,
    dockerfile: image?.file ?? `${kit}Dockerfile`,
    dockerfileHere: image ? `${toContext(kit)}/${image.file}` : 'Dockerfile',
    base: toBase({ node, python }),
    user: node ? 'node' : 'www-data',
    uid: node ? NODE : WWW_DATA,
    nginxUid: WWW_DATA,
    stages: node?.stages ?? false,
    manager: node?.manager ?? null,
    ...toSecretView(node),
    packageFiles: node?.files ?? python?.files ?? null,
    install: node?.install ?? (python && { production: python.install }),
    // If Node's packages need the whole project, they are installed in a stage of their own.
    installsLast: python?.files === '',
    build: node?.build ? toInstruction(node.build, node.variables.length > 0) : null,
    // A socket that an ended process left behind must be removed, and nginx runs as another user.
    containerCommand: image && command && (isSocket || !image.isStarted)
      ? toComposeText(JSON.stringify(['sh', '-c', `${isSocket ? 'rm -f "$SOCKET"; umask 0; ' : ''}${run}`]))
      : null
  }
}

/**
 * Lists the settings of a package manager, and the variables in them, that only the build gets.
 * @param {KitFacts['node']} node
 * @returns {BuildSecret[]}
 */
export const listBuildSecrets = node => [
  ...node?.secretSettings.map(file => ({ file, id: file.replace(/^\W+/, '').replace(/\W/g, '_') })) ?? [],
  ...node?.variables.map(id => ({ file: null, id })) ?? []
]

/** Returns how the build gets settings with secrets. @param {KitFacts['node']} node */
function toSecretView (node) {
  const buildSecrets = listBuildSecrets(node)
  const exported = buildSecrets.filter(({ file }) => file === null)
    .map(({ id }) => `export ${id}="$(cat /run/secrets/${id})" && `)
  const mounts = buildSecrets.map(({ file, id }) =>
    `--mount=type=secret,id=${id}${file === null ? '' : `,target=/app/${file}`} `)
  return {
    buildSecrets,
    secretIds: buildSecrets.map(({ id }) => id).join(', '),
    mounts: [...mounts, ...exported].join('')
  }
}

/** Returns the image that contains the language of the app. @param {Pick<KitFacts, 'node' | 'python'>} facts */
function toBase ({ node, python }) {
  if (node) return `node:${node.major}-${DEBIAN}-slim`
  return python ? `python:${python.version}-${python.isSlim ? 'slim-' : ''}${DEBIAN}` : `debian:${DEBIAN}-slim`
}

/** Returns how the health of the app is checked. @param {KitRequest} request */
function toHealthView ({ topology, target, facts, proxy }) {
  const { port } = TARGETS[target]
  const { path, image, command } = facts
  const url = `${hasTls(topology) ? 'https' : 'http'}://127.0.0.1:${port}${path}`
  const test = image ? null : toHealthTest(facts, { url: JSON.stringify(new URL(url).href), tls: hasTls(topology) })
  const appPort = typeof command?.way === 'number' ? command.way : proxy ? APP_PORT : port
  return {
    path: JSON.stringify(path),
    healthTest: test && toComposeText(JSON.stringify(test)),
    healthScript: image !== null && !image.isChecked,
    healthPath: shellWord(path),
    healthPort: appPort,
    healthHex: appPort.toString(16).toUpperCase().padStart(4, '0')
  }
}

/**
 * Returns the command of a health check in the language of the app. The certificate is that of the public name.
 * @param {Pick<KitFacts, 'node' | 'python'>} facts
 * @param {{ url: string, tls: boolean }} request url: in quotes
 * @returns {string[] | null} null: the image contains neither Node nor Python
 */
function toHealthTest ({ node, python }, { url, tls }) {
  if (python) {
    const [imported, handler] = tls ? ['ssl, ', ', r.HTTPSHandler(context=ssl._create_unverified_context())'] : ['', '']
    // Docker may pass the proxy of the machine to its containers.
    const opener = `r.build_opener(r.ProxyHandler({})${handler})`
    return ['CMD', 'python3', '-c', `import ${imported}urllib.request as r; ${opener}.open(${url}, timeout=4)`]
  }
  if (!node) return null
  const program = `fetch(${url}).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`
  return ['CMD', ...tls ? ['env', 'NODE_TLS_REJECT_UNAUTHORIZED=0'] : [], 'node', '-e', program]
}

/**
 * Returns a command as the text of a RUN instruction. A text with characters that a Dockerfile interprets becomes a
 * list of words, or words for the shell behind another command.
 * @param {string} command
 * @param {boolean} isBehind
 */
function toInstruction (command, isBehind) {
  if (PLAIN_COMMAND.test(command)) return command
  return isBehind ? `sh -c ${shellWord(command)}` : JSON.stringify(['sh', '-c', command])
}

/**
 * Returns a text whose dollar signs compose does not interpret.
 * @param {string} text
 */
const toComposeText = text => text.replaceAll('$', '$$$$')

/**
 * Returns the offering and the number of instances in the notation of each platform.
 *
 * @param {KitFacts['settings']} settings
 * @throws {HopbenchError} config-value
 */
function toOfferingView ({ plan, instances, inFlight }) {
  const id = plan?.toLowerCase() ?? null
  if (id !== null && !OFFERING.test(id)) {
    throw new HopbenchError('config-value', {
      what: 'The name of the offering',
      value: id,
      program: 'the deploy kit',
      why: 'only letters, digits, spaces, ".", "_", "+" and "-" can be in it'
    })
  }
  const machine = /^(shared|performance)-(?:cpu-)?(\d+)x/.exec(id ?? '')
  return {
    planId: id && JSON.stringify(id),
    size: machine && `${machine[1] === 'shared' ? 'shared-cpu' : machine[1]}-${machine[2]}x`,
    minimum: instances ?? 1,
    isLimitMeasured: inFlight !== null,
    softLimit: inFlight ?? IN_FLIGHT,
    hardLimit: BURST * (inFlight ?? IN_FLIGHT),
    formation: id || instances
      ? JSON.stringify({ web: { ...instances && { quantity: instances }, ...id && { size: id } } })
      : null
  }
}

/**
 * Adds `exec` to the last program of a command, so that signals reach the program instead of a shell that waits for it.
 * Returns a command unchanged if the place is unclear.
 *
 * @param {string} command for sh
 */
export function withExec (command) {
  const masked = hideQuoted(command)
  if (UNCLEAR.test(masked.replaceAll('&&', ';;'))) return command
  const start = Math.max(masked.lastIndexOf(';'), masked.lastIndexOf('&')) + 1
  const last = masked.slice(start)
  const [assignments] = ASSIGNMENTS.exec(last) ?? ['']
  const [program] = last.slice(assignments.length).split(/\s/, 1)
  const words = last.trim().split(/\s+/)
  if (program === '' || words.some(word => OF_SHELL.has(word) && word !== '.')) return command
  // A loop or condition before the last program would contain it.
  if (masked.slice(0, start).split(/[\s;&]+/).some(word => ['if', 'while', 'until', 'for', 'case'].includes(word))) {
    return command
  }
  const place = start + assignments.length
  return `${command.slice(0, place)}exec ${command.slice(place)}`
}
