/** Finds out how the app of a kit is started and built, from its topology and the files of the project. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { badOption, cannotDeploy } from '../../../errors.js'
import { pastItsEnd, toProductionLine } from '../../../plan/runtimes.js'
import { TARGETS } from './targets.js'
import { getListenWay } from '../../../topology/describe/describe-command.js'
import { findNodeLine } from '../../../request/node-line.js'
import { readNodeProject } from '../../../request/node-project.js'
import { readManifest, toProjectPath } from '../../../request/project-paths.js'
import { findEnvironment, isPython, readPythonProject } from './python-project.js'
import { rejectMissingScript, rejectUnfitCommand, rejectWithoutExport } from './reject-unfit.js'
import { callerCwd } from '../../../machine/caller-cwd.js'
import { describeFileError } from '../../../machine/files/file-failures.js'
import { readPlainFile } from '../../../machine/files/plain-files.js'
import { attempt } from '../../../shared/attempt.js'

/** @import { Topology } from '../../../types.js' */
/** @import { KitCommand, KitFacts, OwnImage } from './types.js' */
/** @import { NodeProject } from '../../../request/types.js' */
/** @import { KitOptions } from './deploy-kit.js' */

/** Limits of a Dockerfile, which has some kilobytes. */
const DOCKERFILE = { maxBytes: 2 ** 20, followsLinks: true }
/** Heroku's buildpack by a file of the project. @type {Record<string, string>} */
const BUILDPACKS = {
  'package.json': 'nodejs',
  'requirements.txt': 'python',
  'pyproject.toml': 'python',
  Pipfile: 'python',
  Gemfile: 'ruby',
  'go.mod': 'go',
  'composer.json': 'php',
  'pom.xml': 'java',
  'build.gradle': 'gradle'
}

/** Facts that depend on the files of the project. @typedef {Pick<KitFacts, 'app' | 'command' | 'node' | 'python' |
 * 'image' | 'buildpacks' | 'warnings'>} AppFacts */

/**
 * @param {string} target
 * @returns {AppFacts}
 */
export const exampleFacts = target => ({
  app: 'app.mjs',
  command: null,
  node: {
    ...withoutPackages(getMajor()),
    files: 'package.json',
    install: { all: 'npm install', production: 'npm install --omit=dev', prune: null }
  },
  python: null,
  image: null,
  warnings: [],
  buildpacks: target === 'heroku' ? ['heroku/nodejs'] : []
})

/**
 * @param {Topology} topology of the project's own app, or of files
 * @param {KitOptions & { project: string, spec: string }} kit
 * @returns {AppFacts}
 */
export function projectFacts (topology, { project, spec, ...options }) {
  const { target, out, build, dockerfile } = options
  const { server, proxy } = topology
  const command = toCommand(topology)
  const kit = { spec, target, hasProxy: proxy !== null }
  const image = findOwnImage(project, { ...kit, out, dockerfile, isCommand: command !== null })
  const warnings = command ? rejectUnfitCommand(command, { ...kit, project, build, hasImage: image !== null }) : []
  const app = server && !command ? toProjectPath(project, resolve(project, server.name), 'The app') : null
  if (app !== null) rejectWithoutExport(spec, target, resolve(project, app))
  const buildsImage = server !== null && image === null && TARGETS[target].templates.includes('Dockerfile')
  const environment = command && findEnvironment(command.run)
  if (environment && target === 'heroku') throw rejectEnvironment(environment, kit)
  const named = options.nodeLine === undefined ? findNodeLine(project, readManifest(project), getMajor()) : null
  const nodeLine = options.nodeLine ?? named?.major ?? getMajor()
  const needsPython = buildsImage && command !== null && isPython(command.run)
  const python = needsPython ? readPythonProject(project, command.run, { spec, target }) : null
  const read = server !== null && image === null && !needsPython
    ? readNodeProject(project, { spec, target, build, major: nodeLine, isModule: app !== null })
    : null
  const canBuild = server !== null && (target === 'systemd' || (buildsImage && read !== null))
  if (build !== undefined && !canBuild) {
    throw rejectBuild(build, { target, hasImage: image !== null, isPython: python !== null })
  }
  if (build !== undefined) rejectMissingScript(build, { spec, target, project })
  if (command && read === null && python === null && buildsImage) throw rejectWithoutPackages(kit)
  return {
    app,
    command,
    node: read ?? (app === null ? null : withoutPackages(nodeLine)),
    python,
    image,
    warnings: [...warnings, ...read && named && buildsImage ? describeEnded(named) : []],
    buildpacks: target === 'heroku' ? findBuildpacks(project, { ...kit, run: command?.run ?? null, app }) : []
  }
}

/**
 * @param {Topology} topology
 * @returns {KitCommand | null}
 */
function toCommand (topology) {
  const command = topology.server?.command
  const way = getListenWay(topology)
  return command && way !== null ? { run: command.run, way, readySeconds: command.readySeconds } : null
}

/**
 * Returns a project of modules without package.json.
 * @param {number} major version of Node
 * @returns {NodeProject}
 */
const withoutPackages = major =>
  ({ major, manager: null, files: '', secretSettings: [], variables: [], install: null, build: null, stages: false })

/** Returns the version of Node for production. */
const getMajor = () => toProductionLine(process.versions.node, new Date().toISOString())

/**
 * Describes that a line of Node which the project names gets no releases.
 * @param {{ major: number, source: string }} named
 */
function describeEnded ({ major, source }) {
  const end = pastItsEnd(String(major), new Date().toISOString())
  return end
    ? [`Note: the image has Node ${major}, which ${source} names. It gets no releases since ${end.lastDay}.`]
    : []
}

/**
 * @param {string} build
 * @param {{ target: string, hasImage: boolean, isPython: boolean }} kit
 */
function rejectBuild (build, { target, hasImage, isPython }) {
  if (hasImage) {
    return badOption('--build', build, 'the Dockerfile of the project builds the app',
      'Leave it out, or build the image by the kit: --no-dockerfile.')
  }
  if (isPython) {
    return badOption('--build', build, 'the image of a Python app installs the packages of requirements.txt only',
      'Run it before the image is built, or write a Dockerfile for the app and name it with --dockerfile.')
  }
  return target === 'heroku'
    ? badOption('--build', build, 'the buildpacks of Heroku build the app',
      'Leave it out. For Node the script "build" of package.json is run.')
    : badOption('--build', build, 'there is no app with a package.json that it could build')
}

/**
 * @param {string} folder of the virtual environment
 * @param {{ spec: string, target: string }} kit
 */
const rejectEnvironment = (folder, kit) => cannotDeploy(kit,
  `the command starts a program in ${folder}, and the packages are not there on Heroku`,
  "Name the program alone, as in --app 'gunicorn app:app'.")

/** @param {{ spec: string, target: string, hasProxy: boolean }} kit */
const rejectWithoutPackages = ({ spec, target, hasProxy }) => cannotDeploy({ spec, target },
  'a kit builds images of projects with package.json, or with requirements.txt and a command of python, ' +
    'gunicorn and the like',
  target === 'docker' || !hasProxy
    ? `Write a Dockerfile for the app, and name it: npm run hopbench -- config ${spec} --dockerfile ./Dockerfile ` +
      'with the same options.'
    : 'Take docker, where nginx runs beside the image of your own Dockerfile, or deploy the app without nginx: ' +
      `npm run hopbench -- config ${spec.slice(spec.indexOf('/') + 1)} --dockerfile ./Dockerfile ` +
      'with the same options.')

/**
 * @param {string} project
 * @param {{ spec: string, target: string, run: string | null, app: string | null }} kit run: command; app: module
 */
function findBuildpacks (project, { run, app, ...kit }) {
  if (run === null) return app === null ? [] : ['heroku/nodejs']
  const has = (/** @type {string} */ name) => existsSync(join(project, name))
  const names = Object.keys(BUILDPACKS)
  // A package.json beside an app in Python is for its assets.
  const file = isPython(run) ? names.find(name => BUILDPACKS[name] === 'python' && has(name)) : names.find(has)
  if (file !== undefined) return [`heroku/${BUILDPACKS[file]}`]
  throw cannotDeploy(kit, `no buildpack of Heroku recognises the project, which has none of ${names.join(', ')}`,
    'Add the file in which the packages of the app are listed.')
}

/** Why other platforms build no image of a Dockerfile. @type {Record<string, string>} */
const WITHOUT_IMAGES = {
  heroku: 'Heroku builds the app with a buildpack',
  systemd: 'systemd starts the app without an image'
}

/**
 * @param {string} project folder
 * @param {object} kit
 * @param {string} kit.out folder of the kit
 * @param {string} kit.spec
 * @param {string} kit.target
 * @param {boolean} kit.isCommand whether the app is a command
 * @param {boolean} kit.hasProxy
 * @param {string | false} [kit.dockerfile] as typed; false: the image is built by the kit
 * @returns {OwnImage | null} null: the image is built by the kit
 * @throws {HopbenchError} bad-option, cannot-deploy
 */
function findOwnImage (project, { out, spec, target, isCommand, hasProxy, dockerfile }) {
  const file = dockerfile === undefined ? findDockerfile(project, { out, target, isCommand }) : dockerfile
  if (file === null || file === false) return null
  if (!isCommand) {
    throw badOption('--dockerfile', file, 'it is the image of an app that is a command',
      "Name the command with --app, as in --app 'npm start', or leave --dockerfile out.")
  }
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    cannotDeploy({ spec, target }, why, remedy)
  if (WITHOUT_IMAGES[target]) throw reject(WITHOUT_IMAGES[target], 'Leave --dockerfile out.')
  if (hasProxy && target !== 'docker') {
    throw reject(`on ${target} a kit is one container, and nginx cannot be added to the image of ${file}`,
      `Deploy the app without nginx: npm run hopbench -- config ${spec.slice(spec.indexOf('/') + 1)} with the same ` +
      'options.')
  }
  const text = attempt(() => readPlainFile(resolve(callerCwd(), file), DOCKERFILE).toString(), error => {
    throw badOption('--dockerfile', file, describeFileError(error))
  })
  const has = (/** @type {string} */ instruction) => new RegExp(`^[ \\t]*${instruction}\\s`, 'im').test(text)
  return {
    file: toProjectPath(project, resolve(callerCwd(), file), '--dockerfile'),
    isChecked: has('HEALTHCHECK') && !/^[ \t]*HEALTHCHECK\s+NONE/im.test(text),
    isStarted: has('CMD') || has('ENTRYPOINT')
  }
}

/**
 * Returns the Dockerfile of a project for docker, except that of an earlier kit.
 *
 * @param {string} project
 * @param {{ out: string, target: string, isCommand: boolean }} kit
 */
function findDockerfile (project, { out, target, isCommand }) {
  const file = join(project, 'Dockerfile')
  return target === 'docker' && isCommand && existsSync(file) && out !== project ? file : null
}
