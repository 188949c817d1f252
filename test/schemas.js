/** Generates the JSON schemas from bench/types.d.ts: `npm run schemas` writes the files, and a test compares them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  createFormatter, createParser, createProgram, DEFAULT_CONFIG, FunctionType, SchemaGenerator
} from 'ts-json-schema-generator'
import ts from 'typescript'

/** @import { BaseType } from 'ts-json-schema-generator' */

/** Types by file. The first is that of the file as a whole. @type {Record<string, [string, ...string[]]>} */
const ROOTS = {
  'results/schema.json': ['RunRecord', 'Sample', 'SuiteRecord', 'StoredAdvice', 'CheckRecord', 'CachesRecord'],
  'results/experiment.schema.json': ['UserExperiment'],
  'bench/plan/contracts.schema.json': ['PluginModules'],
  'bench/features/size/prices/offerings.schema.json': ['OfferingsFile']
}
/** Columns of a line, which is longer only below DEPTH: for a property of a definition. */
const WIDTH = 120
const DEPTH = 4

const inProject = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/**
 * Returns a generator that does not look into functions, which a keyword of the project's own describes.
 * @returns {SchemaGenerator}
 */
function createGenerator () {
  const config = {
    ...DEFAULT_CONFIG,
    path: inProject('bench/types.d.ts'),
    tsconfig: inProject('tsconfig.json'),
    skipTypeCheck: true,
    discriminatorType: /** @type {const} */ ('open-api'),
    extraTags: ['closed'],
    encodeRefs: false
  }
  const program = createProgram(config)
  const parser = createParser(program, config, chain => {
    chain.addNodeParser({ supportsNode: ts.isFunctionTypeNode, createType: () => new FunctionType() })
  })
  const formatter = createFormatter(config, chain => {
    chain.addTypeFormatter({
      supportsType: (/** @type {BaseType} */ type) => type instanceof FunctionType,
      getDefinition: () => /** @type {object} */ ({ isFunction: true }),
      getChildren: () => []
    })
  })
  return new SchemaGenerator(program, parser, formatter, config)
}

/**
 * Returns the schemas as texts.
 * @returns {Record<string, string>} by file
 */
export function makeSchemas () {
  const generator = createGenerator()
  return Object.fromEntries(Object.entries(ROOTS).map(([file, roots]) => {
    const definitions = Object.assign({}, ...roots.map(root => generator.createSchema(root).definitions))
    const $defs = Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => a < b ? -1 : 1))
    return [file, `${print({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:hopbench:${file}`,
      $ref: `#/$defs/${roots[0]}`,
      $defs: simplify($defs)
    })}\n`]
  }))
}

/**
 * Simplifies definitions. Names need no escapes in a reference, constraints of numbers are inlined, types that follow
 * from values are omitted, and objects may have further properties, except those of types with the tag `@closed`.
 * @param {Record<string, any>} definitions
 */
function simplify (definitions) {
  const text = JSON.stringify(definitions).replaceAll('#/definitions/', '#/$defs/')
    .replace(/(\w)<(\w+)>(?=":|"[,}])/g, '$1-$2').replace(/"type":"\w+",(?="(const|enum)":)/g, '')
  const numbers = Object.fromEntries(Object.entries(definitions)
    .filter(([, { type }]) => /^(number|integer)/.test(type))
    .map(([name, definition]) => [`#/$defs/${name}`, definition]))
  const $defs = JSON.parse(text, (_, value) => {
    if (value === null || typeof value !== 'object') return value
    const { $ref, anyOf, closed, ...rest } = value
    if (numbers[$ref]) return { ...numbers[$ref], ...rest }
    if (anyOf?.length === 2 && typeof anyOf[0].type === 'string' && anyOf[1].type === 'null') {
      return { ...anyOf[0], type: [anyOf[0].type, 'null'], ...rest }
    }
    if (rest.additionalProperties === false && closed !== true) delete value.additionalProperties
    if (closed === true) delete value.closed
    return value
  })
  for (const ref of Object.keys(numbers)) delete $defs[ref.slice('#/$defs/'.length)]
  return $defs
}

/**
 * Prints JSON with a line for each property of a definition.
 * @param {any} value
 * @returns {string}
 */
function print (value, depth = 0) {
  const line = JSON.stringify(value)
  const isList = Array.isArray(value)
  const isFlat = isList && value.every(part => typeof part === 'string')
  const fits = depth + line.length <= WIDTH
  if (typeof value !== 'object' || value === null || isFlat || fits || depth === DEPTH) return line
  const parts = Object.entries(value).map(([key, part]) =>
    `${isList ? '' : `${JSON.stringify(key)}:`}${print(part, depth + 1)}`)
  const indent = `\n${' '.repeat(depth)}`
  const [open, close] = isList ? '[]' : '{}'
  return `${open}${indent} ${parts.join(`,${indent} `)}${indent}${close}`
}

/** Returns the text of a schema in the project. @param {string} file */
export const readSchemaFile = file => readFileSync(inProject(file), 'utf8')

/** @returns {Promise<number>} exit code */
export async function main () {
  for (const [file, text] of Object.entries(makeSchemas())) writeFileSync(inProject(file), text)
  return 0
}
