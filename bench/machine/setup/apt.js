/**
 * Fetches Debian and Ubuntu packages without installing them. apt-get downloads them, with the libraries that this
 * system lacks, into a folder of the cache, where they are unpacked. Needs no root, starts no service and changes
 * nothing on the system.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onPath } from './path.js'
import { makeFolder } from '../files/make-folder.js'

const UPDATE_SECONDS = 180 // The package lists have some ten megabytes, which a slow network loads in minutes.
const DOWNLOAD_SECONDS = 900 // The largest set of packages over a slow network.
const UNPACK_SECONDS = 300 // The same on a slow disk.
const LOCALE = 'C.UTF-8' // In which the output of apt is parsed.
/**
 * Unpacks a package. Some packages contain folders of other accounts, which root of a user namespace cannot give away.
 */
const UNPACK = 'dpkg-deb --fsys-tarfile "$1" | tar --extract --no-same-owner --directory "$2"'

/**
 * Loads the runner with the first program, because most starts run none, and execa has more than a hundred modules.
 * @type {typeof import('../process.js').run}
 */
const run = async (...args) => (await import('../process.js')).run(...args)

/** Returns whether missing programs can be fetched on this system. @param {NodeJS.ProcessEnv} [env] */
export const canFetch = (env = process.env) => ['apt-get', 'dpkg-deb'].every(program => onPath(program, env))

/** @typedef {Record<string, string>} Settings of apt: value by name */
/** @typedef {{ stdout: string, stderr: string, exit: number | null, timedOut: boolean }} AptResult */

/**
 * Downloads packages of this system's release and unpacks them.
 * @param {string[]} names
 * @param {string} work an empty folder; `root` in it gets the contents of the packages
 * @param {NodeJS.ProcessEnv} env of which PATH and APT_CONFIG are used
 * @returns {ReturnType<typeof downloadPackages>}
 */
export async function fetchPackages (names, work, env) {
  const update = await runApt(['apt-get', 'update'], work, env)
  return downloadPackages(['--reinstall', ...names], work, env, { before: [update] })
}

/**
 * Downloads packages and unpacks them.
 * @param {string[]} args names of packages, and options of apt-get
 * @param {string} work a folder; `root` in it gets the contents of the packages
 * @param {NodeJS.ProcessEnv} env
 * @param {{ settings?: Settings, before?: AptResult[] }} options before: results that are shown if the download fails
 * @returns {Promise<{ versions: Record<string, string>, failure: { why: string, output: string } | null }>} versions:
 * by package, of all that was unpacked; output: the lines of apt; does not throw if apt fails
 */
export async function downloadPackages (args, work, env, { settings = {}, before = [] }) {
  const install = ['apt-get', 'install', '--download-only', '--assume-yes', '--no-install-recommends', ...args]
  const download = await runApt(install, work, env, settings)
  if (download.exit !== 0) {
    // Without a network, update only warns and install fails. The output of both is useful.
    return failed(download.timedOut ? 'apt-get took too long' : 'apt-get could not download what is missing', [
      ...before, download])
  }
  const archives = join(work, 'cache/archives')
  const files = readdirSync(archives).filter(file => file.endsWith('.deb'))
  for (const file of files) {
    const unpack = await run(['sh', '-c', UNPACK, 'sh', join(archives, file), join(work, 'root')],
      { env: { PATH: env.PATH ?? '', LC_ALL: LOCALE }, timeoutSeconds: UNPACK_SECONDS })
    if (unpack.exit !== 0) return failed(`${file} could not be unpacked`, [unpack])
  }
  return { versions: Object.fromEntries(files.map(nameAndVersion)), failure: null }
}

function failed (/** @type {string} */ why, /** @type {{ stdout: string, stderr: string }[]} */ results) {
  const output = results.map(({ stdout, stderr }) => `${stdout}\n${stderr}`).join('\n')
  const telling = output.split('\n').filter(line => /^(E|W|Err|dpkg-deb)\b/.test(line))
  return {
    versions: {},
    failure: { why, output: (telling.length > 0 ? telling : output.split('\n')).slice(-8).join('\n') }
  }
}

/**
 * Runs a program of apt with folders of its own.
 * @param {string[]} argv
 * @param {string} work
 * @param {NodeJS.ProcessEnv} env
 * @param {Settings} [settings] in addition to those of the folders
 * @returns {Promise<AptResult>}
 */
export const runApt = (argv, work, { PATH = '', APT_CONFIG }, settings = {}) => run(argv, {
  env: {
    PATH,
    APT_CONFIG: writeAptConfig(work, APT_CONFIG, settings),
    LC_ALL: LOCALE,
    DEBIAN_FRONTEND: 'noninteractive'
  },
  timeoutSeconds: argv.includes('install') ? DOWNLOAD_SECONDS : UPDATE_SECONDS
})

/**
 * Writes a configuration with this system's settings (sources, proxies, keys), but with folders of the cache and
 * without hooks, some of which clean or refresh folders of the system.
 * @param {string} work
 * @param {string | undefined} given the caller's own APT_CONFIG
 * @param {Settings} further
 * @returns {string} the file's path
 */
function writeAptConfig (work, given, further) {
  for (const folder of ['parts', 'state/lists/partial', 'cache/archives/partial', 'log', 'root']) {
    makeFolder(join(work, folder))
  }
  const system = [given, '/etc/apt/apt.conf.d/', '/etc/apt/apt.conf'].filter(file => file && existsSync(file))
  const hooks = ['APT::Update', 'APT::Install', 'AptCli', 'DPkg::Pre-Invoke', 'DPkg::Post-Invoke',
    'DPkg::Pre-Install-Pkgs']
  const settings = {
    // apt reads this file first. The system's file after it would bring the hooks back.
    'Dir::Etc::main': '/dev/null',
    'Dir::Etc::parts': join(work, 'parts'),
    'Dir::State': join(work, 'state'),
    'Dir::State::lists': join(work, 'state/lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(work, 'cache'),
    'Dir::Cache::archives': join(work, 'cache/archives'),
    'Dir::Log': join(work, 'log'),
    'Debug::NoLocking': '1',
    // As root, apt would give the folders to its account _apt, which may have no access to their parents.
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    ...further
  }
  const file = join(work, 'apt.conf')
  writeFileSync(file, [
    ...system.map(path => `#include "${path}";`),
    ...hooks.map(name => `#clear ${name};`),
    ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`)
  ].join('\n') + '\n')
  return file
}

/**
 * Parses the name of a file: "nginx_1.22.1-9_amd64.deb" → ["nginx", "1.22.1-9"]. An epoch's colon is %3a.
 * @returns {[string, string]}
 */
function nameAndVersion (/** @type {string} */ file) {
  const [name, version] = file.split('_')
  return [name, decodeURIComponent(version)]
}
