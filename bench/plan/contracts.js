/** Contracts of the plug-ins: JSON schemas of their modules, and the defaults of optional fields (pure). */
import { completeExperiment, GROUPS } from './experiment.js'
import { nullable, object } from '../shared/schema.js'

/** @import { EngineAbout, ProtocolAbout } from '../types.js' */

/** @typedef {'server' | 'proxy' | 'engine' | 'experiment' | 'protocol' | 'scenario' | 'rule'} Kind */

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

// Parts of the schemas below. `isFunction` is a keyword of our own.
const text = { type: 'string', minLength: 1 }
const fn = { isFunction: true }
const list = { type: 'array' }
const positive = { type: 'number', exclusiveMinimum: 0 }
/** Returns a schema for each boolean among default values. @param {object} defaults */
const booleans = defaults => Object.fromEntries(Object.entries(defaults).flatMap(([name, value]) =>
  typeof value === 'boolean' ? [[name, { type: 'boolean' }]] : []))
const version = object({ args: list, parse: fn })
const names = { ...list, items: text }
const pythonVersion = { type: 'string', pattern: '^\\d+\\.\\d+$' }
const wheel = object({ requirements: text, inside: text, least: pythonVersion, platforms: names })
const claimTest = {
  anyOf: [
    object({ kind: { const: 'ratio' }, arm: text, baseline: text }),
    object({ kind: { const: 'first-error-at' }, arm: text }),
    object({ kind: { const: 'figure' }, figure: text, arm: text, baseline: text }),
    object({ kind: { enum: ['errors', 'failures', 'logged'] }, in: names, notIn: names }),
    object({ kind: { enum: ['order', 'flat'] }, arms: names })
  ]
}

const answerWords = object({}, {
  by: { enum: ['pairs', 'errors', 'latency', 'users', 'first-errors', 'behaviour'] },
  subject: text,
  pairs: { ...list, items: { ...names, minItems: 2, maxItems: 3 } },
  names: { type: 'object', additionalProperties: text },
  figure: text,
  delay: text,
  group: text
})

/**
 * Contracts of the plug-ins: what a module of each kind exports. `withDefaults` adds optional fields; `exports` returns
 * the JSON schema, for which it gets the names of the protocols.
 * @type {Record<Kind, { withDefaults?: (module: any) => any, exports: (protocols: string[]) => object }>}
 */
export const contracts = {
  server: {
    exports: () => object({
      default: fn,
      about: object({
        title: text,
        package: nullable(text),
        serves: { ...list, items: { enum: ['json', 'static', 'pages', 'site'] }, minItems: 1 },
        bytesFrom: { enum: ['memory', 'disk'] },
        compression: { enum: ['none', 'on-the-fly', 'precompressed'] }
      }, {
        vulnerable: text,
        files: { type: 'object', additionalProperties: text },
        production: {
          anyOf: [
            object({ settings: { type: 'object', minProperties: 1, additionalProperties: names } }),
            object({ none: text })
          ]
        }
      })
    }, { upgrade: fn })
  },
  proxy: {
    exports: () => object({
      default: object({
        about: object({ title: text, program: text, options: object({}) }, { wheel }),
        version,
        render: fn,
        command: fn,
        check: fn,
        counters: {
          ...object({ parseLogLine: fn }, { parse: fn, read: fn }),
          oneOf: [{ required: ['parse'] }, { required: ['read'] }]
        }
      })
    })
  },
  engine: {
    withDefaults: module =>
      ({ ...module, default: { ...module.default, about: { ...ENGINE, ...module.default?.about } } }),
    exports: () => object({
      default: object({
        about: object({
          title: text,
          program: text,
          ...booleans(ENGINE),
          resumption: { enum: ['always', 'never', 'chosen', null] },
          timeouts: { enum: ['all', 'late', null] },
          mostConnections: nullable(positive),
          stop: { type: ['string', 'null'], pattern: '^SIG[A-Z0-9]+$' }
        }, {
          users: { type: 'boolean' },
          python: object({ requirements: text, least: pythonVersion }),
          methods: object({ withBody: list, without: list })
        }),
        version: { anyOf: [{ const: 'own' }, object({ npm: text }), version] },
        command: fn,
        parse: fn
      })
    })
  },
  experiment: {
    withDefaults: module => ({ ...module, default: completeExperiment(module.default ?? {}) }),
    exports: protocols => {
      const experiment = object({
        title: text,
        question: text,
        arms: { ...object({}), minProperties: 2 },
        protocol: { enum: protocols },
        unit: { enum: ['requests', 'connections', 'handshakes', 'bytes', 'pages'] }
      }, {
        group: { enum: Object.keys(GROUPS) },
        answer: answerWords,
        steps: { ...list, items: { type: 'integer', minimum: 1 }, minItems: 1 },
        scenario: text,
        options: { type: 'object' },
        shares: { ...list, items: { ...positive, exclusiveMaximum: 1 }, minItems: 1 },
        twin: text,
        contrasts: { ...list, items: { ...names, minItems: 2, maxItems: 2 } },
        claims: { ...list, items: object({ source: object({}), test: claimTest }) }
      })
      const variants = { type: 'object', additionalProperties: experiment }
      return object({ default: { ...experiment, properties: { ...experiment.properties, variants } } })
    }
  },
  protocol: {
    withDefaults: module => ({ ...module, about: { ...PROTOCOL, ...module.about } }),
    exports: protocols => object({
      open: fn,
      about: {
        ...object({
          ...booleans(PROTOCOL),
          windowSeconds: nullable(object({ full: positive, quick: positive, smoke: positive })),
          steps: { enum: ['connections', 'shares', null] },
          elsewhere: { enum: [...protocols, null] },
          result: { enum: ['throughput', 'first-errors', 'latency', 'behaviour'] }
        }),
        additionalProperties: false
      }
    })
  },
  scenario: {
    exports: () => object({
      default: object({
        about: object({ title: text, question: text }, { axis: text, expects: names }),
        options: object({}),
        needs: fn,
        play: fn
      })
    })
  },
  rule: {
    exports: () => object({
      default: object({
        about: object({ title: text, question: text }),
        order: positive,
        needs: fn,
        decide: fn
      }, { apply: fn })
    })
  }
}
