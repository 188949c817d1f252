/** Metrics of the current run, for Prometheus. */
import { Counter, Gauge, Registry } from 'prom-client'

/** @import { Sample } from '../../types.js' */
/** @import { JobEvent } from './types.js' */

/** @param {Registry} registry */
function metricsIn (registry) {
  const registers = [registry]
  const gauge = (/** @type {string} */ name, /** @type {string} */ help) => new Gauge({ name, help, registers })
  /**
   * @param {string} name
   * @param {string} help
   * @param {string} label in addition to experiment and arm
   */
  const gaugeOfArm = (name, help, label) =>
    new Gauge({ name, help, labelNames: ['experiment', 'arm', label], registers })
  /**
   * @param {string} name
   * @param {string} help
   * @param {string} label
   */
  const counter = (name, help, label) =>
    new Counter({ name, help, labelNames: ['experiment', 'arm', label], registers })
  return {
    running: gauge('hopbench_run_active', 'Whether a run is under way'),
    seconds: gauge('hopbench_run_elapsed_seconds', 'Wall time of the run so far'),
    budget: gauge('hopbench_run_budget_seconds', 'Wall time that the run may take'),
    blocks: gauge('hopbench_run_blocks', 'Blocks that have been measured'),
    rate: gaugeOfArm('hopbench_arm_rate_per_second', 'Units per second of the last valid trial', 'unit'),
    trials: counter('hopbench_trials_total', 'Trials made', 'valid'),
    errors: counter('hopbench_errors_total', 'Errors under load', 'kind'),
    cpu: counter('hopbench_cpu_seconds_total', 'CPU time within the measured windows', 'role'),
    ratio: gaugeOfArm('hopbench_contrast_ratio', 'Relative throughput against the baseline so far', 'baseline')
  }
}

/** @returns {{ note: (event: JobEvent) => void, registry: Registry }} */
export function createMetrics () {
  const registry = new Registry()
  const metrics = metricsIn(registry)
  metrics.running.set(0)
  let experiment = ''
  let unit = ''

  /** @param {Sample} sample */
  const noteTrial = ({ arm, invalid, rps, errors, cpuSeconds }) => {
    metrics.trials.inc({ experiment, arm, valid: String(invalid === null) })
    if (!invalid) metrics.rate.set({ experiment, arm, unit }, rps)
    for (const [kind, count] of Object.entries(errors)) metrics.errors.inc({ experiment, arm, kind }, count)
    const { load, proxy, server } = cpuSeconds
    for (const [role, seconds] of Object.entries({ load, proxy, server })) {
      metrics.cpu.inc({ experiment, arm, role }, Math.max(0, seconds))
    }
  }
  /** @type {(event: JobEvent) => void} */
  const note = event => {
    switch (event.event) {
      case 'begins':
        metrics.running.set(1)
        for (const gauge of [metrics.rate, metrics.ratio]) gauge.reset()
        for (const gauge of [metrics.seconds, metrics.blocks]) gauge.set(0)
        break
      case 'start':
        experiment = event.plan.experiment
        unit = event.plan.unit
        metrics.budget.set(event.budget)
        break
      case 'trial':
        noteTrial(event.sample)
        break
      case 'block':
        metrics.seconds.set(event.elapsed)
        metrics.blocks.set(event.block + 1)
        for (const { arm, baseline, ratio } of event.contrasts) {
          if (Number.isFinite(ratio)) metrics.ratio.set({ experiment, arm, baseline }, ratio)
        }
        break
      case 'ended':
        metrics.running.set(0)
    }
  }
  return { note, registry }
}
