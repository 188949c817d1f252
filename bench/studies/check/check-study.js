/** Checks servers: each bare, and behind each proxy over each transport. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { loadPlugin, pluginNames } from '../../plugins.js'
import { findProxies } from '../../measure/stage.js'
import { packageFolder } from '../../machine/setup/npm-packages.js'
import { makeTempDir } from '../../machine/temp.js'
import { createArm } from '../../plan/plan.js'
import { parse, transports } from '../../plan/word.js'
import { serverFile } from '../../topology/server-packages.js'
import { chainOf } from './chain.js'
import { loadProbes } from './probes.js'
import { runProbes } from './turns.js'
import { makeSite } from './site.js'
import { oneAtATime, workThrough } from './turn.js'

/** @import { Arm, CheckRecord, CheckedChain, CheckedServer, ProxyPlugin, ServerAbout } from '../../types.js' */
/** @import { Rig, TopicProbe } from './types.js' */

/** As a server's name: the proxies themselves, serving the files. */
export const FILES = 'files'
/** More at once would make a busy machine look like a slow server. One more than there are cores: many probes wait. */
const MOST_AT_ONCE = 4

/**
 * The servers that can be checked: those that serve files.
 *
 * @param {string[]} names as typed; none: all
 * @returns {Promise<string[]>}
 * @throws {HopbenchError} unknown-plugin, bad-plugin, bad-option
 */
export async function serversToCheck (names) {
  if (names.length === 0) {
    const all = await Promise.all(pluginNames('server').map(async name => await mayServeFiles(name) ? [name] : []))
    return [...all.flat(), FILES]
  }
  for (const name of names.filter(name => name !== FILES)) {
    if (!await servesFiles(name)) {
      throw new HopbenchError('bad-option', {
        option: 'A server to check',
        value: name,
        why: 'it serves JSON, and the check is about files'
      })
    }
  }
  return [...new Set(names)]
}

/** @param {string} name */
const servesFiles = async name =>
  /** @type {ServerAbout} */ ((await loadPlugin('server', name)).about).serves.includes('static')

/** One package that is not installed is no reason not to check the others: its own chains will say so.
 * @param {string} name */
const mayServeFiles = name => servesFiles(name).catch(() => true)

/**
 * @param {string[]} names of servers
 * @param {{ bare: boolean }} options bare: without proxies
 * @returns {Promise<Map<string, Arm[]>>} the chains of each server, those without a proxy first
 */
export async function chainsOf (names, { bare }) {
  /** @type {Map<string, Arm[]>} */
  const chains = new Map()
  for (const name of names) {
    const words = bare ? [] : await proxyWords(name)
    const all = name === FILES ? words : [name, ...words]
    chains.set(name, all.map(word => createArm(parse(word))))
  }
  return chains
}

/** @param {string} server */
async function proxyWords (server) {
  const words = await Promise.all(pluginNames('proxy').map(async proxy => {
    const { default: { about } } = /** @type {{ default: ProxyPlugin }} */ (await loadPlugin('proxy', proxy))
    if (server !== FILES) {
      return (about.transports ?? transports).map(transport => `${proxy}:${transport}/${server}`)
    }
    return about.static ? [`${proxy}/${FILES}`] : []
  }))
  return words.flat()
}

/**
 * @param {Map<string, Arm[]>} chains
 * @param {{ temp: string, cwd: string, say: (line: string) => void }} options `say` takes progress
 * @returns {Promise<CheckRecord>}
 */
export async function checkServers (chains, { temp, cwd, say }) {
  const started = performance.now()
  const probes = await loadProbes()
  const arms = [...chains.values()].flat()
  const proxies = await findProxies(arms)
  let folders = 0
  const rig = { temp, cwd, proxies, next: () => folders++, turn: oneAtATime() }
  const deadly = new Map([...chains.keys()].map(name => [name, new Set()]))
  /** @type {Map<Arm, CheckedChain>} */
  const checked = new Map()
  await workThrough(arms, Math.min(MOST_AT_ONCE, availableParallelism() + 1), async arm => {
    const chain = await checkChain(arm, probes, deadly.get(arm.topology.server?.name ?? FILES) ?? new Set(), rig)
    checked.set(arm, chain)
    say(`${checked.size} of ${arms.length}  ${arm.word}: ${summaryOf(chain)}`)
  })
  const servers = await Promise.all(
    [...chains].map(([name, arms]) => serverRecord(name, arms.map(arm => /** @type {any} */ (checked.get(arm)))))
  )
  return {
    schema: 1,
    tools: Object.fromEntries([...proxies].map(([name, { version }]) => [name, version])),
    seconds: (performance.now() - started) / 1000,
    probes: probes.map(({ name, title, topic, rfc, safety }) => ({ name, title, topic, rfc, safety })),
    servers
  }
}

/**
 * @param {Arm} arm
 * @param {TopicProbe[]} probes
 * @param {Set<string>} deadly
 * @param {Rig} rig
 */
async function checkChain (arm, probes, deadly, rig) {
  const site = makeSite(makeTempDir(rig.temp, `site${rig.next()}`))
  const about = {
    word: arm.word,
    proxy: arm.topology.proxy?.name ?? null,
    transport: arm.topology.proxy?.transport ?? null
  }
  try {
    return { ...about, error: null, results: await runProbes(chainOf(arm, site, rig), probes, deadly) }
  } catch (error) {
    if (!(error instanceof HopbenchError)) throw error
    const lines = String(error.details.output ?? '').trim().split('\n')
    return {
      ...about,
      error: [error.message, lines.find(line =>
        /error/i.test(line)
      )?.trim()].filter(Boolean).join(' '),
      results: []
    }
  }
}

/**
 * @param {string} name
 * @param {CheckedChain[]} chains
 */
async function serverRecord (name, chains) {
  const about = name === FILES ? null : await loadPlugin('server', name).then(module => module.about, () => null)
  return {
    name,
    about,
    version: about?.package ? await versionOf(name, about.package) : null,
    checkedAt: new Date().toISOString(),
    node: process.version.slice(1),
    chains
  }
}

/**
 * @param {string} server
 * @param {string} name of its package
 */
async function versionOf (server, name) {
  const folder = packageFolder(name, await serverFile(server))
  return folder && JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}

/** @param {CheckedChain} chain */
function summaryOf ({ error, results }) {
  if (error) return error
  const failed = results.filter(({ outcome }) => outcome === 'fail').length
  return `${failed} of ${results.length} probes failed`
}
