/** Writes what an advice leads to: the deploy kit, and the advice as a page and as Markdown beside it. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { explain, HopbenchError, withoutControls } from '../../errors.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { describeFileError, isSystemError } from '../../machine/files/file-failures.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { inOwnWords } from '../../machine/own-command.js'
import { hasProxy, withOption, withProxy } from '../../plan/changed-spec.js'
import { toProductionLine } from '../../plan/runtimes.js'
import { listing } from '../../shared/format.js'
import { cell, reportMarkdown } from '../../report/markdown.js'
import { renderSvg, sectionsPage } from '../../report/page/page.js'
import { TARGETS, isPython, listNotOffered, makeKit } from '../deploy/index.js'
import { findNodeLine } from '../../request/node-line.js'
import { readManifest } from '../../request/project-paths.js'
import { armFrom } from '../../request/request.js'
import { SIMPLEST, countKeptBuilds } from './advice.js'
import kind, { toChain } from './kind.js'

/** @import { AdviceRecord, AdviceState } from '../../types.js' */
/** @import { AdviseFlags, AdviseRequest } from './request.js' */

/** Client connections that the proxy of a kit must hold, as `hopbench config` has it by default. */
const CONNECTIONS = 1000

/**
 * @param {string} spec
 * @param {AdviseRequest} request
 * @param {AdviseFlags} options
 */
export const toKitArm = (spec, { run, paths }, { listen, readyWithin, files, filesHidden }) =>
  armFrom(spec, { connections: CONNECTIONS, path: paths[0], app: [run], listen, readyWithin, files, filesHidden })

/**
 * Returns the line of Node for an image: the one for production if the decision is to take it, else the one that the
 * project names, or that of this machine.
 *
 * @param {Pick<AdviceState, 'facts' | 'decisions'>} state
 * @param {Record<string, any>} manifest package.json
 */
function chooseNodeLine ({ facts: { machine: { node }, today }, decisions }, manifest) {
  const isNew = decisions.some(({ rule, decision }) => rule === 'node-line' && decision === 'do')
  if (isNew) return toProductionLine(node, today)
  const own = Number(node.split('.')[0])
  return findNodeLine(callerCwd(), manifest, own, today)?.major ?? own
}

/**
 * Returns the command that builds the app in its image, which has no files that git ignores: the script "build", which
 * buildpacks run, too.
 *
 * @param {Pick<AdviseRequest, 'platform' | 'run'>} request
 * @returns {string | undefined} undefined: the app has no such script, or the kit builds no image of its own
 */
function chooseBuild ({ platform: { target }, run }) {
  const { scripts } = readManifest(callerCwd())
  if (isPython(run)) return undefined
  const buildsImage = TARGETS[target].templates.includes('Dockerfile') && !existsSync(join(callerCwd(), 'Dockerfile'))
  return buildsImage && typeof scripts?.build === 'string' ? 'npm run build' : undefined
}

/**
 * Describes, before a measurement, why there is no kit of the app alone, or of the app with nginx. Writes nothing.
 * @param {AdviseRequest} request
 * @param {AdviseFlags} options
 * @returns {Promise<string | null>} a note of the advice; null: both kits can be written
 */
export async function findKitFault (request, options) {
  const { platform: { target }, out, paths: [path], prefixes } = request
  const build = chooseBuild(request)
  for (const spec of [SIMPLEST, prefixes.length > 0 ? withOption(SIMPLEST, 'static') : withProxy(SIMPLEST)]) {
    try {
      await makeKit(await toKitArm(spec, request, options), { target, out, path, build, isTrial: true })
    } catch (error) {
      if (!(error instanceof HopbenchError)) throw error
      return describeKitFault(error)
    }
  }
  return null
}

/**
 * Describes why a kit was not written.
 * @param {HopbenchError} error
 * @returns {string} a note of the advice, in one line
 */
export const describeKitFault = error => `kit: ${explain(error).text.replaceAll('\n', ' ').trim()}`

/**
 * Returns the options of nginx that keep the names and the limit of the project. A router in front has the names.
 * @param {AdviceState['facts']} facts
 * @returns {Record<string, string | number>}
 */
const toProxyOptions = ({ own, platform: { endsTls } }) => ({
  ...own && own.hosts.length > 0 && !endsTls && { host: own.hosts.join(',') },
  ...own?.maxBody && { max_body: own.maxBody }
})

/**
 * Describes what a kit does not keep of the names and the limit of the project.
 * @param {string} spec
 * @param {AdviceState['facts']} facts
 * @returns {string[]} notes of the advice
 */
export function describeLost (spec, { own, platform: { endsTls } }) {
  if (!own) return []
  const names = own.hosts.length > 0 ? [`the names ${listing(own.hosts)}`] : []
  const limit = own.maxBody === null ? [] : [`the limit of bodies (${own.maxBody} MiB)`]
  const lost = hasProxy(spec) ? endsTls ? names : [] : [...names, ...limit]
  const why = hasProxy(spec) ? 'the router of the platform has them' : 'it has no nginx'
  return lost.length > 0 ? [`kit: it does not keep ${listing(lost)}, because ${why}.`] : []
}

/**
 * Writes the deploy kit of a topology.
 * @param {string} spec
 * @param {{ request: AdviseRequest, options: AdviseFlags, state: AdviceState,
 *   printProgress: (line: string) => void }} advice
 * @returns {Promise<NonNullable<AdviceRecord['kit']>>}
 * @throws {HopbenchError} cannot-deploy, not-sized, kit-in-the-way, kit-not-writable, bad-option
 */
export async function writeKit (spec, { request, options, state, printProgress }) {
  const { results, force } = options
  const path = request.paths[0]
  const arm = await toKitArm(spec, request, options)
  const manifest = readManifest(callerCwd())
  const { dir, files: written, notes, next, ownImage, nodeLine } = await makeKit(arm, {
    target: request.platform.target,
    out: request.out,
    force,
    results,
    path,
    nodeLine: chooseNodeLine(state, manifest),
    build: chooseBuild(request),
    keepBuilds: countKeptBuilds(spec, state.facts),
    proxyOptions: toProxyOptions(state.facts),
    // A sizing of another topology has no settings for this one.
    ...state.sizing?.spec === spec && { from: state.sizing.run, plan: state.sizing.offering }
  })
  for (const line of notes) printProgress(line)
  return {
    dir,
    files: written,
    next: next.map(inOwnWords),
    ownImage,
    nodeLine: ownImage || !written.includes('Dockerfile') ? null : nodeLine,
    notOffered: await listNotOffered({ name: request.platform.target, kind: 'kit' })
  }
}

/**
 * Writes advice.md, its picture, and advice.html.
 * @param {AdviceRecord} record
 * @param {string} out folder, as typed
 * @returns {string[]} paths relative to the folder in which hopbench was started
 * @throws {HopbenchError} kit-not-writable
 */
export function writeAdvice (record, out) {
  const dir = resolve(callerCwd(), out)
  const title = `Advice for ${record.facts.project.name}`
  const heading = withoutControls(`# ${cell(title)}\n\n![${cell(toChain(record))}](advice.svg)`)
  const texts = {
    'advice.md': `${heading}\n\n${reportMarkdown(record, kind)}`,
    'advice.html': sectionsPage(record, kind, title),
    'advice.svg': String(renderSvg(record, kind))
  }
  try {
    makeFolder(dir)
    for (const [name, text] of Object.entries(texts)) {
      // A link in its place, or a second name outside the folder, is not followed.
      rmSync(join(dir, name), { force: true })
      writeFileSync(join(dir, name), inOwnWords(text), { flag: 'wx' })
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new HopbenchError('kit-not-writable', { dir, why: describeFileError(error) }, { cause: error })
  }
  return Object.keys(texts).map(name => relative(callerCwd(), join(dir, name)))
}
