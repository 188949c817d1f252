/** A page with the answer and the sections of a record, without scripts and data (pure). */
import { htmlTemplate } from '../templates.js'
import { css, SHAPES } from './page.js'
import { toPageSection } from './section.js'

/** @import { Report } from '../../types.js' */

const template = htmlTemplate('page/sections.hbs')

/**
 * @template Subject
 * @param {Subject} record
 * @param {Report<Subject>} kind
 * @param {string} title
 * @param {{ home: string, badge: string }} [site] home: address of its first page; badge: SVG
 * @returns {string} HTML
 */
export const sectionsPage = (record, kind, title, site) => template({
  ...site,
  title,
  css,
  shapes: SHAPES,
  answer: kind.answer(record).text,
  sections: kind.sections(record).filter(({ blocks }) => blocks.length > 0).map(toPageSection)
})
