/** A machine with systemd as process 1, which is a container of a test's Docker engine, and systemd kits on it. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findCertificate } from '../../bench/topology/certificates.js'
import { within } from './kit-checks.js'
import { projectWithKit, relayTo } from './kit-root.js'

/**
 * @import { Test } from 'tap'
 * @import { Engine } from './docker-engine.js'
 */

export const BASE = 'node:22-bookworm-slim'
const BOOT_SECONDS = 60
/** Time limit of a command on the machine. It exceeds TimeoutStopSec of the unit, after which systemd kills. */
const COMMAND_SECONDS = 90
/** Units that would change settings of the kernel, which the machine shares, or mount file systems of the kernel. */
const MASKED = ['systemd-sysctl.service', 'systemd-modules-load.service', 'systemd-remount-fs.service',
  'systemd-random-seed.service', 'systemd-binfmt.service', 'proc-sys-fs-binfmt_misc.automount',
  'dev-hugepages.mount', 'dev-mqueue.mount', 'sys-kernel-debug.mount', 'sys-kernel-tracing.mount',
  'sys-kernel-config.mount', 'sys-fs-fuse-connections.mount', 'getty.target']
/**
 * Makes the control groups of the container writable, which docker does only for privileged ones. Mounts are shared,
 * as on a machine, because systemd mounts the credentials of a unit in a namespace of its own.
 */
const INIT = `mount --make-rshared /
for folder in /sys/fs/cgroup /sys/fs/cgroup/*; do
  ! mountpoint -q "$folder" || mount -o remount,bind,rw "$folder"
done
exec /lib/systemd/systemd --system --unit=multi-user.target`

/**
 * Writes the context of an image that has systemd, nginx, and a project with its kit in /srv/shop.
 * @param {Test} t
 * @param {{ spec: string, args?: string[], files: Record<string, string> }} kit
 * @returns {Promise<string>} its folder
 */
export async function writeMachine (t, { spec, args, files }) {
  const { project, dir } = await projectWithKit(t, spec, 'systemd', { args, files })
  const context = join(dir, 'machine')
  mkdirSync(context)
  cpSync(project, join(context, 'shop'), { recursive: true })
  for (const name of ['first', 'renewed']) {
    const folder = join(dir, name)
    mkdirSync(folder)
    const { certFile, keyFile } = await findCertificate('ecdsa-p256', folder)
    cpSync(certFile, join(context, name, 'certs/site.pem'))
    cpSync(keyFile, join(context, name, 'private/site.key'))
  }
  writeFileSync(join(context, 'Dockerfile'), [
    `FROM ${BASE}`,
    'RUN apt-get update && apt-get install -y --no-install-recommends nginx-light systemd',
    `RUN systemctl mask ${MASKED.join(' ')}`,
    'COPY first /etc/ssl/',
    'COPY renewed /srv/renewed/',
    'COPY shop /srv/shop',
    `CMD ${JSON.stringify(['sh', '-ec', INIT])}`
  ].join('\n'))
  return context
}

/** @typedef {Awaited<ReturnType<typeof bootMachine>>} Machine */

/**
 * Boots a machine.
 * @param {Test} t
 * @param {Engine} engine
 * @param {string} image also the name of the container
 */
export async function bootMachine (t, engine, image) {
  await engine.docker('run', '--detach', '--name', image, '--cgroupns', 'private', '--cap-add', 'SYS_ADMIN',
    '--security-opt', 'seccomp=unconfined', '--security-opt', 'apparmor=unconfined', '--env', 'container=docker',
    ...['/run', '/run/lock', '/tmp'].flatMap(folder => ['--tmpfs', `${folder}:exec`]), image)
  t.teardown(() => engine.docker('rm', '--force', image).catch(() => {}))
  const call = async (/** @type {string[]} */ ...argv) => {
    const { exit, stdout, stderr } = await engine.call([engine.programs.docker, 'exec', image, ...argv],
      COMMAND_SECONDS)
    return { exit, stdout: stdout.trim(), stderr }
  }
  const succeed = async (/** @type {string[]} */ ...argv) => {
    const { exit, stdout, stderr } = await call(...argv)
    if (exit !== 0) throw new Error(`${argv.join(' ')}: exit ${exit}\n${stdout}\n${stderr}`)
    return stdout
  }
  const pid = await engine.docker('inspect', '--format', '{{.State.Pid}}', image)
  const enter = [...engine.enter(), 'nsenter', '-t', pid, '-n', '--']
  await within(BOOT_SECONDS, 'systemd has booted', async () =>
    /^(running|degraded)$/.test((await call('systemctl', 'is-system-running')).stdout))
  return {
    enter,
    call,
    succeed,
    sh: (/** @type {string} */ script) => succeed('sh', '-ec', script),
    /** Value of a property of the app's unit. */
    show: (/** @type {string} */ name) => succeed('systemctl', 'show', '--value', '--property', name, 'shop.service'),
    /** Starts the kit by the commands that `hopbench config` prints. */
    start: () => succeed('sh', '-ec', `cd /srv/shop/deploy
      cp shop.service shop-nginx.service shop-nginx.socket /etc/systemd/system/
      systemctl disable --now nginx
      systemctl enable --now shop shop-nginx`),
    journal: () => succeed('journalctl', '--no-pager', '--unit', 'shop', '--unit', 'shop-nginx', '--output', 'cat'),
    /**
     * Opens a Unix socket that forwards to a port of the machine.
     * @param {number} port
     */
    async open (port) {
      const dir = join(engine.dir, `${image}-${port}`)
      mkdirSync(dir)
      return relayTo(t, { host: '127.0.0.1', port, dir, network: { enterBeside: enter } })
    }
  }
}
