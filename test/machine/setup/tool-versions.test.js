import t from '../../support/tap.js'
import { join } from 'node:path'
import { findLibraryFolders } from '../../../bench/machine/setup/tool-cache.js'
import { findTool, installHint, toolVersion } from '../../../bench/machine/tools.js'
import { program, spec, system } from '../../support/tool-system.js'

t.test('names the install command of the system', async t => {
  const apache = { program: 'apache2', packages: { debian: ['apache2'], fedora: ['httpd'], brew: ['httpd'] } }
  const hint = (/** @type {string} */ platform, /** @type {string[]} */ ...likes) =>
    installHint([apache, spec], { platform, likes })
  t.equal(hint('linux', 'debian'), 'Install it: sudo apt-get install apache2 fake-package')
  t.equal(hint('linux', 'linuxmint', 'ubuntu'), 'Install it: sudo apt-get install apache2 fake-package')
  t.equal(hint('linux', 'rocky', 'rhel'), 'Install it: sudo dnf install httpd hb-faketool')
  t.equal(hint('linux', 'alpine'), 'Install it: sudo apk add apache2 hb-faketool')
  t.equal(hint('darwin', ''), 'Install it: brew install httpd hb-faketool')
  t.equal(hint('linux', 'nixos'), 'Install apache2, hb-faketool so that it is on PATH.')
})

t.test('prints other instructions when the system has no package', async t => {
  const oha = { program: 'oha', packages: { debian: [], brew: ['oha'] }, install: 'Build oha.' }
  const hint = (/** @type {string} */ platform, /** @type {string[]} */ ...likes) =>
    installHint([oha], { platform, likes })
  t.equal(hint('linux', 'debian'), 'Build oha.')
  t.equal(hint('linux', 'rhel'), 'Build oha.', 'assumes no package on an unlisted system')
  t.equal(hint('linux', 'nixos'), 'Build oha.')
  t.equal(hint('darwin', ''), 'Install it: brew install oha')
  t.equal(installHint([oha, spec], { platform: 'linux', likes: ['debian'] }),
    'Build oha. Install it: sudo apt-get install fake-package')
})

t.test('finds folders that contain libraries, private ones last', async t => {
  const dir = t.testdir({
    usr: {
      lib: {
        'x86_64-linux-gnu': { 'libz.so.1': '', perl: { 'a.so': '' }, pulseaudio: { 'libpulsecommon-16.1.so': '' } },
        apache2: { 'mod.so': '' }
      }
    },
    lib: { 'x86_64-linux-gnu': { 'readme.txt': '' } }
  })
  t.same(findLibraryFolders(dir), ['', '/pulseaudio'].map(name => join(dir, `usr/lib/x86_64-linux-gnu${name}`)))
})

t.test('reads the version from either stream with any exit code', async t => {
  const { options } = system(t)
  const tool = await findTool(spec, options)
  const version = {
    args: ['-v'],
    parse: (/** @type {string} */ output) => /faketool ([\d.]+),/.exec(output)?.[1] ?? null
  }
  t.equal(await toolVersion(tool.path, version, tool.env), '2.0')
  const libraries = {
    args: [],
    parse: (/** @type {string} */ output) => /libraries in (.*)/.exec(output)?.[1] ?? null
  }
  t.equal(await toolVersion(tool.path, libraries, tool.env), tool.env.LD_LIBRARY_PATH,
    'runs with its fetched libraries')
})

t.test('reports a program without a version as broken', async t => {
  const { dir } = system(t)
  const path = join(dir, 'bin/mute')
  program(path, 'echo "cannot open shared object file" >&2; exit 127')
  const version = { args: [], parse: () => null }
  await t.rejects(toolVersion(path, version), { code: 'tool-broken', details: { output: /shared object/ } })
  await t.rejects(toolVersion(join(dir, 'absent'), version), { code: 'tool-broken', message: /could not be started/ })
})
