/**
 * Starts a program in namespaces of its own: network, processes and mounts. Its root folder is in memory. Folders of
 * this machine that it needs are mounted read-only, so that a configuration can write nothing that remains.
 */
import { existsSync, lstatSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quoteForShell as quote } from '../../errors.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { AS_SERVED_USER } from '../../machine/network/lab.js'
import { run } from '../../machine/process.js'
import { PROJECT } from '../../plan/plugins.js'

/** @import { Tool } from '../../machine/types.js' */
/** @import { RoomFile } from './types.js' */

/** Folder in which the program finds its request. */
export const LANE = '/lane'
/** Folder of an arm: its sockets, logs and certificate. */
export const ARM = '/hopbench'
const dnsProgram = fileURLToPath(new URL('./dns.js', import.meta.url))
/** Memory of all files of a room: logs, caches and uploads. */
const MAX_MEMORY = '256m'
const SYSTEM = ['/usr', '/bin', '/lib', '/lib64', '/lib32', '/sbin']
const FOLDERS = ['dev/shm', 'etc', 'hopbench', 'lane', 'proc', 'root', 'run', 'tmp', 'var/cache/nginx',
  'var/log/nginx', 'var/lib/nginx/body', 'usr', 'var/www']
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom']
/** Addresses of the two hosts: of the program, and of the apps, which have every address that is not of the program. */
const LINK = { program: '10.213.0.1/30', apps: '10.213.0.2/30', gateway: '10.213.0.2' }

/**
 * Runs Node with a program of hopbench in a room.
 * @param {object} options
 * @param {string} options.program absolute
 * @param {string} options.dir folder that is LANE inside
 * @param {string} options.files folder whose content is copied to the root folder
 * @param {Tool} options.ip
 * @param {string[]} options.folders of this machine that the program reads
 * @param {number} options.seconds
 */
export function runInRoom ({ program, dir, files, ip, folders, seconds }) {
  const script = join(dir, 'room.sh')
  writeFileSync(script, toScript({ dir, files, ip: ip.path, folders, program }))
  return run(['unshare', '-nmpf', '--kill-child', 'sh', script], { env: ip.env, timeoutSeconds: seconds })
}

/** Command of a script that runs a program of hopbench. @param {string} program absolute */
const toNode = program => `${quote(process.execPath)} --max-semi-space-size=1 ${quote(program)}`
const ALL_PORTS = 'echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start'

/**
 * Writes the script that starts a proxy in a room, in the network of an arm. Its argument is the folder of the arm.
 * @param {object} options
 * @param {string} options.program of hopbench that supplies what is missing, absolute
 * @param {string} options.dir folder that is LANE inside
 * @param {string} options.files as for runInRoom()
 * @param {string[]} options.folders as for runInRoom()
 * @param {[path: string, target: string][]} options.mounts folders of files that the proxy serves, and their paths in
 *   the room, over folders that are supplied
 * @param {string[]} options.argv that starts the proxy
 * @returns {string} path of the script
 */
export function writeArmScript ({ program, dir, files, folders, mounts, argv }) {
  const script = join(dir, 'room.sh')
  const served = mounts.map(([path, target], i) => ({ path, held: `/served/${i}`, target: quote(target) }))
  const lines = [
    ...toRoot({
      dir,
      files,
      folders,
      mounts: served.map(({ path, held }) => [path, held]),
      proc: 'mount --rbind /proc',
      more: [`mount --bind "$1" .${ARM}`]
    }),
    ALL_PORTS,
    toNode(program),
    ...served.map(({ held, target }) => `mkdir -p ${target}; mount --bind ${held} ${target}`),
    `test ! -e ${ARM}/resolvers || DNS_ADDRESSES="$(cat ${ARM}/resolvers)" ${toNode(dnsProgram)} &`,
    `exec ${[...AS_SERVED_USER, '--', ...argv].map(quote).join(' ')}`
  ]
  writeFileSync(script, `${lines.join('\n')}\n`)
  return script
}

/**
 * Returns the commands that make the root folder and enter it.
 * @param {object} options
 * @param {string} options.dir
 * @param {string} options.files
 * @param {string[]} options.folders
 * @param {string} options.proc command that mounts the processes
 * @param {[path: string, target: string][]} [options.mounts]
 * @param {string[]} [options.more] commands before the root folder is entered
 */
function toRoot ({ dir, files, folders, proc, mounts = [], more = [] }) {
  const root = join(dir, 'root')
  const inRoot = (/** @type {string} */ path) => quote(join(root, path))
  const seen = [...new Set([PROJECT, dirname(dirname(realpathSync(process.execPath))), ...folders])]
    .filter(folder => !SYSTEM.some(system => `${folder}/`.startsWith(`${system}/`)))
  return [
    'set -e',
    // Flags of the mounted file system, such as nosuid, are locked in a user namespace and have to be repeated.
    'see () {',
    '  mount --bind "$1" "$2"',
    '  mount -o "remount,bind,$(findmnt -nro VFS-OPTIONS -M "$2" | sed s/^rw/ro/)" "$2"',
    '}',
    `mkdir -p ${quote(root)}`,
    `mount -t tmpfs -o mode=755,size=${MAX_MEMORY} tmpfs ${quote(root)}`,
    `mkdir -p ${FOLDERS.map(inRoot).join(' ')}`,
    `chmod 1777 ${inRoot('tmp')} ${inRoot('dev/shm')}`,
    ...SYSTEM.filter(path => existsSync(path)).map(path => lstatSync(path).isSymbolicLink()
      ? `cp -P ${path} ${inRoot(path)}`
      : `mkdir -p ${inRoot(path)}; see ${path} ${inRoot(path)}`),
    `test ! -e /etc/ld.so.cache || cp /etc/ld.so.cache ${inRoot('etc/ld.so.cache')}`,
    // Changes stay in the memory of the room. A file system that cannot be the lower one is read-only.
    `over () { mkdir -p ${quote(root)}"$1" ${inRoot('changes')}"$1" ${inRoot('work')}"$1"`,
    `  mount -t overlay -o "lowerdir=$1,upperdir=${root}/changes$1,workdir=${root}/work$1" overlay \\`,
    `    ${quote(root)}"$1" 2> /dev/null || see "$1" ${quote(root)}"$1"; }`,
    ...['/usr/share', ...seen].map(path => `over ${quote(path)}`),
    ...mounts.map(([path, target]) => `mkdir -p ${inRoot(target)}; see ${quote(path)} ${inRoot(target)}`),
    ...DEVICES.map(name => `touch ${inRoot(`dev/${name}`)}; mount --bind /dev/${name} ${inRoot(`dev/${name}`)}`),
    ...[['fd', ''], ['stdin', '/0'], ['stdout', '/1'], ['stderr', '/2']].map(([name, end]) =>
      `ln -s /proc/self/fd${end} ${inRoot(`dev/${name}`)}`),
    `ln -s /run ${inRoot('var/run')}`,
    // nginx names a file that cannot be copied, because its folder is read-only.
    `cp -R ${quote(files)}/. ${quote(root)} || true`,
    `see ${quote(dir)} ${inRoot(LANE)}`,
    `${proc} ${inRoot('proc')}`,
    `cd ${quote(root)}`,
    ...more,
    'pivot_root . .',
    'umount -l .',
    'cd /'
  ]
}

/**
 * Returns the script that makes the root folder and both hosts, and becomes the program.
 * @param {{ dir: string, files: string, ip: string, folders: string[], program: string }} options
 */
function toScript ({ dir, files, ip, folders, program }) {
  return [
    ...toRoot({ dir, files, folders, proc: 'mount -t proc proc' }),
    ALL_PORTS,
    `ip=${quote(ip)}`,
    '"$ip" link set lo up',
    'unshare -n sleep 2147483647 & apps=$!',
    'while [ "$(readlink /proc/$apps/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.01; done',
    'inside () { nsenter --target=$apps --net "$@"; }',
    '"$ip" link add hop0 type veth peer name hop1 netns $apps',
    `"$ip" addr add ${LINK.program} dev hop0`,
    '"$ip" link set hop0 up',
    'inside "$ip" link set lo up',
    `inside "$ip" addr add ${LINK.apps} dev hop1`,
    'inside "$ip" link set hop1 up',
    'inside "$ip" route add local default dev lo table main',
    'echo 0 > /proc/sys/net/ipv4/conf/hop0/rp_filter',
    `"$ip" route add default via ${LINK.gateway}`,
    'export HOPBENCH_APPS=$apps HOPBENCH_IP="$ip"',
    `exec ${toNode(program)}`
  ].join('\n') + '\n'
}

/**
 * Writes the files of a room below a folder, and returns the folder.
 * @param {string} folder
 * @param {RoomFile[]} files
 */
export function writeRoomFiles (folder, files) {
  for (const { path, text, encoding } of files) {
    makeFolder(dirname(join(folder, path)))
    writeFileSync(join(folder, path), text, encoding)
  }
  return folder
}

/**
 * Returns the folder of a program's package with its libraries.
 * @param {string} program absolute, as in "…/usr/sbin/nginx"
 */
export const getPackageRoot = program => dirname(dirname(dirname(program)))
