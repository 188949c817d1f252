/** The report of a run, and the sections of any record, as one self-contained HTML page: no network, no server. */
import { shellWord } from '../../errors.js'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { toJson } from '../facts/facts.js'
import { htmlTemplate, readEmbedded, readBeside } from '../templates.js'
import { toChart } from '../charts/charts.js'
import { samplesCsv, tableCsv, usersCsv } from './csv.js'
import { drawFile } from '../charts/draw.js'
import { toPageSection } from './section.js'
import { toView } from './view.js'

/** @import { Kind, Report } from '../../types.js' */

export const css = readEmbedded('page/page.css')
const source = readBeside('page/page.css')
/** CSS variables with the colours of drawings. */
const colors = source.slice(source.indexOf(':root'), source.indexOf('* {'))
const script = readEmbedded('page/browser/report-page.js')
const { version } = JSON.parse(readBeside('../../package.json'))

const MAX_SAMPLES = 15_000 // Packed, these trials take half of the 3 MB that a page may have.

const template = htmlTemplate('page/page.hbs')
const mainTemplate = htmlTemplate('page/main.hbs')
const sectionsTemplate = htmlTemplate('page/sections.hbs')

/** Paths of the symbols in legends, in a square of 14 pixels. */
export const SHAPES = {
  circle: 'M7 2a5 5 0 1 0 .01 0z',
  square: 'M3 3h8v8h-8z',
  triangle: 'M7 2l5 9h-10z',
  diamond: 'M7 1l5 6l-5 6l-5-6z',
  star: 'M7 1l1.8 4h4.2l-3.4 2.8l1.3 4.2l-3.9-2.6l-3.9 2.6l1.3-4.2l-3.4-2.8h4.2z',
  wye: 'M5 12v-4l-3.500-2l2-3.400l3.500 2l3.500-2l2 3.400l-3.500 2v4z',
  plus: 'M5 2h4v3h3v4h-3v3h-4v-3h-3v-4h3z',
  times: 'M2 4l2-2l3 3l3-3l2 2l-3 3l3 3l-2 2l-3-3l-3 3l-2-2l3-3z',
  right: 'M3 2l9 5l-9 5z',
  left: 'M11 2l-9 5l9 5z',
  band: 'M0 2h14v10h-14z'
}

/**
 * @typedef {object} Site addresses of files of a site, relative to a page of it
 * @property {string} home its first page
 * @property {string} stylesheet
 */

/** Shown in a page of a site while its script unpacks the sections. */
const PACKED = '<p class="quiet">The sections of this page are packed and need JavaScript.</p>\n'

/**
 * Renders the page of a run. The page of a site is smaller, because a site has many: the style is a file of the site,
 * the sections are packed, charts below the first one have one drawing for all screens, and there are no downloads.
 * @param {Parameters<typeof toView>[0]} stored
 * @param {Site} [site] left out: the page belongs to no site
 * @returns {string} HTML
 */
export function renderPage (stored, site) {
  const { run } = stored.record
  const view = {
    ...toView(stored),
    ...site,
    run,
    runWord: shellWord(run),
    version,
    css,
    script,
    scriptHash: toHash(script),
    shapes: SHAPES,
    data: site ? null : packData(stored)
  }
  if (!site) return template({ ...view, main: mainTemplate(view) })
  const sections = view.sections.map((section, i) => i === 0 ? section : withSmallCharts(section))
  return template({ ...view, main: PACKED, data: { main: pack(mainTemplate({ ...view, sections })) } })
}

/** @param {ReturnType<typeof toPageSection>} section */
const withSmallCharts = ({ parts, ...section }) => ({
  ...section,
  parts: parts.map(part => 'figure' in part ? { figure: { ...part.figure, wide: null } } : part)
})

/**
 * Packs the data of the downloads.
 * @param {Pick<Parameters<typeof toView>[0], 'record' | 'kind' | 'samples'>} stored
 */
function packData ({ record, kind, samples }) {
  const svg = renderSvg(record, kind)
  const users = usersCsv(samples)
  return {
    table: pack(tableCsv(record)),
    record: pack(toJson(record, kind)),
    ...samples.length <= MAX_SAMPLES && { samples: pack(samplesCsv(samples)) },
    ...users && { users: pack(users) },
    ...svg && { svg: pack(svg) }
  }
}

/**
 * Returns the hash of a script for a Content-Security-Policy.
 * @param {string} text
 */
export const toHash = text => createHash('sha256').update(text).digest('base64')

/**
 * Draws the main chart of a record for a file of its own.
 * @template Subject
 * @param {Subject} record
 * @param {Pick<Kind<Subject>, 'mainChart'>} kind
 * @returns {string | null} SVG; null: nothing to draw
 */
export function renderSvg (record, kind) {
  const main = kind.mainChart(record)
  return main && drawFile(toChart(main).chart, main.label ?? 'Chart', colors)
}

const pack = (/** @type {string} */ text) => gzipSync(text, { level: 9 }).toString('base64')

/**
 * Renders a page with the answer and the sections of a record, without scripts and data.
 * @template Subject
 * @param {Subject} record
 * @param {Report<Subject>} kind
 * @param {string} title
 * @param {Site & { badge: string }} [site] badge: SVG
 * @returns {string} HTML
 */
export const sectionsPage = (record, kind, title, site) => sectionsTemplate({
  ...site,
  title,
  css,
  shapes: SHAPES,
  answer: kind.answer(record).text,
  sections: kind.sections(record).filter(({ blocks }) => blocks.length > 0).map(toPageSection)
})
