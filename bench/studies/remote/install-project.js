/** Puts the project on another machine, for one run: its own files and the packages it runs with, packed here and
 * unpacked in a temporary folder there, which is removed when the run is over. Nothing else is required of that machine
 * but Node and tar. */
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

/** What is the project's own; the lock file stays behind: with it a first start would fetch what only tests need. */
const OWN = ['package.json', 'compared-lock.json', 'ecosystem.config.js', 'bench', 'servers', 'proxy',
  'results/schema.json', 'results/experiment.schema.json']
const PUT_SECONDS = 600 // The packages are some tens of megabytes, and the link may be slow.
const LOOK_SECONDS = 60
const REMOVE_SECONDS = 60

/** What is queried first. ssh itself says by which address it came (SSH_CONNECTION, sshd(8)). */
const LOOK = `
command -v tar >/dev/null 2>&1 || { echo missing tar; exit 0; }
command -v node >/dev/null 2>&1 || { echo missing node; exit 0; }
echo node $(node -p process.versions.node)
set -- $SSH_CONNECTION
echo address $3
echo seenFrom $1
`
const UNPACK = `umask 077; d=$(mktemp -d "\${TMPDIR:-/tmp}/${FOLDER}XXXXXX") || exit 1
tar -xzf - -C "$d" || { rm -rf "$d"; exit 1; }
echo "$d"`

/** @param {Host} host @returns {Promise<Installed>}
 * @throws {HopbenchError} ssh-host-key, ssh-denied, ssh-failed, host-unfit, host-answer */
export async function install (host) {
  const found = await look(host)
  const put = await runPiped(['tar', '-czf', '-', '-C', PROJECT, '-T', '-'], commandOn(host, UNPACK), {
    input: `${contents().join('\n')}\n`,
    timeoutSeconds: PUT_SECONDS
  })
  if (put.exit !== 0) throw failureOf(host, put)
  const dir = put.stdout.trim().split('\n').pop() ?? ''
  // What stands here is run and removed there.
  if (!isFolderOfOurs(dir)) {
    throw new HopbenchError('host-answer', { host: host.name, why: `"${asLine(dir, 100)}" is no folder of hopbench's` })
  }
  return { host, dir, ...found }
}

/** @param {Host} host */
async function look (host) {
  const looked = await run(commandOn(host, LOOK), { timeoutSeconds: LOOK_SECONDS })
  if (looked.exit !== 0) throw failureOf(host, looked)
  const facts = Object.fromEntries(looked.stdout.split('\n').map(line => line.split(' ', 2).map(word => asLine(word))))
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
    throw unfit(`it has Node ${facts.node}, and hopbench needs ${engines.node}`,
      'Install a current LTS version of Node there.')
  }
  if (!facts.address) {
    throw unfit('it does not report the address it was reached by (SSH_CONNECTION)',
      "Name it directly, not by way of a program that takes ssh's place.")
  }
  return { node: facts.node, address: facts.address, seenFrom: facts.seenFrom }
}

/** What is packed, relative to the project: of the packages of a clone those that are not for development only. */
export function contents () {
  if (!existsSync(join(PROJECT, 'package-lock.json'))) return [...OWN, 'node_modules']
  const [all, compared] = ['package-lock.json', 'compared-lock.json'].map(file =>
    JSON.parse(readFileSync(join(PROJECT, file), 'utf8')).packages)
  const needed = Object.keys(all).filter(path =>
    path !== '' && (!all[path].dev || path in compared) && existsSync(join(PROJECT, path))
  )
  // A package brings those inside it along.
  const outermost = needed.filter(path => !needed.some(other => path.startsWith(`${other}/`)))
  // A proxy's templates lie in a folder of its name.
  const templates = pluginNames('proxy').filter(name => existsSync(join(PROJECT, name)))
  return [...OWN, ...templates, ...outermost]
}

/** argv of a command of the project on that machine. What it fetches goes with the folder. @param {Installed} installed
 * @param {string[]} args without quotes or spaces
 * @param {{ last?: boolean }} [options] last: the folder goes when the command ends, however it ends */
export function projectCommand ({ host, dir }, args, { last = false } = {}) {
  const goes = last ? `trap '${removal(dir)}' EXIT; trap 'exit 1' HUP INT TERM; ` : ''
  // What that account has fetched for itself is used; nothing is added to it.
  const cache = `HOPBENCH_CACHE="${dir}/.tools:\${HOPBENCH_CACHE:-\${XDG_CACHE_HOME:-$HOME/.cache}/hopbench}"`
  return commandOn(host, `${goes}cd "${dir}" && ${cache} node bench/bootstrap.js ${args.join(' ')}`)
}

/** @param {Installed} installed */
export async function remove ({ host, dir }) {
  await run(commandOn(host, removal(dir)), { timeoutSeconds: REMOVE_SECONDS })
}

/** @param {string} dir */
function removal (dir) {
  if (!isFolderOfOurs(dir)) throw new TypeError(`${dir} is not to be removed`)
  return `rm -rf -- "${dir}"`
}
