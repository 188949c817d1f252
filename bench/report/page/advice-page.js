/** An advice as a page (pure). */
import { toAdviceView } from '../advice-text.js'
import { htmlTemplate } from '../templates.js'
import { css } from './page.js'

/** @import { AdviceRecord } from '../../types.js' */

const template = htmlTemplate('page/advice.hbs')

/**
 * @param {AdviceRecord} record
 * @returns {string} HTML
 */
export const advicePage = record => template({ ...toAdviceView(record), css })
