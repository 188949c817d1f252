/** Part of the command run: a configuration of your own in place of topologies. Compares it with the app alone. */
import { writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { badOption, HopbenchError, shellWord } from '../../errors.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { makeTempDir, makeTempRoot } from '../../machine/files/temp.js'
import { isEnclosed } from '../../machine/network/enclosure.js'
import { findNetworkTool } from '../../machine/network/lab.js'
import { findProxies } from '../../measure/find-programs.js'
import { YOURS } from '../../plan/changed-spec.js'
import { parse, withCommands } from '../../plan/spec.js'
import { planTyped } from '../../request/request.js'
import { measureRun } from '../../run/run-request.js'
import { appsFrom, defaultTopologies } from '../../request/user-apps.js'
import { prefixesFrom } from '../../request/user-prefixes.js'
import { withReleases } from '../../request/user-release.js'
import { getConfigArms } from '../deploy/index.js'
import { getNames } from './hosts.js'
import { applyEdits, removeDirective, replaceDirective } from './mend.js'
import {
  findAll, findUpstream, getApps, getInForce, getPassAt, getProxyServers, getValue, readTree,
  toAbsolute, toTarget
} from './model.js'
import { ARM, getPackageRoot, writeArmScript, writeRoomFiles } from './room.js'
import { readSource } from './source.js'
import { READ_SECONDS, addPackaged, prepareRooms, toReading } from './study.js'

/** @import { FilePrefix, UserConfig } from '../../types.js' */
/** @import { RunFlags } from '../../request/types.js' */
/** @import { Directive, Placed, ProxyBlock, Reading, RoomFile, Source } from './types.js' */

const ALONE = 'the app alone'
const RECOMMENDED = 'recommended'
const UNCACHED = 'recommended without a cache'
/** Limit below which apps cannot listen, because the served side does not run as root. */
const FIRST_PORT = 1024
const COUNTERS = '/etc/hopbench/counters.conf'
const NOTED = `access_log ${ARM}/noted.log noted if=$noted;`
/** Lifetime of cached responses in the recommended configuration where the file states none. */
const LIFETIME = '10m'
const laneProgram = fileURLToPath(new URL('./run-lane.js', import.meta.url))

/**
 * Measures a configuration.
 * @param {{ words: string[], options: RunFlags & { host?: string, wait?: boolean } }} request words: its path, and
 *   topologies to compare with the first of them; without topologies it is compared with the app alone
 * @param {Parameters<typeof measureRun>[1]} world
 * @throws {HopbenchError} bad-option, lab-needed, and those of measureRun()
 */
export async function measureConfig ({ words, options }, { enclose, ...world }) {
  const [path, ...others] = words
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    badOption('A configuration', path, why, remedy)
  const apps = Object.keys(appsFrom(options))
  if (apps.length !== 1) {
    throw reject(apps.length === 0
      ? 'it needs the command that starts the app behind it'
      : `its requests lead to one app, not to ${apps.join(' and ')}`, "Write one: --app 'npm start'.")
  }
  if (options.load) throw badOption('--load-hosts', true, 'a configuration is measured on one machine', 'Leave it out.')
  const input = path === '-' ? await text(process.stdin) : undefined
  const source = readSource(path, { cwd: callerCwd(), input })
  const ip = options.lab ? await findNetworkTool() : null
  if (!ip) throw new HopbenchError('lab-needed', { name: `The run of ${path}`, what: 'a file system of its own' })
  if (source.program.name !== 'nginx') {
    throw reject(`it is one of ${source.program.title}, and a run measures those of nginx`,
      `Try its behaviours: npm run hopbench -- check ${shellWord(path)}`)
  }
  const toPlan = async () => planTyped(isEnclosed()
    ? await readExperiment(source, { path, others, ip, options })
    // With the programs of all arms, before the configuration is read.
    : toExperiment(path, toArms([...others, ...defaultTopologies(appsFrom(options))]), options), options)
  return measureRun({ words, options }, { ...world, enclose: () => enclose(input), toPlan })
}

/**
 * Reads a configuration in a room, and returns the experiment that measures it.
 * @param {Source} source
 * @param {{ path: string, others: string[], ip: import('../../machine/types.js').Tool,
 *   options: RunFlags & { host?: string } }} request others: topologies
 */
async function readExperiment (source, { path, others, ip, options }) {
  const { arms } = await withReleases(getConfigArms([{ name: 'nginx', kind: 'proxy' }]), options.release)
  const [program] = (await findProxies(arms)).values()
  const temp = makeTempRoot().path
  const packageRoot = getPackageRoot(program.program)
  const files = addPackaged(source, packageRoot)
  const open = prepareRooms(source, files, {
    path, program, ip, temp, host: null, apps: {}, folder: callerCwd(), printProgress: () => {}
  })
  const reading = toReading(await open({ block: null, behaviours: [], isAtOnce: false }, READ_SECONDS))
  const shown = new Map(files.map(({ path, shown }) => [path, shown ?? path]))
  const toPlace = (/** @type {{ file: string | null, line: number }} */ { file, line }) =>
    file === null ? path : `${shown.get(file)}:${line}`
  const tree = readTree(source.main, new Map(files.map(({ path, text }) => [path, text])))
  const block = chooseBlock(reading, tree, { path, host: options.host, toPlace })
  const { server, passes } = getProxyServers(tree)[block.index]
  const pass = getPassAt(passes, options.path ?? `${block.base}/`)
  const apps = findApps(tree, pass, toPlace)
  const [target, ...absent] = new Set([pass, ...passes].map(pass => toTarget(pass).target))
  process.stderr.write(`${path}: ${block.host}:${block.port} (${toPlace(block)}) passes requests to ${target}${
    absent.length > 0 ? `; not started: ${absent.join(', ')}` : ''}\n${
    reading.supplied.length > 0 ? `supplied: ${reading.supplied.join(', ')}\n` : ''}`)
  const prefixes = prefixesFrom(options)
  const mounts = prefixes.flatMap(prefix => findFolder(server, prefix) ?? [])
  const dir = makeTempDir(temp, 'arm')
  const edited = addCounters(files, tree, program.plugin.counterFile?.(ARM) ?? '')
  const room = {
    program: source.program.name,
    main: source.main,
    files: edited.map(({ path }) => path),
    argv: [program.program],
    root: packageRoot
  }
  writeFileSync(join(dir, 'request.json'), JSON.stringify(room))
  const script = writeArmScript({
    program: laneProgram,
    dir,
    files: writeRoomFiles(makeTempDir(temp, 'arm-files'), edited),
    folders: packageRoot === '/' ? [] : [packageRoot],
    mounts,
    argv: [program.program, '-c', source.main, '-g', 'daemon off;']
  })
  const [app] = Object.keys(appsFrom(options))
  const { [YOURS]: yours, ...recommended } = toSpecs(tree, pass,
    { app, isTls: block.tls, processes: apps.length, files: prefixes.length, own: mounts.length })
  const [baseline, ...rest] = Object.entries(others.length > 0 ? toArms(others) : recommended)
  return toExperiment(path, Object.fromEntries([baseline, [YOURS, yours], ...rest]), options, {
    config: { path, port: block.port, apps, script },
    reason: `${YOURS} opens a connection to the app for each request (${toPlace(findCause(tree, pass))})`,
    load: {
      path: `${block.base}/`,
      headers: { Host: block.host, ...isOn(pass, 'gzip') && { 'Accept-Encoding': 'gzip' } }
    }
  })
}

/**
 * Returns the topologies of the arms. Those of a configuration name what it has in common with the recommended one.
 * @param {Directive[]} tree
 * @param {Placed} pass
 * @param {object} facts
 * @param {string} facts.app
 * @param {boolean} facts.isTls
 * @param {number} facts.processes of the app; 0: on a Unix socket
 * @param {number} facts.files number of prefixes of --files
 * @param {number} facts.own number of those that the configuration serves itself
 * @returns {Record<string, string>} by arm
 */
function toSpecs (tree, pass, { app, isTls, processes, files, own }) {
  const [pooled, fresh] = processes === 0 ? ['uds-keepalive', 'uds'] : ['keepalive', 'tcp']
  const common = `${isTls ? '+tls=ecdsa-p256' : ''}${isOn(pass, 'gzip') ? '+gzip' : ''}`
  const [balance, behind] = processes > 1 ? ['+balance=round-robin', `/${app}@node:${processes}`] : ['', `/${app}`]
  const toSpec = (/** @type {string} */ start, /** @type {string} */ cache, /** @type {boolean} */ isStatic) =>
    `nginx:${start}${common}${cache}${balance}${isStatic ? '+static' : ''}${behind}`
  const workers = countWorkers(tree)
  const recommended = `${pooled}+production${workers > 1 ? `+workers=${workers}` : ''}`
  const yours = `${isPooled(tree, pass) ? pooled : fresh}+upstream_defaults`
  const cache = toCache(pass)
  return {
    [ALONE]: app,
    [YOURS]: toSpec(yours, cache, files > 0 && own === files),
    [RECOMMENDED]: toSpec(recommended, cache, files > 0),
    // The recommended cache stores only what the app permits.
    ...cache !== '' && { [UNCACHED]: toSpec(recommended, '', files > 0) }
  }
}

/** Returns arms that have the names of their topologies. @param {string[]} specs */
const toArms = specs => Object.fromEntries(specs.map(spec => [spec, spec]))

/**
 * Returns an experiment of the app alone, a configuration, and the recommended one.
 * @param {string} path
 * @param {Record<string, string>} arms
 * @param {RunFlags} options
 * @param {{ config: UserConfig, reason: string, load: { path: string, headers: Record<string, string> } }} [found]
 *   left out: it is not read yet
 */
function toExperiment (path, arms, options, found) {
  const { config, reason, load } = found ?? {}
  const apps = appsFrom(options)
  return {
    name: 'own-config',
    experiment: {
      title: `${path} against the app alone`,
      question: `What does ${path} cost?`,
      source: null,
      arms,
      answer: {
        pairs: Object.keys(arms).slice(1).map(name => /** @type {[string, string, string]} */ (
          [name, Object.keys(arms)[0], name.replace(RECOMMENDED, 'the recommended one')])),
        ...reason && { fresh: { arm: YOURS, text: reason } }
      },
      protocol: 'gang',
      unit: /** @type {const} */ ('requests'),
      ...load && { load },
      cores: /** @type {const} */ ('split')
    },
    parse (/** @type {string} */ spec) {
      const topology = withCommands(parse(spec), apps)
      return spec === arms[YOURS] && config && topology.proxy
        ? { ...topology, proxy: { ...topology.proxy, config } }
        : topology
    }
  }
}

/**
 * Returns the server block that is measured: the first one that reaches an app, or that of the host.
 * @param {Reading} reading
 * @param {Directive[]} tree
 * @param {{ path: string, host?: string, toPlace: (place: { file: string | null, line: number }) => string }} request
 * @returns {ProxyBlock}
 * @throws {HopbenchError} bad-option
 */
function chooseBlock ({ rejected, blocks, skipped }, tree, { path, host, toPlace }) {
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    badOption('A configuration', path, why, remedy)
  if (rejected) throw reject(`nginx rejects it: ${rejected.why} (${toPlace(rejected)})`, 'Correct this line.')
  const servers = getProxyServers(tree)
  const found = host === undefined
    ? blocks[0]
    : blocks.find(({ index }) => getNames(servers[index]).includes(host.toLowerCase()))
  if (found) return { ...found, host: host ?? found.host }
  if (host !== undefined && blocks.length > 0) {
    throw badOption('--host', host, 'no server block with this name passes requests on to an app',
      `Use one of: ${[...new Set(blocks.flatMap(({ index }) => getNames(servers[index])))].join(', ')}.`)
  }
  const [skip] = skipped
  throw reject(skip ? `its block at ${toPlace(skip)} does not lead to an app: ${skip.why}` : 'it passes no request on',
    'Name a configuration with proxy_pass.')
}

/**
 * Returns the ports at which requests reach the processes of the app; none: a Unix socket.
 * @param {Directive[]} tree
 * @param {Placed} pass
 * @param {(place: Directive) => string} toPlace
 * @returns {number[]}
 * @throws {HopbenchError} bad-option
 */
function findApps (tree, pass, toPlace) {
  const apps = getApps(tree, pass)
  const place = toPlace(pass.directive)
  const reject = (/** @type {string} */ why) => badOption('The target of requests', place, why,
    'Let it pass requests by http to names or 127.0.0.1, at ports from 1024, or to one Unix socket.')
  if (toTarget(pass).scheme !== 'http') throw reject('it is not reached by http')
  if (apps.length === 0) throw reject('it depends on a variable')
  const onTcp = apps.filter(({ path }) => path === null)
  if (apps.length > Math.max(onTcp.length, 1)) throw reject('it has several Unix sockets')
  const outside = onTcp.find(({ host }) => isIP(String(host)) && !/^(?:127\.|::1$)/.test(String(host)))
  if (outside) throw reject(`${outside.host} is an address outside`)
  const low = onTcp.find(({ port }) => port < FIRST_PORT)
  if (low) throw reject(`an app cannot listen on port ${low.port}`)
  return [...new Set(onTcp.map(({ port }) => port))]
}

/**
 * Returns whether a directive is in force with "on".
 * @param {Placed} pass
 * @param {string} name
 */
const isOn = ({ around }, name) => getValue(getInForce(around, name)[0]) === 'on'

/** Returns the number of workers, which the recommended configuration gets as well. @param {Directive[]} tree */
function countWorkers (tree) {
  const value = getValue(tree.find(({ name }) => name === 'worker_processes'))
  return value === 'auto' ? cpus().length : Number(value) || 1
}

/** Returns the option for a cache, with the lifetime that the file states. @param {Placed} pass */
function toCache ({ around }) {
  const zone = getValue(getInForce(around, 'proxy_cache')[0])
  if (!zone || zone === 'off') return ''
  const lifetime = getInForce(around, 'proxy_cache_valid')[0]?.args.at(-1)?.value ?? ''
  return `+cache=${/^[1-9]\d*[smhd]$/.test(lifetime) ? lifetime : LIFETIME}`
}

/** Returns the directive that sets the header Connection. @param {Placed} pass */
const findConnection = ({ around }) => getInForce(around, 'proxy_set_header')
  .find(directive => getValue(directive).toLowerCase() === 'connection')

/**
 * Returns whether a pass keeps connections, as far as the file states it.
 * @param {Directive[]} tree
 * @param {Placed} pass
 */
export const isPooled = (tree, pass) => findConnection(pass)?.args[1]?.value === '' &&
  (findUpstream(tree, toTarget(pass).target)?.children ?? []).some(({ name }) => name === 'keepalive')

/**
 * Returns the directive because of which nginx opens a connection for each request.
 * @param {Directive[]} tree
 * @param {Placed} pass
 */
export function findCause (tree, pass) {
  const connection = findConnection(pass)
  if (connection && getValue(connection, 1) !== '') return connection
  return findUpstream(tree, toTarget(pass).target) ?? pass.directive
}

/**
 * Returns the folder of a prefix, and its path in the room.
 * @param {Directive} server
 * @param {FilePrefix} prefix
 * @returns {[folder: string, target: string][] | null} null: the server block passes the requests on
 */
function findFolder (server, { prefix, folder }) {
  const { directive } = findAll([server], 'location').find(({ directive }) =>
    getValue(directive, directive.args.length - 1).replace(/\/$/, '') === prefix) ?? {}
  if (!directive || findAll([directive], 'proxy_pass').length > 0) return null
  const alias = directive.children?.find(({ name }) => name === 'alias')
  const [root] = getInForce([server, directive], 'root')
  if (alias) return [[folder, toAbsolute(getValue(alias)).replace(/\/$/, '')]]
  return root ? [[folder, join(toAbsolute(getValue(root)), prefix)]] : null
}

/**
 * Adds the counters of the suite to files, and lets nginx run in the foreground.
 * @param {RoomFile[]} files
 * @param {Directive[]} tree
 * @param {string} counters
 * @returns {RoomFile[]}
 */
export function addCounters (files, tree, counters) {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const logs = findAll(tree, 'access_log')
  const first = new Map(logs.toReversed().map(({ directive, around }) => [around.at(-1), directive]))
  const edits = [
    // At the beginning, because a format of logs is defined before it is used.
    ...findAll(tree, 'http').map(({ directive: { file, from } }) => {
      const at = (texts.get(file)?.indexOf('{', from) ?? 0) + 1
      return { file, from: at, to: at, text: ` include ${COUNTERS};` }
    }),
    ...findAll(tree, 'daemon').map(({ directive }) => removeDirective(texts, directive)),
    // Logs of a block replace those of the blocks around it.
    ...logs.map(({ directive, around }) => {
      const own = getValue(directive) === 'off' ? '' : texts.get(directive.file)?.slice(directive.from, directive.to)
      const isCounted = around.length > 1 && first.get(around.at(-1)) === directive
      return replaceDirective(directive, `${own} ${isCounted ? NOTED : ''}`.trim())
    })
  ]
  const edited = applyEdits(texts, edits)
  return [
    ...files.map(file => ({ ...file, text: edited.get(file.path) ?? file.text })),
    { path: COUNTERS, shown: null, text: counters, encoding: 'utf8' }
  ]
}
