/** Simulated systems for tests of fetched programs, with scripts in place of apt-get and dpkg-deb. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemName } from '../../bench/machine/setup/tool-cache.js'

/** @import { Test } from 'tap' */

/** Programs under names that do not exist on any system. */
export const spec = { program: 'hb-faketool', packages: { debian: ['fake-package'] } }
export const second = { program: 'hb-second', packages: { debian: ['fake-package'] } }

/** Replaces apt-get: records its arguments and "downloads" one package. */
export const APT_GET = `echo "$@" >> "$CALLS"
cp "$APT_CONFIG" "$CALLS.conf"
[ "$1" = install ] || exit 0
archives=$(sed -n 's/^Dir::Cache::archives "\\(.*\\)";$/\\1/p' "$APT_CONFIG")
touch "$archives/fake-package_1%3a2.0-1_amd64.deb"`
/**
 * Replaces `dpkg-deb --fsys-tarfile <file>`: prints a tar file of the folder that a script fills.
 * @param {string} script gets the folder as its third argument
 */
const asTar = script => `set -- "$1" "$2" "$(mktemp -d)"
trap 'rm -r "$3"' EXIT
${script}
tar --create --directory "$3" .`
export const DPKG_DEB = `mkdir -p "$3/usr/sbin" "$3/usr/bin" "$3/usr/lib/x86_64-linux-gnu"
touch "$3/usr/lib/x86_64-linux-gnu/libfake.so.2"
printf '#!/bin/sh\\necho faketool 2.0, libraries in $LD_LIBRARY_PATH >&2; exit 1\\n' > "$3/usr/sbin/hb-faketool"
cp "$3/usr/sbin/hb-faketool" "$3/usr/bin/hb-second"
chmod +x "$3/usr/sbin/hb-faketool" "$3/usr/bin/hb-second"`

/** Makes a system with PATH, HOME and cache in a temporary folder. */
export const system = (/** @type {Test} */ t, { apt = APT_GET, dpkg = DPKG_DEB } = {}) => {
  const dir = t.testdir({ bin: {}, home: {}, file: '' })
  for (const [name, script] of Object.entries({ 'apt-get': apt, 'dpkg-deb': dpkg })) {
    const whole = name === 'dpkg-deb' ? asTar(script) : script
    program(join(dir, 'bin', name), `CALLS='${dir}/calls'\n${whole}`)
  }
  const cache = join(dir, 'cäche mit Leerzeichen')
  const env = { PATH: `${join(dir, 'bin')}:/usr/bin:/bin`, HOME: join(dir, 'home'), HOPBENCH_CACHE: cache }
  /** @type {string[]} */
  const said = []
  const calls = () =>
    existsSync(join(dir, 'calls')) ? readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n') : []
  return {
    dir,
    env,
    cache,
    said,
    calls,
    options: {
      env,
      printProgress: (/** @type {string} */ line) => {
        said.push(line)
      }
    },
    folder: join(cache, systemName())
  }
}

/**
 * Makes a system with scripts in place of python3, which can record calls in $CALLS.
 * @param {Test} t
 * @param {Record<string, string>} pythons by folder of PATH
 * @param {{ path: string, requirements: string }} options path: rest of PATH; requirements: text of requirements.txt
 */
export function pythonSystem (t, pythons, { path, requirements }) {
  const dir = t.testdir({ home: {}, 'requirements.txt': requirements })
  for (const [folder, script] of Object.entries(pythons)) {
    mkdirSync(join(dir, folder))
    program(join(dir, folder, 'python3'), `CALLS='${dir}/calls'\n${script}`)
  }
  const folders = Object.keys(pythons).map(folder => join(dir, folder))
  const env = { PATH: [...folders, path].join(':'), HOME: join(dir, 'home'), HOPBENCH_CACHE: join(dir, 'cache') }
  const messages = /** @type {string[]} */ ([])
  return {
    dir,
    env,
    messages,
    calls: () => existsSync(join(dir, 'calls')) ? readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n') : [],
    folder: join(dir, 'cache', systemName()),
    requirements: join(dir, 'requirements.txt'),
    options: { env, printProgress: (/** @type {string} */ line) => { messages.push(line) } }
  }
}

export const program = (/** @type {string} */ file, /** @type {string} */ script) =>
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
