/** How many processes to start on a plan, by what was measured, and by the rule that platforms use (pure). */

/** @import { WorkerAdvice } from '../../types.js' */

/** Memory that is kept free: garbage that has not been collected yet, and the platform's own. */
export const MEMORY_HEADROOM = 0.25
/** MiB: what the Node build pack of a large platform divides the memory by, whatever the CPU is
 * (heroku-buildpack-nodejs, 2026-08-20). */
const RULE_MIB = 512

/** @param {{ vcpu: number, memoryMiB: number }} plan
 * @param {{ processMiB: number, besideMiB: number }} measured of one server process under load, and of what runs beside
 * it @returns {WorkerAdvice} */
export function concurrencyFor ({ vcpu, memoryMiB }, { processMiB, besideMiB }) {
  const fits = Math.floor((memoryMiB * (1 - MEMORY_HEADROOM) - besideMiB) / processMiB)
  // One more process than cores takes turns with the others; below one core there is still one.
  const busy = Math.max(1, Math.floor(vcpu))
  return {
    workers: Math.max(0, Math.min(fits, busy)),
    limit: fits < busy ? 'memory' : 'cpu',
    rule: Math.max(1, Math.floor(memoryMiB / RULE_MIB))
  }
}
