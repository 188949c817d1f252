/**
 * Programs and kernel features that a machine may lack. The probes do not use the product's own, because every test
 * would be skipped without notice if those broke. `HOPBENCH_TEST_REQUIRE=namespaces,nginx` lets tests run that would
 * otherwise be skipped. Run as a program, this file prints the features of the machine as a value of that variable. It
 * imports no package.
 */
import { spawnSync } from 'node:child_process'
import {
  accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmdirSync, rmSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * @param {string} program
 * @param {string[]} args
 */
const works = (program, ...args) => spawnSync(program, args, { stdio: 'ignore', timeout: 20_000 }).status === 0

/** @param {string} program */
export const isOnPath = program => (process.env.PATH ?? '').split(delimiter).concat('/usr/sbin').some(folder => {
  try {
    accessSync(join(folder, program), constants.X_OK)
    return true
  } catch {
    return false
  }
})

/**
 * Whether a program is installed or can be fetched.
 * @param {string[]} programs alternative names of the program
 */
const isAvailable = (...programs) => programs.some(isOnPath) || (isOnPath('apt-get') && isOnPath('dpkg-deb'))

/**
 * Whether a program is installed, or a wheel of it can be fetched: there are builds for glibc.
 * @param {string} program
 */
const hasWheel = program => isOnPath(program) || (process.platform === 'linux' &&
  ['x64', 'arm64'].includes(process.arch) && !readdirSync('/lib').some(name => name.startsWith('ld-musl-')) &&
  works('python3', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'))

/** Whether a control group can be made with limits of CPU time and memory, with version 1 or 2. */
function canLimit () {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').filter(line => line.includes(' - cgroup'))
  return ['cpu.max', 'cpu.cfs_quota_us'].some(cpu => mounts.some(mount => makes(mount.split(' ')[4], cpu))) &&
    ['memory.max', 'memory.limit_in_bytes'].some(memory => mounts.some(mount => makes(mount.split(' ')[4], memory)))
}

/**
 * Whether a new control group in a folder has a file.
 * @param {string} folder
 * @param {string} file
 */
function makes (folder, file) {
  const own = join(folder, `hopbench-test-${process.pid}`)
  try {
    mkdirSync(own)
  } catch {
    return false
  }
  const found = existsSync(join(own, file))
  rmdirSync(own)
  return found
}

/** Makes what an engine makes for containers: a layered file system, a bridge, and one end of a link in it. */
const CONTAINER_PARTS = 'cd "$1" && mkdir lower upper work merged && ' +
  'mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay merged && umount merged && ' +
  '{ ! command -v ip || { ip link add bridge0 type bridge && ip link add link0 type veth peer link1 && ' +
  'ip link set link0 master bridge0; }; }'

/** Whether a Docker engine can run here: as root, with control groups, layered file systems and bridges. */
function canRunContainers () {
  if (process.getuid?.() !== 0 || !canLimit()) return false
  const dir = mkdtempSync(join(tmpdir(), 'hb-'))
  try {
    return works('unshare', '-mnpf', '--mount-proc', 'sh', '-ec', CONTAINER_PARTS, 'sh', dir) &&
      isAvailable('dockerd') && isAvailable('debootstrap')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** @type {Record<string, { why: string, probe: () => boolean }>} */
const NEEDS = {
  namespaces: {
    why: 'there are no namespaces here',
    probe: () => works('unshare', '-Urn', '--', 'unshare', '-U', '--map-user=1000', '--map-group=1000', 'true') &&
      works('unshare', '-Urpf', '--mount-proc', '--kill-child', 'true')
  },
  tun: {
    why: 'no program can be the link of a private network here',
    probe: () => isOnPath('python3') && works('unshare', '-Urn', 'ip', 'tuntap', 'add', 'dev', 'slow0', 'mode', 'tun')
  },
  mounts: {
    why: 'nothing can be mounted here',
    probe: () => works('unshare', '-rm', 'sh', '-ec', 'mount -t tmpfs none /proc')
  },
  limits: { why: 'no control group can be made here', probe: canLimit },
  accounts: {
    why: 'only root can change to another account',
    probe: () => process.getuid?.() === 0 &&
      works('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'true')
  },
  tmpfs: {
    why: 'there is no tmpfs with room for it at /dev/shm',
    probe: () => works('sh', '-c', '[ "$(stat -f -c %T /dev/shm)" = tmpfs ] && [ -w /dev/shm ] && ' +
      '[ "$(df -k --output=avail /dev/shm | tail -n 1)" -ge 32768 ]')
  },
  taskset: { why: 'there is no taskset here', probe: () => works('taskset', '-c', '0', 'true') },
  nginx: { why: 'there is no nginx here, and no way to fetch it', probe: () => isAvailable('nginx') },
  apache: { why: 'there is no Apache here, and no way to fetch it', probe: () => isAvailable('apache2', 'httpd') },
  haproxy: { why: 'there is no HAProxy here, and no way to fetch it', probe: () => isAvailable('haproxy') },
  caddy: { why: 'there is no Caddy here, and no way to fetch it', probe: () => isAvailable('caddy') },
  varnish: { why: 'there is no Varnish here, and no way to fetch it', probe: () => isAvailable('varnishd') },
  envoy: { why: 'there is no Envoy here, and no Python that could fetch it', probe: () => hasWheel('envoy') },
  apt: { why: 'there is no index of Debian packages here', probe: () => works('apt-cache', 'show', 'wrk') },
  registry: { why: 'the npm registry cannot be reached', probe: () => works('npm', 'ping', '--fetch-retries=0') },
  python: { why: 'there is no Python here', probe: () => works('python3', '--version') },
  locust: {
    why: 'there is no Python here that can make an environment for Locust',
    probe: () => works('python3', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))') ||
      works('/usr/bin/python3', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))')
  },
  hadolint: {
    why: 'there is no Python here that can make an environment for hadolint, or no build of it for this machine',
    probe: () => process.platform === 'linux' && process.arch === 'x64' &&
      works('python3', '-c', 'import venv, ensurepip')
  },
  docker: {
    why: 'no Docker engine can run here: that takes root, namespaces, control groups, bridges, and apt or its programs',
    probe: canRunContainers
  },
  browser: { why: 'there is no Chromium here, and no way to fetch it', probe: () => isAvailable('chromium') },
  prometheus: { why: 'there is no Prometheus here, and no way to fetch it', probe: () => isAvailable('prometheus') }
}

/**
 * @param {string} need
 * @returns {boolean}
 */
const has = need => {
  try {
    return NEEDS[need].probe()
  } catch {
    return false
  }
}

/**
 * @param {...string} needs
 * @returns {string | false} reason to skip a test; false: run it
 */
export function skipWithout (...needs) {
  const required = (process.env.HOPBENCH_TEST_REQUIRE ?? '').split(',')
  const missing = needs.find(need => !required.includes(need) && !has(need))
  return missing === undefined ? false : NEEDS[missing].why
}

/**
 * @param {string} program
 * @param {string[]} packages Debian packages that contain the program
 * @returns {string | false} reason to skip a test that needs the program; false: run it
 */
export const skipWithoutProgram = (program, packages) =>
  isOnPath(program) || (packages.length > 0 && isAvailable(program)) ? false : `there is no ${program} here`

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(`${Object.keys(NEEDS).filter(has).join(',')}\n`)
}
