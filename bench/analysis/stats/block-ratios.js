/** The unit of analysis: for each block in which both arms counted, the logarithm of their ratio. Requests or seconds
 * are no such unit: adjacent ones are correlated.
 * @param {ReadonlyMap<number, number>} arm throughput by block, of valid trials
 * @param {ReadonlyMap<number, number>} baseline @returns {number[]} natural logarithms, in the order of the blocks */
export function blockLogRatios (arm, baseline) {
  return [...arm.keys()]
    .filter(block => baseline.has(block))
    .sort((a, b) => a - b)
    .map(block => Math.log(/** @type {number} */ (arm.get(block)) / /** @type {number} */ (baseline.get(block))))
}
