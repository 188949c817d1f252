/**
 * Makes claims from a published table of rates by worker processes (pure): each number of workers compared with one, or
 * with four where the experiment does not start as many.
 * @import { ClaimTest, ExperimentFile } from '../types.js'
 */
import { count } from './format.js'

const WORKERS = [1, 2, 4, 8, 16, 32, 36]

/**
 * @param {string} responses kind of response, in words
 * @param {Record<string, number[]>} published requests per second by size, "1 KB", and by WORKERS on as many CPUs
 * @returns {Record<'growth' | 'beyond', NonNullable<ExperimentFile['claims']>>} beyond: claims about more than four
 * CPUs, which are not measured here
 */
export function growthClaims (responses, published) {
  /**
   * @param {string} size
   * @param {number} i of WORKERS
   * @param {number} base of WORKERS
   * @param {string} called
   */
  const claim = (size, i, base, called) => {
    const [figure, less] = [published[size][i], published[size][base]]
    return {
      id: `rps-${size.replace(' KB', 'k')}-x${WORKERS[i]}`,
      statement:
        `${WORKERS[i]} workers on as many CPUs serve ${(figure / less).toFixed(2)} times as many ${responses} of ` +
        `${size} as ${called} (${count(figure)} / ${count(less)} req/s).`,
      published: figure / less
    }
  }
  /**
   * @param {string} size
   * @param {number} workers
   * @returns {ClaimTest}
   */
  const test = (size, workers) =>
    ({ kind: 'ratio', arm: `${size}, workers ${workers}`, baseline: `${size}, workers 1` })
  const sizes = Object.keys(published)
  return {
    growth: sizes.flatMap(size => [1, 2].map(i =>
      ({ ...claim(size, i, 0, 'one'), needsCores: WORKERS[i], test: test(size, WORKERS[i]) }))),
    beyond: sizes.flatMap(size => [3, 4, 5, 6].map(i => ({
      ...claim(size, i, 2, 'four'),
      notTestable: `it takes ${WORKERS[i]} CPUs for nginx and as many for the load, and the experiment stops at 4`,
      test: test(size, 4)
    })))
  }
}
