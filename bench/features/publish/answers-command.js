import { inOwnWords } from '../../machine/own-command.js'
import { answersText } from './answers-text.js'
import { toStyle } from '../../report/wrap.js'
import { IN_CLONE } from '../../shared/commands.js'
import { DEFAULT_RESULTS_DIR, REFERENCE_DIR } from '../../store/store.js'
import { answers, writeAnswers } from './answers.js'
import { terminal } from '../../run/show-record.js'

/** @import { Answer } from './answers-text.js' */
/** @import { Command } from 'commander' */

/** @param {Command} program */
export default program => program.command('answers')
  .description('print answers from stored runs: your runs if there are any, else the reference runs')
  .option('-o, --results <folder>', 'folder of runs (default: ./results, and the reference runs of hopbench)')
  .option('--write', 'write docs/answers.md from the reference runs')
  .option('--json', 'print JSON')
  .addHelpText('after', `
Examples:
  hopbench answers
  hopbench answers --results results/reference --json`)
  .action(async ({ results, write = false, json = false }) => {
    const computed = await answers(write ? [REFERENCE_DIR] : [results ?? DEFAULT_RESULTS_DIR, REFERENCE_DIR])
    if (write) {
      for (const file of await writeAnswers(computed)) process.stderr.write(`Wrote ${file}\n`)
      return
    }
    const printed = computed.map(withOwnWords)
    const { columns, color } = terminal()
    if (json) process.stdout.write(`${JSON.stringify(printed.map(toJson), null, 2)}\n`)
    else process.stdout.write(inOwnWords(answersText(printed, toStyle(columns, color))))
  })

/**
 * Replaces the commands in the sentences of an answer, before lines are broken.
 * @param {Answer} answer
 * @returns {Answer}
 */
const withOwnWords = answer => ({ ...answer, sentences: answer.sentences.map(inOwnWords) })

/** @param {Answer} answer */
const toJson = ({ question: { id, question, dependsOn, check }, sentences, runs, set }) => ({
  id,
  question,
  answer: sentences,
  dependsOn,
  check: check.map(words => inOwnWords(`${IN_CLONE} ${words}`)),
  runs,
  machine: set
})
