/** Defaults of plug-ins. The contract of each kind is its type in bench/types/plugins.d.ts (pure). */
import { completeExperiment } from './experiment.js'

/** @import { EngineAbout, PluginModules, ProtocolAbout } from '../types.js' */

/** @typedef {keyof PluginModules} Kind */

/** Values of an engine's `about` that the engine does not state. */
const ENGINE = /** @satisfies {Partial<EngineAbout>} */ ({
  packages: null,
  closedLoop: true,
  rate: false,
  unixTarget: false,
  tls: true,
  http2: false,
  plain: true,
  keepAlive: true,
  freshConnections: false,
  resumption: null,
  paths: false,
  requests: false,
  headers: true,
  counted: null,
  mostConnections: null,
  timeouts: null,
  timesItself: true,
  latencyResolutionMicros: null,
  stop: null,
  checksBodies: false,
  errorLog: null
})
/** Values of a protocol's `about` that the protocol does not state. @type {ProtocolAbout} */
const PROTOCOL = {
  paused: false,
  clientCounts: false,
  windowSeconds: null,
  steps: null,
  warm: false,
  series: false,
  starts: false,
  elsewhere: null,
  result: 'throughput'
}

/**
 * Adds the optional fields that a module leaves out, by its kind.
 * @type {Partial<Record<Kind, (module: any) => any>>}
 */
export const withDefaults = {
  engine: module => ({ ...module, default: { ...module.default, about: { ...ENGINE, ...module.default?.about } } }),
  experiment: module => ({ ...module, default: completeExperiment(module.default ?? {}) }),
  protocol: module => ({ ...module, about: { ...PROTOCOL, ...module.about } })
}
