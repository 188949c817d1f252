/** The shapes that cross module borders. A shape used inside one file lives in that file. Units are in the names:
 * seconds, micros, MiB. Ratios are plain numbers (1.2 means 20 % more). */
export type * from './types/topology.d.ts'
export type * from './types/runtime.d.ts'
export type * from './types/plan.d.ts'
export type * from './types/plugins.d.ts'
export type * from './types/running.d.ts'
export type * from './types/sample.d.ts'
export type * from './types/record.d.ts'
export type * from './types/run.d.ts'
export type * from './types/report.d.ts'
export type * from './types/studies.d.ts'
export type * from './types/sizing.d.ts'
export type * from './types/check.d.ts'
