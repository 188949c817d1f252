/** Carries out the steps of a kit's Dockerfile in a copy of the project that holds what its image would get. */
import { constants, existsSync, readdirSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { plain } from '../../errors.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { run } from '../../machine/process.js'
import { readProjectFile } from '../../request/project-paths.js'
import { isIgnored, readIgnoreFile } from '../../shared/ignore-patterns.js'
import { secretsOf, textWithoutSecrets } from '../../shared/secrets.js'

/** Limit of a step. Builds of large apps take minutes. */
const STEP_SECONDS = 600
/** Command of a RUN instruction, behind its secrets, which are in the environment or in the copy here. */
const RUN = /^RUN (?:--mount=\S+ )*(?:export \w+="\$\(cat [^)]*\)" && )*(.+)$/gm
/** Steps that prepare the system of the image. */
const OF_SYSTEM = /^(?:apt-get|install -d|npm install --global|npm pack) /
/** Installation by npm, for which the installed packages are copied. */
const INSTALLS = /^npm (?:ci|install)\b/
const PRUNE = 'npm prune --omit=dev'

/**
 * Makes the files of a kit's image.
 * @param {string} project folder
 * @param {{ kit: string, folder: string }} place kit: its folder, relative to the project; folder: new
 * @returns {Promise<{ isBuilt: boolean, fault: string | null }>} isBuilt: false: the kit has no image of Node, and no
 *   copy was made; fault: why the image could not be built
 * @throws {Error} a program of the steps is not installed
 */
export async function makeCleanCopy (project, { kit, folder }) {
  const [dockerfile, ignored] = ['Dockerfile', 'Dockerfile.dockerignore'].map(name => join(project, kit, name))
  const text = existsSync(dockerfile) && existsSync(ignored) ? readProjectFile(dockerfile) : ''
  if (!/^FROM node:/m.test(text)) return { isBuilt: false, fault: null }
  makeFolder(folder)
  await copyContext(project, folder, readProjectFile(ignored))
  const modules = join(project, 'node_modules')
  const steps = [...text.matchAll(RUN)].map(([, command]) => command).filter(command => !OF_SYSTEM.test(command))
  const isCopied = existsSync(modules) && steps.some(command => INSTALLS.test(command))
  if (isCopied) await copy(modules, join(folder, 'node_modules'))
  for (const command of steps) {
    // The packages of the lock file are there.
    const isInstallation = isCopied && INSTALLS.test(command)
    if (isInstallation && !command.includes('--omit=dev')) continue
    const fault = await carryOut(isInstallation ? PRUNE : command, folder)
    if (fault !== null) return { isBuilt: true, fault }
  }
  return { isBuilt: true, fault: null }
}

/**
 * Copies the files that an ignore file leaves in a context. The copy can be in the project.
 * @param {string} project
 * @param {string} folder
 * @param {string} text of the ignore file
 */
async function copyContext (project, folder, text) {
  const rules = readIgnoreFile(text)
  const exceptions = rules.filter(({ isException }) => isException)
  const isKept = (/** @type {string} */ path) => !isIgnored(rules, path) ||
    exceptions.some(({ pattern }) => pattern.startsWith(`${path}/`))
  for (const name of readdirSync(project).filter(isKept)) {
    await copy(join(project, name), join(folder, name), path => isKept(relative(project, path).split(sep).join('/')))
  }
}

/**
 * Copies a file or a folder. Copies share no file with their source.
 * @param {string} from
 * @param {string} to
 * @param {(path: string) => boolean} [filter]
 */
const copy = (from, to, filter) =>
  cp(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE, ...filter && { filter } })

/**
 * Carries out a step.
 * @param {string} step
 * @param {string} folder
 * @returns {Promise<string | null>} why it failed
 */
async function carryOut (step, folder) {
  const argv = step.startsWith('[') ? JSON.parse(step) : ['sh', '-c', step]
  const { exit, signal, stdout, stderr, timedOut } = await run(argv, {
    cwd: folder, env: { ...process.env, NODE_ENV: undefined }, timeoutSeconds: STEP_SECONDS
  })
  if (exit === 0) return null
  const output = plain(textWithoutSecrets(`${stdout}\n${stderr}`, secretsOf({ headers: {}, path: '' }, process.env)))
  const last = output.trim().split('\n').at(-1) ?? ''
  if (exit === 127) throw new Error(`the image of the kit was not built here, because a program is missing: ${last}`)
  const end = timedOut ? `took longer than ${STEP_SECONDS} s` : `ended with ${signal ?? `exit code ${exit}`}`
  return `"${textWithoutSecrets(step)}" ${end}: ${last}`
}
