/** Programs of other Debian releases, fetched by scripts in place of apt. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { storedArchive } from '../../../bench/machine/setup/apt.js'
import { listReleaseTools } from '../../../bench/machine/setup/release.js'
import { osRelease } from '../../../bench/machine/setup/tool-cache.js'
import { findTool, findTools, locateTool, refreshTools } from '../../../bench/machine/tools.js'
import { run } from '../../../bench/machine/process.js'
import { inEnvironment } from '../../support/provoke.js'
import { program, spec, system } from '../../support/tool-system.js'

/** @import { Test } from 'tap' */

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'
const skip = osRelease().ID === 'debian' && existsSync(KEYS) ? false : 'this system has no keys of Debian'

/** Records its arguments and sources. "Downloads" the package in the version that is named. */
const APT_GET = `echo "$@" >> "$CALLS"
cp "$APT_CONFIG" "$CALLS.conf"
case "$1 $2" in
'update --print-uris') for list in debian/dists/stable security/dists/stable-security; do
    echo "'http://mirror.example/$list/InRelease' a 0"
    echo "'http://mirror.example/$list/main/binary-amd64/Packages.xz' b 0"
  done;;
install*)
  archives=$(sed -n 's/^Dir::Cache::archives "\\(.*\\)";$/\\1/p' "$APT_CONFIG")
  cp "$(sed -n 's/^Dir::Etc::sourcelist "\\(.*\\)";$/\\1/p' "$APT_CONFIG")" "$CALLS.sources"
  for spec; do case $spec in *=*) touch "$archives/\${spec%=*}_\${spec#*=}_amd64.deb";; esac; done;;
esac`
/** Lines of apt-cache madison, newest first. bullseye is no release to choose. */
const MADISON = [['1.30.6-2', 'sid'], ['1.26.3-3', 'trixie'], ['1.22.1-9+deb12u11', 'bookworm-security'],
  ['1.22.1-9', 'bookworm'], ['1.18.0', 'bullseye']]
const toMadison = (/** @type {string[][]} */ versions) => versions.map(([version, suite]) =>
  `echo ' fake-package | ${version} | http://mirror.example/debian ${suite}/main amd64 Packages'`).join('\n')
/** Fills a package with a program, a library and a loader, which are scripts. */
const DPKG_DEB = `folder=$3/usr/lib/x86_64-linux-gnu
mkdir -p "$3/usr/sbin" "$folder" "$3/usr/share/doc"
touch "$folder/libfake.so.2" "$3/usr/share/doc/README"
printf '#!/bin/sh\\necho version %s, $OPENSSL_CONF, $*\\n' "$2" > "$3/usr/sbin/hb-faketool"
cat > "$folder/ld-linux-x86-64.so.2" <<'END'
#!/bin/sh
folder=\${0%/*}
[ "$4" = --list ] && { echo "libfake.so.2 => \${HB_ELSEWHERE:-$folder}/libfake.so.2 (0x0)"; exit; }
shift 5
exec "$@"
END
chmod +x "$3/usr/sbin/hb-faketool" "$folder/ld-linux-x86-64.so.2"`

/**
 * @param {Test} t
 * @param {string[][]} [versions] of the archive
 */
function archive (t, versions = MADISON) {
  const made = system(t, { apt: APT_GET, dpkg: DPKG_DEB })
  const setVersions = (/** @type {string[][]} */ others) =>
    program(join(made.dir, 'bin/apt-cache'), toMadison(others))
  setVersions(versions)
  const updates = () => made.calls().filter(call => call === 'update').length
  const installs = () => made.calls().filter(call => call.startsWith('install')).length
  return { ...made, setVersions, updates, installs }
}

t.test('programs of several releases stand side by side, each with its own loader', { skip }, async t => {
  const { options, env, updates, installs, said } = archive(t)
  const wanted = ['sid', 'bookworm', '1.26', 'current'].map(release => ({ ...spec, release }))
  const tools = await findTools(wanted, options)
  t.strictSame(tools.map(({ release }) => release), [
    { release: 'sid', version: '1.30.6-2' },
    { release: 'bookworm', version: '1.22.1-9+deb12u11' },
    { release: 'trixie', version: '1.26.3-3' },
    { release: 'sid', version: '1.30.6-2' }
  ])
  t.equal(new Set(tools.map(({ root }) => root)).size, 3)
  t.equal(tools[0].path, tools[3].path)
  const { stdout } = await run([tools[0].path, '-v', 'a b'])
  t.match(stdout, /^version .*, \/dev\/null, -v a b$/m, 'without the OpenSSL configuration of this system')
  t.notOk(existsSync(join(tools[0].root, 'usr/share')), 'without documentation')
  t.equal(updates(), 1, 'the lists are read once')
  t.equal(installs(), 3)
  t.match(said.join('\n'), /Fetching hb-faketool 1\.30\.6-2 of Debian sid into/)
  t.strictSame(await findTools(wanted, options), tools)
  t.equal(installs(), 3, 'nothing is fetched twice')
  t.equal(locateTool({ ...spec, release: '1.31' }, env), null)
  t.match(listReleaseTools([spec], env).map(({ release }) => release).sort(), ['bookworm', 'sid', 'trixie'])
})

t.test('only Debian\'s own keys are accepted, and no package of this system counts as installed', { skip }, async t => {
  const { dir, options } = archive(t)
  await findTool({ ...spec, release: 'trixie' }, options)
  const sources = readFileSync(join(dir, 'calls.sources'), 'utf8').trim().split('\n')
  t.strictSame(sources, [
    `deb [signed-by=${KEYS} target=Packages] http://mirror.example/debian trixie main`,
    `deb [signed-by=${KEYS} target=Packages] http://mirror.example/security trixie-security main`
  ])
  const config = readFileSync(join(dir, 'calls.conf'), 'utf8')
  for (const line of ['APT::Get::AllowUnauthenticated "false"', 'Acquire::AllowInsecureRepositories "false"',
    'Dir::Etc::sourceparts "/dev/null"']) {
    t.ok(config.includes(`\n${line};`), line)
  }
  const [, status = ''] = /Dir::State::status "(.*)";/.exec(config) ?? []
  t.not(status, '/var/lib/dpkg/status')
  await findTool({ ...spec, release: 'sid' }, options)
  t.notMatch(readFileSync(join(dir, 'calls.sources'), 'utf8'), /trixie/)
})

t.test('a missing version is refused with those that there are', { skip }, async t => {
  const { options } = archive(t)
  for (const release of ['1.31', 'trixie-backports']) {
    await t.rejects(findTool({ ...spec, release }, options), {
      code: 'release-unavailable',
      message: `hb-faketool of ${release} cannot be had: Debian's archive has 1.30.6-2 (sid), 1.26.3-3 (trixie), ` +
        '1.22.1-9+deb12u11 (bookworm).'
    })
  }
  const empty = archive(t, [])
  await t.rejects(findTool({ ...spec, release: 'sid' }, empty.options),
    { code: 'release-unavailable', message: /no list of Debian's archive could be read/ })
})

t.test('a program whose libraries would be those of this system is refused', { skip }, async t => {
  const { options, folder } = archive(t)
  inEnvironment(t, { HB_ELSEWHERE: '/usr/lib' })
  await t.rejects(findTool({ ...spec, release: 'sid' }, options), {
    code: 'release-unavailable', message: /libraries of its release are missing/
  })
  t.notOk(existsSync(join(folder, 'hb-faketool@sid.json')))
})

t.test('doctor --refresh fetches programs of releases again, in the version of the archive', { skip }, async t => {
  const { options, env, setVersions } = archive(t)
  const [current] = await findTools([{ ...spec, release: 'current' }, { ...spec, release: 'bookworm' }], options)
  t.equal(current.release?.version, '1.30.6-2')
  setVersions([['1.31.1-1', 'sid'], ...MADISON.slice(1)])
  t.equal(locateTool({ ...spec, release: 'current' }, env)?.release?.version, '1.30.6-2', 'until then it stays')
  await refreshTools([spec], options)
  t.strictSame(storedArchive(env)?.packages['fake-package'][0], { release: 'sid', version: '1.31.1-1' })
  t.strictSame(locateTool({ ...spec, release: 'current' }, env)?.release, { release: 'sid', version: '1.31.1-1' })
  t.strictSame(locateTool({ ...spec, release: 'bookworm' }, env)?.release,
    { release: 'bookworm', version: '1.22.1-9+deb12u11' })
  t.equal(locateTool({ ...spec, release: '1.30' }, env), null)
})
