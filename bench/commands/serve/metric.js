/** A metric in the text format of Prometheus, version 0.0.4. */

/** @param {string} value of a label */
const escapeLabel = value => value.replace(/[\\"\n]/g, found => found === '\n' ? '\\n' : `\\${found}`)

/** Values by labels. */
export class Metric {
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
