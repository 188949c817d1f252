/**
 * The only reader and writer of runs, suites and advices in results/; to a run bench/run/report-file.js adds its page,
 * and bench/measure/kept-files.js configurations and logs. A run is a folder, laid out by bench/store/layout.js. A run
 * that was interrupted at any time can be read and resumed.
 */
export { openAdvice, reopenAdvice } from './advice-record.js'
export { readConfigs } from './configs.js'
export { DEFAULT_RESULTS_DIR, REFERENCE_DIR } from './layout.js'
export { latestRun, listRuns } from './names.js'
export { readRun } from './read.js'
export { readConfigFile } from './run-files.js'
export { openSuite, reopenSuite } from './suite-record.js'
export { openRun, reopenRun } from './write.js'
