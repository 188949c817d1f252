/**
 * The only reader and writer of results/. A run is a folder there, laid out by store/layout.js.
 * Whatever moment a run is cut off at, what it had stored until then can be read and continued.
 */
export { readConfigs } from './store/configs.js'
export { readCheck, writeCheck } from './store/check.js'
export { DEFAULT_RESULTS_DIR } from './store/layout.js'
export { latestRun, listRuns } from './store/names.js'
export { readRun } from './store/read.js'
export { openSuite, reopenSuite } from './store/suite.js'
export { openRun, reopenRun } from './store/write.js'
