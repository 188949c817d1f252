/** The questions of docs/answers.md, and the arms that answer them: data. The verdicts of a run make the sentences. */
import { ABOUT_APPS } from './about-apps.js'
import { ABOUT_BEHAVIOUR } from './about-behaviour.js'
import { ABOUT_FILES } from './about-files.js'

/**
 * @typedef {object} Question
 * @property {string} id
 * @property {string} question
 * @property {string} experiment experiment that answers it; "size": a sizing
 * @property {'pairs' | 'choice' | 'every' | 'recommendation' | 'sizing' | 'ports' | 'site' | 'behaviour'} by
 * pairs: the contrasts in `pairs`; choice: arms that are faster than, equal to or slower than the baseline of the first
 * pair; every: all contrasts, by verdict; recommendation: static servers and findings of the check; sizing: instances
 * for rates; ports: local ports for connections to the app; site: page views, and response times of the second
 * experiment; behaviour: the figure of each arm that the experiment names as its answer
 * @property {[arm: string, baseline: string][]} [pairs] the first is the answer
 * @property {Record<string, string>} [names] of arms, as they are printed
 * @property {{ experiment: string, pairs?: [arm: string, baseline: string][], names?: Record<string, string>, steps?:
 * [arm: string, baseline: string] }} [beside] second experiment, whose contrasts follow the answer; steps: arms at
 * offered rates
 * @property {Question} [until] the question as another experiment answers it as long as this one has no stored run
 * @property {{ faster: string, slower: string }} [lead] answer by the verdict of the first pair: "Yes"
 * @property {number} [sentences] number of sentences of the answer; default: 1
 * @property {{ arms: string[], of: 'app' | 'baseline' }} [costs] arms whose CPU time per request leads the answer: the
 * first is the baseline; of: shares are those of an app of 1 ms, or of the baseline
 * @property {string[]} [also] experiments about behaviour whose answers follow
 * @property {string} [note] limits of the measurement
 * @property {string[]} pages of docs/ with more
 * @property {string} dependsOn conditions that would change the answer
 * @property {string} configuration the recommended topology
 * @property {boolean} [chart] its main chart is stored with the page
 * @property {boolean} [onlyOnPage] the table of README.md has no row for it
 * @property {string} [command] default: commands that run the experiments
 */

/**
 * Questions in the order of the page.
 * @type {Question[]}
 */
export const QUESTIONS = [...ABOUT_FILES, ...ABOUT_APPS, ...ABOUT_BEHAVIOUR]
