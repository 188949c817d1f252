/** Reads how the packages of a Python project are installed in an image: its requirements.txt. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../shared/attempt.js'

/** @import { PythonProject } from '../../topology/deploy/types.js' */

const REQUIREMENTS = 'requirements.txt'
/** Commands of Python and of its usual servers, with or without the folder of a virtual environment. */
const COMMAND = /^(?:\S*\/)?(?:python[\d.]*|gunicorn|uvicorn|hypercorn|daphne|waitress-serve|uwsgi|flask)(?:\s|$)/
/** Folder of a virtual environment in the project whose program a command starts. */
const ENVIRONMENT = /^(?:\.\/)?([\w.-]+)\/bin\//
/** Version for projects that name none. It gets security fixes until October 2029 (PEP 719). */
const DEFAULT_VERSION = '3.13'
/** Line of requirements.txt that refers to other files of the project: an option, or a path. */
const REFERS = /^\s*(?:-r|-c|-e|--requirement|--constraint|--editable|\.|\/|file:)/m

/**
 * @param {string} project folder
 * @param {string} command that starts the app
 * @returns {PythonProject | null} null: the command is not of Python, or there is no requirements.txt
 */
export function readPythonProject (project, command) {
  const file = join(project, REQUIREMENTS)
  if (!COMMAND.test(command) || !existsSync(file)) return null
  const environment = ENVIRONMENT.exec(command)?.[1] ?? null
  const pip = environment === null ? 'pip' : `python3 -m venv ${environment} && ${environment}/bin/pip`
  return {
    version: findVersion(project, environment),
    files: REFERS.test(readFileSync(file, 'utf8')) ? '' : REQUIREMENTS,
    install: `${pip} install --no-cache-dir -r ${REQUIREMENTS}`,
    environment
  }
}

/**
 * Returns the version of Python: that of .python-version, which version managers read, else of the virtual environment.
 *
 * @param {string} project folder
 * @param {string | null} environment folder of the virtual environment
 */
function findVersion (project, environment) {
  const read = (/** @type {string} */ name) => attempt(() => readFileSync(join(project, name), 'utf8'), () => '')
  const [, stated] = /^(3\.\d+)(?:\.\d+)?\s*$/.exec(read('.python-version')) ?? []
  const [, used] = /^version(?:_info)?\s*=\s*(3\.\d+)/m.exec(read(join(environment ?? 'venv', 'pyvenv.cfg'))) ?? []
  return stated ?? used ?? DEFAULT_VERSION
}
