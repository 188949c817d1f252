/** Lists of figures of which neighbours may not be separated by the measurement (pure). */
import { listing } from '../shared/format.js'

/**
 * Lists items and marks neighbours that are not separated: "A and B (not separated), C".
 * @template T
 * @param {T[]} items in their order
 * @param {{ print: (item: T) => string, isSeparated: (item: T, next: T) => boolean }} options
 */
export const listUnseparated = (items, { print, isSeparated }) => groupUnseparated(items, isSeparated)
  .map(group => {
    const text = listing(group.map(print))
    return group.length === 1 ? text : `${text} (${group.length > 2 ? 'neighbours ' : ''}not separated)`
  }).join(', ')

/**
 * Groups items such that each item of a group is not separated from the next one.
 * @template T
 * @param {T[]} items
 * @param {(item: T, next: T) => boolean} isSeparated
 */
function groupUnseparated (items, isSeparated) {
  /** @type {T[][]} */
  const groups = []
  items.forEach((item, i) => {
    if (i > 0 && !isSeparated(items[i - 1], item)) groups[groups.length - 1].push(item)
    else groups.push([item])
  })
  return groups
}
