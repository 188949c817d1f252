/** Pages and charts of records, each by the kind of its record. */
import { kindOf } from '../../bench/run/kinds.js'
import * as page from '../../bench/report/page/page.js'
import * as view from '../../bench/report/page/view.js'

/** @import { RunRecord } from '../../bench/types.js' */
/** @typedef {Omit<Parameters<typeof view.toView>[0], 'kind'>} Stored */

/** @type {(stored: Stored, site?: Parameters<typeof page.renderPage>[1]) => string} */
export const renderPage = (stored, site) => page.renderPage({ ...stored, kind: kindOf(stored.record) }, site)
/** @param {RunRecord} record */
export const renderSvg = record => page.renderSvg(record, kindOf(record))
/** @param {Stored} stored */
export const toView = stored => view.toView({ ...stored, kind: kindOf(stored.record) })
