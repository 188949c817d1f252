import { HopbenchError } from '../errors.js'
import { renderText } from '../report/text.js'
import { DEFAULT_RESULTS_DIR, latestRun } from '../store/store.js'
import { storedRun } from '../studies/stored-run.js'

/** @import { StoredRun } from '../studies/stored-run.js' @import { Command } from 'commander' */

/** @typedef {StoredRun & { resultsDir?: string }} Reported */

/** What draws and packs takes a while to load, and a text needs none of it. */
const page = () => import('../studies/report-file.js')
const data = () => import('../report/page/csv.js')

/** What can be printed in place of the text.
 * @type {Record<string, { help: string, print: (run: Reported) => string | Promise<string> }>} */
const FORMATS = {
  json: { help: 'the record as JSON', print: ({ record }) => `${JSON.stringify(record, null, 2)}\n` },
  html: { help: 'the report page, which needs nothing beside it', print: async run => (await page()).pageOf(run) },
  csv: { help: 'the table of arms as CSV', print: async ({ record }) => (await data()).tableCsv(record) },
  samples: { help: 'every trial as CSV', print: async ({ samples }) => (await data()).samplesCsv(samples) },
  users: { help: 'what users saw, second by second, as CSV', print: usersOf },
  markdown: {
    help: 'the tables as Markdown, for a pull request',
    print: async ({ record }) => (await data()).markdown(record)
  },
  svg: { help: 'the main chart as SVG', print: svgOf }
}

/** @param {Command} program */
export default program => {
  const command = program.command('report')
    .description('a stored run, also one that was cut off: as text, as a page, or as data')
    .argument('[run]', 'its folder or name, or an experiment; the last run when left out')
    .option('--results <folder>', 'where runs are kept')
    .option('--open', 'write report.html into the run\'s folder and show it in the browser')
  for (const [format, { help }] of Object.entries(FORMATS)) command.option(`--${format}`, `print ${help}`)
  command.addHelpText('after', `
Examples:
  hopbench report uds --open
  hopbench report --markdown
  hopbench report uds --samples > uds.csv`)
    .action(async (name, { results, open: show, ...formats }) => {
      const [format, other] = Object.keys(FORMATS).filter(format => formats[format])
      if (other) {
        throw new HopbenchError('bad-option', {
          option: `--${other}`,
          value: true,
          why: `--${format} prints something else already`,
          remedy: 'Call it once for each.'
        })
      }
      const wanted = name ?? (await latestRun(results))?.dir
      if (wanted === undefined) throw new HopbenchError('no-runs', { dir: results ?? DEFAULT_RESULTS_DIR })
      const run = { ...await storedRun(wanted, results), resultsDir: results }
      if (show) await showPage(run)
      if (format) process.stdout.write(await FORMATS[format].print(run))
      else if (!show) {
        process.stdout.write(
          renderText(run.record, {
            columns: process.stdout.columns ?? 80,
            color: process.stdout.isTTY && !process.env.NO_COLOR,
            dir: run.dir
          })
        )
      }
    })
}

/** @param {Reported} run */
async function usersOf ({ record, samples }) {
  const csv = (await data()).usersCsv(samples)
  if (csv === null) throw new HopbenchError('no-users', { run: record.run })
  return csv
}

/** @param {Reported} run */
async function svgOf ({ record }) {
  const { renderSvg } = await import('../report/page/page.js')
  const svg = renderSvg(record)
  if (svg === null) throw new HopbenchError('nothing-to-draw', { run: record.run })
  return svg
}

/** Where there is no browser to be had, the file is still there. @param {Reported} run */
async function showPage (run) {
  const file = await (await page()).writeReport(run)
  process.stderr.write(`${file}\n`)
  const { default: open } = await import('open')
  const viewer = await open(file).catch(() => null)
  viewer?.on('error', () => process.stderr.write('No browser could be started here: open the file in one.\n'))
}
