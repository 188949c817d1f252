/**
 * Base images of Dockerfiles, made without a registry of images: Debian from its packages, Node and npm from npm. The
 * system of each Debian release is a file of the cache, with the packages that Dockerfiles install, so that a build
 * downloads no more than Debian's lists.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmTarball } from '../../bench/machine/setup/npm-pack.js'
import { findRuntime } from '../../bench/machine/setup/runtime.js'
import { cached, provide } from '../../bench/machine/setup/tool-cache.js'
import { run } from '../../bench/machine/process.js'
import { findTool } from '../../bench/machine/tools.js'
import { runtimes } from '../../bench/plan/runtimes.js'

const DEBOOTSTRAP = { program: 'debootstrap', packages: { debian: ['debootstrap'] } }
const DEBOOTSTRAP_SECONDS = 400
const ENOUGH_MIB = 1500
/** Packages of each Debian release whose archives are part of the system, because Dockerfiles of tests install them. */
const ARCHIVES = {
  bookworm: ['libnginx-mod-http-brotli-filter', 'libnginx-mod-http-brotli-static', 'nginx-light'],
  trixie: installedBy(new URL('../../Dockerfile', import.meta.url))
}
/** Debian's Python, in place of one built from source, and pip as images of Python have it. */
const PYTHON = {
  image: 'python:3.11-slim-bookworm',
  codename: 'bookworm',
  step: 'RUN apt-get update && apt-get install -y --no-install-recommends python3-venv python3-pip && ' +
    'rm /usr/lib/python3.11/EXTERNALLY-MANAGED && ln -s python3 /usr/bin/python'
}
/** npm of Node 22. Images of Node contain it, and npm's builds of Node do not. */
const NPM = {
  name: 'npm',
  version: '10.9.4',
  integrity: 'sha512-OnUG836FwboQIbqtefDNlyR0gTHzIfwRfE3DuiNewBvnMnWEpB0VEXwBlFVgqpNzIgYo/MHh3d2Hel/pszapAA==',
  main: 'bin/npm-cli.js'
}
/** Settings of dpkg in the official images, which also lack documentation and translations. */
const DPKG_SETTINGS = ['force-unsafe-io', ...['doc', 'man', 'locale', 'info', 'lintian'].map(folder =>
  `path-exclude /usr/share/${folder}/*`), 'path-include /usr/share/doc/*/copyright']
const CA_FILE = 'usr/local/share/machine-ca.crt'
/** Settings of npm that decide how it reaches its registry. */
const NPM_SETTINGS = ['registry', 'proxy', 'https-proxy', 'strict-ssl']

/**
 * Makes the base image of a Dockerfile under the name that the Dockerfile uses.
 * @param {import('./docker-engine.js').Engine} engine
 * @param {string} name "node:22-bookworm-slim", "python:3.11-slim-bookworm" or "debian:trixie-slim"
 */
export async function makeBase (engine, name) {
  const hasPython = name === PYTHON.image
  const [, line, release] = /^(?:node:(\d+)|debian:)-?(bookworm|trixie)-slim$/.exec(name) ?? []
  const codename = hasPython ? PYTHON.codename : release
  if (!codename) throw new Error(`there is no recipe for the base image ${name}`)
  const debian = `hopbench-${codename}`
  if (!await engine.has(debian)) {
    const file = await debianSystem(codename, ARCHIVES[/** @type {keyof typeof ARCHIVES} */ (codename)])
    await engine.docker('import', file, debian)
  }
  const context = join(engine.dir, `base-${name.replace(/\W/g, '-')}`)
  const steps = [`FROM ${debian}`, 'COPY tree /', ...addMachine(join(context, 'tree'), await machineSettings())]
  if (line) steps.push(...await addNode(join(context, 'tree'), line))
  if (hasPython) steps.push(PYTHON.step)
  writeFileSync(join(context, 'Dockerfile'), `${steps.join('\n')}\n`)
  await engine.build(context, name)
}

/**
 * Returns a tar file of a minimal system.
 * @param {string} codename
 * @param {string[]} packages whose archives are in it, not installed
 */
async function debianSystem (codename, packages) {
  const key = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 12)
  const note = `debian-${codename}-${key}`
  // Fetched before the system, because only one fetch at a time has the lock of the cache.
  const debootstrap = await findTool(DEBOOTSTRAP, { printProgress: () => {} })
  return provide({
    what: `the base system of Debian ${codename}`,
    doing: `Fetching the base system of Debian ${codename}`,
    mib: ENOUGH_MIB,
    locate: () => cached(note, process.env)?.path ?? null,
    reject: why => new Error(`the base system of Debian ${codename} has no folder in the cache: ${why}`),
    fetch: async work => {
      const tree = join(work, 'tree')
      await bootstrap(debootstrap, codename, tree)
      await inTree(tree, `apt-get update -qq && apt-get install -y --no-install-recommends libatomic1 ca-certificates &&
        rm -f /var/cache/apt/archives/*.deb &&
        apt-get install -y --no-install-recommends --download-only ${packages.join(' ')} &&
        rm -rf /var/lib/apt/lists/* /etc/resolv.conf`)
      mkdirSync(join(work, 'root'))
      await succeed(['tar', '-C', tree, '--numeric-owner', '-cf', join(work, 'root/system.tar'), '.'])
      rmSync(tree, { recursive: true })
      // The cache requires an executable file.
      await succeed(['chmod', '755', join(work, 'root/system.tar')])
      return { versions: { [codename]: note }, programs: { [note]: 'system.tar' } }
    }
  }, { printProgress: () => {} })
}

/**
 * @param {Awaited<ReturnType<typeof findTool>>} debootstrap
 * @param {string} codename
 * @param {string} tree
 */
async function bootstrap ({ path, root, env }, codename, tree) {
  const scripts = join(root, 'usr/share/debootstrap')
  await succeed([path, '--variant=minbase', codename, tree], { ...env, DEBOOTSTRAP_DIR: scripts })
  copyFileSync('/etc/resolv.conf', join(tree, 'etc/resolv.conf'))
  writeFileSync(join(tree, 'etc/dpkg/dpkg.cfg.d/docker'), `${DPKG_SETTINGS.join('\n')}\n`)
  writeFileSync(join(tree, 'etc/apt/apt.conf.d/machine'), await aptProxies())
}

/**
 * @param {string} tree
 * @param {string} script
 */
const inTree = (tree, script) =>
  succeed(['chroot', tree, 'sh', '-ec', script], { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8', TMPDIR: '' })

/**
 * @param {string[]} argv
 * @param {Record<string, string>} [env]
 */
async function succeed (argv, env = {}) {
  const { exit, stdout, stderr } = await run(argv, { env, timeoutSeconds: DEBOOTSTRAP_SECONDS })
  if (exit !== 0) throw new Error(`${argv.join(' ')}: exit ${exit}\n${stdout.slice(-1000)}\n${stderr.slice(-1000)}`)
  return stdout
}

/** Returns the lines of apt's configuration that name proxies. */
const aptProxies = async () =>
  (await succeed(['apt-config', 'dump'])).split('\n').filter(line => /^Acquire::https?::Proxy/i.test(line)).join('\n')

/** Returns the file of certificates that npm and Node trust on this machine, and npm's settings. */
async function machineSettings () {
  const settings = await Promise.all(NPM_SETTINGS.map(async name =>
    [name, (await succeed(['npm', 'config', 'get', name])).trim()]))
  const { npm_config_cafile: cafile, NODE_EXTRA_CA_CERTS: extra } = process.env
  const candidates = [cafile, extra, '/etc/ssl/certs/ca-certificates.crt']
  return {
    ca: candidates.find(file => file && existsSync(file)) ?? null,
    npm: settings.filter(([, value]) => value !== '' && value !== 'null' && value !== 'undefined')
  }
}

/**
 * Adds this machine's access to registries to an image.
 * @param {string} tree files of the image, made here
 * @param {Awaited<ReturnType<typeof machineSettings>>} settings
 * @returns {string[]} lines of a Dockerfile
 */
function addMachine (tree, { ca, npm }) {
  mkdirSync(join(tree, 'usr/local/share'), { recursive: true })
  mkdirSync(join(tree, 'usr/local/etc'), { recursive: true })
  writeFileSync(join(tree, 'usr/local/etc/npmrc'), npm.map(([name, value]) => `${name}=${value}\n`).join(''))
  const config = ['ENV npm_config_globalconfig=/usr/local/etc/npmrc']
  if (ca === null) return config
  copyFileSync(ca, join(tree, CA_FILE))
  return [...config, `ENV NODE_EXTRA_CA_CERTS=/${CA_FILE} npm_config_cafile=/${CA_FILE} PIP_CERT=/${CA_FILE}`]
}

/**
 * Adds Node and npm, and the account that images of Node have.
 * @param {string} tree
 * @param {string} line "22"
 * @returns {Promise<string[]>} lines of a Dockerfile
 */
async function addNode (tree, line) {
  const name = `node-${line}`
  const { program } = await findRuntime(name, runtimes[name], { printProgress: () => {} })
  const npm = await npmTarball(NPM, { printProgress: () => {} })
  mkdirSync(join(tree, 'usr/local/bin'), { recursive: true })
  copyFileSync(program, join(tree, 'usr/local/bin/node'))
  cpSync(npm, join(tree, 'usr/local/lib/node_modules/npm'), { recursive: true })
  return ['RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ' +
    'ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx && ' +
    'useradd --uid 1000 --user-group --create-home node']
}

/**
 * Returns the packages of Debian that a Dockerfile installs, sorted.
 * @param {URL} dockerfile
 */
function installedBy (dockerfile) {
  const [, words] = /apt-get install ([^&]*)/.exec(readFileSync(dockerfile, 'utf8').replaceAll('\\\n', ' ')) ?? []
  return String(words).trim().split(/\s+/).filter(spec => !spec.startsWith('-')).sort()
}

/**
 * Returns the image that a Dockerfile starts from.
 * @param {string} dockerfile
 */
export const baseOf = dockerfile => /^FROM (\S+)/m.exec(readFileSync(dockerfile, 'utf8'))?.[1] ?? ''
