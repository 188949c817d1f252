/** Turns the words and options of a command into a checked plan. */
import { toStoredCommand } from '../plan/stored-command.js'
import { badOption } from '../errors.js'
import { addOpenLoop, toOpenLoopPlan } from '../plan/open-loop.js'
import { createArm, planExperiment } from '../plan/plan.js'
import { restoreSecrets } from '../plan/stored-plan.js'
import { textWithoutSecrets } from '../shared/secrets.js'
import { aboutProtocol, loadPlugin } from '../plan/plugins.js'
import { withOwnNode } from '../topology/server-node.js'
import { withRelease } from '../topology/variants.js'
import { withScenarios } from './scenario-plan.js'
import { appsFrom, defaultTopologies, rejectUnused } from './user-apps.js'
import { acceptCompression, describeMix, isWholePage, readMix, rejectWithoutFile, toMixedArms } from './user-mix.js'
import { prefixesFrom, withPrefixes } from './user-prefixes.js'
import { requestFrom } from './user-request.js'
import { checkArm, checkPlan, rejectElsewhere } from './plan-checks.js'
import { planToResume } from './resume.js'
import { withReleases } from './user-release.js'
import { defaultPath, experimentFrom, readerFor, rejectDuplicates } from './typed-experiment.js'
import { isUrl, pinUrls } from './urls.js'
import { plural } from '../shared/format.js'
import { mergeHeaders } from '../shared/http/merge-headers.js'
import { randomFrom, shuffle } from '../shared/random.js'
import { checkRoot, listServed } from './user-files.js'
import { resolve } from 'node:path'
import { isOwn } from '../plan/spec.js'
import { hasProxyOrigin } from '../topology/proxy-origin.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { MAX_FILE_BYTES, mixOfFile, mixOfFolder, sequenceOf } from './user-paths.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Arm, Experiment, FilePrefix, OpenLoopPlan, Plan, Topology } from '../types.js' */
/** @import { Apps } from './user-apps.js' */
/** @import { Mix } from './user-mix.js' */
/** @import { RunFlags } from './types.js' */

/** Files of a page view at most, as many as the built-in page has (bench/shared/http/page-view.js). */
const MAX_FILES = 20
/** Files that browsers do not request: source maps, and precompressed twins, which are sent under another name. */
const UNREQUESTED = /\.(map|gz|br|zst)$/

/**
 * @param {string[]} words an experiment's name, or topologies
 * @param {RunFlags} options
 * @returns {Promise<{ plan: Plan, options: RunFlags, note?: string }>} note: arms that are left out; options: with
 *   the addresses of URLs
 * @throws {HopbenchError} for every kind of misuse
 */
export async function planFrom (words, options) {
  if (options.resume !== undefined) {
    rejectBesideResume(options)
    return resumable(options.resume, options)
  }
  if (options.trustRun) throw badOption('--trust-run', true, 'it requires --resume, the run that is trusted')
  return planTyped(await experimentFor(words, options), options)
}

/**
 * Rejects options that a stored run has decided.
 *
 * @param {RunFlags} options
 * @throws {HopbenchError} bad-option
 */
function rejectBesideResume ({ rate, ownNode, files, release }) {
  /** @type {[option: string, value: string | number | boolean | undefined, kept: string][]} */
  const decided = [
    ['--rate', rate, 'the rate that it was started with'],
    ['--own-node', ownNode || undefined, 'the Node that it was started with'],
    ['--files', files?.[0], 'the folders of its start'],
    ['--release', release, 'the releases of its start']
  ]
  for (const [option, value, kept] of decided) {
    if (value !== undefined) throw badOption(option, value, `a resumed run keeps ${kept}`, 'Leave it out.')
  }
}

/**
 * Makes the plan of an experiment.
 *
 * @param {Awaited<ReturnType<typeof experimentFrom>>} typed
 * @param {RunFlags} options
 * @returns {ReturnType<typeof planFrom>}
 * @throws {HopbenchError} for every kind of misuse
 */
export async function planTyped ({ name, experiment, parse, note }, options) {
  const request = requestFrom(options)
  const prefixes = prefixesFrom(options)
  rejectPath(experiment, options)
  const { root } = options
  const files = root === undefined ? null : await userFiles(experiment, { ...options, root }, parse)
  const mix = files ? null : readMix(options)
  const experimentPlan = planExperiment(name, experiment, {
    ...options,
    path: pathFrom(options.path),
    request,
    budgetSeconds: options.budget,
    warmUpSeconds: options.warmUp,
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 32)
  }, { parse, protocol: await aboutProtocol(experiment.protocol) })
  const filesPlan = { ...experimentPlan, arms: await withPrefixes(experimentPlan.arms, prefixes) }
  const { plan: requestPlan, note: pageNote } = await withRequests(filesPlan, { files, mix, prefixes, options })
  const scenarioPlan = experiment.scenario === undefined ? requestPlan : await withScenarios(requestPlan, options)
  const nodeArms = options.ownNode ? scenarioPlan.arms.map(withOwnNode) : scenarioPlan.arms
  const { arms, notes: releaseNotes } = await withReleases(nodeArms, options.release)
  const plan = await withRate({ ...scenarioPlan, arms }, options)
  rejectElsewhere(plan, options)
  await checkPlan(plan)
  const urlAddresses = await pinUrls(plan, options.allowHost)
  const described = mix ?? files
  const notes = [...[note, pageNote].flatMap(text => text ?? []), ...described ? describeMix(described) : [],
    ...releaseNotes]
  const command = toStoredCommand(options.argv ?? [])
  return {
    plan: { ...plan, command },
    options: { ...options, urlAddresses },
    ...notes.length > 0 && { note: notes.join('\n') }
  }
}

/**
 * Returns the plan with the requests of a folder, of a mix, or of a page of an app whose files are known.
 *
 * @param {Plan} plan
 * @param {object} typed
 * @param {Awaited<ReturnType<typeof userFiles>> | null} typed.files
 * @param {ReturnType<typeof readMix>} typed.mix
 * @param {ReturnType<typeof prefixesFrom>} typed.prefixes
 * @param {RunFlags} typed.options
 * @returns {Promise<{ plan: Plan, note?: string }>}
 */
async function withRequests (plan, { files, mix, prefixes, options }) {
  if (files) return { plan: withUserFiles(plan, files) }
  const hasFiles = prefixes.length > 0
  if (!mix) {
    const accepting = { ...plan, arms: acceptCompression(plan.arms) }
    return hasFiles && requestsOnePath(plan) ? withPageOfFiles(accepting, prefixes) : { plan: accepting }
  }
  const isPage = hasFiles && options.har !== undefined && plan.unit === 'requests' && isWholePage(mix)
  const mixed = { ...plan, arms: await toMixedArms(plan.arms, plan.seed, mix) }
  return { plan: isPage ? { ...mixed, unit: 'pages' } : mixed }
}

/**
 * Adds the open loop of --rate to a plan, if there is one.
 *
 * @param {Plan} plan
 * @param {RunFlags} options
 */
async function withRate (plan, { rate, budget, load }) {
  if (rate === undefined) return plan
  if (load) throw badOption('--rate', rate, 'the open loop runs on one machine', 'Leave out --load-hosts.')
  const whole = addOpenLoop(plan, rate, { budgetSeconds: budget })
  await checkPlan(toOpenLoopPlan({ ...whole, openLoop: /** @type {OpenLoopPlan} */ (whole.openLoop) }))
  return whole
}

/**
 * @param {Experiment} experiment
 * @param {RunFlags} options
 */
function rejectPath ({ arms, unit }, { path }) {
  if (path === undefined) return
  const isOfUrl = Object.values(arms).some(entry => typeof entry !== 'string' && isUrl(entry.topology))
  if (isOfUrl) throw badOption('--path', path, 'each URL has a path of its own')
  if (unit === 'pages') throw badOption('--path', path, 'this experiment requests all paths of a page')
}

/**
 * Returns the experiment. If another machine makes the load, replaces a protocol that needs all processes on this
 * machine, because a pause over the network takes an unknown part of a turn.
 *
 * @param {string[]} words
 * @param {RunFlags} options
 */
async function experimentFor (words, options) {
  const typed = await experimentFrom(words, appsFrom(options), options.files !== undefined)
  if (options.load === undefined) return typed
  const { elsewhere } = await aboutProtocol(typed.experiment.protocol)
  return elsewhere ? { ...typed, experiment: { ...typed.experiment, protocol: elsewhere } } : typed
}

/**
 * Builds and checks an arm from one topology.
 *
 * @param {string} spec
 * @param {Partial<RunFlags> & { connections: number }} options
 * @returns {Promise<Arm>}
 */
export const armFrom = async (spec, options) => (await armsFrom([spec], options))[0]

/**
 * Builds and checks arms from topologies.
 *
 * @param {string[]} typedWords empty: those of the apps
 * @param {Partial<RunFlags> & { connections: number }} options
 * @returns {Promise<Arm[]>} empty without topologies and apps
 * @throws {HopbenchError} for every kind of misuse
 */
export async function armsFrom (typedWords, { connections, path, ownNode, release, ...options }) {
  const apps = appsFrom(options)
  const request = requestFrom(options)
  const prefixes = prefixesFrom(options)
  const words = typedWords.length > 0 ? typedWords : defaultTopologies(apps, prefixes.length > 0)
  const topologies = words.map(readerFor(apps))
  rejectUnused(apps, topologies)
  const created = await Promise.all(topologies.map(async topology =>
    createArm(topology, { connections, path: pathFrom(path) ?? await defaultPath([topology]), ...request })))
  const nodeArms = ownNode ? created.map(withOwnNode) : created
  // Unlike an experiment, a typed proxy that cannot come from a release is refused with the reason.
  const ofRelease = release === undefined ? nodeArms : nodeArms.map(arm => withRelease(arm, release))
  const arms = acceptCompression(await withPrefixes(ofRelease, prefixes))
  await Promise.all(arms.map(checkArm))
  rejectDuplicates(arms)
  return arms
}

/**
 * @param {string} [path] as typed
 * @param {string} [option]
 * @throws {HopbenchError} bad-option
 */
export function pathFrom (path, option = '--path') {
  const reject = (/** @type {string} */ why) => badOption(option, path, why)
  if (path !== undefined && !path.startsWith('/')) throw reject('a path begins with /')
  // eslint-disable-next-line no-control-regex
  if (path !== undefined && /[\u0000-\u001f\u007f]/.test(path)) throw reject('it contains control characters')
  return path
}

/**
 * Checks a stored plan like a new one, because its file is untrusted and this machine may have changed.
 *
 * @param {string} run
 * @param {RunFlags} options
 */
async function resumable (run, options) {
  const mix = readMix(options)
  const request = { ...requestFrom(options), path: pathFrom(options.path), ...mix && { requests: [...mix.mix.keys()] } }
  const given = { request, apps: appsFrom(options) }
  const stored = await planToResume(run, options)
  rejectOtherApps(stored, given.apps)
  const plan = restoreSecrets(stored, run, given)
  for (const { load } of plan.arms) pathFrom(load.path)
  rejectElsewhere(plan, options)
  await checkPlan(plan)
  return { plan, options: { ...options, urlAddresses: await pinUrls(plan, options.allowHost) } }
}

/**
 * Rejects an app that the stored run does not start with the same command, because it would be ignored.
 *
 * @param {Plan} plan stored, without secrets
 * @param {Apps} apps
 */
function rejectOtherApps ({ arms }, apps) {
  for (const [name, { run }] of Object.entries(apps)) {
    const isStored = arms.some(({ topology: { server } }) =>
      server?.name === name && server.command?.run === textWithoutSecrets(run))
    if (isStored) continue
    throw badOption('--app', textWithoutSecrets(run), 'the run to resume starts another app',
      'Repeat the command of the first start.')
  }
}

/**
 * Returns the plan with page views in place of requests: the path of each arm, and up to 20 files of the prefixes. With
 * more files the seed chooses. Clients accept gzip, as all browsers do.
 *
 * @param {Plan} plan
 * @param {FilePrefix[]} prefixes at least one
 * @returns {{ plan: Plan, note: string }} note: what is requested
 * @throws {HopbenchError} root-unreadable, root-empty
 */
export function withPageOfFiles (plan, prefixes) {
  const all = listFiles(prefixes)
  const chosen = all.length > MAX_FILES ? shuffle(all, randomFrom(plan.seed, 'page')).slice(0, MAX_FILES) : all
  const files = [...chosen].sort()
  const toPageView = (/** @type {Arm} */ { load, ...arm }) => ({
    ...arm,
    load: { ...load, paths: [load.path, ...files], headers: mergeHeaders({ 'Accept-Encoding': 'gzip' }, load.headers) }
  })
  const count = chosen.length < all.length
    ? `${chosen.length} of ${plural(all.length, 'file')}, chosen by the seed`
    : plural(all.length, 'file')
  return {
    plan: { ...plan, unit: 'pages', arms: plan.arms.map(toPageView) },
    note: `A page view is ${plan.arms[0].load.path} and ${count}. --har takes the requests of a real page.`
  }
}

/**
 * Lists the files of all prefixes that a browser may request.
 *
 * @param {FilePrefix[]} prefixes
 * @returns {string[]} paths of requests
 */
const listFiles = prefixes => prefixes.flatMap(({ prefix, folder }) => checkRoot(folder)
  .filter(({ path, bytes }) => bytes <= MAX_FILE_BYTES && !UNREQUESTED.test(path))
  .map(({ path }) => `${prefix}${path}`))

/**
 * Whether all arms send a plain GET for one path, so that a page view can take its place.
 *
 * @param {Pick<Plan, 'unit' | 'arms'>} plan
 */
const requestsOnePath = ({ unit, arms }) => unit === 'requests' && arms.every(({ load }) =>
  [load.method, load.body, load.paths, load.requests].every(value => value === undefined))

/**
 * @param {Experiment} experiment
 * @param {RunFlags & { root: string }} options
 * @param {(spec: string) => Topology} parse
 * @returns {Promise<{ root: string, mix: Map<string, number> | null } & Pick<Mix, 'about' | 'notes'>>} mix: number of
 *   requests by path; null: only the path of --path is requested
 */
async function userFiles (experiment, { root, paths, path, ...options }, parse) {
  const reject = (/** @type {string} */ why) => badOption('--root', root, why)
  const entries = Object.values(experiment.arms)
  if (entries.some(entry => typeof entry !== 'string' && (entry.load?.path ?? entry.load?.paths))) {
    throw reject('this experiment has its own files')
  }
  for (const entry of entries) {
    const topology = parse(typeof entry === 'string' ? entry : entry.topology)
    const { server } = topology
    if (!server || hasProxyOrigin(topology)) continue
    if (isOwn(server)) throw reject(`${server.name} is an app of your own, and which files it serves is unknown`)
    const { about } = await loadPlugin('server', server.name)
    if (!about.serves.includes('static')) throw reject(`${server.name} serves JSON, not files`)
  }
  const dir = resolve(callerCwd(), root)
  rejectWithoutFile({ ...options, paths })
  // A folder that cannot be read is rejected. The files that are named may be large ones only.
  if ((path ?? paths) !== undefined) listServed(dir)
  if (path !== undefined) return { root: dir, mix: null, about: null, notes: [] }
  if (paths === undefined) return { root: dir, ...mixOfFolder(dir) }
  return { root: dir, ...mixOfFile(resolve(callerCwd(), paths), dir, options.logFormat) }
}

/**
 * Returns the plan with the folder and its paths.
 *
 * @param {Plan} plan
 * @param {{ root: string, mix: Map<string, number> | null }} files
 * @returns {Plan}
 */
function withUserFiles (plan, { root, mix }) {
  const arms = acceptCompression(plan.arms)
  if (!mix) return { ...plan, root, arms }
  const paths = sequenceOf(mix, plan.seed)
  return { ...plan, root, arms: arms.map(arm => ({ ...arm, load: { ...arm.load, path: paths[0], paths } })) }
}
