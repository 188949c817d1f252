/**
 * Runs the tests of the package http-cache-tests against each proxy that has a cache. The configuration is that of
 * measurements and recommendations.
 */
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { badOption, HopbenchError } from '../../../errors.js'
import { openNetwork } from '../../../machine/network/lab.js'
import { run, start, waitUntil } from '../../../machine/process.js'
import { npmTarball } from '../../../machine/setup/npm-pack.js'
import { makeTempDir, memoryDir } from '../../../machine/files/temp.js'
import { findProxies } from '../../../measure/find-programs.js'
import { parse, print } from '../../../plan/spec.js'
import { isCached } from '../../../plan/predicates.js'
import { loadPlugin, pluginNames } from '../../../plan/plugins.js'
import { getProgramKey } from '../../../shared/releases.js'
import { describe } from '../../../topology/describe/describe.js'
import { withReleases } from '../../../request/user-release.js'
import { startProxy } from '../../../topology/start/start-proxy.js'

/** @import { Arm, CachesRecord, CheckedCache, ProxyDescription, ProxyHop, ProxyProgram } from '../../../types.js' */
/** @import { Child, Network, ProcessSpec } from '../../../machine/types.js' */

const TESTS = {
  name: 'http-cache-tests',
  version: '0.4.5',
  integrity: 'sha512-DjuwN9nUZXLTW+wav1LRESCZNVxl8SshwOy4z1pxuWbWt5/ay6sM9QQ1lebBaDO6P1IMBoK6mdf+PuVP/QNL8A==',
  main: 'server/server.mjs'
}
const testsProgram = fileURLToPath(new URL('./run-tests.js', import.meta.url))
/** Default transport and cache. The lifetime applies to responses without a lifetime (docs/check.md). */
const DEFAULT_CACHE = 'keepalive+cache=5s'
const PORTS = { front: 8080, origin: 3000 }
/** Connections of the tests, which run a hundred at a time. */
const CLIENTS = 200
const RUN_SECONDS = 300 // Limit for all tests of one cache, which wait for responses to expire.
/** Caches that are tested at once. On a busy machine responses expire before they are requested again. */
const AT_ONCE = 2

/**
 * @param {string[]} words topologies with a cache, as typed; none: each proxy that has one
 * @param {string} [release] Debian release of the proxies that can come from one
 * @returns {Promise<Arm[]>}
 * @throws {HopbenchError} bad-topology, bad-option
 */
export async function cachesToCheck (words, release) {
  const arms = (words.length > 0 ? words : await defaultWords()).map(spec => {
    // The server in the spec is replaced by that of the tests.
    const topology = parse(spec.includes('/') ? spec : `${spec}/express-json`)
    const name = print(topology)
    return { name, spec: name, topology, load: LOAD, twinOf: null }
  })
  const without = arms.find(arm => !arm.topology.proxy?.transport || !isCached(arm.topology))
  if (without) throw badOption('--caches', without.spec, 'it has no cache', `Write it as nginx:${DEFAULT_CACHE}.`)
  return (await withReleases(arms, release)).arms
}

const LOAD = { engine: 'autocannon', connections: CLIENTS, path: '/', headers: {} }

async function defaultWords () {
  const words = await Promise.all(pluginNames('proxy').map(async name => {
    const { default: { about } } = await loadPlugin('proxy', name)
    return about.options.cache ? [`${name}:${DEFAULT_CACHE}`] : []
  }))
  return words.flat()
}

/**
 * @param {Arm[]} arms
 * @param {{ temp: string, printProgress: (line: string) => void }} options printProgress: prints progress
 * @returns {Promise<CachesRecord>}
 * @throws {HopbenchError} install-failed, proxy-refused, process-died, not-ready
 */
export async function checkCaches (arms, { temp, printProgress }) {
  const started = performance.now()
  const tests = await npmTarball(TESTS, { printProgress })
  const proxies = await findProxies(arms)
  let done = 0
  /** @type {CheckedCache[]} */
  const caches = await Readable.from(arms).map(async arm => {
    const cache = await checkCache(arm, { temp, tests, proxies })
    const passed = cache.results.filter(({ passed }) => passed).length
    printProgress(`${++done} of ${arms.length}  ${cache.spec}: ${passed} of ${cache.results.length} tests passed`)
    return cache
  }, { concurrency: AT_ONCE }).toArray()
  return { schema: 1, tests: `${TESTS.name} ${TESTS.version}`, seconds: (performance.now() - started) / 1000, caches }
}

/**
 * @param {Arm} arm
 * @param {{ temp: string, tests: string, proxies: Map<string, ProxyProgram> }} options tests: folder of the package
 * @returns {Promise<CheckedCache>}
 */
async function checkCache (arm, { temp, tests, proxies }) {
  const proxy = /** @type {ProxyHop} */ (arm.topology.proxy)
  const program = /** @type {ProxyProgram} */ (proxies.get(getProgramKey(proxy)))
  const dir = makeTempDir(temp, `cache${proxy.name}`)
  const network = await openNetwork({ name: arm.name, dir, private: false })
  /** @type {Child[]} */
  const children = []
  const launch = (/** @type {ProcessSpec} */ spec) => {
    const child = start(spec)
    children.push(child)
    return child
  }
  try {
    const url = await startCache(arm, { dir, network, program, tests, launch })
    const checkedAt = new Date().toISOString()
    // Without the server, which does not influence the results.
    const spec = arm.spec.replace(/\/.*/, '')
    return { spec, proxy: proxy.name, version: program.version, checkedAt, results: await runTests(url, tests) }
  } finally {
    for (const child of children.toReversed()) await child.stop()
    await network.close()
  }
}

/**
 * Starts the server of the tests, and the cache in front of it.
 *
 * @param {Arm} arm
 * @param {{ dir: string, network: Network, program: ProxyProgram, tests: string, launch: typeof start }} options
 * @returns {Promise<string>} URL of the cache
 */
async function startCache ({ name, topology }, { dir, network, program, tests, launch }) {
  const { proxy, target, originTarget } = describe(topology, {
    dir,
    memory: memoryDir(dir) ?? undefined,
    root: dir,
    ports: { front: await network.port(PORTS.front), origin: await network.port(PORTS.origin) },
    clients: CLIENTS,
    proxy: program
  })
  await startOrigin(originTarget, { dir, tests, launch })
  const status = await startProxy(/** @type {ProxyDescription} */ (proxy), program.plugin, {
    name,
    dir,
    network,
    launch: ({ argv, env }) => launch({
      name: `the proxy of ${name}`, argv, env, cwd: dir, enter: network.enterServed, log: join(dir, 'proxy.log')
    }),
    launchRelay: launch
  })
  status.close()
  return target.url
}

/**
 * @param {{ url: string, socketPath: string | null }} target
 * @param {{ dir: string, tests: string, launch: typeof start }} options
 */
async function startOrigin ({ url, socketPath }, { dir, tests, launch }) {
  const origin = launch({
    name: `the server of ${TESTS.name}`,
    argv: [process.execPath, join(tests, TESTS.main)],
    cwd: dir,
    env: {
      npm_config_port: socketPath ?? new URL(url).port,
      npm_config_protocol: 'http',
      npm_config_pidfile: join(dir, 'server.pid')
    },
    log: join(dir, 'server.log')
  })
  await waitUntil(origin, () => /^Listening/m.test(origin.tail()))
}

/**
 * @param {string} url
 * @param {string} tests folder of the package
 * @returns {Promise<CheckedCache['results']>}
 */
async function runTests (url, tests) {
  const { exit, stdout, stderr } = await run([process.execPath, '--no-warnings', testsProgram], {
    env: { HOPBENCH_CACHE_TESTS: JSON.stringify({ folder: tests, base: url }) },
    timeoutSeconds: RUN_SECONDS
  })
  if (exit !== 0) {
    throw new HopbenchError('process-died', {
      name: `The client of ${TESTS.name}`, how: `ended with exit code ${exit}`, output: stderr
    })
  }
  return JSON.parse(stdout)
}
