/** The run under way as metrics that Prometheus reads. */
import { Counter, Gauge, Registry } from 'prom-client'

/** @typedef {import('./job.js').JobEvent} JobEvent */

/**
 * @returns {{ note: (event: JobEvent) => void, registry: Registry }}
 */
export function createMetrics () {
  const registry = new Registry()
  const registers = [registry]
  const running = new Gauge({ name: 'hopbench_run_active', help: 'Whether a run is under way', registers })
  const seconds = new Gauge({ name: 'hopbench_run_elapsed_seconds', help: 'Wall time of the run so far', registers })
  const budget = new Gauge({ name: 'hopbench_run_budget_seconds', help: 'Wall time that the run may take', registers })
  const blocks = new Gauge({ name: 'hopbench_run_blocks', help: 'Blocks that have been measured', registers })
  const rate = new Gauge({ name: 'hopbench_arm_rate_per_second', help: 'Units per second of the last valid trial', labelNames: ['experiment', 'arm', 'unit'], registers })
  const trials = new Counter({ name: 'hopbench_trials_total', help: 'Trials made', labelNames: ['experiment', 'arm', 'valid'], registers })
  const errors = new Counter({ name: 'hopbench_errors_total', help: 'Errors under load', labelNames: ['experiment', 'arm', 'kind'], registers })
  const cpu = new Counter({ name: 'hopbench_cpu_seconds_total', help: 'CPU time within the measured windows', labelNames: ['experiment', 'arm', 'role'], registers })
  const ratio = new Gauge({ name: 'hopbench_contrast_ratio', help: 'Times as fast as the baseline, so far', labelNames: ['experiment', 'arm', 'baseline'], registers })
  running.set(0)
  let experiment = ''
  let unit = ''

  /** @type {(event: JobEvent) => void} */
  const note = event => {
    switch (event.event) {
      case 'begins':
        running.set(1)
        for (const gauge of [rate, ratio]) gauge.reset()
        for (const gauge of [seconds, blocks]) gauge.set(0)
        break
      case 'start':
        experiment = event.plan.experiment
        unit = event.plan.unit
        budget.set(event.budget)
        break
      case 'trial': {
        const { arm, invalid, rps, errors: kinds, cpuSeconds } = event.sample
        trials.inc({ experiment, arm, valid: String(invalid === null) })
        if (!invalid) rate.set({ experiment, arm, unit }, rps)
        for (const [kind, count] of Object.entries(kinds)) errors.inc({ experiment, arm, kind }, count)
        for (const role of /** @type {const} */ (['load', 'proxy', 'server'])) cpu.inc({ experiment, arm, role }, Math.max(0, cpuSeconds[role]))
        break
      }
      case 'block':
        seconds.set(event.elapsed)
        blocks.set(event.block + 1)
        for (const contrast of event.contrasts) if (Number.isFinite(contrast.ratio)) ratio.set({ experiment, arm: contrast.arm, baseline: contrast.baseline }, contrast.ratio)
        break
      case 'ended':
        running.set(0)
    }
  }
  return { note, registry }
}
