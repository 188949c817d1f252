/** Tests what is recorded of processor and hypervisor. */
import t from '../../support/tap.js'
import { readFingerprint } from '../../../bench/machine/environment/environment.js'

const CPUINFO = `processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC
stepping\t: 1
flags\t\t: fpu hypervisor sse

processor\t: 1
cpu family\t: 26
model\t\t: 18
stepping\t: 2
`
const cache = (/** @type {string} */ level, /** @type {string} */ type, /** @type {string} */ size) =>
  ({ level: `${level}\n`, type: `${type}\n`, size: `${size}\n` })
const nothing = { virtual: null, family: null, modelNumber: null, stepping: null, caches: null, hypervisor: null }

t.test('reads family, model, stepping, caches and the hypervisor of the first core', async t => {
  const root = t.testdir({
    proc: { cpuinfo: CPUINFO },
    sys: {
      devices: {
        system: {
          clocksource: { clocksource0: { available_clocksource: 'tsc kvm-clock \n' } },
          cpu: {
            cpu0: {
              cache: {
                index0: cache('1', 'Data', '32K'),
                index1: cache('1', 'Instruction', '64K'),
                index2: cache('2', 'Unified', '1024K'),
                index3: cache('3', 'Unified', '32768K'),
                uevent: ''
              }
            }
          }
        }
      }
    }
  })
  t.strictSame(readFingerprint(root), {
    virtual: true,
    family: 25,
    modelNumber: 17,
    stepping: 1,
    caches: { L1d: 32, L1i: 64, L2: 1024, L3: 32768 },
    hypervisor: 'KVM'
  })
})

t.test('returns null for facts that a system does not show', async t => {
  t.strictSame(readFingerprint(t.testdir({})), nothing)
  t.strictSame(readFingerprint(t.testdir({
    proc: { cpuinfo: 'processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nmodel name\t: ARM 7\n' },
    sys: { devices: { system: { cpu: { cpu0: { cache: { index0: { level: '1\n', type: 'Data\n' } } } } } } }
  })), nothing)
})

t.test('names a hypervisor by its folder, then by its clock, then by the hardware that it shows', async t => {
  const dmi = { dmi: { id: { sys_vendor: 'VMware, Inc.\n', product_name: 'VMware20,1\n' } } }
  const clock = { system: { clocksource: { clocksource0: { available_clocksource: 'xen tsc\n' } } } }
  const read = (/** @type {any} */ sys, flags = 'hypervisor') =>
    readFingerprint(t.testdir({ proc: { cpuinfo: `flags\t\t: fpu ${flags}\n` }, sys })).hypervisor
  t.equal(read({ class: dmi, devices: clock, hypervisor: { type: 'xen\n' } }), 'xen')
  t.equal(read({ class: dmi, devices: clock }), 'Xen')
  t.equal(read({ class: dmi }), 'VMware, Inc. VMware20,1')
  t.equal(read({ class: dmi }, 'sse'), null, 'a real machine has hardware, and no hypervisor')
})
