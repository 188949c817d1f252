/** Configuration text from a folder of templates: its main file, and the snippets that it names, where it has some. */
import Handlebars from 'handlebars'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { parse } from 'node:path'

/** @param {URL} folder @param {string} main its main file @returns {(view: object) => string} */
export function templatesIn (folder, main) {
  const read = (/** @type {string} */ file) => readFileSync(new URL(file, folder), 'utf8')
  const handlebars = Handlebars.create()
  handlebars.registerHelper('onOff', value => value ? 'on' : 'off')
  const snippets = new URL('snippets/', folder)
  for (const file of existsSync(snippets) ? readdirSync(snippets) : []) {
    handlebars.registerPartial(parse(file).name, read(`snippets/${file}`))
  }
  const text = handlebars.compile(read(main), { noEscape: true, strict: true })
  return view => text(view).replace(/\n{3,}/g, '\n\n').replace(/ +$/gm, '')
}

/** Each transport's words in a configuration. */
export const TRANSPORT_WORDS = {
  tcp: 'A new TCP connection for every request.',
  keepalive: 'TCP connections that are kept and used again.',
  uds: 'A new connection on a Unix domain socket for every request.',
  'uds-keepalive': 'Connections on a Unix domain socket that are kept and used again.'
}
