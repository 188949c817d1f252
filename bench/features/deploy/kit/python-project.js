/** Reads how the packages of a Python project are installed in an image: its requirements.txt. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cannotDeploy } from '../../../errors.js'
import { readProjectFile } from '../../../request/project-paths.js'
import { attempt } from '../../../shared/attempt.js'

/** @import { PythonProject } from './types.js' */

const REQUIREMENTS = 'requirements.txt'
/** The words exec and env, and variables, before the program of a command. */
const BEFORE = /^\s*(?:exec\s+)?(?:env\s+)?(?:[A-Za-z_]\w*=(?:'[^']*'|"[^"]*"|[^\s'"])*\s+)*/
/** Python and its usual servers, alone or by a path. */
const PROGRAM = /^(?:python[\d.]*|gunicorn|uvicorn|hypercorn|daphne|waitress-serve|flask|fastapi|granian)$/
/** Folder of a virtual environment in the project whose program a command starts. */
const IN_ENVIRONMENT = /^(?:\.\/)?(?!\.{1,2}\/)(\w[\w.-]*|\.\w[\w.-]*)\/bin\/[^/]+$/
/** Version for projects that name none. It gets security fixes until October 2029 (PEP 719). */
const DEFAULT_VERSION = '3.13'
/** Line of requirements.txt that refers to other files of the project: an option, or a path. */
const REFERS = new RegExp([
  String.raw`^\s*(?:-[rcef]|--(?:requirement|constraint|editable|find-links)\b|file:|["'./])`,
  String.raw`@\s*(?:file:|\.)`, String.raw`^\s*[\w.-]+\/`, String.raw`^\s*\S+\.(?:whl|zip|tar\.gz)\b`
].join('|'), 'm')
/** Line with a package that needs git or a compiler, which the smaller image lacks. */
const NEEDS_TOOLS = /\b(?:git|hg|svn|bzr)\+|^\s*(?:uwsgi|psycopg2(?!-binary)|mysqlclient)\b/im
/** Password or variable in the address of an index. */
const SECRET = /:\/\/[^\s/@]*:[^\s/@]+@|\$\{/

/**
 * Returns the program of a command as it is typed.
 * @param {string} command
 */
const getProgram = command => command.replace(BEFORE, '').split(/\s/, 1)[0]

/**
 * Returns whether a command starts Python or one of its usual servers.
 * @param {string} command
 */
export const isPython = command => PROGRAM.test(getProgram(command).replace(/^.*\//, ''))

/**
 * Returns the folder of the virtual environment whose program a command starts.
 * @param {string} command
 * @returns {string | null} null: the command names none
 */
export const findEnvironment = command =>
  isPython(command) ? IN_ENVIRONMENT.exec(getProgram(command))?.[1] ?? null : null

/**
 * @param {string} project folder
 * @param {string} command that starts Python or one of its servers
 * @param {{ spec: string, target: string }} kit
 * @returns {PythonProject | null} null: there is no requirements.txt
 * @throws {HopbenchError} cannot-deploy
 */
export function readPythonProject (project, command, kit) {
  const file = join(project, REQUIREMENTS)
  if (!existsSync(file)) return null
  const environment = findEnvironment(command)
  const text = attempt(() => readProjectFile(file), () => '')
  rejectUnfitProgram(getProgram(command), { environment, text, kit })
  const environments = listEnvironments(project)
  const pip = environment === null ? 'pip' : `python3 -m venv ${environment} && ${environment}/bin/pip`
  return {
    version: findPythonVersion(project, { command, environments }),
    isSlim: !NEEDS_TOOLS.test(text),
    files: REFERS.test(text) ? '' : REQUIREMENTS,
    install: `${pip} install --no-cache-dir -r ${REQUIREMENTS}`,
    environments: [...new Set([...environments, ...environment === null ? [] : [environment]])]
  }
}

/**
 * @param {string} program as typed
 * @param {{ environment: string | null, text: string, kit: { spec: string, target: string } }} project text: of
 *   requirements.txt
 */
function rejectUnfitProgram (program, { environment, text, kit }) {
  if (program.includes('/') && environment === null) {
    throw cannotDeploy(kit, `the command starts ${program}, a path that the image does not have`,
      "Name the program alone, or in a virtual environment of the project: --app 'venv/bin/gunicorn app:app'.")
  }
  if (SECRET.test(text)) {
    throw cannotDeploy(kit, `${REQUIREMENTS} contains a password or a variable, and the files of a kit hold no secret`,
      'Write a Dockerfile that passes it as a secret of the build, and name it with --dockerfile.')
  }
}

/**
 * Lists the virtual environments in the folder of a project.
 * @param {string} project
 */
const listEnvironments = project => readdirSync(project)
  .filter(name => /^[\w.-]+$/.test(name) && existsSync(join(project, name, 'pyvenv.cfg')))

/**
 * Returns the version of Python: that in the command, else that of .python-version, which version managers read, else
 * that of a virtual environment.
 *
 * @param {string} project folder
 * @param {{ command: string, environments: string[] }} found
 */
function findPythonVersion (project, { command, environments }) {
  const read = (/** @type {string} */ name) => attempt(() => readProjectFile(join(project, name)), () => '')
  const [, typed] = /(?:^|\/)python(3\.\d+)$/.exec(getProgram(command)) ?? []
  const [, stated] = /^(3\.\d+)(?:\.\d+)?\s*$/m.exec(read('.python-version')) ?? []
  const used = environments.flatMap(name =>
    /^version(?:_info)?\s*=\s*(3\.\d+)/m.exec(read(join(name, 'pyvenv.cfg')))?.[1] ?? [])
  return typed ?? stated ?? used[0] ?? DEFAULT_VERSION
}
