/** Checks servers as shipped and as recommended: each alone, and behind each proxy. */
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { HopbenchError, badOption } from '../../errors.js'
import { loadPlugin, pluginNames } from '../../plan/plugins.js'
import { findProxies, findRuntimes } from '../../measure/find-programs.js'
import { FILES, hasNoConnection, toForms, toServerName } from '../../judge/check-failures.js'
import { withOwnNode } from '../../topology/server-node.js'
import { packageFolder } from '../../machine/setup/npm-packages.js'
import { readOwnText } from '../../machine/files/own-files.js'
import { makeTempDir } from '../../machine/files/temp.js'
import { createArm } from '../../plan/plan.js'
import { parse, transports, withCommands } from '../../plan/spec.js'
import { toVersionText } from '../../shared/releases.js'
import { textWithoutSecrets } from '../../shared/secrets.js'
import { canListen, getListenWay } from '../../topology/describe/describe-command.js'
import { serverFile } from '../../topology/server-packages.js'
import { withReleases } from '../../request/user-release.js'
import { createTestedChain } from './chain.js'
import { makeSite } from './site.js'
import { Turns } from './turns.js'
import { onNoResponse } from './client.js'
import { fail, getEvidence, traced, untested } from './outcome.js'

/** @import { AppCommand, Arm, CheckRecord, CheckResult, CheckedChain, CheckedServer } from '../../types.js' */
/** @import { ProxyPlugin } from '../../types.js' */
/** @import { Apps } from '../../request/user-apps.js' */
/** @import { TestedChain } from './chain.js' */
/** @import { Topic, TopicProbe } from './types.js' */

/** Limits the chains that are checked at once, because on a busy machine a server looks slow. */
const MAX_AT_ONCE = 4

/**
 * The servers that can be checked: those that serve files.
 *
 * @param {string[]} names as typed; none: the apps, or else all
 * @param {Apps} [apps] of --app
 * @returns {Promise<string[]>}
 * @throws {HopbenchError} unknown-plugin, bad-plugin, bad-option
 */
export async function serversToCheck (names, apps = {}) {
  const own = Object.keys(apps)
  const unused = own.find(name => !names.includes(name))
  if (names.length > 0 && unused !== undefined) {
    throw badOption('--app', textWithoutSecrets(apps[unused].run), `"${unused}" is not among the servers to check`,
      `Add ${unused} to them, or leave them out.`)
  }
  if (names.length === 0 && own.length > 0) return own
  if (names.length === 0) {
    // Includes a server whose package is missing. Its chains report the error, and the other servers are checked.
    const all = await Promise.all(pluginNames('server').map(async name =>
      await isStaticServer(name).catch(() => true) ? [name] : []))
    return [...all.flat(), FILES]
  }
  for (const name of names) {
    if (name === FILES || own.includes(name) || await isStaticServer(name)) continue
    throw badOption('A server to check', name, 'it serves JSON, and the check is about files')
  }
  return [...new Set(names)]
}

/** @param {string} name */
const isStaticServer = async name => (await loadPlugin('server', name)).about.serves.includes('static')

/**
 * Returns the chains of each server as shipped, and those of its recommended form if it has one.
 *
 * @param {string[]} names of servers
 * @param {{ bare: boolean, few?: boolean, apps?: Apps, ownNode?: boolean, release?: string }} options bare: without
 *   proxies; few: over the first and the last transport of a proxy only, which differ most (of 38,252 results five
 *   differed between transports, all of probes that fail by chance); ownNode: servers run under the Node that runs
 *   hopbench; release: Debian release of the proxies that can come from one
 * @returns {Promise<Map<string, Arm[]>>} the chains of each form of a server, those without a proxy first
 * @throws {HopbenchError} bad-option
 */
export async function chainsOf (names, { bare, few = false, apps = {}, ownNode = false, release }) {
  const forms = await Promise.all(names.map(async name =>
    await hasBothForms(name, apps) ? Object.values(toForms(name)) : [name]))
  return new Map(await Promise.all(forms.flat().map(async name => {
    const command = Object.hasOwn(apps, name) ? { ...apps[name], servesRoot: true } : undefined
    const bareWords = toServerName(name) === FILES || command?.listen.every(way => way === 'unix') ? [] : [name]
    const words = bare ? bareWords : [...bareWords, ...await proxyWords(name, { command, few })]
    if (command && words.length === 0) {
      throw badOption('--listen', '$SOCKET', 'without a proxy, the check connects over TCP', "Add --listen '$PORT'.")
    }
    const topologies = words.map(spec => withCommands(parse(spec), command ? { [name]: command } : {}))
    const { arms } = await withReleases(topologies.map(topology => createArm(topology)), release)
    return /** @type {const} */ ([name, ownNode ? arms.map(withOwnNode) : arms])
  })))
}

/**
 * @param {string} name
 * @param {Apps} apps
 */
async function hasBothForms (name, apps) {
  if (Object.hasOwn(apps, name)) return false
  if (name === FILES) return true
  const about = await loadAbout(name)
  return about?.production !== undefined && 'settings' in about.production
}

/** Returns null if the server cannot be imported. @param {string} name */
const loadAbout = name => loadPlugin('server', name).then(module => module.about, () => null)

/**
 * @param {string} server
 * @param {{ command?: AppCommand, few: boolean }} options command: that starts the server; few: as of chainsOf()
 */
async function proxyWords (server, { command, few }) {
  const words = await Promise.all(pluginNames('proxy').map(async proxy => {
    const { default: { about } } = /** @type {{ default: ProxyPlugin }} */ (await loadPlugin('proxy', proxy))
    if (server === FILES) return about.static ? [`${proxy}/${FILES}`] : []
    if (server === toForms(FILES).shipped) return about.options.shipped ? [`${proxy}+shipped/${FILES}`] : []
    return (about.transports ?? transports)
      .filter(transport => !command || canListen(command, transport))
      .filter((_, i, { length }) => !few || i === 0 || i === length - 1)
      .map(transport => `${proxy}:${transport}/${server}`)
  }))
  return words.flat()
}

/**
 * @param {Map<string, Arm[]>} chains
 * @param {{ temp: string, cwd: string, printProgress: (line: string) => void }} options printProgress: prints progress
 * @returns {Promise<CheckRecord>}
 */
export async function checkServers (chains, { temp, cwd, printProgress }) {
  const started = performance.now()
  const probes = await loadProbes()
  const listed = [...chains].flatMap(([name, arms]) => arms.map(arm => ({ name, arm })))
  const arms = listed.map(({ arm }) => arm)
  const proxies = await findProxies(arms)
  let folders = 0
  const options = { temp, cwd, proxies, next: () => folders++, turns: new Turns() }
  /** @type {Map<string, Set<string>>} */
  const deadly = new Map([...chains.keys()].map(name => [name, new Set()]))
  let done = 0
  // Exceeds the number of cores, because many probes wait.
  // An app with a port of its own can run only once.
  const hasOwnPort = arms.some(({ topology }) => typeof getListenWay(topology) === 'number')
  const atOnce = hasOwnPort ? 1 : Math.min(MAX_AT_ONCE, 2 * availableParallelism())
  /** @type {CheckedChain[]} */
  const checked = await Readable.from(listed).map(async ({ name, arm }) => {
    const chain = await checkChain(arm, probes, deadly.get(name), options)
    printProgress(`${++done} of ${arms.length}  ${arm.spec}: ${summarize(chain)}`)
    return chain
  }, { concurrency: atOnce }).toArray()
  const servers = await Promise.all([...chains].map(([name, arms]) =>
    createServerRecord(name, arms, checked.filter(({ spec }) => arms.some(arm => arm.spec === spec)))))
  return {
    schema: 1,
    tools: Object.fromEntries([...proxies].map(([key, program]) => [key, toVersionText(program)])),
    seconds: (performance.now() - started) / 1000,
    probes: probes.map(({ name, title, topic, rfc, safety }) => ({ name, title, topic, rfc, safety })),
    servers
  }
}

/**
 * @param {Arm} arm
 * @param {TopicProbe[]} probes
 * @param {Set<string> | undefined} deadly
 * @param {Parameters<typeof createTestedChain>[2] & { turns: Turns }} options
 */
async function checkChain (arm, probes, deadly, options) {
  const site = makeSite(makeTempDir(options.temp, `site${options.next()}`))
  const about = {
    spec: arm.spec,
    proxy: arm.topology.proxy?.name ?? null,
    transport: arm.topology.proxy?.transport ?? null
  }
  try {
    const found = await runProbes(createTestedChain(arm, site, options), probes, deadly, options.turns)
    const results = JSON.stringify(found).replaceAll(site.outside, '/srv')
    return { ...about, error: null, results: JSON.parse(results) }
  } catch (error) {
    // An app of your own that does not start alone starts behind no proxy either.
    const isAppAlone = arm.topology.server?.command && !arm.topology.proxy
    if (!(error instanceof HopbenchError) || isAppAlone) throw error
    const errorLine = String(error.details.output ?? '').split('\n').find(line => /error/i.test(line))
    return { ...about, error: [error.message, errorLine?.trim()].filter(Boolean).join(' '), results: [] }
  }
}

/**
 * @param {string} name
 * @param {Arm[]} arms
 * @param {CheckedChain[]} chains
 */
async function createServerRecord (name, arms, chains) {
  const server = toServerName(name)
  const about = server === FILES ? null : await loadAbout(server)
  const [found] = (await findRuntimes(arms)).values()
  return {
    name,
    about,
    version: about?.package ? await findPackageVersion(server, about.package) : null,
    checkedAt: new Date().toISOString(),
    // Node of the server, which is not the one that runs hopbench if that is past its end of life.
    node: found?.runtime.version ?? process.versions.node,
    chains
  }
}

/**
 * @param {string} server
 * @param {string} name of its package
 */
async function findPackageVersion (server, name) {
  const folder = packageFolder(name, await serverFile(server))
  return folder && JSON.parse(readOwnText(join(folder, 'package.json'))).version
}

/** @param {CheckedChain} chain */
function summarize ({ error, results }) {
  if (error) return error
  const failed = results.filter(({ outcome }) => outcome === 'fail').length
  return `${failed} of ${results.length} probes failed`
}

/** Milliseconds after a probe in which a death of the server is attributed to the probe. */
const USUAL_PATIENCE_MS = 2
/** The same for a probe that is repeated, because it is suspected of causing a death. */
const PATIENCE_MS = 200

const folder = new URL('./probes/', import.meta.url)

/**
 * Imports all files in probes/. Each file is a topic.
 *
 * @returns {Promise<TopicProbe[]>} topic by topic
 */
export async function loadProbes () {
  /** @type {{ default: Topic }[]} */
  const modules = await Promise.all(readdirSync(folder).sort().map(file => import(new URL(file, folder).href)))
  return modules.flatMap(({ default: { topic, probes } }) => probes.map(probe => ({ ...probe, topic })))
}

/**
 * Runs probes one after the other, and restarts the server if a probe ends it.
 *
 * @param {TestedChain} chain not started yet
 * @param {TopicProbe[]} probes
 * @param {Set<string>} [deadly] names of probes that end this server; shared by the runs of all chains of a server
 * @param {Turns} [turns] shared by all chains
 * @returns {Promise<CheckResult[]>} one result per probe, in their order
 * @throws {HopbenchError} if the server cannot be started at all
 */
export async function runProbes (chain, probes, deadly = new Set(), turns = new Turns()) {
  /** @type {CheckResult[]} */
  const results = []
  const restart = () => chain.start().then(() => true, () => false)
  /**
   * Repeats the last probe, and if the server survives, the probe before. A server can die after a delay, so that the
   * death was attributed to the wrong probe.
   *
   * @param {TopicProbe} last
   * @param {TopicProbe | undefined} previous
   * @returns {Promise<boolean>} whether the server is up again
   */
  const findCause = async (last, previous) => {
    const lastResult = await tryProbe(last, chain, turns, PATIENCE_MS)
    const isUp = await restart()
    if (lastResult.died) {
      deadly.add(last.name)
      return isUp
    }
    if (!previous || !isUp) return isUp
    const previousResult = await tryProbe(previous, chain, turns, PATIENCE_MS)
    if (previousResult.died) {
      deadly.add(previous.name)
      results.splice(-2, 2, previousResult, lastResult)
    }
    return restart()
  }
  await chain.start()
  let isUp = true
  try {
    for (const [i, probe] of probes.entries()) {
      if (!isUp) {
        results.push({ probe: probe.name, ...untested('the server could not be started again'), died: false })
        continue
      }
      const result = await tryProbe(probe, chain, turns, USUAL_PATIENCE_MS)
      results.push(result)
      if (!result.died) continue
      isUp = await restart()
      if (isUp && !deadly.has(probe.name)) isUp = await findCause(probe, probes[i - 1])
    }
    return results
  } finally {
    await chain.stop()
  }
}

/**
 * Runs a probe, and repeats it once if it had no connection. The server has responded after the first attempt.
 *
 * @param {TopicProbe} probe
 * @param {TestedChain} chain
 * @param {Turns} turns
 * @param {number} patienceMs
 * @returns {Promise<CheckResult>} untested: the second attempt had no connection either
 */
async function tryProbe (probe, chain, turns, patienceMs) {
  const result = await runProbe(probe, chain, turns, patienceMs)
  if (!hasNoConnection(result)) return result
  const repeated = await runProbe(probe, chain, turns, patienceMs)
  if (!hasNoConnection(repeated)) return repeated
  return { ...repeated, ...untested(`no connection in two attempts: ${repeated.saw}`) }
}

/**
 * @param {TopicProbe} probe
 * @param {TestedChain} chain
 * @param {Turns} turns
 * @param {number} patienceMs
 * @returns {Promise<CheckResult>}
 */
const runProbe = (probe, chain, turns, patienceMs) => traced(async () => {
  const context = chain.context()
  const run = () => probe.run(context).catch(onNoResponse(error => fail(error.message)))
  // Behind a proxy no CPU time is measured, so that no other chain has to wait.
  const finding = await turns.take(run, probe.alone === true && !context.proxied)
  const evidence = { ...getEvidence(), ...finding.evidence && { evidence: finding.evidence } }
  const death = await chain.death(patienceMs)
  if (death === null) return { probe: probe.name, ...finding, died: false }
  const cause = finding.outcome === 'fail' ? `${finding.saw}; ${death}` : death
  return { probe: probe.name, ...fail(cause), ...evidence, died: true }
})
