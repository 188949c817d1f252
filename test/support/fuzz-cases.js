/** How many cases each kind of input is tried with: ten thousand in all, which reports.test.js checks. */
export const CASES = {
  words: 2000,
  values: 2000,
  plans: 1500,
  requests: 500,
  commands: 300,
  reports: 3000,
  stored: 800,
  sent: 2000,
  plugins: 1000,
  remoteAnswers: 3000,
  remoteOrders: 1000,
  remoteFiles: 1500,
  remoteNames: 3000,
  remoteBytes: 1500,
  remoteErrors: 2000
}
/** The same on every machine: a failure is found again. */
export const SEED = 20261121
