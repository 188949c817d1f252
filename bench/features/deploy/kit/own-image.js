/** Finds the Dockerfile of a project from which the image of its app is built. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { badOption, HopbenchError } from '../../../errors.js'
import { callerCwd } from '../../../machine/caller-cwd.js'
import { describeFileError } from '../../../machine/files/file-failures.js'
import { attempt } from '../../../shared/attempt.js'
import { toProjectPath } from '../../../request/project-paths.js'

/** @import { OwnImage } from './types.js' */

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
export function findOwnImage (project, { out, spec, target, isCommand, hasProxy, dockerfile }) {
  const file = dockerfile === undefined ? findDockerfile(project, { out, target, isCommand }) : dockerfile
  if (file === null || file === false) return null
  if (!isCommand) {
    throw badOption('--dockerfile', file, 'it is the image of an app that is a command',
      "Name the command with --app, as in --app 'npm start', or leave --dockerfile out.")
  }
  const refuse = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    new HopbenchError('cannot-deploy', { spec, target, why, remedy })
  if (WITHOUT_IMAGES[target]) throw refuse(WITHOUT_IMAGES[target], 'Leave --dockerfile out.')
  if (hasProxy && target !== 'docker') {
    throw refuse(`on ${target} a kit is one container, and nginx cannot be added to the image of ${file}`,
      `Deploy the app without nginx: npm run hopbench -- config ${spec.slice(spec.indexOf('/') + 1)} with the same ` +
      'options.')
  }
  const text = attempt(() => readFileSync(resolve(callerCwd(), file), 'utf8'), error => {
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
