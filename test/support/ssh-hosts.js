/**
 * Simulated machines for a test: a network namespace for each, with a real sshd, connected to the network namespace in
 * which commands are typed. The machines share the file system and have separate networks. Works without root.
 */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run, start, readLastLines, waitUntil } from '../../bench/machine/process.js'
import { findTools } from '../../bench/machine/tools.js'
import { tempFolder } from './temp.js'

const PORT = 2222
/** Account for logins, defined in a passwd file of the namespace. */
const USER = { name: 'bench', id: 1000 }
/**
 * @typedef {object} SshHosts
 * @property {string[]} via prefix of a command, which enters the namespace in which commands are typed
 * @property {string} ssh for --ssh
 * @property {(name: string) => string} destination "bench@10.78.1.2"
 * @property {(name: string) => Promise<void>} cut ends a host's link
 * @property {() => string[]} left what is in the temporary folder that the machines share
 * @property {() => string[]} loads command lines of load generators on the machines
 * @property {string} dir with `known_hosts`, and `config-stranger` for a key that every machine rejects
 */

/**
 * @param {{ teardown: (undo: () => unknown) => unknown }} t
 * @param {Record<string, { env?: Record<string, string> }>} hosts by name; env: variables on the machine, default: PATH
 *   of this process
 * @returns {Promise<SshHosts>}
 */
export async function openSshHosts (t, hosts) {
  const [ip, sshd, ssh] = await findTools([
    { program: 'ip', packages: { debian: ['iproute2'] } },
    { program: 'sshd', packages: { debian: ['openssh-server'] } },
    { program: 'ssh', packages: { debian: ['openssh-client'] } }
  ])
  const dir = tempFolder(t)
  const env = { ...ip.env, ...sshd.env, ...ssh.env }
  const keygen = join(dirname(ssh.path), 'ssh-keygen')
  for (const key of ['id', 'stranger', 'host']) {
    await must(run([keygen, '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', join(dir, key)], { env }))
  }
  const names = Object.keys(hosts)
  const addressOf = (/** @type {string} */ name) => `10.78.${names.indexOf(name) + 1}.2`
  const hostKey = readFileSync(join(dir, 'host.pub'), 'utf8').trim()
  for (const folder of ['home', 'tmp']) mkdirSync(join(dir, folder))
  const files = {
    passwd: `root:x:0:0::${dir}/home:/bin/sh\n${USER.name}:x:${USER.id}:${USER.id}::${dir}/home:/bin/sh\n`,
    authorized_keys: readFileSync(join(dir, 'id.pub'), 'utf8'),
    known_hosts: names.map(name => `[${addressOf(name)}]:${PORT} ${hostKey}\n`).join(''),
    config: sshConfig(dir, 'id'),
    'config-stranger': sshConfig(dir, 'stranger'),
    ...Object.fromEntries(
      names.map(name => [`sshd-${name}`, sshdConfig(dir, { PATH: process.env.PATH ?? '', ...hosts[name].env })])
    ),
    'hosts.sh': script({
      dir,
      ip: ip.path,
      sshd: sshd.path,
      names
    })
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text, { mode: 0o600 })
  const holder = start({
    name: 'the hosts',
    argv: ['unshare', '-Urnm', 'sh', join(dir, 'hosts.sh')],
    env,
    log: join(dir, 'hosts.log')
  })
  t.teardown(() => holder.stop({ signal: 'SIGKILL' }))
  const isUp = () => readLastLines(join(dir, 'ready')) === 'ready' && listening(join(dir, 'hosts.log')) === names.length
  await waitUntil(holder, isUp, { timeoutSeconds: 20 })
  const via = ['nsenter', `--target=${holder.pid}`, '--user', '--net', '--mount', '--preserve-credentials', '--']
  return {
    via,
    dir,
    left: () => readdirSync(join(dir, 'tmp')),
    loads: () => loadsIn(join(dir, 'tmp')),
    ssh: `${ssh.path} -F ${dir}/config`,
    destination: name => `${USER.name}@${addressOf(name)}`,
    cut: async name => {
      await must(run([...via, ip.path, 'link', 'set', `h${names.indexOf(name) + 1}`, 'down'], { env }))
    }
  }
}

/**
 * Finds the processes that work in a folder.
 * @param {string} dir
 */
const loadsIn = dir => readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
  try {
    const isIn = readlinkSync(`/proc/${pid}/cwd`).startsWith(`${dir}/`)
    return isIn ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : []
  } catch {
    return []
  }
})

/**
 * Counts the sshd processes that listen.
 * @param {string} log
 */
const listening = log => readFileSync(log, 'utf8').match(/^Server listening on 0\.0\.0\.0/gm)?.length ?? 0

/** @param {Promise<{ exit: number | null, stderr: string }>} running */
async function must (running) {
  const { exit, stderr } = await running
  if (exit !== 0) throw new Error(stderr)
}

/**
 * @param {string} dir
 * @param {string} key
 */
const sshConfig = (dir, key) =>
  `Host *\n  Port ${PORT}\n  IdentityFile ${dir}/${key}\n  IdentitiesOnly yes\n  UserKnownHostsFile ` +
  `${dir}/known_hosts\n  GlobalKnownHostsFile /dev/null\n`

/**
 * @param {string} dir
 * @param {Record<string, string>} env
 */
const sshdConfig = (dir, env) =>
  [
    `Port ${PORT}`,
    `HostKey "${dir}/host"`,
    `AuthorizedKeysFile "${dir}/authorized_keys"`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PidFile none',
    // Ends the sessions of a link that was cut, later than the machine ends its load by itself.
    'ClientAliveInterval 60',
    'ClientAliveCountMax 1',
    `SetEnv ${Object.entries({ ...env, TMPDIR: `${dir}/tmp` }).map(([name, value]) => `"${name}=${value}"`).join(' ')}`
  ].join('\n') + '\n'

/**
 * @param {{ dir: string, ip: string, sshd: string, names: string[] }} options
 */
const script = ({ dir, ip, sshd, names }) => [
  'set -e',
  `mount --bind '${dir}/passwd' /etc/passwd`,
  `'${ip}' link set lo up`,
  // Forwards packets between the hosts.
  'echo 1 > /proc/sys/net/ipv4/ip_forward',
  ...names.flatMap((name, i) => {
    const net = `10.78.${i + 1}`
    return [
      'unshare -n sleep 2147483647 & host=$!',
      'while [ "$(readlink /proc/$host/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done',
      `'${ip}' link add h${i + 1} type veth peer name eth0 netns $host`,
      `'${ip}' addr add ${net}.1/24 dev h${i + 1}`,
      `'${ip}' link set h${i + 1} up`,
      'nsenter --target=$host --net sh -e <<HOST',
      `'${ip}' link set lo up`,
      `'${ip}' addr add ${net}.2/24 dev eth0`,
      `'${ip}' link set eth0 up`,
      `'${ip}' route add default via ${net}.1`,
      'HOST',
      `nsenter --target=$host --net unshare -U --map-user=${USER.id} --map-group=${USER.id} '${sshd}' -D -e ` +
        `-f '${dir}/sshd-${name}' &`
    ]
  }),
  `echo ready > '${dir}/ready.new'`,
  `mv '${dir}/ready.new' '${dir}/ready'`,
  'exec sleep 2147483647'
].join('\n') + '\n'
