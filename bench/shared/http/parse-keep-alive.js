/** Reads the header Keep-Alive (pure). */

/**
 * @param {string | null | undefined} value as in "timeout=5"
 * @returns {number | null} seconds for which the server keeps an idle connection; null: not stated
 */
export function parseKeepAlive (value) {
  const [, seconds] = /timeout=(\d+)/i.exec(value ?? '') ?? []
  return seconds === undefined ? null : Number(seconds)
}
