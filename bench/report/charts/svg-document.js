/**
 * A document in which Plot draws SVG: elements, attributes, text, and nothing else (pure). Plot adds children, sets
 * attributes, and never searches.
 */

const SVG = 'http://www.w3.org/2000/svg'
const HTML = 'http://www.w3.org/1999/xhtml'
const XLINK = 'http://www.w3.org/1999/xlink'

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\u00a0': '&nbsp;' }
const escape = (/** @type {string} */ text) => text.replace(/[&<>\u00a0]/g, character => ENTITIES[character])
const escapeAttribute = (/** @type {string} */ text) => text.replace(/[&<>"\u00a0]/g, character => ENTITIES[character])

/** A part of the text of an element. */
class TextNode {
  /** @type {SvgElement | null} */
  parentNode = null

  /** @param {string} text */
  constructor (text) {
    this.text = text
  }

  get outerHTML () {
    return escape(this.text)
  }
}

/** An element, with the part of the interface of DOM that Plot and d3-selection use. */
class SvgElement {
  /** @type {SvgElement | null} */
  parentNode = null
  /** @type {(SvgElement | TextNode)[]} */
  childNodes = []
  /** @type {Map<string, string>} */
  #attributes = new Map()

  /**
   * @param {SvgDocument} ownerDocument
   * @param {string} namespaceURI
   * @param {string} tagName
   */
  constructor (ownerDocument, namespaceURI, tagName) {
    this.ownerDocument = ownerDocument
    this.namespaceURI = namespaceURI
    this.tagName = tagName
  }

  /** Sets a property of the attribute "style". */
  style = {
    setProperty: (/** @type {string} */ name, /** @type {string} */ value) => {
      this.setAttribute('style', `${this.getAttribute('style') ?? ''}${name}:${value};`)
    }
  }

  /** Elements among the children. @returns {SvgElement[]} */
  get children () {
    return this.childNodes.filter(child => child instanceof SvgElement)
  }

  get firstChild () {
    return this.childNodes[0] ?? null
  }

  /** The svg element around this one. @returns {SvgElement | null} */
  get ownerSVGElement () {
    const parent = this.parentNode
    return parent === null || parent.tagName === 'svg' ? parent : parent.ownerSVGElement
  }

  get textContent () {
    return this.childNodes.map(child => child instanceof TextNode ? child.text : child.textContent).join('')
  }

  /** @param {string} text */
  set textContent (text) {
    this.childNodes = []
    if (text !== '') this.appendChild(new TextNode(String(text)))
  }

  /** @param {string} name */
  getAttribute (name) {
    return this.#attributes.get(name) ?? null
  }

  /** @param {string} name */
  hasAttribute (name) {
    return this.#attributes.has(name)
  }

  /**
   * @param {string} name
   * @param {unknown} value
   */
  setAttribute (name, value) {
    this.#attributes.set(name, String(value))
  }

  /**
   * @param {string} namespace
   * @param {string} name without its prefix
   * @param {unknown} value
   */
  setAttributeNS (namespace, name, value) {
    this.setAttribute(namespace === XLINK ? `xlink:${name}` : name, value)
  }

  /** @param {string} name */
  removeAttribute (name) {
    this.#attributes.delete(name)
  }

  /**
   * @template {SvgElement | TextNode} T
   * @param {T} child
   */
  appendChild (child) {
    return this.insertBefore(child, null)
  }

  /** @param {...(SvgElement | TextNode | string)} children */
  append (...children) {
    for (const child of children) this.appendChild(typeof child === 'string' ? new TextNode(child) : child)
  }

  /**
   * @template {SvgElement | TextNode} T
   * @param {T} child
   * @param {SvgElement | TextNode | null} next null: at the end
   */
  insertBefore (child, next) {
    child.parentNode?.removeChild(child)
    const at = next === null ? -1 : this.childNodes.indexOf(next)
    this.childNodes.splice(at < 0 ? this.childNodes.length : at, 0, child)
    child.parentNode = this
    return child
  }

  /** @param {SvgElement | TextNode} child */
  removeChild (child) {
    this.childNodes = this.childNodes.filter(other => other !== child)
    child.parentNode = null
  }

  /** The element as HTML. @returns {string} */
  get outerHTML () {
    const attributes = [...this.#attributes].map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`).join('')
    // HTML closes its own elements by a tag only.
    if (this.namespaceURI !== HTML && this.childNodes.length === 0) return `<${this.tagName}${attributes}/>`
    return `<${this.tagName}${attributes}>${this.childNodes.map(child => child.outerHTML).join('')}</${this.tagName}>`
  }
}

/** Creates elements. */
export class SvgDocument {
  documentElement = new SvgElement(this, HTML, 'html')

  /** @param {string} name */
  createElement (name) {
    return new SvgElement(this, HTML, name)
  }

  /**
   * @param {string} namespace
   * @param {string} name
   */
  createElementNS (namespace, name) {
    return new SvgElement(this, namespace ?? SVG, name)
  }

  /** @param {string} text */
  createTextNode (text) {
    return new TextNode(text)
  }
}
