/** The kind of processor and hypervisor, as far as the system shows them. */
import { join } from 'node:path'
import { listNames, readText } from '../files/system-files.js'

/** @import { Environment } from '../../types.js' */

/** Clocks that a hypervisor offers to Linux, by its name (drivers/clocksource and arch/x86 of Linux). */
const CLOCKS = {
  'kvm-clock': 'KVM',
  hyperv_clocksource_tsc_page: 'Hyper-V',
  hyperv_clocksource_msr: 'Hyper-V',
  xen: 'Xen'
}

/**
 * Reads the kind of processor and hypervisor. A field that the system does not show is null.
 *
 * @param {string} root prepended to /proc and /sys
 * @returns {Pick<Environment['cpu'], 'virtual' | 'family' | 'modelNumber' | 'stepping' | 'caches' | 'hypervisor'>}
 */
export function readFingerprint (root) {
  const cpuinfo = readText(join(root, 'proc/cpuinfo'))
  const getField = (/** @type {string} */ name) =>
    new RegExp(`^${name}[ \\t]*:(.*)$`, 'm').exec(cpuinfo)?.[1].trim()
  const getNumber = (/** @type {string} */ name) => {
    const value = getField(name)
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : null
  }
  // Only x86 has the flag. Elsewhere its absence proves nothing.
  const virtual = getField('flags')?.split(' ').includes('hypervisor') ?? null
  return {
    virtual,
    family: getNumber('cpu family'),
    modelNumber: getNumber('model'),
    stepping: getNumber('stepping'),
    caches: readCaches(root),
    hypervisor: virtual === false ? null : findHypervisor(root)
  }
}

/**
 * Reads the sizes of the caches that the first core uses, in KiB.
 *
 * @param {string} root
 * @returns {Record<string, number> | null} by name: "L1d", "L1i", "L2"
 */
function readCaches (root) {
  const folder = join(root, 'sys/devices/system/cpu/cpu0/cache')
  const caches = listNames(folder).sort().flatMap(name => {
    const [level, type, size] = ['level', 'type', 'size'].map(file => readText(join(folder, name, file)).trim())
    const suffix = level === '1' && type !== 'Unified' ? type.charAt(0).toLowerCase() : ''
    return /^\d+K$/.test(size) ? [[`L${level}${suffix}`, Number.parseInt(size)]] : []
  })
  return caches.length > 0 ? Object.fromEntries(caches) : null
}

/**
 * Finds the hypervisor by its folder in /sys, by its clock, or by the name of the hardware that it shows.
 *
 * @param {string} root
 * @returns {string | null} "KVM"
 */
function findHypervisor (root) {
  const read = (/** @type {string} */ file) => readText(join(root, 'sys', file)).trim()
  const clocks = read('devices/system/clocksource/clocksource0/available_clocksource').split(' ')
  const byClock = Object.entries(CLOCKS).find(([clock]) => clocks.includes(clock))?.[1]
  const hardware = ['sys_vendor', 'product_name'].map(file => read(`class/dmi/id/${file}`)).filter(Boolean).join(' ')
  return read('hypervisor/type') || byClock || hardware || null
}
