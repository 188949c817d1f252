/** Tests which machines are comparable by rates, and the sentence about several machines. */
import t from '../support/tap.js'
import {
  findMachineDifferences, groupByMachine, haveOneSpeed, toFingerprint, toKernelLine
} from '../../bench/judge/machines.js'
import { compareRuns } from '../../bench/judge/runs/compare-runs.js'
import { machinesSentence } from '../../bench/features/publish/machines.js'
import { describeProcessor, describeSpeed } from '../../bench/shared/machine-words.js'
import { CALIBRATION_BOUNDS } from '../../bench/shared/thresholds.js'
import { RUN_NAME, SET_NAME } from '../../bench/store/names.js'
import { runOf } from '../support/compared-runs.js'
import { makeEnvironment, makeRecord } from '../support/record.js'

/** @import { Calibration, Environment } from '../../bench/types.js' */

const here = makeEnvironment()
const { cpu } = here
const calibration = /** @type {Calibration} */ (here.calibration)

/** @param {Partial<Environment>} overrides */
const namesOf = overrides => findMachineDifferences(here, makeEnvironment(overrides)).map(({ what }) => what)

t.test('names the facts that differ', async t => {
  t.strictSame(namesOf({}), [])
  t.strictSame(namesOf({ cpu: { ...cpu, model: 'Other', cores: 4 } }), ['cpu model', 'cpu cores'])
  t.strictSame(namesOf({ kernel: '6.10.0', platform: 'linux arm64' }), ['kernel line', 'platform'])
  t.strictSame(namesOf({ hosts: { load: [{ name: 'b', cpu, kernel: '6' }] } }), ['hosts load'])
  t.strictSame(namesOf({ cores: { load: [0, 1], served: [0, 1] } }), ['cores load', 'cores served'])
  const known = makeEnvironment({ cpu: { ...cpu, family: 25, stepping: 1, caches: { L2: 512 } } })
  const other = makeEnvironment({ cpu: { ...cpu, family: 26, stepping: 1, caches: { L2: 1024 } } })
  t.strictSame(findMachineDifferences(known, other), [
    { what: 'cpu family', before: '25', after: '26' },
    { what: 'cpu caches', before: 'L2 512 KiB', after: 'L2 1024 KiB' }
  ])
})

t.test('ignores facts that are unknown on one side, releases of a kernel line, and a MiB of memory', async t => {
  t.strictSame(namesOf({ cpu: { ...cpu, family: 25, caches: null, governor: 'performance', idle: 'none' } }), [])
  t.strictSame(namesOf({ kernel: '6.1.99', memoryMiB: 7949 }), [])
  t.equal(toKernelLine('6.18.44-fc'), '6.18')
})

t.test('machines of one kind have one name, which is that of a folder of runs and of no run', async t => {
  const name = (/** @type {Partial<Environment>} */ overrides = {}) => toFingerprint(makeEnvironment(overrides))
  const virtual = { ...cpu, model: 'AMD EPYC (Milan)', family: 25, modelNumber: 1, cores: 2, virtual: true }
  const kernel = '6.18.44-fc-v1'
  const named = name({ cpu: { ...virtual, hypervisor: 'KVM' }, memoryMiB: 24106, kernel })
  t.equal(named, 'amd-epyc-milan-25-1-2-cores-24-gib-linux-x64-6.18-kvm')
  t.equal(name({ cpu: { ...virtual, hypervisor: 'KVM' }, memoryMiB: 24105, kernel: '6.18.50' }), named)
  const unknown = { ...virtual, family: null, modelNumber: null }
  t.match(name({ cpu: { ...unknown, cores: 1 } }), /^amd-epyc-milan-1-core-.*-virtual$/)
  t.match(name({ cpu: { ...virtual, virtual: false } }), /-metal$/)
  t.match(name({ cpu: { ...virtual, model: '../..' } }), /^[a-z0-9]/)
  for (const each of [named, name(), name({ cpu: { ...virtual, model: 'É' } })]) {
    t.match(each, SET_NAME)
    t.notMatch(each, RUN_NAME)
  }
})

t.test('names the parts of the calibration that differ by more than their bounds', async t => {
  const times = ({ arithmetic = 1, memory = 1, systemCalls = 1, roundTrips = 1 }) => ({
    calibration: {
      arithmetic: calibration.arithmetic * arithmetic,
      memory: calibration.memory * memory,
      systemCalls: calibration.systemCalls * systemCalls,
      roundTrips: calibration.roundTrips * roundTrips
    }
  })
  const { arithmetic, memory, systemCalls, roundTrips } = CALIBRATION_BOUNDS
  const within = 0.999
  t.strictSame(namesOf(times({
    arithmetic: arithmetic * within,
    memory: 1 / (memory * within),
    systemCalls: systemCalls * within,
    roundTrips: 1 / (roundTrips * within)
  })), [])
  const beyond = 1.001
  t.strictSame(namesOf(times({ arithmetic: arithmetic * beyond })), ['speed of arithmetic'])
  t.strictSame(namesOf(times({ memory: 1 / (memory * beyond), roundTrips: roundTrips * beyond })),
    ['speed of memory copies', 'speed of round trips'])
  t.strictSame(namesOf({ ...times({ memory: 2, systemCalls: 2, roundTrips: 2 }), node: '24.0.0' }),
    ['speed of memory copies'], 'another Node has other system calls')
})

t.test('rates decide only between machines of one measured speed', async t => {
  const compare = (/** @type {Partial<Environment>} */ environment, options = {}) =>
    compareRuns(runOf({ tcp: 1000 }), runOf({ tcp: 500 }, { environment: makeEnvironment(environment) }), options)
  t.equal(compare({}).ratesApart, null)
  t.equal(compare({}).slower, true)
  const unknown = compare({ calibration: null })
  t.strictSame(unknown.ratesApart, { code: 'speed-unknown', params: {} })
  t.equal(unknown.slower, false)
  const slow = compare({ calibration: { ...calibration, arithmetic: calibration.arithmetic / 2 } })
  t.strictSame(slow.ratesApart, { code: 'machines-differ', params: { differences: ['speed of arithmetic'] } })
  t.strictSame(slow.differences, [
    { what: 'speed of arithmetic', before: '730,000,000 per second', after: '365,000,000 per second' }
  ])
  for (const environment of [{}, { calibration: null }]) {
    t.match(compare(environment, { rates: false }),
      { ratesApart: { code: 'rates-left-out', params: {} }, slower: false })
  }
})

const run = (/** @type {string} */ name, /** @type {Partial<Environment>} */ overrides = {}) =>
  makeRecord({ run: name, environment: makeEnvironment(overrides) })
const unknown = { calibration: undefined }

t.test('groups runs by machine, for any cores they used', async t => {
  const records = [run('a'), run('b', { kernel: '5.15.0' }), run('c', { cores: { load: [0, 1], served: [0, 1] } })]
  t.strictSame(groupByMachine(records).map(group => group.map(({ run }) => run)), [['a', 'c'], ['b']])
})

t.test('a machine whose speed changed is one machine while its kernel runs', async t => {
  const { calibration } = makeEnvironment()
  const slower = calibration && { ...calibration, arithmetic: calibration.arithmetic / 1.3 }
  const records = [run('a', { boot: '1' }), run('b', { boot: '1', calibration: slower }),
    run('c', { boot: '2', calibration: slower }), run('d', { boot: '1', kernel: '5.15.0' })]
  const groups = (/** @type {Parameters<typeof groupByMachine>[1]} */ areAlike = undefined) =>
    groupByMachine(records, areAlike).map(group => group.map(({ run }) => run))
  t.strictSame(groups(), [['a', 'b'], ['c'], ['d']])
  t.strictSame(groups(haveOneSpeed), [['a'], ['b', 'c'], ['d']])
})

t.test('reports several machines, and unknown speeds, in one sentence', async t => {
  const machine = 'Example CPU @ 2.80GHz with 2 cores, Linux 6.1'
  t.equal(machinesSentence([]), null)
  t.equal(machinesSentence([run('a', unknown), run('a', unknown)]), null, 'one run')
  t.equal(machinesSentence([run('a'), run('b')]), null, 'one machine')
  t.equal(machinesSentence([run('a', unknown), run('b', unknown)]),
    `These are 2 runs on ${machine}, all of unknown speed: rates of different runs are not comparable.`)
  t.equal(machinesSentence([run('a'), run('b', { calibration: { ...calibration, memory: 1e10 } })]),
    `These are 2 runs on 2 machines (${machine}): rates of different runs are not comparable.`)
  t.equal(machinesSentence([run('a'), run('b', { ...unknown, cpu: { ...cpu, model: 'Other' } }), run('c')]),
    `These are 3 runs on at least 2 machines (${machine} and Other with 2 cores, Linux 6.1), 1 of unknown speed: ` +
    'rates of different runs are not comparable.')
})

t.test('prints processor and speed as far as they are known', async t => {
  t.equal(describeProcessor(cpu), 'Example CPU @ 2.80GHz')
  t.equal(describeProcessor({
    ...cpu, family: 25, modelNumber: 17, stepping: 0, caches: { L1d: 32, L2: 1024 }, hypervisor: 'KVM'
  }), 'Example CPU @ 2.80GHz (family 25, model 17, stepping 0; L1d 32 KiB, L2 1024 KiB; KVM)')
  t.equal(describeSpeed(calibration),
    '730 million integer operations, 47 GB copied, 2.04 million system calls, 44,100 round trips in a second')
})
