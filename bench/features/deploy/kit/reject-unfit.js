/** Rejects topologies and apps that a kit cannot deploy. */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { badOption, cannotDeploy } from '../../../errors.js'
import { hasTls, usesBrotli } from '../../../plan/predicates.js'
import { getServedPrefixes } from '../../../plan/file-prefixes.js'
import { isOwn } from '../../../plan/spec.js'
import { isSpread } from '../../../plan/workers.js'
import { loadPlugin } from '../../../plan/plugins.js'
import { attempt } from '../../../shared/attempt.js'
import { getRelease } from '../../../shared/releases.js'
import { textWithoutSecrets } from '../../../shared/secrets.js'
import { STATIC_CODE, STATIC_FILE } from '../../../shared/http/static-code.js'
import { DEBIAN } from './kit-view.js'
import { findScriptName, findUnfit, listStarted } from './start-script.js'
import { TARGETS } from './targets.js'
import { hasProxyOrigin } from '../../../topology/proxy-origin.js'
import { readManifest, readProjectFile } from '../../../request/project-paths.js'

/** @import { ProxyPlugin, ServerAbout, Topology } from '../../../types.js' */
/** @import { KitCommand } from './types.js' */

/** Forms of a default export, in ESM and CommonJS. */
const DEFAULT_EXPORTS =
  [/\bexport\s+default\b/, /\bexport\s+\{[^}]*\bdefault\b/, /\bmodule\.exports\b/, /\bexports\.default\b/]
/** File that npm starts if package.json has no script "start". */
const DEFAULT_SERVER = 'server.js'

/**
 * @param {{ topology: Topology, spec: string, target: string, proxy: ProxyPlugin | null, keepBuilds?: number }} kit
 * @throws {HopbenchError} cannot-deploy, bad-option
 */
export async function rejectUnfit ({ topology, spec, target, proxy, keepBuilds }) {
  const { server, proxy: hop } = topology
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    cannotDeploy({ spec, target }, why, remedy)
  const nginx = (/** @type {string} */ rest) => `Use nginx, as in nginx:uds-keepalive/${rest}.`
  if (hop && !proxy?.about.deploy) {
    throw reject(`it would have to start ${hop.name}, and kits support only nginx`, nginx(server?.name ?? 'files'))
  }
  if (hop?.options.http3 === true) throw reject('its port is for TCP only, and HTTP/3 needs UDP', 'Leave +http3 out.')
  const release = hop && getRelease(hop)
  if (release) {
    throw reject(`it installs the ${hop.name} of Debian ${DEBIAN}, and release=${release} may be another version`,
      'Leave the release out.')
  }
  if (hasProxyOrigin(topology)) {
    throw reject(`${server?.name} serves files behind another proxy`, 'Use one proxy for files: nginx/files.')
  }
  if (hop && isSpread(topology)) {
    throw reject('in a kit all processes of the app share one address', server?.command
      ? 'Leave balance out, and let the command start its processes.'
      : `Leave balance out and use a cluster, as in ${server?.name}@cluster:${server?.instances}.`)
  }
  if (server?.manager === 'pm2') {
    throw reject('the platform restarts a process that ended, which PM2 would prevent',
      `Use a cluster: ${server.name}@cluster:${server.instances}.`)
  }
  const option = Object.keys(server?.options ?? {})[0]
  if (option !== undefined) throw reject(`a kit cannot set the option ${option} of ${server?.name}`, 'Leave it out.')
  if (target === 'heroku' && usesBrotli(hop)) {
    throw reject('the nginx of its buildpack has no Brotli', 'Leave +brotli out, or take +gzip.')
  }
  if (hasTls(topology) && TARGETS[target].endsTls) {
    throw reject(`${target} ends TLS before a request comes in`, 'Leave +tls out.')
  }
  if (keepBuilds !== undefined) rejectKeptBuilds(topology, { target, keepBuilds })
  if (server && !isOwn(server)) {
    /** @type {{ about: ServerAbout }} */
    const { about } = await loadPlugin('server', server.name)
    if (!about.serves.includes('json')) {
      throw reject(`${server.name} is a server of hopbench, which is only meant for measurements`,
        STATIC_CODE[server.name]
          ? `Save its code as ${STATIC_FILE}, from docs/static.md or a report with --details. ` +
            `Then: npm run hopbench -- config ./${STATIC_FILE} --target ${target}`
          : 'Name your own module, as in nginx:uds-keepalive/./my-app.js, or let nginx serve the files: nginx/files.')
    }
  }
}

/**
 * Rejects the files of earlier builds where nginx sends no files, and where no folder outlives a build.
 *
 * @param {Topology} topology
 * @param {{ target: string, keepBuilds: number }} kit
 * @throws {HopbenchError} bad-option
 */
function rejectKeptBuilds (topology, { target, keepBuilds }) {
  const { whyNoBuilds } = TARGETS[target]
  if (whyNoBuilds !== undefined) {
    throw badOption('--keep-builds', keepBuilds, whyNoBuilds, 'Leave it out, and let a CDN in front of the app keep ' +
      'files with "Cache-Control: immutable".')
  }
  if (topology.proxy && (topology.server === null || getServedPrefixes(topology).length > 0)) return
  throw badOption('--keep-builds', keepBuilds, 'nginx sends the files of earlier builds, and here it sends no files',
    'Let it send them, as in nginx:keepalive+static/app with --files /assets=./dist/assets.')
}

/**
 * Rejects a module that exports nothing, such as one that listens by itself: its kit would end at once. A module that
 * cannot be read is left to the start script.
 *
 * @param {string} spec
 * @param {string} target
 * @param {string} file
 */
export function rejectWithoutExport (spec, target, file) {
  const text = attempt(() => readProjectFile(file), () => null)
  if (text === null || DEFAULT_EXPORTS.some(form => form.test(text))) return
  throw cannotDeploy({ spec, target },
    `${basename(file)} has no default export, and a kit starts the handler that a module exports`,
    `Start it by a command: --app 'node ${basename(file)}', and app in place of its path. Or export the app, ` +
      'as in "export default app".')
}

/**
 * Rejects a command that the kit could not start, that would not be reached, or that contains a secret.
 *
 * @param {Pick<KitCommand, 'run' | 'way'>} command
 * @param {object} kit
 * @param {string} kit.spec
 * @param {string} kit.target
 * @param {string} kit.project folder
 * @param {boolean} kit.hasProxy
 * @param {boolean} kit.hasImage whether the image of the app is built from a Dockerfile of the project
 * @param {string} [kit.build] command that builds the app in the image
 * @returns {string[]} what of the command is not meant for a platform, though it starts there
 * @throws {HopbenchError} bad-option, cannot-deploy
 */
export function rejectUnfitCommand ({ run, way }, { spec, target, project, hasProxy, hasImage, build }) {
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    cannotDeploy({ spec, target }, why, remedy)
  if (textWithoutSecrets(run) !== run) {
    throw badOption('--app', textWithoutSecrets(run), 'it contains a secret, and the files of a kit hold none',
      'Set the secret in the environment of the platform, where the app reads it.')
  }
  if (!hasProxy && way === 'unix') {
    throw reject('the app listens on a socket only, which no client reaches',
      `Put nginx in front: nginx:uds-keepalive/${spec}.`)
  }
  if (!hasProxy && typeof way === 'number' && !hasImage) {
    throw reject(`the app listens on port ${way} only, and the platform chooses the port`,
      `Let the app listen on $PORT, or put nginx in front: nginx:keepalive/${spec}.`)
  }
  if (hasProxy && !hasImage && way === TARGETS[target].port) {
    throw reject(`nginx listens on port ${way} there, and the app, too`,
      "Let the app listen on another port, or on $PORT: --listen '$PORT'.")
  }
  if (hasImage) return []
  rejectMissingScript(run, { spec, target, project })
  const unfit = findUnfit(run, { project, way, build, hasProductionPackages: target !== 'systemd' })
  const fatal = unfit.find(({ isFatal }) => isFatal)
  if (fatal) throw reject(fatal.why, fatal.remedy)
  return unfit.map(({ why, remedy }) => `Note: ${why}. ${remedy}`)
}

/**
 * Rejects a command that starts a script which package.json does not have.
 *
 * @param {string} run
 * @param {{ spec: string, target: string, project: string }} kit
 * @throws {HopbenchError} cannot-deploy
 */
export function rejectMissingScript (run, { project, ...kit }) {
  const missing = listStarted(run, readManifest(project)).find(started => findScriptName(started) !== null)
  if (!missing) return
  const script = findScriptName(missing)
  if (missing.program === 'npm' && script === 'start' && existsSync(join(project, DEFAULT_SERVER))) return
  throw cannotDeploy(kit, `"${run}" starts the script ${script}, and package.json has none of this name`,
    'Add the script, or name another command.')
}
