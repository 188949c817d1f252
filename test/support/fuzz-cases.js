/** Random cases for each kind of input. */
export const CASES = {
  words: 2000,
  values: 2000,
  plans: 1500,
  requests: 250,
  commands: 300,
  reports: 3000,
  plugins: 1000
}
/** Fixed seed, so that a failure can be repeated on every machine. */
export const SEED = 20261121
