import t from '../../support/tap.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { examine } from '../../../bench/features/run/diagnosis.js'
import { platformName } from '../../../bench/machine/setup/runtime.js'
import { makeEnvironment } from '../../support/record.js'

/** @import { DoctorOptions, Finding } from '../../../bench/machine/types.js' */
/** @import { Environment } from '../../../bench/types.js' */
/** @import { Test } from 'tap' */

const cpu = { model: 'Some CPU', cores: 2, governor: 'performance', virtual: false }
const quiet = { busy: 0.01, steal: 0 }
const version = { args: ['-v'], parse: (/** @type {string} */ output) => /v([\d.]+)/.exec(output)?.[1] ?? null }

/**
 * Examines a machine without a fault, but for these properties.
 * @param {Test} t
 * @param {Partial<Environment>} [properties]
 */
const look = async (t, properties, shares = quiet) => {
  const root = t.testdir({
    bin: {},
    results: {},
    file: '',
    sys: {
      fs: { cgroup: { 'cgroup.controllers': 'cpu' } },
      devices: { system: { cpu: { cpufreq: { boost: '0' } } } }
    }
  })
  for (const [name, script] of Object.entries({ 'hb-good': 'echo v1.2', 'hb-mute': 'exit 1' })) {
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  const environment = makeEnvironment({ cpu, calibration: null, kernel: '6.1', ...properties })
  const env = { PATH: join(root, 'bin'), HOPBENCH_CACHE: join(root, 'cache') }
  const tools = ['hb-good', 'hb-mute', 'hb-absent'].map(program =>
    ({ program, packages: { debian: [program] }, version }))
  const examined = (/** @type {Partial<DoctorOptions>} */ more = {}) =>
    examine({
      environment,
      tools,
      resultsDir: join(root, 'results/new'),
      env,
      root,
      watch: async () => shares,
      ...more
    })
  return { root, env, examined, findings: await examined() }
}

/**
 * Returns the finding with this name.
 * @param {Finding[]} findings
 * @param {string} name
 */
const getFinding = (findings, name) => findings.find(finding => finding.name === name)

t.test('reports only "ok" for a machine without a fault', async t => {
  const { findings } = await look(t)
  t.same(findings.filter(({ name, status }) => !name.startsWith('hb-') && status !== 'ok'), [])
  t.ok(findings.every(({ status, remedy }) => (status === 'ok') === (remedy === null)),
    'every other status has a remedy')
})

t.test('reports the version of a tool, a tool that does not run, and a missing tool', async t => {
  const { findings, root } = await look(t)
  t.match(getFinding(findings, 'hb-good'), { status: 'ok', text: `1.2, ${root}/bin/hb-good` })
  t.match(getFinding(findings, 'hb-mute'), { status: 'fail', text: /does not print its version/ })
  t.match(getFinding(findings, 'hb-absent'), { status: 'warn', remedy: /hb-absent/ })
})

t.test('reports a missing tool that can be fetched as ok', async t => {
  const { root, examined } = await look(t)
  for (const name of ['apt-get', 'dpkg-deb']) writeFileSync(join(root, 'bin', name), '', { mode: 0o755 })
  t.match(getFinding(await examined(), 'hb-absent'), { status: 'ok', text: /fetched/ })
})

t.test('reports a missing tool in a Python wheel as ok where there is a build and a Python', async t => {
  const { root, examined } = await look(t)
  const findTool = async (/** @type {string} */ platform) => {
    const wheel = { requirements: join(root, 'file'), inside: 'bin/hb-absent', least: '3.10', platforms: [platform] }
    const findings = await examined({
      tools: [{ program: 'hb-absent', packages: { debian: [], fedora: [], alpine: [] }, version, wheel }]
    })
    return getFinding(findings, 'hb-absent')
  }
  t.match(await findTool(platformName()), { status: 'warn', remedy: 'Install hb-absent so that it is on PATH.' })
  writeFileSync(join(root, 'bin/python3'), '', { mode: 0o755 })
  t.match(await findTool(platformName()), { status: 'ok', text: /fetched/ })
  t.match(await findTool('plan9-mips'), { status: 'warn' })
})

t.test('finds each fault of the machine and recommends a remedy', async t => {
  /** @type {Record<string, Partial<Environment>>} */
  const faults = {
    network: { lab: { network: 'shared-loopback', pids: false, why: 'user namespaces are off' } },
    cores: { cores: { load: [0], served: [0] } },
    'open files': { limits: { openFiles: 1024 } },
    governor: { cpu: { ...cpu, governor: 'powersave' } }
  }
  for (const [name, fault] of Object.entries(faults)) {
    const { findings } = await look(t, fault)
    t.match(getFinding(findings, name), { status: 'warn', remedy: String }, name)
  }
  const { findings } = await look(t, { node: '18.0.0' })
  t.match(getFinding(findings, 'node'), { status: 'fail' })
})

t.test('warns of other load and of stolen time', async t => {
  const { findings } = await look(t, undefined, { busy: 0.5, steal: 0.05 })
  t.match(getFinding(findings, 'other load'), { status: 'warn', text: /50 %/ })
  t.match(getFinding(findings, 'steal'), { status: 'warn', text: /^5 %/ })
})

t.test('reports the idle states and their meaning in a virtual machine', async t => {
  const idleOf = async (/** @type {Partial<Environment['cpu']>} */ properties) =>
    getFinding((await look(t, { cpu: { ...cpu, ...properties } })).findings, 'idle states')
  t.match(await idleOf({ idle: 'intel_idle, menu' }), { status: 'ok', text: 'intel_idle, menu' })
  t.match(await idleOf({ idle: 'haltpoll, haltpoll', virtual: true }), { status: 'ok', text: 'haltpoll, haltpoll' })
  t.match(await idleOf({ idle: 'none, menu', virtual: true }), { status: 'ok', text: /halts, which a virtual machine/ })
})

t.test('names the processor and its speed', async t => {
  const { findings } = await look(t, { cpu: { ...cpu, family: 25 }, calibration: makeEnvironment().calibration })
  t.match(getFinding(findings, 'machine'), { status: 'ok', text: 'Some CPU (family 25), linux x64 6.1' })
  t.match(getFinding(findings, 'speed'), { status: 'ok', text: /^One core: 730 million integer operations, / })
  t.match(getFinding((await look(t)).findings, 'speed'), { status: 'ok', text: 'Not measured' })
})

t.test('reports unknown properties of a system as ok', async t => {
  const { examined } = await look(t, { cpu: { ...cpu, governor: null }, limits: { openFiles: null } })
  const findings = await examined({ watch: async () => null, root: t.testdir({}) })
  for (const name of ['governor', 'open files', 'steal', 'other load', 'turbo']) {
    t.match(getFinding(findings, name), { status: 'ok' }, name)
  }
})

t.test('reports folders that are not writable', async t => {
  const { root, env, examined } = await look(t)
  const findings = await examined({
    resultsDir: join(root, 'file/results'),
    env: { ...env, HOPBENCH_CACHE: join(root, 'file/cache') }
  })
  t.match(getFinding(findings, 'cache'), { status: 'warn' })
  t.match(getFinding(findings, 'results'), { status: 'fail' })
})
