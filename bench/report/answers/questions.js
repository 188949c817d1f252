/** The questions of docs/answers.md, and the arms that answer them: data. The sentences are made from stored runs. */
import { ABOUT_APPS } from './about-apps.js'
import { ABOUT_BEHAVIOUR } from './about-behaviour.js'
import { ABOUT_CAPACITY } from './about-capacity.js'
import { ABOUT_FILES } from './about-files.js'
import { ABOUT_PROXIES } from './about-proxies.js'

/** @import { AnswerWords } from '../../types.js' */

/**
 * @typedef {object} Costs
 * @property {string[]} arms the first is the baseline
 * @property {string} [when] condition of the measurement: "at full load"
 * @property {boolean} [hasShares] true: with percentages of the baseline
 * @property {number} [addedMicros] CPU time in µs of an app that uses so much more than the baseline; shares of it are
 * computed
 * @property {string} [answer] first words if all other arms cost more than the baseline
 */

/**
 * @typedef {object} Question
 * @property {string} id
 * @property {string} question
 * @property {string} experiment experiment that answers it; "size": a sizing
 * @property {'pairs' | 'choice' | 'every' | 'recommendation' | 'sizing' | 'ports' | 'site' | 'behaviour'} by
 * kind of the answer; pairs: the contrasts in `pairs`; choice: arms that are faster than, equal to or slower than the
 * baseline of the first pair; every: all contrasts, by verdict; recommendation: static servers and findings of the
 * check; sizing: instances for rates; ports: local ports for connections to the app; site: page views, and response
 * times of the second experiment; behaviour: the answer of the experiment
 * @property {[arm: string, baseline: string][]} [pairs] the first is the answer
 * @property {Record<string, string>} [names] of arms, as they are printed
 * @property {{ experiment: string, pairs?: [arm: string, baseline: string][], names?: Record<string, string>, steps?:
 * [arm: string, baseline: string], costs?: Costs }} [second] second experiment, whose contrasts follow the answer;
 * steps: arms whose response times are compared; costs: their sentence follows that of the first experiment
 * @property {Question} [fallback] the same question with another experiment, used while this one has no stored run
 * @property {{ faster: string, slower: string }} [lead] first words by the verdict of the first pair: "Yes"
 * @property {number} [sentences] number of sentences of the answer; default: 1
 * @property {Costs} [costs] arms whose CPU time per request begins the answer
 * @property {string[]} [bytes] by pairs: arms whose bytes per response follow the costs
 * @property {string} [base] by every: words for the configuration with which all others are compared
 * @property {Record<string, string>} [beside] by every: an arm, and the arm whose effect is printed in its clause
 * @property {{ directive: string, without: string[] }} [bySize] by every: a directive, and the arms without it, the
 * smallest files first; their baselines are named by the size of the files
 * @property {(Pick<AnswerWords, 'figure' | 'group' | 'names'> & { requests?: string, unit?: string })[]} [forms] by
 * behaviour: answers of the run, in place of the stored words; requests: words for the requests that may fail, or
 *   for those of the figure; unit: of the figure
 * @property {string[]} [behaviours] experiments about behaviour whose answers follow
 * @property {string} [note] limits of the measurement
 * @property {string[]} pages of docs/ with more
 * @property {string} dependsOn conditions that would change the answer; completes "It depends on …"
 * @property {string} configuration the recommended topology
 * @property {boolean} [chart] true: the main chart of the run is stored with the page
 * @property {string} [command] measures the answer; default: commands that run the experiments
 */

/**
 * Questions in the order of the page.
 * @type {Question[]}
 */
export const QUESTIONS = [...ABOUT_FILES, ...ABOUT_APPS, ...ABOUT_PROXIES, ...ABOUT_CAPACITY, ...ABOUT_BEHAVIOUR]
