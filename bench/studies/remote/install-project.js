/** Installs the project on another machine for one run: copies its files and its runtime packages into a temporary
 * folder, which is removed after the run. The other machine needs Node and tar. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { run, runPiped } from '../../machine/process.js'
import { satisfies } from '../../machine/setup/install.js'
import { PROJECT, pluginNames } from '../../plugins.js'
import { FOLDER, isFolderOfOurs } from './leftovers.js'
import { asLine } from './received.js'
import { commandOn, failureOf } from './ssh.js'

/** @import { Host, Installed } from './types.js' */

/** Files and folders to copy. package-lock.json is left out, because with it the first start would install development
 * packages. */
const PROJECT_FILES = ['package.json', 'compared-lock.json', 'ecosystem.config.js', 'bench', 'servers', 'proxy',
  'results/schema.json', 'results/experiment.schema.json']
/** Limit of the copy: tens of megabytes over a slow link. */
const COPY_SECONDS = 600
const INSPECT_SECONDS = 60
const REMOVE_SECONDS = 60

/** Prints what the host lacks, its version of Node, and both addresses of the connection (SSH_CONNECTION, ssh(1)). */
const INSPECT = `
command -v tar >/dev/null 2>&1 || { echo missing tar; exit 0; }
command -v node >/dev/null 2>&1 || { echo missing node; exit 0; }
echo node $(node -p process.versions.node)
set -- $SSH_CONNECTION
echo address $3
echo seenFrom $1
`
/** Unpacks the project and prints its folder. */
const UNPACK = `umask 077; d=$(mktemp -d "\${TMPDIR:-/tmp}/${FOLDER}XXXXXX") || exit 1
tar -xzf - -C "$d" || { rm -rf "$d"; exit 1; }
echo "$d"`

/**
 * Copies the project to a host.
 *
 * @param {Host} host
 * @returns {Promise<Installed>}
 * @throws {HopbenchError} ssh-host-key, ssh-denied, ssh-failed, host-unfit, host-answer
 */
export async function install (host) {
  const facts = await inspect(host)
  const copied = await runPiped(['tar', '-czf', '-', '-C', PROJECT, '-T', '-'], commandOn(host, UNPACK), {
    input: `${listContents().join('\n')}\n`,
    timeoutSeconds: COPY_SECONDS
  })
  if (copied.exit !== 0) throw failureOf(host, copied)
  const dir = copied.stdout.trim().split('\n').pop() ?? ''
  // Validated, because later commands run and remove this path.
  if (!isFolderOfOurs(dir)) {
    const why = `"${asLine(dir, 100)}" is not a folder of hopbench`
    throw new HopbenchError('host-answer', { host: host.name, why })
  }
  return { host, dir, ...facts }
}

/** @param {Host} host */
async function inspect (host) {
  const inspected = await run(commandOn(host, INSPECT), { timeoutSeconds: INSPECT_SECONDS })
  if (inspected.exit !== 0) throw failureOf(host, inspected)
  const lines = inspected.stdout.split('\n')
  const facts = Object.fromEntries(lines.map(line => line.split(' ', 2).map(spec => asLine(spec))))
  const unfit = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    new HopbenchError('host-unfit', { host: host.name, why, remedy })
  if (facts.missing === 'node') {
    throw unfit('there is no node on its PATH',
      'Install Node there, or set PATH for commands that ssh runs (they read no .profile): ~/.bashrc, or ' +
      '/etc/environment.')
  }
  if (facts.missing) throw unfit(`there is no ${facts.missing} on its PATH`, `Install ${facts.missing} there.`)
  const { engines } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
  if (!satisfies(facts.node ?? '', engines.node)) {
    throw unfit(`it has Node ${facts.node}, and hopbench requires ${engines.node}`,
      'Install a current LTS version of Node there.')
  }
  if (!facts.address) {
    throw unfit('it does not report the address it was reached by (SSH_CONNECTION)',
      'Connect through OpenSSH, whose sshd sets SSH_CONNECTION.')
  }
  return { node: facts.node, address: facts.address, seenFrom: facts.seenFrom }
}

/** Lists the paths to copy, relative to the project. Excludes the development packages of a clone. */
export function listContents () {
  if (!existsSync(join(PROJECT, 'package-lock.json'))) return [...PROJECT_FILES, 'node_modules']
  const [all, compared] = ['package-lock.json', 'compared-lock.json'].map(file =>
    JSON.parse(readFileSync(join(PROJECT, file), 'utf8')).packages)
  const needed = Object.keys(all).filter(path =>
    path !== '' && (!all[path].dev || path in compared) && existsSync(join(PROJECT, path))
  )
  // Excludes nested packages, because they are copied with the outer one.
  const outermost = needed.filter(path => !needed.some(other => path.startsWith(`${other}/`)))
  // The templates of a proxy are in a folder of the same name.
  const templates = pluginNames('proxy').filter(name => existsSync(join(PROJECT, name)))
  return [...PROJECT_FILES, ...templates, ...outermost]
}

/**
 * Returns the argv of a hopbench command on the host. Downloads of the command are stored in the run's folder.
 *
 * @param {Installed} installed
 * @param {string[]} args without quotes or spaces
 * @param {{ isLast?: boolean }} [options] isLast: the folder is removed when the command ends or is killed by a signal
 */
export function projectCommand ({ host, dir }, args, { isLast = false } = {}) {
  const cleanUp = isLast ? `trap '${removal(dir)}' EXIT; trap 'exit 1' HUP INT TERM; ` : ''
  // Reads the account's own cache, but writes only to the run's folder.
  const cache = `HOPBENCH_CACHE="${dir}/.tools:\${HOPBENCH_CACHE:-\${XDG_CACHE_HOME:-$HOME/.cache}/hopbench}"`
  return commandOn(host, `${cleanUp}cd "${dir}" && ${cache} node bench/bootstrap.js ${args.join(' ')}`)
}

/** @param {Installed} installed */
export async function remove ({ host, dir }) {
  await run(commandOn(host, removal(dir)), { timeoutSeconds: REMOVE_SECONDS })
}

/** @param {string} dir */
function removal (dir) {
  if (!isFolderOfOurs(dir)) throw new TypeError(`${dir} is not a folder of hopbench`)
  return `rm -rf -- "${dir}"`
}
