import t from '../support/tap.js'
import {
  chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { cacheFolders, systemName, withoutUnsafeFolders, writableCache } from '../../bench/machine/setup/tool-cache.js'
import {
  findTool, findTools, locateTool, refreshTools
} from '../../bench/machine/tools.js'
import { canFetch } from '../../bench/machine/setup/apt.js'
import { inEnvironment } from '../support/provoke.js'
import { APT_GET, DPKG_DEB, program, second, spec, system } from '../support/tool-system.js'

/** @import { Tool } from '../../bench/machine/types.js' */

t.test('uses a program on PATH', async t => {
  const { dir, options, calls } = system(t)
  program(join(dir, 'bin/hb-faketool'), 'true')
  t.same(await findTool(spec, options), {
    program: 'hb-faketool',
    path: join(dir, 'bin/hb-faketool'),
    env: {},
    from: 'path',
    root: '/'
  })
  t.same(calls(), [])
})

t.test('ignores folders and files that are not executable', async t => {
  const { dir, env } = system(t)
  writeFileSync(join(dir, 'bin/hb-faketool'), '', { mode: 0o644 })
  mkdirSync(join(dir, 'bin/hb-second'))
  t.equal(locateTool(spec, env), null)
  t.equal(locateTool(second, env), null)
})

t.test('fetches a missing program into the cache once', async t => {
  const { env, cache, folder, options, said, calls } = system(t)
  const found = await findTool(spec, options)
  t.match(found, { from: 'cache', root: new RegExp(`/${systemName()}/packages-`) })
  t.ok(found.path.startsWith(folder))
  t.same(found.env, {
    LD_LIBRARY_PATH: join(found.root, 'usr/lib/x86_64-linux-gnu'),
    PATH: [env.PATH, ...['usr/sbin', 'usr/bin', 'sbin', 'bin'].map(folder => join(found.root, folder))].join(':')
  }, 'fetched folders come after those of the system')
  t.equal(calls().length, 2, 'update and install')
  t.match(calls()[1], /--download-only .*fake-package/)
  t.match(said, [/Fetching hb-faketool into .*cäche/])
  t.same(await findTool(spec, options), found)
  t.equal(calls().length, 2)
  t.equal(said.length, 1)
  t.match(JSON.parse(readFileSync(join(folder, 'hb-faketool.json'), 'utf8')), {
    versions: { 'fake-package': '1:2.0-1' }
  })
  t.same(readdirSync(folder).filter(name => name.startsWith('.') || name.endsWith('.lock')), [],
    'leaves no temporary file')
  t.equal(locateTool(spec, { ...env, HOPBENCH_CACHE: cache, LD_LIBRARY_PATH: '/mine' })?.env.LD_LIBRARY_PATH,
    `${found.env.LD_LIBRARY_PATH}:/mine`)
})

t.test('runs apt in separate folders without hooks of the system', async t => {
  const { dir, cache, options } = system(t)
  await findTool(spec, options)
  const config = readFileSync(join(dir, 'calls.conf'), 'utf8')
  for (const setting of ['Dir::State', 'Dir::State::lists', 'Dir::Cache', 'Dir::Cache::archives', 'Dir::Log',
    'Dir::Etc::parts']) {
    t.ok(config.includes(`\n${setting} "${cache}/`), setting)
  }
  for (const hook of ['DPkg::Post-Invoke', 'DPkg::Pre-Install-Pkgs', 'APT::Update']) {
    t.ok(config.includes(`\n#clear ${hook};`), hook)
  }
})

t.test('fetches several programs together', async t => {
  const { options, calls } = system(t)
  const found = await findTools([spec, second], options)
  t.same(found.map(tool => tool.program), ['hb-faketool', 'hb-second'])
  t.equal(calls().length, 2)
})

t.test('two concurrent starts fetch once', async t => {
  const { options, calls, said } = system(t, { apt: `sleep 0.2\n${APT_GET}` })
  const [first, second] = await Promise.all([findTool(spec, options), findTool(spec, options)])
  t.same(first, second)
  t.equal(calls().length, 2)
  t.match(said.join('\n'), /waiting/)
})

t.test('fetches a damaged program again', async t => {
  const { folder, env, options, calls } = system(t)
  const damage = {
    'program gone': (/** @type {Tool} */ tool) => rmSync(tool.path),
    'program cut short': (/** @type {Tool} */ tool) => writeFileSync(tool.path, ''),
    'libraries gone': (/** @type {Tool} */ tool) => rmSync(join(tool.root, 'usr/lib'), { recursive: true }),
    'program changed, as long as before': (/** @type {Tool} */ tool) => {
      const text = readFileSync(tool.path, 'utf8')
      writeFileSync(tool.path, text.replace('faketool 2.0', 'faketool 6.6'))
    },
    'library replaced': (/** @type {Tool} */ tool) =>
      writeFileSync(join(tool.env.LD_LIBRARY_PATH, 'libfake.so.2'), 'evil'),
    'a file added': (/** @type {Tool} */ tool) => writeFileSync(join(tool.root, 'usr/lib/new.so'), ''),
    'others may write the program': (/** @type {Tool} */ tool) => chmodSync(tool.path, 0o757),
    'others may write its folder': (/** @type {Tool} */ tool) => chmodSync(join(tool.root, 'usr'), 0o777),
    'a note of before there were digests': () => {
      const file = join(folder, 'hb-faketool.json')
      const { digest, ...before } = JSON.parse(readFileSync(file, 'utf8'))
      t.match(digest, /^[0-9a-f]{64}$/)
      writeFileSync(file, JSON.stringify(before))
    },
    'note cut short': () => writeFileSync(join(folder, 'hb-faketool.json'), '{"program"')
  }
  for (const [name, harm] of Object.entries(damage)) {
    const before = await findTool(spec, options)
    const count = calls().length
    harm(before)
    t.equal(locateTool(spec, env), null, name)
    t.match(await findTool(spec, options), { from: 'cache' }, name)
    t.equal(calls().length, count + 2, name)
  }
})

t.test('removes write permission of others from the cache, or does not use it', async t => {
  const { env, cache, folder, options } = system(t)
  const found = await findTool(spec, options)
  chmodSync(folder, 0o777)
  t.equal(locateTool(spec, env), null)
  t.match(await findTool(spec, options), { from: 'cache' })
  t.equal(statSync(folder).mode & 0o022, 0, 'others can no longer write')
  if (process.getuid?.() !== 0) return
  chownSync(found.root, 65534, 65534)
  chownSync(folder, 65534, 65534)
  t.equal(locateTool(spec, env), null, 'owned by another account')
  chownSync(cache, 65534, 65534)
  t.equal(writableCache(env), null)
  t.same(withoutUnsafeFolders(env), { HOPBENCH_CACHE: '/dev/null/none' })
  t.same(withoutUnsafeFolders({ HOPBENCH_CACHE: `${cache}:/usr` }), { HOPBENCH_CACHE: '/usr' })
  await t.rejects(findTool(spec, options), { code: 'tool-missing' })
})

t.test('removes write permission of others from fetched files', async t => {
  const { env, options } = system(t, { dpkg: `${DPKG_DEB}\nchmod -R a+w "$3"` })
  t.match(await findTool(spec, options), { from: 'cache' })
  t.match(locateTool(spec, env), { from: 'cache' })
})

t.test('syncs fetched files before making them available', async t => {
  const { dir, env, folder, options } = system(t)
  program(join(dir, 'bin/sync'), `ls -A '${folder}' > '${dir}/synced'; [ -d "$2" ]`)
  inEnvironment(t, { PATH: env.PATH })
  await findTool(spec, options)
  t.match(readFileSync(join(dir, 'synced'), 'utf8'), /^\.fetch-\w+\nfetch\.lock\n$/, 'neither its folder nor its note')
})

t.test('fetches cached programs again and removes the old ones', async t => {
  const { env, folder, options, calls, said, dir } = system(t)
  const found = await findTool(spec, options)
  writeFileSync(join(folder, 'locust-0123.json'), JSON.stringify({ root: 'packages-old' }))
  mkdirSync(join(folder, 'packages-old'))
  await refreshTools([spec, second], options)
  const newer = locateTool(spec, env)
  t.not(newer?.root, found.root)
  t.equal(calls().length, 4)
  t.equal(locateTool(second, env), null, 'does not fetch programs that were not cached')
  t.same(readdirSync(folder).filter(name => name.startsWith('packages-')).length, 1)
  t.match(said.join('\n'), /Fetching hb-faketool again[^]*Removed locust-0123/)
  program(join(dir, 'bin/apt-get'), 'exit 100')
  await t.rejects(refreshTools([spec], options), { code: 'tool-missing' })
  t.same(locateTool(spec, env), newer, 'keeps the program when the download fails')
})

t.test('removes leftovers of a killed fetch', async t => {
  const { folder, options } = system(t)
  mkdirSync(join(folder, '.fetch-abc/root'), { recursive: true })
  await findTool(spec, options)
  t.notOk(existsSync(join(folder, '.fetch-abc')))
})

t.test('reports a failed download or package, and leaves no files', async t => {
  const line = 'E: Unable to locate package fake-package'
  /** @type {[object, object][]} scripts in place of apt-get and dpkg-deb, error */
  const failures = [
    [{ apt: `echo "${line}" >&2; echo chatter; exit 100` }, {
      message: 'hb-faketool is not on PATH, and apt-get could not download what is missing.',
      details: { output: `${line}\n${line}` }
    }],
    [{ dpkg: 'echo "dpkg-deb: error: not a Debian archive" >&2; exit 2' },
      { message: /could not be unpacked/, details: { output: /not a Debian archive/ } }],
    [{ dpkg: 'mkdir -p "$3/usr/bin"' }, { message: /do not contain hb-faketool/ }]
  ]
  for (const [scripts, error] of failures) {
    const { env, folder, options } = system(t, scripts)
    await t.rejects(findTool(spec, options), { code: 'tool-missing', ...error })
    t.equal(locateTool(spec, env), null)
    t.same(readdirSync(folder), [])
  }
})

t.test('finds a program at a given path in its package', async t => {
  const { options } = system(t, {
    dpkg: `${DPKG_DEB}; mkdir -p "$3/usr/lib/fake"; mv "$3/usr/sbin/hb-faketool" "$3/usr/lib/fake/real"`
  })
  t.match(await findTool({ ...spec, inside: 'usr/lib/fake/real' }, options), { path: /usr\/lib\/fake\/real$/ })
})

t.test('reports a system without apt-get', async t => {
  const { dir, options } = system(t)
  rmSync(join(dir, 'bin/apt-get'))
  const env = { ...options.env, PATH: join(dir, 'bin') }
  t.notOk(canFetch(env))
  await t.rejects(findTool(spec, { ...options, env }),
    { code: 'tool-missing', message: /no package that hopbench could fetch/ })
})

t.test('reports a cache that cannot be written', async t => {
  const { dir, options } = system(t)
  const env = { ...options.env, HOPBENCH_CACHE: join(dir, 'file/cache') }
  await t.rejects(findTool(spec, { ...options, env }), { code: 'tool-missing', message: /HOPBENCH_CACHE/ })
})

t.test('places the cache in HOPBENCH_CACHE, XDG_CACHE_HOME, HOME or the project', async t => {
  const { dir } = system(t)
  t.same(cacheFolders({ HOPBENCH_CACHE: '/c', XDG_CACHE_HOME: '/x', HOME: '/h' }), ['/c'])
  t.equal(cacheFolders({ XDG_CACHE_HOME: '/x', HOME: '/h' })[0], '/x/hopbench')
  t.equal(cacheFolders({ HOME: '/h' })[0], '/h/.cache/hopbench')
  t.equal(writableCache({ HOME: join(dir, 'home') }), join(dir, 'home/.cache/hopbench'))
  t.match(writableCache({ HOME: join(dir, 'file') }), /\.tools$/)
})
