/** Metrics of the current run, for Prometheus. */
import { Counter, Gauge, Registry } from 'prom-client'

/** @import { GaugeConfiguration } from 'prom-client' */
/** @import { Sample } from '../../types.js' */
/** @import { JobEvent } from './types.js' */

/** @param {Registry} registry */
function metricsIn (registry) {
  /**
   * @template {Counter<string> | Gauge<string>} T
   * @param {new (configuration: Omit<GaugeConfiguration<string>, 'collect'>) => T} Type
   * @param {string} name without its prefix
   * @param {string} help
   * @param {string} [label] of a metric for each arm
   */
  const metric = (Type, name, help, label) => new Type({
    name: `hopbench_${name}`,
    help,
    labelNames: label === undefined ? [] : ['experiment', 'arm', label],
    registers: [registry]
  })
  return {
    running: metric(Gauge, 'run_active', 'Whether a run is under way'),
    seconds: metric(Gauge, 'run_elapsed_seconds', 'Wall time of the run so far'),
    budget: metric(Gauge, 'run_budget_seconds', 'Wall time that the run may take'),
    blocks: metric(Gauge, 'run_blocks', 'Blocks that have been measured'),
    rate: metric(Gauge, 'arm_rate_per_second', 'Units per second of the last valid trial', 'unit'),
    trials: metric(Counter, 'trials_total', 'Trials made', 'valid'),
    errors: metric(Counter, 'errors_total', 'Errors under load', 'kind'),
    cpu: metric(Counter, 'cpu_seconds_total', 'CPU time within the measured windows', 'role'),
    ratio: metric(Gauge, 'contrast_ratio', 'Relative throughput against the baseline so far', 'baseline')
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
