/**
 * Tests Python environments in the cache: the choice of python3, its errors, and a new environment for a changed
 * list of packages.
 */
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { explain } from '../../../bench/errors.js'
import { findEngine, localEngines } from '../../../bench/load/find-engine.js'
import { findPython, pythonEnvironment, parseVersions } from '../../../bench/machine/setup/python.js'
import { computeDigest } from '../../../bench/machine/setup/tool-cache.js'
import { inEnvironment } from '../../support/provoke.js'
import { pythonSystem } from '../../support/tool-system.js'

/** @import { Test } from 'tap' */

/**
 * Script of a fake python3, which prints its version, makes a virtual environment with a copy of itself, and compiles
 * under a permissive umask.
 */
const PYTHON = `
case "$*" in
  *version_info*) echo "\${VERSION:-3.11}";;
  *"-m venv"*)
    for folder; do :; done
    mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python" && touch "$folder/bin/pip" && chmod +x "$folder/bin/pip"
    echo venv >> "$CALLS";;
  *"-m pip"*)
    echo "pip $*" >> "$CALLS"; echo "Collecting locust"
    [ -z "$PIP_FAILS" ] || { echo "ERROR: No matching distribution found for locust" >&2; exit 1; };;
  *"-m compileall"*"unchecked-hash"*)
    for folder; do :; done
    mkdir "$folder/__pycache__" && echo bytecode > "$folder/__pycache__/locust.pyc" && chmod -R a+w "$folder";;
esac`

/**
 * Makes a system with fake programs.
 * @param {Test} t
 * @param {Record<string, string>} [programs] by folder of PATH
 */
function system (t, programs = { bin: PYTHON }) {
  const requirements = '# what there is\nlocust==2.0.0\ngevent==1.0 ; python_version > "3"\n'
  const made = pythonSystem(t, programs, { path: '/nowhere', requirements })
  return { ...made, spec: { program: 'Locust', requirements: made.requirements, least: '3.10' } }
}

t.test('makes an environment once and reuses it', async t => {
  const { spec, options, messages, calls, folder } = system(t)
  const made = await pythonEnvironment(spec, options)
  t.ok(made.python.startsWith(folder))
  t.equal(calls().length, 2, 'one call makes the environment and one installs its packages')
  t.match(calls()[1],
    new RegExp(`--no-compile --require-hashes --only-binary=:all: --requirement ${spec.requirements}`))
  t.match(messages, [/Installing Locust .* nothing on the system is changed/])
  t.same(await pythonEnvironment(spec, options), made)
  t.equal(calls().length, 2)
  const [note] = readdirSync(folder).filter(name => name.endsWith('.json'))
  t.match(JSON.parse(readFileSync(join(folder, note), 'utf8')).versions, { locust: '2.0.0', gevent: '1.0' })
  t.same(readdirSync(folder).filter(name => name.startsWith('.') || name.endsWith('.lock')), [],
    'nothing is left behind')
})

t.test('makes an environment for each list of packages', async t => {
  const { spec, options } = system(t)
  const made = await pythonEnvironment(spec, options)
  const before = readFileSync(spec.requirements, 'utf8')
  writeFileSync(spec.requirements, 'locust==2.0.1\n')
  const newer = await pythonEnvironment(spec, options)
  t.not(newer.folder, made.folder)
  writeFileSync(spec.requirements, before)
  t.same(await pythonEnvironment(spec, options), made)
})

t.test('compiles an environment, and makes it again if the bytecode is changed or planted', async t => {
  const { spec, options, calls } = system(t)
  const bytecode = (/** @type {{ folder: string }} */ { folder }) => join(folder, '__pycache__/locust.pyc')
  const made = await pythonEnvironment(spec, options)
  for (const path of [bytecode(made), dirname(bytecode(made))]) t.equal(statSync(path).mode & 0o022, 0)
  const harms = [
    (/** @type {string} */ file) => writeFileSync(file, 'BYTECODE'),
    (/** @type {string} */ file) => writeFileSync(join(dirname(file), 'planted.pyc'), 'planted'),
    (/** @type {string} */ file) => chmodSync(dirname(file), 0o777)
  ]
  for (const harm of harms) {
    const before = await pythonEnvironment(spec, options)
    const count = calls().length
    harm(bytecode(before))
    const after = await pythonEnvironment(spec, options)
    t.not(after.folder, before.folder)
    t.strictSame(await pythonEnvironment(spec, options), after)
    t.equal(calls().length, count + 2, 'made once')
  }
})

t.test('makes an environment again whose digest leaves bytecode out, as that of older caches', async t => {
  const { spec, options, folder } = system(t)
  const made = await pythonEnvironment(spec, options)
  const [name] = readdirSync(folder).filter(name => name.endsWith('.json'))
  const note = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  cpSync(made.folder, join(folder, 'copy'), { recursive: true })
  rmSync(join(folder, 'copy/__pycache__'), { recursive: true })
  writeFileSync(join(folder, name), JSON.stringify({ ...note, digest: computeDigest(join(folder, 'copy')) }))
  const newer = await pythonEnvironment(spec, options)
  t.not(newer.folder, made.folder)
  t.strictSame(await pythonEnvironment(spec, options), newer)
})

t.test('skips a python3 that does not run or is too old', async t => {
  const { dir, env } = system(t, {
    shims: 'echo "pyenv: cannot read /root" >&2; exit 126',
    old: `VERSION=3.9\n${PYTHON}`,
    good: PYTHON
  })
  t.equal(await findPython({ program: 'Locust', least: '3.10' }, env, '/nowhere/python3'), join(dir, 'good/python3'))
})

t.test('tries the python3 of the system last', async t => {
  const { dir } = system(t, { shims: 'exit 126', system: PYTHON })
  const last = join(dir, 'system/python3')
  t.equal(await findPython({ program: 'Locust', least: '3.10' }, { PATH: join(dir, 'shims') }, last), last)
})

t.test('names every unsuitable python3 with the reason', async t => {
  const { dir, env } = system(t, { shims: 'exit 126', old: `VERSION=3.9\n${PYTHON}` })
  await t.rejects(findPython({ program: 'Locust', least: '3.10' }, env, '/nowhere/python3'), {
    code: 'python-missing',
    message:
      `Locust requires Python 3.10 or newer, and ${dir}/shims/python3 does not run; ${dir}/old/python3 is Python 3.9.`
  })
})

t.test('reports a Python without venv with its output and the Debian package', async t => {
  const { spec, options, folder } = system(t, {
    bin: 'case "$*" in *version_info*) echo 3.11;; *) echo "ensurepip is not available" >&2; exit 1;; esac'
  })
  const error = await pythonEnvironment(spec, options).catch(error => error)
  t.match(error, {
    code: 'python-without-venv',
    message: /bin\/python3 cannot create a virtual environment/,
    remedy: /python3-venv/
  })
  t.match(explain(error).text, /ensurepip is not available/)
  t.same(readdirSync(folder), [], 'nothing is left behind')
})

t.test('reports a failure of pip with its last lines, and retries at the next start', async t => {
  const { spec, options, folder, dir } = system(t, {
    bin: `[ -e "$(dirname "$CALLS")/well" ] || PIP_FAILS=1\n${PYTHON}`
  })
  const error = await pythonEnvironment(spec, options).catch(error => error)
  t.match(error, {
    code: 'python-packages-failed',
    message: 'The Python packages of Locust could not be installed: pip ended with 1.'
  })
  t.match(explain(error).text, /No matching distribution found for locust\nTry: /)
  t.same(readdirSync(folder), [], 'nothing is left behind')
  writeFileSync(join(dir, 'well'), '')
  t.ok(await pythonEnvironment(spec, options))
})

t.test('reports an environment that does not run, with its folder', async t => {
  const { env, folder } = system(t)
  inEnvironment(t, { ...env, PATH: `${env.PATH}:${process.env.PATH}` })
  const message = new RegExp(`Locust does not run in its Python environment, ${folder}/packages-`)
  // Users that wait between requests require Locust, so no other engine replaces it.
  for (const find of [() => findEngine('locust'), () => localEngines.findOrNext('locust', { insist: false })]) {
    await t.rejects(find(), { code: 'python-environment-broken', exit: 1, message, remedy: /rm -r / })
  }
})

t.test('pins every package of Locust with hashes', async t => {
  const text = readFileSync(new URL('../../../bench/load/generators/locust/requirements.txt', import.meta.url), 'utf8')
  const entries = text.replace(/^#.*\n/gm, '').replaceAll('\\\n', '').trim().split('\n')
  t.ok(entries.length > 30)
  for (const entry of entries) t.match(entry, /^[\w.-]+==[\w.]+( +--hash=sha256:[0-9a-f]{64})+$/)
  t.equal(Object.keys(parseVersions(text)).length, entries.length)
})
