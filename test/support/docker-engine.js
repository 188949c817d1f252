/**
 * A Docker engine of a test. It leaves nothing behind: its files are in the test's workspace, changes of /etc, /run and
 * /opt are in layers over them, and its processes end with its PID namespace. It builds images in the network of this
 * machine, and runs containers in a network of its own, where every port is free.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, start, waitUntil } from '../../bench/machine/process.js'
import { findTool } from '../../bench/machine/tools.js'
import { makeWorkspace } from './cli.js'

/** @import { Test } from 'tap' */

const DOCKERD = { program: 'dockerd', packages: { debian: ['docker.io'] } }
const COMPOSE = { program: 'docker-compose', packages: { debian: ['docker-compose'] } }
const IP = { program: 'ip', packages: { debian: ['iproute2'] } }
const START_SECONDS = 60
const STOP_SECONDS = 60
const BUILD_SECONDS = 500
const CGROUPS = '/sys/fs/cgroup'

/** Starts the daemon where changes of three folders of the system are kept in the workspace. */
const SCRIPT = `set -e
for folder in etc run opt; do
  mkdir -p "$LAYERS/$folder" "$LAYERS/work-$folder"
  mount -t overlay -o "lowerdir=/$folder,upperdir=$LAYERS/$folder,workdir=$LAYERS/work-$folder" overlay "/$folder"
done
"$IP" link set lo up
exec "$@"`

/** @typedef {Awaited<ReturnType<typeof openEngine>>} Engine */

/**
 * Starts an engine that builds images.
 * @param {Test} t
 */
export async function openEngine (t) {
  const { dir } = makeWorkspace(t)
  const programs = await enginePrograms(join(dir, 'bin'))
  const socket = join(dir, 'docker.sock')
  const group = `/${basename(dir)}`
  const env = {
    ...programs.env,
    DOCKER_HOST: `unix://${socket}`,
    DOCKER_CONFIG: join(dir, 'config'),
    // Without BuildKit, docker ignores the kit's Dockerfile.dockerignore.
    DOCKER_BUILDKIT: '1',
    COMPOSE_DOCKER_CLI_BUILD: '1'
  }
  mkdirSync(env.DOCKER_CONFIG)
  let daemon = await startDaemon({ dir, programs, socket, group, isPrivate: false })
  const stop = async () => {
    await stopDaemon(daemon)
    removeGroups(group)
  }
  t.teardown(stop)

  const enter = () => ['nsenter', '-t', String(childOf(daemon.pid)), '-m', '-n', '-p', '--']
  const call = (/** @type {string[]} */ argv, timeoutSeconds = BUILD_SECONDS) => run(argv, { env, timeoutSeconds })
  const docker = async (/** @type {string[]} */ ...args) => {
    const { exit, stdout, stderr } = await call([programs.docker, ...args])
    if (exit !== 0) throw new Error(`docker ${args.join(' ')}: exit ${exit}\n${(stdout + stderr).slice(-3000)}`)
    return stdout.trim()
  }
  return {
    dir,
    env,
    group,
    programs,
    docker,
    call,
    stop,
    /** Prefix of a command that runs in the network of the engine, where containers publish their ports. */
    enter,
    has: (/** @type {string} */ image) =>
      docker('image', 'inspect', '--format', '{{.Id}}', image).then(() => true, () => false),
    /**
     * @param {string} context folder
     * @param {string} tag
     * @param {string} [file] Dockerfile
     */
    build: (context, tag, file = join(context, 'Dockerfile')) =>
      docker('build', '--network', 'host', '--quiet', '--file', file, '--tag', tag, context),
    /** Starts the engine again in a network of its own. */
    async isolate () {
      await stopDaemon(daemon)
      daemon = await startDaemon({ dir, programs, socket, group, isPrivate: true })
    }
  }
}

/**
 * Finds the programs of the engine, and those that it starts.
 * @param {string} bin new folder for links
 */
async function enginePrograms (bin) {
  const [dockerd, ip] = [await findTool(DOCKERD, { printProgress: () => {} }), await findTool(IP,
    { printProgress: () => {} })]
  const own = join(dockerd.root, 'usr/bin/docker')
  return {
    dockerd: dockerd.path,
    docker: dockerd.from === 'cache' && existsSync(own) ? own : 'docker',
    ip: ip.path,
    env: { ...dockerd.env, ...dockerd.from === 'cache' && extractedEnvironment(dockerd, bin) }
  }
}

/**
 * Returns the variables for programs of an engine that was extracted, not installed. The daemon starts containerd, runc
 * and iptables by name, and without iptables it offers no names of other containers. Debian's scripts would link
 * iptables and name the folder of its extensions.
 * @param {{ root: string, env: Record<string, string> }} dockerd
 * @param {string} bin new folder for links
 */
function extractedEnvironment ({ root, env }, bin) {
  mkdirSync(bin)
  for (const name of ['iptables', 'ip6tables']) symlinkSync(join(root, 'usr/sbin', `${name}-nft`), join(bin, name))
  const extensions = env.LD_LIBRARY_PATH.split(':').find(folder => folder.endsWith('/xtables')) ?? ''
  const folders = [bin, join(root, 'usr/sbin'), join(root, 'usr/bin'), process.env.PATH, '/usr/sbin', '/sbin']
  return { PATH: folders.join(':'), XTABLES_LIBDIR: extensions }
}

/** Returns the start of a command line of docker-compose. */
export async function composeCommand () {
  const { path, root } = await findTool(COMPOSE, { printProgress: () => {} })
  const isPython = readFileSync(path, 'latin1').startsWith('#!/usr/bin/python3')
  if (!isPython || root === '/') return [path]
  return ['env', `PYTHONPATH=${join(root, 'usr/lib/python3/dist-packages')}`, '/usr/bin/python3', path]
}

/**
 * @param {{ dir: string, programs: Awaited<ReturnType<typeof enginePrograms>>, socket: string, group: string,
 *   isPrivate: boolean }} engine isPrivate: whether its network is its own
 */
async function startDaemon ({ dir, programs, socket, group, isPrivate }) {
  const daemon = start({
    name: 'dockerd',
    argv: ['unshare', isPrivate ? '-mnpf' : '-mpf', '--mount-proc', '--kill-child', '--', 'sh', '-c', SCRIPT, 'sh',
      programs.dockerd, '--data-root', join(dir, 'data'), '--exec-root', join(dir, 'exec'),
      '--pidfile', join(dir, 'docker.pid'), '--host', `unix://${socket}`, '--cgroup-parent', group,
      '--iptables=false', '--ip6tables=false', '--ip-forward=false', ...isPrivate ? [] : ['--bridge=none']],
    env: { ...programs.env, LAYERS: join(dir, 'layers'), IP: programs.ip },
    log: join(dir, 'dockerd.log')
  })
  const ready = () => run([programs.docker, '--host', `unix://${socket}`, 'version'], { env: programs.env })
    .then(({ exit }) => exit === 0)
  await waitUntil(daemon, ready, { timeoutSeconds: START_SECONDS })
  return daemon
}

/**
 * Ends the daemon, which ends its containers first.
 * @param {Awaited<ReturnType<typeof startDaemon>>} daemon
 */
async function stopDaemon (daemon) {
  if (daemon.ended()) return
  process.kill(childOf(daemon.pid), 'SIGTERM')
  await Promise.race([daemon.exited, sleep(STOP_SECONDS * 1000, undefined, { ref: false })])
  await daemon.stop({ signal: 'SIGKILL' })
}

/**
 * Returns the first child of a process.
 * @param {number} pid
 */
export const childOf = pid => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])

/**
 * Returns the control groups of an engine.
 * @param {string} group
 * @returns {string[]} from the innermost outwards
 */
export function groupsOf (group) {
  const roots = [CGROUPS, ...readdirSync(CGROUPS).map(name => join(CGROUPS, name))]
  return roots.map(root => join(root, group)).filter(folder => existsSync(folder)).flatMap(foldersIn)
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
const foldersIn = folder => [...readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory())
  .flatMap(({ name }) => foldersIn(join(folder, name))), folder]

/** @param {string} group */
function removeGroups (group) {
  for (const folder of groupsOf(group)) rmdirSync(folder)
}
