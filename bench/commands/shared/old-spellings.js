/** Accepts the option names of the previous release for one more release, with a note (pure). */

/**
 * Replacement of each old option, by command.
 *
 * @type {Record<string, Record<string, string[]>>}
 */
const OLD = {
  run: { '--load': ['--load-hosts'], '--markdown': ['--export-markdown'] },
  compare: { '--markdown': ['--export-markdown'] },
  report: Object.fromEntries(['csv', 'html', 'markdown', 'samples', 'svg', 'users'].map(format =>
    [`--${format}`, [`--export-${format}`, '-']]))
}

/**
 * @param {string[]} typed argv of hopbench
 * @returns {{ argv: string[], notes: string[] }} notes: one sentence per replaced option
 */
export function withNewSpellings (typed) {
  const [command, ...rest] = typed
  const old = Object.hasOwn(OLD, command ?? '') ? OLD[command] : {}
  const end = rest.indexOf('--') === -1 ? rest.length : rest.indexOf('--')
  /** @type {string[]} */
  const notes = []
  const argv = rest.flatMap((word, i) => {
    const [, name = word, value = ''] = /^(--[a-z-]+)(=.*)$/s.exec(word) ?? []
    if (i >= end || !Object.hasOwn(old, name)) return word
    notes.push(`${name} is now written ${old[name].join(' ')}, and the next release rejects it.`)
    return [`${old[name][0]}${value}`, ...old[name].slice(1)]
  })
  return { argv: typed.length === 0 ? [] : [command, ...argv], notes }
}
