import t from '../../support/tap.js'
import { join } from 'node:path'
import { findLibraryFolders } from '../../../bench/machine/setup/tool-cache.js'
import { findTool, installHint, toolVersion } from '../../../bench/machine/tools.js'
import { program, spec, system } from '../../support/tool-system.js'

t.test('names the install command of the system, or other instructions without a package', async t => {
  const apache = { program: 'apache2', packages: { debian: ['apache2'], fedora: ['httpd'], brew: ['httpd'] } }
  const oha = { program: 'oha', packages: { debian: [], brew: ['oha'] }, install: 'Build oha.' }
  /** @type {[Parameters<typeof installHint>[0], string, string[], string][]} programs, system, likes, hint */
  const hints = [
    [[apache, spec], 'linux', ['debian'], 'Install it: sudo apt-get install apache2 fake-package'],
    [[apache, spec], 'linux', ['linuxmint', 'ubuntu'], 'Install it: sudo apt-get install apache2 fake-package'],
    [[apache, spec], 'linux', ['rocky', 'rhel'], 'Install it: sudo dnf install httpd hb-faketool'],
    [[apache, spec], 'linux', ['alpine'], 'Install it: sudo apk add apache2 hb-faketool'],
    [[apache, spec], 'darwin', [''], 'Install it: brew install httpd hb-faketool'],
    [[apache, spec], 'linux', ['nixos'], 'Install apache2, hb-faketool so that it is on PATH.'],
    [[oha], 'linux', ['debian'], 'Build oha.'],
    [[oha], 'linux', ['rhel'], 'Build oha.'], // Assumes no package on an unlisted system.
    [[oha], 'linux', ['nixos'], 'Build oha.'],
    [[oha], 'darwin', [''], 'Install it: brew install oha'],
    [[oha, spec], 'linux', ['debian'], 'Build oha. Install it: sudo apt-get install fake-package']
  ]
  for (const [programs, platform, likes, hint] of hints) t.equal(installHint(programs, { platform, likes }), hint)
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
