/** Handlebars templates of pages and of Markdown. Templates are part of the code. */
import { readFileSync } from 'node:fs'
import handlebars from 'handlebars'
import { withoutControls } from '../errors.js'
import { cell, markdownTable } from './markdown.js'

/**
 * Reads a file beside the code.
 * @param {string | URL} file a path is relative to bench/report/
 */
export const readBeside = file => readFileSync(new URL(file, import.meta.url), 'utf8')

/**
 * Reads a style sheet or script for a page, without the comments and the indentation of its lines: a site contains it
 * in every page.
 * @param {string | URL} file a path is relative to bench/report/; without texts of several lines
 */
export function readEmbedded (file) {
  const text = readBeside(file).replace(/^[ \t]*(?:\/\*[^]*?\*\/|\/\/.*)\n/gm, '').replace(/^[ \t\n]+/gm, '')
  return String(file).endsWith('.css') ? text.replace(/\s*([{};])\s*/g, '$1').replace(/([:,])\s+/g, '$1') : text
}

const html = handlebars.create()
for (const name of ['table', 'figure', 'section', 'swatch']) html.registerPartial(name, readBeside(`page/${name}.hbs`))

const markdown = handlebars.create()
markdown.registerHelper({
  cell,
  table: (/** @type {Parameters<typeof markdownTable>[0]} */ table) => markdownTable(table).join('\n')
})

/**
 * Returns a template whose output has no control characters, which a record could contain anywhere.
 * @param {ReturnType<typeof html.compile>} template
 * @returns {(view: unknown) => string}
 */
const toPrintable = template => view => withoutControls(template(view))

/** Compiles a template of HTML. @param {string | URL} file */
export const htmlTemplate = file => toPrintable(html.compile(readBeside(file)))

/** Compiles a template of Markdown, which escapes text by `cell`. @param {string | URL} file */
export const markdownTemplate = file => toPrintable(markdown.compile(readBeside(file), { noEscape: true }))
