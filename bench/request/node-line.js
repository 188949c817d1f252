/** Finds the line of Node that a project names. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { NODE_LINES, pastItsEnd } from '../plan/runtimes.js'
import { readProjectFile } from './project-paths.js'

/** Files of version managers, the first one that exists. */
const FILES = ['.nvmrc', '.node-version']
/** Lines by the code names of nvm's "lts/hydrogen". @type {Record<string, number>} */
const CODE_NAMES = {
  dubnium: 10, erbium: 12, fermium: 14, gallium: 16, hydrogen: 18, iron: 20, jod: 22, krypton: 24
}

/**
 * Finds the line of Node that a project names: in "volta" of package.json, .nvmrc, .node-version, or "engines". Of
 * several it is the oldest one that gets releases.
 * @param {string} project folder
 * @param {Record<string, any>} manifest package.json
 * @param {number} line that is used if the project permits it
 * @param {string} [today] ISO 8601
 * @returns {{ major: number, source: string } | null} null: the project permits the line
 */
export function findNodeLine (project, { volta, engines }, line, today = new Date().toISOString()) {
  const file = FILES.find(name => existsSync(join(project, name)))
  const named = [
    ...volta?.node ? [{ text: String(volta.node), source: 'volta in package.json' }] : [],
    ...file ? [{ text: readProjectFile(join(project, file)), source: file }] : []
  ]
  for (const { text, source } of named) {
    const major = toMajor(text)
    if (major !== null) return { major, source }
  }
  const range = typeof engines?.node === 'string' ? semver.validRange(engines.node) : null
  if (range === null || permits(range, line)) return null
  const permitted = NODE_LINES.filter(line => permits(range, line))
  const major = permitted.find(line => !pastItsEnd(String(line), today)) ?? permitted.at(-1) ??
    semver.minVersion(range)?.major
  return major === undefined ? null : { major, source: 'engines in package.json' }
}

/**
 * @param {string} range
 * @param {number} line
 */
const permits = (range, line) => semver.intersects(range, `${line}.x`)

/**
 * Returns the line of a version such as "v18.20.4", "18" or "lts/hydrogen".
 * @param {string} text
 * @returns {number | null} null: any line, as in "lts/*" and "node"
 */
function toMajor (text) {
  const [version = ''] = text.replace(/#.*/gm, '').trim().split(/\s/)
  const [, codeName = ''] = /^lts\/(\w+)$/i.exec(version) ?? []
  const [, major = CODE_NAMES[codeName.toLowerCase()]] = /^v?(\d+)(?:\.|$)/.exec(version) ?? []
  return major === undefined ? null : Number(major)
}
