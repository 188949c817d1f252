/**
 * The only reader and writer of results/. A run is a folder there, laid out by bench/store/layout.js. A run that was
 * interrupted at any time can be read and resumed.
 */
export { openAdvice, reopenAdvice } from './advice-record.js'
export { readConfigs } from './configs.js'
export { DEFAULT_RESULTS_DIR, REFERENCE_DIR } from './layout.js'
export { latestRun, listRuns } from './names.js'
export { readRun } from './read.js'
export { readConfigFile } from './run-files.js'
export { openSuite, reopenSuite } from './suite-record.js'
export { openRun, reopenRun } from './write.js'
