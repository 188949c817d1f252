/** @import { RunRecord } from '../../bench/types.js' */
import t from '../support/tap.js'
import { findWarnings } from '../../bench/judge/warnings.js'
import { inOneLine, printWarning } from '../../bench/report/facts/facts.js'
import { makeArm, makeContrast, makeEnvironment, makePlan, makeRecord } from '../support/record.js'

const codes = (/** @type {Partial<RunRecord>} */ overrides) =>
  findWarnings(makeRecord(overrides)).map(({ code }) => code)

t.test('a correct run has no warnings', async t => {
  t.strictSame(findWarnings(makeRecord()), [])
})

t.test('recommends only possible remedies', async t => {
  const remedy = (/** @type {Partial<RunRecord>} */ overrides) =>
    findWarnings(makeRecord(overrides)).map(warning => inOneLine(printWarning(warning).remedy))[0]
  const loadedBy = (/** @type {string} */ engine) =>
    [makeArm({ bound: 'load', load: { engine, connections: 8, path: '/', headers: {} } })]
  t.match(remedy({ arms: loadedBy('autocannon') }), /--engine wrk/)
  t.match(remedy({ arms: loadedBy('s-time') }), /^generate the load on more cores/, 'wrk does not count handshakes')
  const contrasts = [makeContrast({ low: 0.5, high: 2, secondsToSettle: null })]
  const plan = makePlan({ targets: { ...makePlan().targets, requested: true } })
  t.match(remedy({ ended: 'budget', contrasts, plan }), /it is not attainable on this machine: set a wider --precision/)
})

t.test('warns of weaknesses in the record of a run', async t => {
  const timing = { setupSeconds: 10, measuredSeconds: 20, sliceWallSeconds: 40, blocks: 6 }
  const targets = makePlan().targets
  t.strictSame(codes({ complete: false }), ['cut-off'])
  t.match(findWarnings(makeRecord({ complete: false }))[0], { command: /--resume/ })
  const [final] = findWarnings(makeRecord({ complete: false, plan: makePlan({ experiment: 'diff' }) }))
  t.strictSame([final.code, final.command], ['cut-off', undefined], 'a comparison of two states cannot be resumed')
  t.strictSame(codes({ plan: makePlan({ quick: true }), timing, ended: 'blocks' }), ['quick'])
  t.strictSame(codes({ timing, ended: 'budget' }), ['few-blocks'])
  t.strictSame(codes({ timing, ended: 'decided' }), [], 'a decided run needs no further block')
  const requested = (/** @type {number} */ precision) =>
    makePlan({ targets: { ...targets, precision, requested: true } })
  t.strictSame(codes({ ended: 'budget' }), [], 'the default precision is not a request')
  const oneStart = { starts: undefined }
  t.strictSame(codes({ protocol: 'gang', ended: 'budget', contrasts: [makeContrast(oneStart)] }), ['one-start'])
  t.strictSame(codes({ ended: 'budget', plan: requested(0.02) }), ['precision-not-reached'])
  const unknown = makeContrast({ low: NaN, high: NaN, verdict: 'inconclusive' })
  t.strictSame(codes({ ended: 'blocks', contrasts: [unknown], plan: requested(0.02) }), ['precision-not-reached'])
  t.strictSame(codes({ ended: 'budget', plan: requested(0.05) }), [])
  t.strictSame(codes({ noiseFloor: { ratio: 1.02, low: 1.01, high: 1.03 } }), ['noise-floor'])
  t.strictSame(codes({ contrasts: [makeContrast({ ...oneStart, pooled: 17, lag1: 0.31 })] }),
    ['autocorrelation'])
  t.strictSame(codes({ contrasts: [makeContrast({ ...oneStart, pooled: 30, lag1: 0.1 })] }), [])
  t.strictSame(codes({ arms: [makeArm({ bound: 'load' })] }), ['generator-bound'])
  t.strictSame(codes({ switchedFor: { arm: 'cache', share: 0.97 } }), ['engine-switched'])
  t.strictSame(codes({ crowded: { arm: 'apache', processes: 4000 } }), ['too-many-to-stop'])
  const reason = /** @type {const} */ ({ code: 'wrong-body', params: {} })
  const invalid = Array.from({ length: 4 }, (_, block) => ({ block, reason }))
  t.strictSame(codes({ arms: [makeArm({ invalidTrials: invalid })] }), ['invalid-trials'])
  t.strictSame(codes({ arms: [makeArm({ invalidTrials: invalid.slice(1) })] }), [],
    'a few invalid trials are usual')
})

t.test('warns of connections that wait for longer than a slice, if that leaves a contrast open', async t => {
  const load = { engine: 'autocannon', connections: 100, path: '/', headers: {} }
  const toRps = (/** @type {number} */ median) => ({ low: median, median, high: median })
  const arms = [makeArm({ name: 'a', rps: toRps(40), load }), makeArm({ name: 'b', rps: toRps(250), load })]
  const contrasts = [makeContrast({ arm: 'b', baseline: 'a', low: 0.5, high: 9, verdict: 'inconclusive' })]
  const [warning] = findWarnings(makeRecord({ arms, contrasts }))
  t.match(warning, {
    code: 'batches', params: { arms: ['a'], connections: 100, seconds: 2.5, windowSeconds: 0.5, fewer: 10 }
  })
  t.match(inOneLine(printWarning(warning).remedy), /--connections 10$/)
  t.strictSame(codes({ arms, contrasts: [makeContrast({ arm: 'b', baseline: 'a' })] }), [], 'it is decided')
  const few = arms.map(arm => ({ ...arm, load: { ...load, connections: 10 } }))
  t.strictSame(codes({ arms: few, contrasts }), [])
})

t.test('warns of weaknesses of the machine', async t => {
  const { cpu } = makeEnvironment()
  const machine = (/** @type {Partial<RunRecord['environment']>} */ environment) =>
    codes({ environment: makeEnvironment(environment) })
  t.strictSame(machine({ lab: { network: 'shared-loopback', pids: false, why: 'unshare is missing' } }), [
    'shared-loopback'
  ])
  const control = (/** @type {string} */ value) => ({ sysctl: { 'net.ipv4.tcp_congestion_control': value } })
  const lab = makeEnvironment().lab
  t.strictSame(machine(control('bbr')), ['congestion-control'], 'private networks had the setting of the host')
  t.strictSame(machine(control('cubic')), [])
  t.strictSame(machine({ ...control('bbr'), lab: { ...lab, congestionControl: 'cubic' } }), [])
  t.strictSame(machine({ ...control('cubic'), lab: { ...lab, congestionControl: 'reno' } }), ['congestion-control'])
  t.strictSame(machine({ ...control('bbr'), hosts: { load: [] } }), [], 'not on the loopback')
  t.strictSame(machine({ cores: { load: [0], served: [0, 1] } }), ['shared-cores'])
  t.strictSame(machine({ busy: { loadAverage: 1.2, stealShare: 0.05 } }), ['busy-machine', 'steal-time'])
  t.strictSame(machine({ busy: { loadAverage: 0.9, stealShare: null } }), [])
  const { timing } = makeRecord()
  const stolen = (/** @type {number} */ before, /** @type {number} */ ofRun) => findWarnings(makeRecord({
    environment: makeEnvironment({ busy: { loadAverage: 0, stealShare: before } }),
    timing: { ...timing, stealShare: ofRun }
  })).find(({ code }) => code === 'steal-time')
  t.equal(stolen(0.05, 0.01), undefined, 'the share of the whole run decides')
  t.strictSame(stolen(0, 0.05), { code: 'steal-time', params: { share: 0.05, isOfRun: true } })
  t.strictSame(machine({ busy: { loadAverage: 9, stealShare: 0, busyShare: 0.04 } }), [],
    'the load average of the previous run is not other load')
  t.strictSame(machine({ busy: { loadAverage: 0.1, stealShare: 0, busyShare: 0.5 } }), ['busy-machine'])
  t.strictSame(machine({ cpu: { ...cpu, governor: 'powersave' } }), ['governor-powersave'])
  t.strictSame(machine({ limits: { openFiles: 256 } }), ['open-files'])
  t.strictSame(machine({ limits: { openFiles: null } }), [])
})

t.test('estimates the time to the precision that was not reached', async t => {
  const contrasts = [makeContrast({ low: 1 / 1.04, high: 1.04 }), makeContrast({ low: 1 / 1.03, high: 1.03 })]
  const plan = makePlan({ targets: { ...makePlan().targets, requested: true } })
  const timing = { setupSeconds: 10, measuredSeconds: 20, sliceWallSeconds: 40, blocks: 35 }
  const [warning] = findWarnings(makeRecord({ ended: 'budget', contrasts, plan, timing }))
  t.match(warning, { code: 'precision-not-reached', params: { target: 0.02, secondsNeeded: Number } })
  const { text, remedy } = printWarning(warning)
  t.match(text, /\(±2 %\) .* is ±4 %/)
  t.match(inOneLine(remedy), /estimated at 2 min 50 s in all: --budget 170s/)
})
