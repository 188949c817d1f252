/** The live page as HTML: what there is to start, and places for what its script brings. */
import { readFileSync } from 'node:fs'
import handlebars from 'handlebars'
import { loadPlugin, pluginNames } from '../../plugins.js'
import { OPTIONS } from './order.js'

const read = (/** @type {string} */ file) => readFileSync(new URL(file, import.meta.url), 'utf8')
const template = handlebars.compile(read('live.hbs'))
const css = read('../../report/page/page.css') + read('live.css')

/** @returns {Promise<string>} */
export async function livePage () {
  const experiments = await Promise.all(pluginNames('experiment').map(async name =>
    ({ name, question: (await loadPlugin('experiment', name)).default.question })))
  return template({ css, experiments, options: OPTIONS, engines: pluginNames('engine') })
}
