/**
 * Computes which files an ignore file leaves in a build context, by the rules that Docker documents
 * (https://docs.docker.com/build/concepts/context/#dockerignore-files). Compares names segment by segment, unlike
 * bench/shared/ignore-patterns.js, so that a fault of either is noticed by the other.
 */

/**
 * Returns the files of a context.
 * @param {string[]} paths relative to the context
 * @param {string} text of the ignore file
 */
export function filesInContext (paths, text) {
  const lines = text.split('\n').filter(line => !line.startsWith('#')).map(line => line.trim())
    .filter(line => line !== '')
  const rules = lines.map(line => {
    const isException = line[0] === '!'
    const words = (isException ? line.slice(1).trim() : line).split('/').filter(word => word !== '' && word !== '.')
    return { isException, words }
  })
  return paths.filter(path => {
    const names = path.split('/')
    let isInside = true
    for (const { isException, words } of rules) {
      // A rule for a folder is one for all files in it.
      if (names.some((_, i) => matchNames(words, names.slice(0, i + 1)))) isInside = isException
    }
    return isInside
  })
}

/**
 * @param {string[]} words of a pattern
 * @param {string[]} names of a path
 * @returns {boolean}
 */
function matchNames ([word, ...words], [name, ...names]) {
  if (word === undefined) return name === undefined
  if (word === '**' && words.length === 0) return name !== undefined
  if (word === '**' && matchNames(words, name === undefined ? [] : [name, ...names])) return true
  if (name === undefined) return false
  return word === '**' ? matchNames(['**', ...words], names) : matchName(word, name) && matchNames(words, names)
}

/**
 * @param {string} word
 * @param {string} name
 * @returns {boolean}
 */
function matchName (word, name) {
  if (word === '') return name === ''
  const [sign] = word
  if (sign === '*') return matchName(word.slice(1), name) || (name !== '' && matchName(word, name.slice(1)))
  if (name === '') return false
  if (sign === '\\') return word[1] === name[0] && matchName(word.slice(2), name.slice(1))
  if (sign === '[') {
    const end = word.indexOf(']')
    return word.slice(1, end).includes(name[0]) && matchName(word.slice(end + 1), name.slice(1))
  }
  return (sign === '?' || sign === name[0]) && matchName(word.slice(1), name.slice(1))
}
