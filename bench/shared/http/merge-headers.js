/**
 * Merges headers, whose names are compared without case (pure).
 * @param {...(Record<string, string> | undefined)} sets later ones take precedence, with their spelling of a name
 * @returns {Record<string, string>}
 */
export function mergeHeaders (...sets) {
  const all = sets.flatMap(headers => Object.entries(headers ?? {}))
  const last = new Map(all.map(([name], index) => [name.toLowerCase(), index]))
  return Object.fromEntries(all.filter(([name], index) => last.get(name.toLowerCase()) === index))
}
