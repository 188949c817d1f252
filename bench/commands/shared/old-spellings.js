/** Options that were called otherwise in the release before: they work for one more, with a note (pure). */

/** command → old option → what is written in its place.
 * @type {Record<string, Record<string, string[]>>} */
const OLD = {
  run: { '--load': ['--load-hosts'], '--markdown': ['--export-markdown'] },
  compare: { '--markdown': ['--export-markdown'] },
  report: Object.fromEntries(['csv', 'html', 'markdown', 'samples', 'svg', 'users'].map(format =>
    [`--${format}`, [`--export-${format}`, '-']]))
}

/**
 * @param {string[]} typed argv of hopbench
 * @returns {{ argv: string[], notes: string[] }} notes: a sentence for each
 */
export function withNewSpellings (typed) {
  const [command, ...rest] = typed
  const old = Object.hasOwn(OLD, command ?? '') ? OLD[command] : {}
  const end = rest.indexOf('--') === -1 ? rest.length : rest.indexOf('--')
  const notes = /** @type {string[]} */ ([])
  const argv = rest.flatMap((word, i) => {
    const [, name = word, value = ''] = /^(--[a-z-]+)(=.*)$/s.exec(word) ?? []
    if (i >= end || !Object.hasOwn(old, name)) return word
    notes.push(`${name} is now written ${old[name].join(' ')}, and will not be known in the next release.`)
    return [`${old[name][0]}${value}`, ...old[name].slice(1)]
  })
  return { argv: typed.length === 0 ? [] : [command, ...argv], notes }
}
