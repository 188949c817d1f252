/** The history of an experiment as a page (pure). */
import { datedLabel, historyAnswer, historyNotes, historyTable, stepClause, TITLES } from '../history-words.js'
import { pageTable } from '../table.js'
import { htmlTemplate } from '../templates.js'
import { historyChart } from './history-chart.js'
import { css, withCells } from './page.js'
import { section } from './section.js'

/** @import { History } from '../../judge/history.js' */

const template = htmlTemplate('page/history.hbs')

/**
 * @param {History & { unreadable?: number }} history
 * @returns {string} HTML
 */
export const historyPage = history => template({
  title: `${history.experiment}, ${history.runs.length} runs`,
  answer: historyAnswer(history),
  notes: historyNotes(history),
  table: withCells(pageTable(historyTable(history))),
  sections: history.figures.map((figure, i) => {
    const title = `${figure.name}, ${TITLES[figure.kind](history.unit)}`
    return section(`figure-${i + 1}`, title, {
      words: figure.steps.map(step =>
        `From ${datedLabel(history.runs[step.run])}: ${stepClause(figure, step, history.unit)} than before.`),
      chart: historyChart(figure, history),
      label: `${title}, by run`
    })
  }),
  css
})
