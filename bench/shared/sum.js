/** Returns the sum of numbers; 0 without any (pure). @param {readonly number[]} values */
export const sum = values => values.reduce((a, b) => a + b, 0)
