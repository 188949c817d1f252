/** What a selftest is called in the place of an experiment. */
export const SELFTEST = 'selftest'
