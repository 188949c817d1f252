/** Child processes. Only the files of processes/ start them. */
export { startSupervisor } from './processes/groups.js'
export { run, runInForeground } from './processes/run.js'
export { converse, died, start, readLastLines, waitUntil } from './processes/start.js'
