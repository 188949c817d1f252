/** Edits the texts of configuration files at the places of their directives (pure). */
import { FILE_HEADERS_ONLY, createTwoFilesPatch } from 'diff'
import { getValue } from './model.js'

/** @import { Directive, Placed } from './types.js' */

/**
 * Replacement of a part of a file.
 * @typedef {{ file: string, from: number, to: number, text: string }} Edit
 */
/** Texts of files by path. @typedef {Map<string, string>} Texts */

/**
 * Returns the texts with all edits. Of edits that overlap, the first one is made.
 * @param {Texts} texts
 * @param {Edit[]} edits
 * @returns {Texts}
 */
export function applyEdits (texts, edits) {
  const result = new Map(texts)
  let end = Infinity
  let last = ''
  const ordered = edits.map((edit, i) => ({ ...edit, i }))
    .sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : b.from - a.from || b.i - a.i)
  for (const { file, from, to, text } of ordered) {
    const before = result.get(file)
    if (before === undefined) continue
    if (file !== last) end = Infinity
    if (to > end) continue
    result.set(file, before.slice(0, from) + text + before.slice(to))
    end = from
    last = file
  }
  return result
}

/**
 * Replaces an argument of a directive.
 * @param {Directive} directive
 * @param {number} i
 * @param {string} value
 * @returns {Edit}
 */
export const replaceArgument = ({ file, args }, i, value) =>
  ({ file, from: args[i].from, to: args[i].to, text: value })

/**
 * Replaces a whole directive.
 * @param {Directive} directive
 * @param {string} text
 * @returns {Edit}
 */
export const replaceDirective = ({ file, from, to }, text) => ({ file, from, to, text })

/**
 * Removes a directive, with its line if it is alone there.
 * @param {Texts} texts
 * @param {Directive} directive
 * @returns {Edit}
 */
export function removeDirective (texts, { file, from, to }) {
  const text = texts.get(file) ?? ''
  const start = text.lastIndexOf('\n', from - 1) + 1
  const end = text.indexOf('\n', to) + 1 || text.length
  const isAlone = text.slice(start, from).trim() === '' && text.slice(to, end).trim() === ''
  return isAlone ? { file, from: start, to: end, text: '' } : { file, from, to, text: '' }
}

/**
 * Sets a directive in a block, in place of the one that is there.
 * @param {Texts} texts
 * @param {Directive} block
 * @param {string} name
 * @param {string} value
 * @returns {Edit[]}
 */
export function setDirective (texts, block, name, value) {
  const own = block.children?.find(child => child.name === name)
  return own ? [replaceDirective(own, `${name} ${value};`)] : addTo(texts, block, [`${name} ${value};`])
}

/**
 * Adds lines behind the last directive of a block.
 * @param {Texts} texts
 * @param {Directive} block
 * @param {string[]} lines
 * @returns {Edit[]} empty without lines
 */
export function addTo (texts, block, lines) {
  if (lines.length === 0) return []
  const text = texts.get(block.file) ?? ''
  const last = block.children?.findLast(child => child.file === block.file && child.to <= block.to)
  if (!last) {
    const at = block.to - 1
    return [{ file: block.file, from: at, to: at, text: `${lines.join(' ')} ` }]
  }
  const lineStart = text.lastIndexOf('\n', last.from - 1) + 1
  const indent = text.slice(lineStart, last.from)
  const isAlone = indent.trim() === ''
  const [comment] = /^[ \t]*#.*/.exec(text.slice(last.to)) ?? ['']
  const at = last.to + (isAlone ? comment.length : 0)
  const added = lines.map(line => isAlone ? `\n${indent}${line}` : ` ${line}`).join('')
  return [{ file: block.file, from: at, to: at, text: added }]
}

/**
 * Adds lines before a directive.
 * @param {Texts} texts
 * @param {Directive} directive
 * @param {string} line
 * @returns {Edit}
 */
export function addBefore (texts, { file, from }, line) {
  const text = texts.get(file) ?? ''
  const indent = text.slice(text.lastIndexOf('\n', from - 1) + 1, from)
  return { file, from, to: from, text: indent.trim() === '' ? `${line}\n${indent}` : `${line} ` }
}

/**
 * Sets headers of requests to the app, in every block whose headers are in force.
 * @param {Texts} texts
 * @param {Placed[]} passes
 * @param {Record<string, string>} headers
 * @returns {Edit[]}
 */
export function setHeaders (texts, passes, headers) {
  const blocks = [...new Set(passes.map(({ around }) =>
    around.findLast(({ children = [] }) => children.some(({ name }) => name === 'proxy_set_header')) ??
    around.findLast(({ name }) => name === 'server') ?? around[around.length - 1]))]
  return blocks.flatMap(block => {
    const own = (block.children ?? []).filter(({ name }) => name === 'proxy_set_header')
    const find = (/** @type {string} */ name) =>
      own.find(directive => getValue(directive).toLowerCase() === name.toLowerCase())
    const missing = Object.entries(headers).filter(([name]) => !find(name))
    return [
      ...Object.entries(headers).flatMap(([name, value]) => {
        const directive = find(name)
        return directive ? [replaceArgument(directive, 1, value)] : []
      }),
      ...addTo(texts, block, missing.map(([name, value]) => `proxy_set_header ${name} ${value};`))
    ]
  })
}

/**
 * Returns the changes of files as a patch for `patch -p1`.
 * @param {Texts} before
 * @param {Texts} after
 * @param {Map<string, string>} shown paths of files as typed, by path
 */
export const toPatch = (before, after, shown) => [...before].map(([file, text]) => {
  const name = shown.get(file)
  const changed = after.get(file)
  if (name === undefined || changed === undefined || changed === text) return ''
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, text, changed, undefined, undefined,
    { headerOptions: FILE_HEADERS_ONLY })
}).join('')
