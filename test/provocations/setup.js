/** Machines that cannot be prepared. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import nginx from '../../proxy/nginx.js'
import { findEngine } from '../../bench/load/find-engine.js'
import { bringDependencies, checkNode } from '../../bench/machine/setup/install.js'
import { findRuntime } from '../../bench/machine/setup/runtime.js'
import { withLock } from '../../bench/machine/setup/lock.js'
import { packagesInCache } from '../../bench/machine/setup/npm-packages.js'
import { findPython, pythonEnvironment } from '../../bench/machine/setup/python.js'
import { runtimes } from '../../bench/plan/runtimes.js'
import { provide } from '../../bench/machine/setup/tool-cache.js'
import { makeTempRoot } from '../../bench/machine/files/temp.js'
import { findTool, toolVersion } from '../../bench/machine/tools.js'
import { makeWorkspace, project } from '../support/cli.js'
import { inEnvironment, program } from '../support/provoke.js'

/** @import { Provocations } from '../support/provoke.js' */
/** @import { Test } from 'tap' */

const printProgress = () => {}
const TELLS_VERSION = '*version_info*) echo 3.12;;'
/** Copies itself into the folder of its last argument, in place of creating a virtual environment. */
const MAKES_VENV = `*"-m venv"*)
  for folder; do :; done
  mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python" && cp "$0" "$folder/bin/pip";;`

/**
 * Creates a system with a python3 whose behaviour depends on its arguments.
 * @param {Test} t
 * @param {string[]} cases of sh's case
 */
function systemWithPython (t, cases) {
  const dir = t.testdir({ bin: {}, home: {}, 'requirements.txt': 'locust==2.0.0\n' })
  program(join(dir, 'bin'), 'python3', `case "$*" in\n${cases.join('\n')}\n*) exit 1;;\nesac`)
  return {
    env: {
      PATH: `${join(dir, 'bin')}:${process.env.PATH}`,
      HOME: join(dir, 'home'),
      HOPBENCH_CACHE: join(dir, 'cache')
    },
    spec: { program: 'Locust', requirements: join(dir, 'requirements.txt'), least: '3.11' }
  }
}

/**
 * Creates a system with an npm whose fourth argument is the folder for an archive.
 * @param {Test} t
 * @param {string} script of sh
 */
function systemWithNpm (t, script) {
  const dir = t.testdir({ bin: {} })
  program(join(dir, 'bin'), 'npm', script)
  return { PATH: `${join(dir, 'bin')}:${process.env.PATH}`, HOME: dir, HOPBENCH_CACHE: join(dir, 'cache') }
}

/** @type {Provocations} */
export default {
  'node-too-old': () => checkNode(project, 'v16.20.2'),
  'install-failed': t => {
    const dir = t.testdir({ bin: {}, 'package-lock.json': '{ "packages": {} }' })
    program(join(dir, 'bin'), 'npm', 'echo "npm error code ENOTFOUND" >&2; exit 1')
    return bringDependencies(dir, {
      env: { PATH: `${join(dir, 'bin')}:${process.env.PATH}`, HOME: dir },
      printProgress
    })
  },
  'npm-packages-failed': t => {
    const dir = t.testdir({ bin: {} })
    program(join(dir, 'bin'), 'npm', 'echo "npm error code ENOTFOUND" >&2; exit 1')
    return packagesInCache({ name: 'koa-static', packages: ['koa'] }, {
      env: { PATH: `${join(dir, 'bin')}:${process.env.PATH}`, HOME: dir, HOPBENCH_CACHE: join(dir, 'cache') },
      printProgress
    })
  },
  'still-installing': t => {
    const lock = join(t.testdir({}), 'lock')
    return withLock(lock, () => withLock(lock, async () => {}, { limitSeconds: 0.1 }))
  },
  'tool-missing': t =>
    findTool({ program: 'hb-no-such-program', packages: null }, {
      env: { PATH: '/nowhere', HOPBENCH_CACHE: t.testdir({}) },
      printProgress
    }),
  'release-unavailable': t =>
    findTool({ program: 'hb-no-such-program', packages: null, release: 'sid' }, {
      env: { PATH: '/nowhere', HOPBENCH_CACHE: t.testdir({}) },
      printProgress
    }),
  'tool-broken': t =>
    toolVersion(program(t.testdir({}), 'nginx', 'echo "libssl.so.3: cannot open shared object file" >&2; exit 127'),
      nginx.version),
  'cache-nearly-full': t =>
    // More than any disk has.
    provide({
      what: 'nginx',
      doing: 'Fetching',
      mib: 2 ** 50,
      locate: () => null,
      fetch: async () => ({ versions: {}, programs: {} }),
      reject: why => new Error(why)
    }, { env: { HOPBENCH_CACHE: t.testdir({}) }, printProgress }),
  'runtime-no-build': () => findRuntime('bun', runtimes.bun, { platform: 'linux-riscv64', printProgress }),
  'runtime-not-fetched': t => findRuntime('bun', runtimes.bun, {
    env: systemWithNpm(t, 'echo "npm error code ENOTFOUND" >&2; exit 1'), platform: 'linux-x64', printProgress
  }),
  'runtime-checksum': t => findRuntime('bun', runtimes.bun, {
    env: systemWithNpm(t, 'echo another > "$4/bun.tgz"'), platform: 'linux-x64', printProgress
  }),
  'python-missing': () => findPython({ program: 'Locust', least: '3.11' }, { PATH: '/nowhere' }, '/nowhere/python3'),
  'python-without-venv': t => {
    const { spec, env } = systemWithPython(t, [TELLS_VERSION,
      '*"-m venv"*) echo "ensurepip is not available" >&2; exit 1;;'])
    return pythonEnvironment(spec, { env, printProgress })
  },
  'python-packages-failed': t => {
    const { spec, env } = systemWithPython(t, [TELLS_VERSION, MAKES_VENV,
      '*"-m pip"*) echo "ERROR: No matching distribution found" >&2; exit 1;;'])
    return pythonEnvironment(spec, { env, printProgress })
  },
  'python-environment-broken': async t => {
    // The installation succeeds, but Locust does not print its version.
    const { env } = systemWithPython(t, [TELLS_VERSION, MAKES_VENV, '*"-m pip"*) ;;'])
    inEnvironment(t, env)
    await quietly(() => findEngine('locust'))
  },
  'temp-not-writable': t => {
    inEnvironment(t, { TMPDIR: join(t.testdir({}), 'none') })
    makeTempRoot()
  },
  'socket-path-too-long': t => {
    const long = join(makeWorkspace(t).dir, 'n'.repeat(100))
    mkdirSync(long)
    inEnvironment(t, { TMPDIR: long })
    makeTempRoot()
  }
}

/** Runs an action without its messages about the installation. @param {() => Promise<unknown>} action */
async function quietly (action) {
  const { write } = process.stderr
  process.stderr.write = () => true
  try {
    await action()
  } finally {
    process.stderr.write = write
  }
}
