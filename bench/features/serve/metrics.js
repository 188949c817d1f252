/** Metrics of the current run, for Prometheus. */

/** @import { Sample } from '../../types.js' */
/** @import { JobEvent } from './types.js' */

/** Media type of the text format of Prometheus. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Creates all metrics, which are 0 or absent before the first run. */
function createAll () {
  const gauge = (/** @type {string} */ name, /** @type {string} */ help) =>
    new Metric('gauge', `hopbench_${name}`, help)
  const counter = (/** @type {string} */ name, /** @type {string} */ help) =>
    new Metric('counter', `hopbench_${name}`, help)
  return {
    running: gauge('run_active', 'Whether a run is under way'),
    seconds: gauge('run_elapsed_seconds', 'Wall time of the run so far'),
    budget: gauge('run_budget_seconds', 'Wall time that the run may take'),
    blocks: gauge('run_blocks', 'Blocks that have been measured'),
    rate: gauge('arm_rate_per_second', 'Units per second of the last valid trial'),
    trials: counter('trials_total', 'Trials made'),
    errors: counter('errors_total', 'Errors under load'),
    cpu: counter('cpu_seconds_total', 'CPU time within the measured windows'),
    ratio: gauge('contrast_ratio', 'Relative throughput against the baseline so far')
  }
}

/** @returns {{ note: (event: JobEvent) => void, print: () => { type: string, text: string } }} print: for a response */
export function createMetrics () {
  const metrics = createAll()
  for (const gauge of [metrics.running, metrics.seconds, metrics.budget, metrics.blocks]) gauge.set(0)
  let experiment = ''
  let unit = ''

  /** @param {Sample} sample */
  const noteTrial = ({ arm, invalid, rps, errors, cpuSeconds }) => {
    metrics.trials.add(1, { experiment, arm, valid: String(invalid === null) })
    if (!invalid) metrics.rate.set(rps, { experiment, arm, unit })
    for (const [kind, count] of Object.entries(errors)) metrics.errors.add(count, { experiment, arm, kind })
    const { load, proxy, server } = cpuSeconds
    for (const [role, seconds] of Object.entries({ load, proxy, server })) {
      metrics.cpu.add(Math.max(0, seconds), { experiment, arm, role })
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
          if (Number.isFinite(ratio)) metrics.ratio.set(ratio, { experiment, arm, baseline })
        }
        break
      case 'ended':
        metrics.running.set(0)
    }
  }
  return { note, print: () => ({ type: CONTENT_TYPE, text: Object.values(metrics).join('') }) }
}

/** @param {string} value of a label */
const escapeLabel = value => value.replace(/[\\"\n]/g, found => found === '\n' ? '\\n' : `\\${found}`)

/** Values by labels. */
class Metric {
  #name
  #type
  #help
  /** Values by labels, as they are printed. @type {Map<string, number>} */
  #values = new Map()

  /**
   * @param {'counter' | 'gauge'} type
   * @param {string} name
   * @param {string} help in one line
   */
  constructor (type, name, help) {
    this.#type = type
    this.#name = name
    this.#help = help
  }

  /**
   * @param {number} value
   * @param {Record<string, string>} [labels]
   */
  set (value, labels = {}) {
    this.#values.set(print(labels), value)
  }

  /**
   * @param {number} value
   * @param {Record<string, string>} labels
   */
  add (value, labels) {
    this.set((this.#values.get(print(labels)) ?? 0) + value, labels)
  }

  reset () {
    this.#values.clear()
  }

  toString () {
    return [
      `# HELP ${this.#name} ${this.#help}`,
      `# TYPE ${this.#name} ${this.#type}`,
      ...[...this.#values].map(([labels, value]) => `${this.#name}${labels} ${value}`),
      ''
    ].join('\n')
  }
}

/** @param {Record<string, string>} labels */
function print (labels) {
  const entries = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return entries.length === 0 ? '' : `{${entries.join(',')}}`
}
