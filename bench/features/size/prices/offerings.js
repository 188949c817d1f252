/** Reads the offerings of providers: a file per provider in the project, and a file of the user's own. */
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { offeringName } from './offering-choice.js'
import { badOption, getErrorMessage, HopbenchError } from '../../../errors.js'
import { readOwnText } from '../../../machine/files/own-files.js'
import { readPlainFile } from '../../../machine/files/plain-files.js'
import { attempt } from '../../../shared/attempt.js'
import { nearest } from '../../../shared/nearest.js'
import { isTooDeep } from '../../../shared/nesting.js'
import { createAjv } from '../../../shared/schema.js'

/** @import { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js' */
/** @import { Offering, OfferingScore } from '../../../types.js' */

const PROJECT_FOLDER = fileURLToPath(new URL('../offerings/', import.meta.url))
const SCHEMA_FILE = fileURLToPath(new URL('offerings.schema.json', import.meta.url))
/** Limits of a file of offerings. Those of the project have some kilobytes. */
const OFFERINGS = { maxBytes: 2 ** 22, followsLinks: true }
/** Age in days from which figures are marked as old, because prices change. */
const OLD_DAYS = 180
/** Reason of a CPU that is assumed because of --assume-vcpu. */
const ASSUMED_BY_OPTION = 'set with --assume-vcpu'
/** Letters of a wrong value that are printed. */
const MAX_LETTERS = 200
const DAY_MS = 24 * 60 * 60 * 1000

/** Compiled on first use. @type {ValidateFunction | undefined} */
let validate

/**
 * Reads all offerings.
 *
 * @param {string} [file] added to those of the project, and replaces those of the same name
 * @returns {Offering[]}
 * @throws {HopbenchError} bad-plans
 */
export function readOfferings (file) {
  const names = readdirSync(PROJECT_FOLDER).filter(name => name.endsWith('.json')).sort()
  const known = names.flatMap(name => readFile(PROJECT_FOLDER + name))
  if (file === undefined) return known
  const added = readFile(file)
  const replaced = new Set(added.map(offeringName))
  return [...known.filter(offering => !replaced.has(offeringName(offering))), ...added]
}

/**
 * Returns the cores to calculate with: those promised, else the lowest that are assumed, else null.
 * @param {Offering} offering
 */
export const getCores = ({ vcpu, assumed }) => vcpu ?? assumed?.low ?? null

/**
 * Returns whether the figures of an offering are older than half a year, or of an unknown day.
 *
 * @param {Pick<Offering, 'read'>} offering
 * @param {string} today as in "2026-11-22"; a time of day after it is ignored
 */
export const isOld = ({ read }, today) =>
  read === null || Date.parse(today.slice(0, 10)) - Date.parse(read) > OLD_DAYS * DAY_MS

/**
 * Finds an offering by its name, in upper or lower case.
 *
 * @param {Offering[]} offerings
 * @param {string} name with its provider
 * @throws {HopbenchError} unknown-plan
 */
export function findOffering (offerings, name) {
  const found = offerings.find(offering => normalize(offeringName(offering)) === normalize(name))
  if (!found) throw new HopbenchError('unknown-plan', { name, nearest: nearest(name, offerings.map(offeringName)) })
  return found
}

/** Removes differences of case and of spaces. @param {string} text */
const normalize = text => text.toLowerCase().replaceAll(/[\s-]+/g, ' ').trim()

/**
 * Returns whether the name of an offering is a text, or begins with its words.
 * @param {Offering} offering
 * @param {string} beginning
 */
const beginsWith = (offering, beginning) =>
  `${normalize(offeringName(offering))} `.startsWith(`${normalize(beginning)} `)

/**
 * Finds the beginning that offerings with the same cores have in common, as typed.
 *
 * @param {Offering[]} offerings
 * @param {string} typed "Fly.io performance-1x"
 * @returns {string} as the offerings spell it
 * @throws {HopbenchError} unknown-plan
 */
export function findBeginning (offerings, typed) {
  // The name of a provider alone is rejected, because its offerings have different cores.
  const found = offerings.find(offering =>
    offering.provider.length < typed.trim().length && beginsWith(offering, typed))
  if (found) return offeringName(found).slice(0, typed.trim().length)
  throw new HopbenchError('unknown-plan', { name: typed, nearest: nearest(typed, offerings.map(offeringName)) })
}

/**
 * Adds stored scores to offerings. The longest name counts.
 *
 * @param {Offering[]} offerings
 * @param {Record<string, OfferingScore>} scores by the beginning of names
 * @returns {Offering[]}
 */
export const withScores = (offerings, scores) => offerings.map(offering => {
  const names = Object.keys(scores).filter(name => beginsWith(offering, name)).sort((a, b) => b.length - a.length)
  return names.length > 0 ? { ...offering, score: scores[names[0]] } : offering
})

/**
 * Selects the offerings of providers, by the beginning of their names in upper or lower case: "heroku", "aws".
 *
 * @param {Offering[]} offerings
 * @param {string[]} names
 * @returns {Offering[]} each once
 * @throws {HopbenchError} bad-option
 */
export function ofProviders (offerings, names) {
  const selected = names.flatMap(name => {
    const beginning = name.trim().toLowerCase()
    const begins = (/** @type {Offering} */ { provider }) => provider.toLowerCase().startsWith(beginning)
    const found = beginning === '' ? [] : offerings.filter(begins)
    if (found.length > 0) return found
    const known = [...new Set(offerings.map(({ provider }) => provider))].join(', ')
    throw badOption('--provider', name, `the providers are ${known}`)
  })
  return [...new Set(selected)]
}

/**
 * Selects the offerings that --plan and --provider name.
 *
 * @param {Offering[]} offerings
 * @param {{ plan?: string[], provider?: string[] }} typed left out: all
 * @returns {Offering[]} each once
 * @throws {HopbenchError} unknown-plan; bad-option, also if an offering of --assume-vcpu is not selected
 */
export function selectOfferings (offerings, { plan, provider }) {
  const planned = plan ? [...new Set(plan.map(name => findOffering(offerings, name)))] : offerings
  const selected = provider ? ofProviders(planned, provider) : planned
  const missing = offerings.find(offering =>
    offering.assumed?.why === ASSUMED_BY_OPTION && !selected.includes(offering))
  if (!missing) return selected
  throw badOption('--assume-vcpu', `${offeringName(missing)}=${missing.assumed?.low}`,
    '--plan or --provider leaves this offering out', 'Leave --assume-vcpu out, or name the offering.')
}

/**
 * Replaces the CPU of offerings by the values of --assume-vcpu.
 *
 * @param {Offering[]} offerings
 * @param {string[]} assumptions as typed: "Heroku Standard-1X=0.5"
 * @param {number} [cores] of this machine
 * @returns {Offering[]}
 * @throws {HopbenchError} bad-option, unknown-plan, assumed-too-much
 */
export const assumeCores = (offerings, assumptions, cores = availableParallelism()) =>
  assumptions.reduce((all, typed) => {
    const [, name = '', amount = ''] = /^(.*)=\s*(\d+(?:\.\d+)?)\s*$/.exec(typed) ?? []
    const vcpu = Number(amount)
    if (!name.trim() || !(vcpu > 0)) {
      const why = "it takes an offering and a number of cores above 0, as in 'Heroku Standard-1X=0.5'"
      throw badOption('--assume-vcpu', typed, why)
    }
    const offering = findOffering(all, name)
    if (vcpu > cores) throw new HopbenchError('assumed-too-much', { name: offeringName(offering), vcpu, cores })
    const assumed = { low: vcpu, high: vcpu, why: ASSUMED_BY_OPTION }
    return all.map(other => other === offering ? { ...offering, vcpu: null, assumed } : other)
  }, offerings)

/**
 * @param {string} file
 * @returns {Offering[]}
 */
function readFile (file) {
  const rejection = (/** @type {string} */ why) => new HopbenchError('bad-plans', { file, why })
  const content = attempt(() => JSON.parse(readPlainFile(file, OFFERINGS).toString()), error => {
    throw rejection(error instanceof SyntaxError ? 'it is not JSON' : getErrorMessage(error))
  })
  if (isTooDeep(content)) throw rejection('it is nested too deeply')
  if (!Array.isArray(content?.plans)) throw rejection('it has no list "plans"')
  const { plans, ...common } = content
  /** @type {(Omit<Offering, 'name'> & { plan: string })[]} */
  const merged = plans.map((/** @type {object | null} */ offering) => ({ ...common, ...offering }))
  validate ??= createAjv({ strict: false }).compile(JSON.parse(readOwnText(SCHEMA_FILE)))
  if (validate({ plans: merged })) return merged.map(({ plan, ...offering }) => ({ ...offering, name: plan }))
  const [fault] = validate.errors ?? []
  throw rejection(describeFault(merged, fault))
}

/**
 * Names the offering and the field of a validation error.
 *
 * @param {any[]} plans
 * @param {ErrorObject} error
 */
function describeFault (plans, { instancePath, keyword, params, message, schemaPath }) {
  const [, , index = '', ...path] = instancePath.split('/')
  if (index === '') return `its list "plans" ${message}`
  const { plan: name } = plans[Number(index)]
  const subject = `offering ${Number(index) + 1}${typeof name === 'string' ? `, "${name}",` : ''}`
  if (keyword === 'required') return `${subject} has no "${[...path, params.missingProperty].join('.')}"`
  if (keyword === 'additionalProperties') {
    return `${subject} has an unknown field: "${[...path, params.additionalProperty].join('.')}"`
  }
  const value = path.reduce((part, name) => part?.[name], plans[Number(index)])
  const rule = schemaPath.endsWith('/Phrase/pattern') ? 'must be a text that is not empty' : message
  return `${subject} has "${path.join('.')}": ${String(JSON.stringify(value)).slice(0, MAX_LETTERS)}, which ${rule}`
}
