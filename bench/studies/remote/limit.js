/** An end that is waited for, though not for ever. */
import { setTimeout as sleep } from 'node:timers/promises'

/** @param {Promise<unknown>} ending @param {number} seconds after them it is left as it is
 * @throws whatever `ending` is rejected with within that time */
export async function atMost (ending, seconds) {
  const over = new AbortController()
  try {
    await Promise.race([ending, sleep(seconds * 1000, null, { signal: over.signal }).catch(() => {})])
  } finally {
    over.abort()
  }
}
