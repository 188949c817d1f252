import t from '../../../support/tap.js'
import { parse } from '../../../../bench/plan/spec.js'
import { sentencesOf, sizing } from '../../../support/sizing.js'

/** @import { AtLimit, Sizing } from '../../../../bench/types.js' */

const [row] = sizing.table
const [emulation] = sizing.emulated ?? []
const textOf = (/** @type {Partial<Sizing>} */ more) => sentencesOf({ ...sizing, ...more }, 'emulated').join('\n')
const vm = { ...row, offering: { ...row.offering, name: 'Large', vcpu: 4, class: /** @type {const} */ ('vm') } }
const shared = { ...row, offering: { ...row.offering, name: 'Small', class: /** @type {const} */ ('shared') } }

t.test('lists the offerings of an answer that were not emulated, with the reason', async t => {
  t.notMatch(textOf({}), /[Nn]ot emulated|does not name/)
  const text = textOf({ table: [row, vm, shared] })
  t.match(text, /^Not emulated here: Acme Small\.$/m)
  t.match(text, /^Not emulated here, because this machine serves with 1 core and each has more: Acme Large\.$/m)
  t.notMatch(text, /does not name/)
  t.notMatch(textOf({ table: [row, vm, shared], emulated: [{ ...emulation, offering: 'Acme Small' }, emulation] }),
    /Not emulated here: Acme Small/)
  t.match(textOf({ table: [shared] }), /The answer does not name Acme <b>One<\/b>, so this confirms none of its/)
  t.strictSame(sentencesOf({ ...sizing, emulated: [], table: [vm] }, 'emulated'), [])
  const twice = { ...sizing, table: [row, vm], emulated: [emulation, emulation] }
  const brief = sentencesOf(twice, 'emulated', { isBrief: true })
  t.strictSame(brief.map(text => text.split(' ').slice(0, 2)), [['One', 'instance'], ['Not', 'emulated']])
})

t.test('reports p99 at the limit of requests in flight, and a limit that was lowered', async t => {
  const at = (/** @type {AtLimit} */ atLimit) => textOf({ emulated: [{ ...emulation, atLimit }] })
  t.match(at({ limit: 60, inFlight: 60, p99Ms: 45, holds: true }),
    /At the limit of a kit, or with all .* fewer, p99 was 45\.0 ms with 60 requests in flight\.$/)
  t.match(at({ limit: 60, inFlight: 30, p99Ms: 40, holds: true }), /A kit permits 30 requests in flight in place of 60/)
})

t.test('reports that no limit of requests in flight shortens the pause of a quota', async t => {
  t.match(textOf({ emulated: [{ ...emulation, pauseMs: 72 }] }),
    /the goal of 50\.0 ms holds\..* No limit of requests in flight .* it waits for up to 72\.0 ms\.$/)
})

t.test('reports a goal that holds at the rate and is missed at every limit of requests in flight', async t => {
  const at = (/** @type {AtLimit} */ atLimit, holds = false) => textOf({
    emulated: [{ ...emulation, holds, why: { code: 'too-slow', params: { p99Ms: 55 } }, atLimit }]
  })
  const missed = { limit: 60, inFlight: 25, p99Ms: 55, holds: false }
  const sentence = new RegExp('; the goal of 50\\.0 ms holds\\..* With 60 down to 25 requests in flight the goal is ' +
    'missed, .*: p99 was 55\\.0 ms with 25 requests in flight\\. A kit limits an instance to 25\\.$')
  t.match(at(missed), sentence)
  t.match(at(missed, true), sentence, 'at any rate')
  t.match(at({ ...missed, inFlight: 60 }), / With 60 requests in flight the goal is missed/)
})

t.test('reports whether the instance of a virtual machine ended TLS', async t => {
  const machine = { ...row, offering: { ...row.offering, class: /** @type {const} */ ('vm') } }
  t.match(textOf({ table: [machine] }), / It ran without TLS, which an instance of it ends itself\./)
  t.match(textOf({ table: [machine], emulated: [{ ...emulation, endsTls: true }] }),
    / It ended TLS, on kept connections\./)
  const [topology] = sizing.topologies
  const topologies = [{ ...topology, topology: parse('nginx:uds+tls=ecdsa-p256/express-json') }]
  t.notMatch(textOf({ table: [machine], topologies }), /without TLS/, 'the topology ends TLS itself')
  t.notMatch(textOf({}), /TLS/)
})

t.test('an emulation at a smaller rate than that of an instance of today confirms nothing', async t => {
  const text = textOf({ goal: { ...sizing.goal, rate: 4000 } })
  t.match(text, /An instance of the answer must serve 2,000 requests a second, so this does not confirm it\.$/m)
  t.match(text, /^Not emulated here: Acme <b>One<\/b>\.$/m)
  t.match(textOf({ goal: { ...sizing.goal, spare: 1 } }), /^Not emulated here: Acme <b>One<\/b>\.$/m,
    'the other instance serves the whole rate while one is lost')
})

t.test('names the cheapest offering of each provider that was not emulated', async t => {
  const other = { ...row, offering: { ...row.offering, provider: 'Bcme', name: 'Two' } }
  const dearer = { ...other, offering: { ...other.offering, name: 'Three' } }
  const table = [row, other, dearer]
  t.match(textOf({ table }), /^Not emulated here, each the cheapest of its provider: Bcme Two\.$/m)
  t.notMatch(textOf({ table, emulated: [{ ...emulation, offering: 'Bcme Two' }, emulation] }), /Not emulated here/)
})

t.test('reports memory, the limit of the heap, kills, and an emulation that is too short to count', async t => {
  const memory = { firstMiB: 80, lastMiB: 91.4, limitMiB: 512, heapLimitMiB: 259 }
  const found = { ...emulation, windows: { held: 19, of: 20, seconds: 1.5 }, memory, tooShort: true }
  const text = textOf({ emulated: [found] })
  t.match(text, / 19 of 20 windows of 1\.5 s met the goal; 95 % must\. /)
  t.match(text, /512 MiB \(its processes 80 MiB in the first window, 91 MiB in the last\); Node limits its heap to 259/)
  t.match(text, /too short to count: run it without --quick\./)
  const limits = { ...emulation.limits, oomKills: 2 }
  const killed = textOf({ emulated: [{ ...emulation, limits, memory: { ...memory, heapLimitMiB: null } }] })
  t.match(killed, /it killed 2 processes, out of memory\./)
  t.notMatch(killed, /heap|too short/)
})
